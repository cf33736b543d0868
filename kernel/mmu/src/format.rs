//! What an architecture says about its translation tables.
//!
//! Every table has 512 entries of eight bytes. Tables are named by their height: the entries of a table of
//! height 0 map pages, those of height 1 map large pages or lead to tables of height 0, and so on.

use core::ops::Range;

use crate::address::{PhysAddr, VirtAddr};
use limen_abi::limits::PAGE_BYTES;

/// Entries in a table.
pub const ENTRIES: usize = PAGE_BYTES as usize / size_of::<u64>();
const INDEX_BITS: u32 = ENTRIES.ilog2();

/// The words of a table.
pub type Table = [u64; ENTRIES];

/// How an architecture writes an entry.
pub trait Format {
    /// Height of the top table of a user address space.
    const USER_HEIGHT: u32;
    /// Height of the top table of the kernel's addresses.
    const KERNEL_HEIGHT: u32;
    /// Largest height at which an entry may map memory.
    const MAX_LEAF_HEIGHT: u32;
    /// Where the addresses of programs and those of the kernel meet.
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
    /// What an entry of this height means.
    fn decode(entry: u64, height: u32) -> Entry;
}

/// Where the addresses of programs and those of the kernel meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halves {
    /// Each half has a top table of its own, and the processor uses two at a time.
    Apart,
    /// Every top table has the entries of a program in its lower half and those of the kernel in its upper half.
    Together,
}

impl Halves {
    /// Entries of a top table that resolve addresses of programs.
    #[must_use]
    pub const fn user(self) -> Range<usize> {
        match self {
            Self::Apart => 0..ENTRIES,
            Self::Together => 0..ENTRIES / 2,
        }
    }

    /// Entries of the kernel's top table that resolve its addresses.
    #[must_use]
    pub const fn kernel(self) -> Range<usize> {
        match self {
            Self::Apart => 0..ENTRIES,
            Self::Together => ENTRIES / 2..ENTRIES,
        }
    }
}

/// Who uses a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The kernel alone; the same in every address space.
    Kernel,
    /// A program.
    User,
    /// The kernel, while it works for one thread: in one address space only.
    Work,
}

/// What kind of memory a mapping shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryType {
    /// RAM, cached.
    Cached,
    /// RAM, not cached.
    Uncached,
    /// Registers of a device.
    Device,
}

/// What may be done through a mapping. Reading always may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Who may use it.
    pub owner: Owner,
    /// Its owner may write.
    pub write: bool,
    /// Its owner may execute.
    pub execute: bool,
    /// Kind of memory.
    pub memory: MemoryType,
}

/// What the hardware allows through an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions {
    /// Programs may access it.
    pub user: bool,
    /// Somebody may write.
    pub writable: bool,
    /// The kernel may execute.
    pub kernel_executable: bool,
}

/// What an entry means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// Nothing.
    Empty,
    /// There is another table behind it.
    Branch(PhysAddr),
    /// It maps memory.
    Leaf(PhysAddr, Permissions),
}

/// Bytes that an entry of a table of this height stands for.
#[must_use]
pub const fn span_bytes(height: u32) -> u64 {
    PAGE_BYTES << (INDEX_BITS * height)
}

/// The entry of a table of this height that stands for `address`.
#[must_use]
pub const fn index(address: VirtAddr, height: u32) -> usize {
    (address.0 / span_bytes(height)) as usize % ENTRIES
}
