//! `./x trace`, in three parts: building with the trace on, recording from a running emulator, and the command.

pub mod command;
pub mod memory;
pub mod recorder;
pub mod sdk;

pub use command::COMMAND;
