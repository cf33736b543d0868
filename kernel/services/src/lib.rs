//! The kernel's services: what they do with memory, and their results.
//!
//! Nothing here depends on the kernel. A service accesses memory through *windows*, by copying: programs may change the
//! memory concurrently, so nothing is ever borrowed from it.
//!
//! * [`window`]: memory that is accessed by copying.
//! * [`digest`]: the digest of memory.
//! * [`reset`]: restores initial contents.
//! * [`seal`]: encrypts and authenticates records.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod digest;
pub mod reset;
pub mod seal;
pub mod window;

pub use window::{Window, WritableWindow};

/// Words of a result.
pub const RESULT_WORDS: usize = 4;

/// The result of a service for its caller.
pub type ResultWords = [u64; RESULT_WORDS];
