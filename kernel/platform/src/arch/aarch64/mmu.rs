//! The format of page tables.

pub use limen_mmu::aarch64::descriptor::Descriptors;
use limen_mmu::aarch64::system;

/// First address after those of programs.
pub const USER_END: u64 = 1 << system::USER_ADDRESS_BITS;
