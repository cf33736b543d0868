//! The machine that commands run on: files, other programs, the terminal.

// First, because all other modules use its macros.
#[macro_use]
pub mod console;

pub mod concurrent;
pub mod data;
pub mod files;
pub mod process;
pub mod progress;
pub mod typed;
