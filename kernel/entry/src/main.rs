//! The kernel binary: the ways from programs into the kernel and back, compiled for speed.
//!
//! What is generic is made in the crate that first asks for all of its types. So the short ways of `limen_core` are made
//! here, for speed, and the general way and boot in `limen_platform`, for size.

#![no_std]
#![no_main]

#[cfg(target_os = "none")]
pub mod arch;
#[cfg(target_os = "none")]
#[expect(unsafe_code, reason = "borrows the kernel, once in each trap")]
pub mod entry;
