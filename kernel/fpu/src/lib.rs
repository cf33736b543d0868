//! Ownership of the floating-point registers, without knowledge of threads or hardware.
//!
//! * [`ownership`]: the states and transitions.
//! * [`mod@unit`]: the operations of the hardware.
//! * [`section`]: the kernel's own use of registers, in work for a thread and in interrupt handlers.
//! * [`counters`]: how often each operation was performed.
//! * [`mask`]: sets of registers, as types.
//!
//! `ownership/exploration` explores every state that three threads in two domains can reach. Two of the threads may be
//! at work and in a section, and interrupts may occur anywhere.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod counters;
pub mod mask;
pub mod ownership;
pub mod section;
pub mod unit;

pub use counters::Counters;
pub use limen_abi::FpuPolicy;
pub use ownership::{Fpu, Options, Taken};
pub use section::{InterruptContext, Open, WorkerContext};
pub use unit::{FpuUnit, Name, SectionUnit, WorkerUnit};
