//! The kernel without hardware: objects, messages, scheduling, faults.
//!
//! Everything here is safe Rust that knows no architecture and runs in full on the host. A way through it, from a
//! trap to an object, takes four functions:
//!
//! ```text
//!   port: enter --> event::handle --> syscall::* --> object
//!                        |                              |
//!                        '--> sched::select <-- Outcome-'
//! ```
//!
//! * [`event`]: every way into the kernel, and the one place where threads are switched and errors answered.
//! * [`syscall`]: one short function per system call.
//! * [`invoke`]: from a capability to a request of an object: look first, then act.
//! * [`object`]: one file per object.
//! * [`message`], [`fault`]: what threads tell each other.
//! * [`sched`]: which thread runs, and for how long.
//! * [`boot`]: from a boot image to a kernel.
//! * [`inbox`]: where programs wait, as boot finds it.
//! * [`machine`]: the contract with the hardware.
//! * [`invariants`]: what is true between two events.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod arena;
pub mod boot;
pub mod cap;
pub mod event;
pub mod fast;
pub mod fault;
pub mod inbox;
pub mod invariants;
pub mod invoke;
pub mod kernel;
pub mod machine;
pub mod message;
pub mod object;
pub mod processor;
pub mod sched;
pub mod syscall;
pub mod utilisation;

pub use kernel::Kernel;
