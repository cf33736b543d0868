//! `./x run`: boards, projects and the emulator that boots them.

pub mod board;
mod command;
pub mod control;
pub mod debug;
pub mod expected;
pub mod faults;
pub mod inspection;
pub mod patience;
pub mod project;
pub mod python;
pub mod qemu;

pub use command::COMMAND;
