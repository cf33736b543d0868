//! The debug console's serial port, with memory-mapped registers.

pub use crate::driver::mapped_serial::{open, put};
