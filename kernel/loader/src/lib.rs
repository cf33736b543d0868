//! The loader's page tables, on which the kernel starts.
//!
//! Plain arithmetic that is tested on the host; the instructions are in the binary.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod tables;
