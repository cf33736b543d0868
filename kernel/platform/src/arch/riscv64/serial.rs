//! The serial port of the debug console: its registers are memory.

pub use crate::driver::mapped_serial::{open, put};
