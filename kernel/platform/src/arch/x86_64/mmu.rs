//! The format of page tables.

pub use limen_mmu::x86_64::descriptor::Descriptors;

/// First address after those of programs. The last page below the gap is excluded, because a system call at its end
/// would return to a non-canonical address (see `trap.S`).
pub const USER_END: u64 = (1 << 47) - 0x1000;
