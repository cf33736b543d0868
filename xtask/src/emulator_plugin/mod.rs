//! The instructions that execute on the emulated machine: a plugin of QEMU streams it while a system runs.

pub mod session;
