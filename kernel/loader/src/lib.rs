//! What the loader hands to the kernel: a machine with the MMU on.
//!
//! The kernel continues to use the translation that the loader has set up, so the format of the tables and the
//! settings of the MMU are defined here for both. Everything in this library is plain arithmetic that the host
//! tests; the instructions are in the binary.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod layout;
pub mod translation;
