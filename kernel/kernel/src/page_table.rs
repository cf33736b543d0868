//! Page tables: writing and reading them, whatever their format.
//!
//! Every table has 512 entries of eight bytes. Tables are named by their height: the entries of a table of
//! height 0 map pages, those of height 1 map large pages or lead to tables of height 0, and so on.

use limen_abi::limits::PAGE_BYTES;
use limen_core::address::{PhysAddr, VirtAddr};

/// Entries in a table.
pub const ENTRIES: usize = PAGE_BYTES as usize / size_of::<u64>();
const INDEX_BITS: u32 = ENTRIES.ilog2();
/// Entries that are looked at together when most are empty.
const GROUP: usize = 8;

/// The words of a table.
pub type Table = [u64; ENTRIES];

/// How an architecture writes an entry.
pub trait Format {
    /// Height of the top table of a user address space.
    const USER_HEIGHT: u32;
    /// The entry that leads to a table.
    fn branch(table: PhysAddr) -> u64;
    /// The bits of an entry of this height that maps memory, without the address.
    fn attributes(height: u32, access: Access) -> u64;
    /// The entry that maps memory at `start`.
    fn leaf(start: PhysAddr, attributes: u64) -> u64;
    /// What an entry of this height means.
    fn decode(entry: u64, height: u32) -> Entry;
}

/// Where tables lie.
///
/// Callers pass only addresses of tables: a root, one that [`Self::allocate`] returned, or one that a
/// valid entry leads to.
pub trait Tables {
    /// The words of a table.
    fn table(&self, at: PhysAddr) -> &Table;
    /// The words of a table, to be changed.
    fn table_mut(&mut self, at: PhysAddr) -> &mut Table;
    /// A table without entries, or `None` when the memory for tables is used up.
    fn allocate(&mut self) -> Option<PhysAddr>;
}

/// The top of a set of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    /// The top table.
    pub table: PhysAddr,
    /// Its height.
    pub height: u32,
}

/// Who uses a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The kernel alone; the same in every address space.
    Kernel,
    /// A program.
    User,
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

/// Memory to be mapped: addresses and size are multiples of what an entry of height `height` spans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// First virtual address.
    pub vaddr: VirtAddr,
    /// First physical address.
    pub paddr: PhysAddr,
    /// Size.
    pub bytes: u64,
    /// Height of the entries that map it: 0 for pages, 1 for large pages.
    pub height: u32,
    /// What may be done through it.
    pub access: Access,
}

/// Why memory could not be mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapError {
    /// The memory for tables is used up.
    OutOfTables,
    /// A larger mapping is in the way.
    Occupied,
}

/// Memory that was found mapped: contiguous on both sides, with the same permissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// First virtual address; only the bits that the tables resolve.
    pub vaddr: VirtAddr,
    /// First physical address.
    pub paddr: PhysAddr,
    /// Size.
    pub bytes: u64,
    /// What the hardware allows.
    pub permissions: Permissions,
}

/// Bytes that an entry of a table of this height stands for.
pub const fn span_bytes(height: u32) -> u64 {
    PAGE_BYTES << (INDEX_BITS * height)
}

fn index(address: VirtAddr, height: u32) -> usize {
    (address.0 / span_bytes(height)) as usize % ENTRIES
}

/// Maps `run`, with tables between as needed.
///
/// # Errors
/// See [`MapError`]; what was mapped before the error stays.
pub fn map<F: Format>(tables: &mut impl Tables, root: Root, run: &Run) -> Result<(), MapError> {
    let span = span_bytes(run.height);
    let attributes = F::attributes(run.height, run.access);
    let mut done = 0;
    while done < run.bytes {
        let vaddr = VirtAddr(run.vaddr.0 + done);
        let table = leaf_table::<F>(tables, root, vaddr, run.height)?;
        let entries = tables.table_mut(table).iter_mut().skip(index(vaddr, run.height));
        for entry in entries.take(((run.bytes - done) / span) as usize) {
            *entry = F::leaf(PhysAddr(run.paddr.0 + done), attributes);
            done += span;
        }
    }
    Ok(())
}

/// The table of this height that resolves `vaddr`.
fn leaf_table<F: Format>(
    tables: &mut impl Tables,
    root: Root,
    vaddr: VirtAddr,
    height: u32,
) -> Result<PhysAddr, MapError> {
    let mut table = root.table;
    for above in (height + 1..=root.height).rev() {
        let position = index(vaddr, above);
        table = match F::decode(tables.table(table)[position], above) {
            Entry::Branch(next) => next,
            Entry::Leaf(..) => return Err(MapError::Occupied),
            Entry::Empty => {
                let next = tables.allocate().ok_or(MapError::OutOfTables)?;
                tables.table_mut(table)[position] = F::branch(next);
                next
            }
        };
    }
    Ok(table)
}

