//! The kernel objects, one file each: purpose, states, requests, and the operations that messages use.

pub mod endpoint;
pub mod fpu;
pub mod immediate;
pub mod io_port;
pub mod irq;
pub mod key;
pub mod notification;
pub(crate) mod priority;
pub mod probe;
pub mod reply;
pub mod sched_context;
pub mod sched_control;
pub mod secure_monitor;
pub mod service;
pub mod thread;
pub mod vspace;
