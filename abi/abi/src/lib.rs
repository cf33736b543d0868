//! The contract between the kernel and its users: every number that both sides must agree on, defined once.
//!
//! The C headers of the SDK are generated from the tables in this crate (`cargo xtask headers`).
//! Numbers follow the seL4 MCS system-call convention, so that existing Microkit programs keep their meaning; Limen's
//! own numbers use separate ranges.

#![no_std]
#![forbid(unsafe_code)]

mod named;

pub mod benchmark;
pub mod boot_info;
pub mod error;
pub mod fault;
pub mod fpu;
pub mod key;
pub mod label;
pub mod limits;
pub mod message;
pub mod method;
pub mod probe;
pub mod recording;
pub mod register;
pub mod ring;
pub mod service;
pub mod slot;
pub mod syscall;
pub mod trace;

pub use error::ErrorCode;
pub use fault::FaultLabel;
pub use fpu::FpuPolicy;
pub use key::KernelKey;
pub use label::Label;
pub use message::MessageInfo;
pub use probe::ProbeEvent;
pub use service::{SealCipher, ServiceKind};
pub use syscall::Syscall;
pub use trace::TraceKind;