/// Calls `visit` with everything that the tables map, in the order of virtual addresses.
///
/// # Errors
/// The first error of `visit`.
pub fn walk<F: Format, E>(
    tables: &impl Tables,
    root: Root,
    mut visit: impl FnMut(Found) -> Result<(), E>,
) -> Result<(), E> {
    let mut pending = None;
    walk_table::<F, E>(tables, root, 0, &mut |found| match &mut pending {
        Some(run) if continues(run, &found) => {
            run.bytes += found.bytes;
            Ok(())
        }
        _ => pending.replace(found).map_or(Ok(()), &mut visit),
    })?;
    pending.map_or(Ok(()), visit)
}

fn continues(run: &Found, next: &Found) -> bool {
    next.vaddr.0 == run.vaddr.0 + run.bytes
        && next.paddr.0 == run.paddr.0 + run.bytes
        && next.permissions == run.permissions
}

fn walk_table<F: Format, E>(
    tables: &impl Tables,
    root: Root,
    base: u64,
    visit: &mut impl FnMut(Found) -> Result<(), E>,
) -> Result<(), E> {
    let span = span_bytes(root.height);
    let groups = tables.table(root.table).as_chunks::<GROUP>().0;
    for (group_index, group) in groups.iter().enumerate() {
        if group.iter().fold(0, |all, entry| all | entry) == 0 {
            continue;
        }
        for (entry_index, entry) in group.iter().enumerate() {
            let vaddr = base + span * (group_index * GROUP + entry_index) as u64;
            match F::decode(*entry, root.height) {
                Entry::Empty => {}
                Entry::Branch(table) => {
                    walk_table::<F, E>(tables, Root { table, height: root.height - 1 }, vaddr, visit)?;
                }
                Entry::Leaf(paddr, permissions) => {
                    visit(Found { vaddr: VirtAddr(vaddr), paddr, bytes: span, permissions })?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aarch64_mmu::Descriptors;
    use crate::test_tables::TestTables;

    const DATA: Access =
        Access { owner: Owner::User, write: true, execute: false, memory: MemoryType::Cached };
    const LARGE: u64 = span_bytes(1);

    fn run(vaddr: u64, paddr: u64, bytes: u64, height: u32) -> Run {
        Run { vaddr: VirtAddr(vaddr), paddr: PhysAddr(paddr), bytes, height, access: DATA }
    }

    fn found(tables: &TestTables, root: Root) -> Vec<(u64, u64, u64)> {
        let mut all = Vec::new();
        let outcome = walk::<Descriptors, ()>(tables, root, |found| {
            all.push((found.vaddr.0, found.paddr.0, found.bytes));
            Ok(())
        });
        assert_eq!(outcome, Ok(()));
        all
    }

    #[test]
    fn a_run_across_tables_is_found_whole() {
        let (mut tables, root) = TestTables::with_root(3, 16);
        let start = LARGE - 3 * PAGE_BYTES;
        assert_eq!(map::<Descriptors>(&mut tables, root, &run(start, 0x8000_0000, LARGE, 0)), Ok(()));
        assert_eq!(found(&tables, root), [(start, 0x8000_0000, LARGE)]);
        assert_eq!(tables.used(), 5, "a table for each height above, two of pages");
    }

    #[test]
    fn pages_that_are_neighbours_on_one_side_only_are_found_apart() {
        let (mut tables, root) = TestTables::with_root(3, 16);
        for (vaddr, paddr) in [(0x20_0000, 0x8000_0000), (0x20_1000, 0x8000_2000)] {
            assert_eq!(map::<Descriptors>(&mut tables, root, &run(vaddr, paddr, PAGE_BYTES, 0)), Ok(()));
        }
        assert_eq!(
            found(&tables, root),
            [(0x20_0000, 0x8000_0000, PAGE_BYTES), (0x20_1000, 0x8000_2000, PAGE_BYTES)]
        );
    }

    #[test]
    fn large_pages_take_one_entry_each() {
        let (mut tables, root) = TestTables::with_root(3, 3);
        let top = 0x100_0000_0000 - 2 * LARGE;
        assert_eq!(map::<Descriptors>(&mut tables, root, &run(top, 0x8000_0000, 2 * LARGE, 1)), Ok(()));
        assert_eq!(found(&tables, root), [(top, 0x8000_0000, 2 * LARGE)]);
    }

    #[test]
    fn a_page_inside_a_large_page_is_refused() {
        let (mut tables, root) = TestTables::with_root(3, 16);
        assert_eq!(map::<Descriptors>(&mut tables, root, &run(LARGE, 0x8000_0000, LARGE, 1)), Ok(()));
        let inside = run(LARGE + PAGE_BYTES, 0x9000_0000, PAGE_BYTES, 0);
        assert_eq!(map::<Descriptors>(&mut tables, root, &inside), Err(MapError::Occupied));
    }

    #[test]
    fn an_empty_pool_is_an_error() {
        let (mut tables, root) = TestTables::with_root(3, 3);
        let outcome = map::<Descriptors>(&mut tables, root, &run(0, 0x8000_0000, PAGE_BYTES, 0));
        assert_eq!(outcome, Err(MapError::OutOfTables));
    }
}
