//! The loader's page tables: what it hands to the kernel is a machine with the MMU on.
//!
//! Plain arithmetic that the host tests; the instructions are in the binary.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod tables;
