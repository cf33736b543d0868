//! Whose floating-point registers are in the unit, without knowledge of threads or hardware.
//!
//! * [`ownership`]: the states, and what moves between them.
//! * [`unit`]: what the hardware has to do.
//! * [`counters`]: how often it did.
//! * [`mask`]: sets of registers, as types.
//!
//! `ownership/exploration` walks through every state that three threads in two domains can reach.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod counters;
pub mod mask;
pub mod ownership;
pub mod unit;

pub use counters::Counters;
pub use ownership::{Fpu, Options, Taken};
pub use unit::{FpuUnit, Name};
