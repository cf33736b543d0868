//! The interface to an architecture's page-table format.
//!
//! Every table has 512 entries of eight bytes. Tables are described by their height: entries of a table of height 0 map
//! pages, those of height 1 map large pages or lead to tables of height 0, and so on.

use core::ops::Range;

use crate::address::{PhysAddr, VirtAddr};
use limen_abi::limits::PAGE_BYTES;

/// Entries in a table.
pub const ENTRIES: usize = PAGE_BYTES as usize / size_of::<u64>();
const INDEX_BITS: u32 = ENTRIES.ilog2();

/// The words of a table.
pub type Table = [u64; ENTRIES];

/// An architecture's encoding of entries.
pub trait Format {
    /// Height of the top table of a user address space.
    const USER_HEIGHT: u32;
    /// Height of the top table of the kernel's addresses.
    const KERNEL_HEIGHT: u32;
    /// Largest height at which an entry may map memory.
    const MAX_LEAF_HEIGHT: u32;
    /// How user and kernel addresses share top tables.
    const HALVES: Halves;
    /// The entry that leads to a table.
    fn branch(table: PhysAddr) -> u64;
    /// The bits of an entry of this height that maps memory, without the address.
    fn attributes(height: u32, access: Access) -> u64;
    /// The entry that maps memory at `start`.
    #[must_use]
    fn leaf(start: PhysAddr, attributes: u64) -> u64 {
        start.0 | attributes
    }
    /// Decodes an entry of this height.
    fn decode(entry: u64, height: u32) -> Entry;
}

/// How user and kernel addresses share top tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halves {
    /// Each half has its own top table; the processor uses two at a time.
    Apart,
    /// Every top table maps a program in its lower half and the kernel in its upper half.
    Together,
}

impl Halves {
    /// The entries of a top table that resolve user addresses.
    #[must_use]
    pub const fn user(self) -> Range<usize> {
        match self {
            Self::Apart => 0..ENTRIES,
            Self::Together => 0..ENTRIES / 2,
        }
    }

    /// The entries of the kernel's top table that resolve kernel addresses.
    #[must_use]
    pub const fn kernel(self) -> Range<usize> {
        match self {
            Self::Apart => 0..ENTRIES,
            Self::Together => ENTRIES / 2..ENTRIES,
        }
    }
}

/// The code that may use a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The kernel, in every address space.
    Kernel,
    /// A program.
    User,
    /// The kernel, while it works for a thread: in one address space only.
    Work,
}

/// The kind of memory behind a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryType {
    /// RAM, cached.
    Cached,
    /// RAM, not cached.
    Uncached,
    /// Registers of a device.
    Device,
}

/// The access that a mapping allows. Reading is always allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The code that may use it.
    pub owner: Owner,
    /// Its owner may write.
    pub write: bool,
    /// Its owner may execute.
    pub execute: bool,
    /// Kind of memory.
    pub memory: MemoryType,
}

/// The access that hardware allows through an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions {
    /// Programs may access it.
    pub user: bool,
    /// Programs or the kernel may write.
    pub writable: bool,
    /// The kernel may execute.
    pub kernel_executable: bool,
}

/// A decoded entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// Nothing.
    Empty,
    /// It leads to a table.
    Branch(PhysAddr),
    /// It maps memory.
    Leaf(PhysAddr, Permissions),
}

/// Bytes that one entry of a table of this height covers.
#[must_use]
pub const fn span_bytes(height: u32) -> u64 {
    PAGE_BYTES << (INDEX_BITS * height)
}

/// The index of the entry for `address` in a table of this height.
#[must_use]
pub const fn index(address: VirtAddr, height: u32) -> usize {
    (address.0 / span_bytes(height)) as usize % ENTRIES
}
