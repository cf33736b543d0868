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
    /// The entry that maps memory at `start`. The entries of neighbours are as far apart as their memory: the sum of an entry and
    /// `leaf(distance, 0)` maps the memory at that distance.
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

/// The start of `bytes` bytes of memory that entries of one height map best: large pages if they fit, otherwise the pages
/// before the next large page. Returns the height and the size of that part.
#[must_use]
pub const fn first_part(vaddr: VirtAddr, paddr: PhysAddr, bytes: u64) -> (u32, u64) {
    let large = span_bytes(1);
    if (vaddr.0 | paddr.0).is_multiple_of(large) && bytes >= large {
        (1, bytes / large * large)
    } else {
        let before = large - vaddr.0 % large;
        (0, if before < bytes { before } else { bytes })
    }
}

/// The index of the entry for `address` in a table of this height.
#[must_use]
pub const fn index(address: VirtAddr, height: u32) -> usize {
    (address.0 / span_bytes(height)) as usize % ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: u64 = span_bytes(1);

    fn parts(vaddr: u64, paddr: u64, bytes: u64) -> Vec<(u32, u64)> {
        let (mut done, mut parts) = (0, Vec::new());
        while done < bytes {
            let (height, part) = first_part(VirtAddr(vaddr + done), PhysAddr(paddr + done), bytes - done);
            assert!(part > 0 && part.is_multiple_of(span_bytes(height)));
            parts.push((height, part));
            done += part;
        }
        assert_eq!(done, bytes);
        parts
    }

    #[test]
    fn large_pages_are_used_where_both_addresses_allow_it() {
        assert_eq!(parts(LARGE, 3 * LARGE, LARGE), [(1, LARGE)]);
        assert_eq!(parts(LARGE, 3 * LARGE, 2 * LARGE), [(1, 2 * LARGE)]);
        assert_eq!(
            parts(LARGE - 0x3000, 3 * LARGE - 0x3000, LARGE + 0x4000),
            [(0, 0x3000), (1, LARGE), (0, 0x1000)]
        );
        assert_eq!(parts(LARGE, 3 * LARGE, LARGE - 0x1000), [(0, LARGE - 0x1000)]);
        assert_eq!(parts(LARGE, 3 * LARGE + 0x1000, LARGE), [(0, LARGE)]);
        assert_eq!(parts(LARGE + 0x1000, 3 * LARGE, LARGE), [(0, LARGE - 0x1000), (0, 0x1000)]);
    }

    #[test]
    fn entries_are_as_far_apart_as_their_memory() {
        fn next<F: Format>() {
            let access =
                Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };
            for height in 0..=F::MAX_LEAF_HEIGHT {
                let (attributes, bytes) = (F::attributes(height, access), span_bytes(height));
                for start in [0, bytes, 5 * bytes, (1 << 38) - bytes] {
                    let entry = F::leaf(PhysAddr(start), attributes);
                    let next = F::leaf(PhysAddr(start + bytes), attributes);
                    assert_eq!(entry + F::leaf(PhysAddr(bytes), 0), next, "{height} {start:#x}");
                }
            }
        }
        next::<crate::aarch64::descriptor::Descriptors>();
        next::<crate::riscv64::descriptor::Descriptors>();
        next::<crate::x86_64::descriptor::Descriptors>();
    }

    #[test]
    fn halves_share_a_top_table_or_have_their_own() {
        assert_eq!((Halves::Apart.user(), Halves::Apart.kernel()), (0..512, 0..512));
        assert_eq!((Halves::Together.user(), Halves::Together.kernel()), (0..256, 256..512));
    }

    #[test]
    fn an_index_has_nine_bits_of_the_address() {
        let indices = |address| [0, 1, 2, 3].map(|height| index(VirtAddr(address), height));
        assert_eq!(indices(0xffff_ffff_8000_0000), [0, 0, 510, 511]);
        assert_eq!(indices(1 << 12 | 2 << 21 | 3 << 30 | 4 << 39), [1, 2, 3, 4]);
        assert_eq!(indices(0xfff), [0; 4]);
    }
}
