//! The kernel binary: entry from programs and return to them, compiled for speed.
//!
//! Generic code is monomorphised in the first crate that instantiates it, so that crate's opt-level applies. This crate
//! instantiates the fast paths of `limen_core`, for speed; `limen_platform` instantiates the slow paths and boot, for
//! size.

#![no_std]
#![no_main]

#[cfg(target_os = "none")]
pub mod arch;
#[cfg(target_os = "none")]
#[expect(unsafe_code, reason = "borrows the kernel, once in each trap")]
pub mod entry;
