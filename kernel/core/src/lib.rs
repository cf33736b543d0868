//! The kernel without the hardware: objects, messages, scheduling, faults.
//!
//! This crate is safe Rust without architecture-specific code, and runs in full on the host. From a trap to an object:
//!
//! ```text
//!   port: trap.S --> fast::serve_* --- planned: carry out, then switch -----------> return
//!            |             | not planned                                               ^
//!            v             v                                                           |
//!         event::handle --> syscall::* --> object --> Outcome --> sched::select -------'
//! ```
//!
//! * [`fast`]: fast paths of calls, replies, signals, receives and faults.
//! * [`event`]: every entry into the kernel on the slow path, and its tail, which switches threads.
//! * [`syscall`]: the table of system calls, and the slow path of each.
//! * [`invoke`]: from a capability to a request of an object.
//! * [`object`]: one file per object.
//! * [`cap`]: capabilities and their tables; [`arena`]: arrays of objects, and ids that link them.
//! * [`message`], [`fault`]: what threads send each other; faults as messages.
//! * [`inbox`]: the slots that event loops receive from, looked up at boot.
//! * [`sched`]: the next thread, and how long it runs.
//! * [`kernel`], [`processor`]: the state: all of it, and that of the processor.
//! * [`processors`]: messages between the kernels of several processors.
//! * [`ring`]: records that programs read without system calls; [`trace`]: those of what happens in the kernel.
//! * [`boot`]: from a boot image to a kernel.
//! * [`machine`]: the contract with the hardware.
//! * [`invariants`]: the invariants, as a check.
//! * [`utilisation`]: the time that each thread has run, where an image asks for it.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod arena;
pub mod boot;
pub mod cap;
pub mod event;
pub mod fast;
pub mod fault;
pub mod fault_line;
pub mod inbox;
pub mod invariants;
pub mod invoke;
pub mod kernel;
pub mod machine;
pub mod message;
pub mod object;
pub mod processor;
pub mod processors;
pub mod ring;
pub mod sched;
pub mod syscall;
pub mod trace;
pub mod utilisation;

pub use kernel::Kernel;
