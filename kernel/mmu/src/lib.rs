//! Address translation: page-table formats, MMU settings, and the layout of the kernel's addresses.
//!
//! The loader builds the first tables and the kernel goes on with them, so both take formats and settings from here. Each
//! architecture says what an entry means; [`format`] is what they have in common. Plain arithmetic that the host tests; the
//! instructions are in the loader and the kernel.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod aarch64;
pub mod address;
pub mod format;
pub mod layout;
pub mod riscv64;
pub mod x86_64;
