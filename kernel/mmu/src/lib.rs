//! Address translation: page-table formats, MMU settings, and the layout of the kernel's addresses.
//!
//! The loader builds the first tables and the kernel extends them, so both use these formats and settings. Each
//! architecture encodes and decodes entries; [`format`] is the shared part. Plain arithmetic that is tested on the
//! host; the instructions are in the loader and the kernel.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod aarch64;
pub mod address;
pub mod format;
pub mod layout;
pub mod riscv64;
#[cfg(test)]
mod tlb_model;
pub mod x86_64;
