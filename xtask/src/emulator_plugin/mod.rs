//! What executes on the emulated machine, instruction by instruction: a plugin of QEMU streams it while a system runs.

pub mod account;
pub mod flow;
pub mod session;
pub mod stream;
