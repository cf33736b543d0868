//! The work of the kernel's services: what they do with memory, and what they find.
//!
//! Nothing here knows the kernel. A service sees *windows*: memory that it may look at or change, through copies. Programs may
//! change that memory meanwhile, so nothing is ever borrowed from it.
//!
//! * [`window`]: memory through copies.
//! * [`digest`]: what is in it.
//! * [`reset`]: back to the first contents.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod digest;
pub mod reset;
pub mod window;

pub use window::{Window, WritableWindow};

/// Words that a service has for its caller.
pub const REPORT_WORDS: usize = 4;

/// What a service has found.
pub type Report = [u64; REPORT_WORDS];
