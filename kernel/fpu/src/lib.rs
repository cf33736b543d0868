//! Whose floating-point registers are in the unit, without knowledge of threads or hardware.
//!
//! * [`ownership`]: the states, and what moves between them.
//! * [`unit`]: what the hardware has to do.
//! * [`section`]: the kernel's own use of registers, at work for a thread and in handlers of interrupts.
//! * [`counters`]: how often it did.
//! * [`mask`]: sets of registers, as types.
//!
//! `ownership/exploration` walks through every state that three threads in two domains can reach, two of them perhaps at work
//! and in a section, interrupted anywhere.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod counters;
pub mod mask;
pub mod ownership;
pub mod section;
pub mod unit;

pub use counters::Counters;
pub use ownership::{Fpu, Options, Taken};
pub use section::{InterruptContext, Open, WorkerContext};
pub use unit::{FpuUnit, Name, SectionUnit, WorkerUnit};
