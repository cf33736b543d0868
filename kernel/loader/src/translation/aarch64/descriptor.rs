//! Bits of a translation table entry.
//!
//! Source: Arm Architecture Reference Manual (DDI 0487), VMSAv8-64 descriptor formats.

/// Bits of an address that one table resolves.
pub const INDEX_BITS: u32 = 9;
/// Entries in a table.
pub const ENTRIES: usize = 1 << INDEX_BITS;
/// Bits of an address inside a page.
pub const PAGE_BITS: u32 = 12;
/// Height of the top table of a user address space.
pub const USER_HEIGHT: u32 = 3;
/// Height of the top table of the kernel's address space.
pub const KERNEL_HEIGHT: u32 = 2;
/// Largest height at which an entry may map memory: 1 GiB.
pub const MAX_LEAF_HEIGHT: u32 = 2;

/// The entry means something.
pub const VALID: u64 = 1 << 0;
/// Above height 0: the entry leads to a table. At height 0: set in every valid entry.
pub const TABLE: u64 = 1 << 1;
/// Position of the attribute index, see [`super::system::MAIR`].
pub const ATTRIBUTE_SHIFT: u32 = 2;
/// The attribute index.
pub const ATTRIBUTE_MASK: u64 = 0b111 << ATTRIBUTE_SHIFT;
/// User mode may access.
pub const USER: u64 = 1 << 6;
/// Nobody may write.
pub const READ_ONLY: u64 = 1 << 7;
/// Coherent among the cores.
pub const INNER_SHAREABLE: u64 = 0b11 << 8;
/// Set where hardware need not record the first access.
pub const ACCESSED: u64 = 1 << 10;
/// Belongs to the current address space identifier.
pub const NOT_GLOBAL: u64 = 1 << 11;
/// The kernel must not execute.
pub const KERNEL_EXECUTE_NEVER: u64 = 1 << 53;
/// User mode must not execute.
pub const USER_EXECUTE_NEVER: u64 = 1 << 54;
/// The physical address.
pub const ADDRESS_MASK: u64 = 0x0000_ffff_ffff_f000;

/// Bytes that an entry of a table of this height stands for.
#[must_use]
pub const fn span_bytes(height: u32) -> u64 {
    1 << (PAGE_BITS + INDEX_BITS * height)
}

/// The entry of a table of this height that stands for `address`.
#[must_use]
pub const fn index(address: u64, height: u32) -> usize {
    (address >> (PAGE_BITS + INDEX_BITS * height)) as usize % ENTRIES
}

/// The bits that make an entry of this height map memory.
#[must_use]
pub const fn leaf(height: u32) -> u64 {
    if height == 0 { VALID | TABLE } else { VALID }
}

/// Whether an entry of this height leads to a table.
#[must_use]
pub const fn is_branch(entry: u64, height: u32) -> bool {
    height > 0 && entry & (VALID | TABLE) == VALID | TABLE
}
