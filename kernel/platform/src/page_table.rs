//! Writes and reads page tables, independently of their format.

use core::ops::Range;

use limen_mmu::address::{PhysAddr, VirtAddr};
pub use limen_mmu::format::{
    Access, ENTRIES, Entry, Format, Halves, MemoryType, Owner, Permissions, Table, first_part, index,
    span_bytes,
};

/// Entries that are tested together for emptiness.
const GROUP: usize = 8;

/// Access to tables by physical address.
///
/// Callers pass only addresses of tables: a root, one that [`Self::allocate`] returned, or one in a valid entry.
pub trait Tables {
    /// The words of a table.
    fn table(&self, at: PhysAddr) -> &Table;
    /// The words of a table, mutable.
    fn table_mut(&mut self, at: PhysAddr) -> &mut Table;
    /// An empty table; `None` if the pool is exhausted.
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

/// Memory to map: addresses and size are multiples of what an entry of height `height` spans.
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
    /// The allowed access.
    pub access: Access,
}

/// Why memory cannot be mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapError {
    /// The pool of tables is exhausted.
    OutOfTables,
    /// A larger mapping is in the way.
    Occupied,
}

/// A contiguous run of mapped memory with the same permissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// First virtual address; only the bits that the tables resolve.
    pub vaddr: VirtAddr,
    /// First physical address.
    pub paddr: PhysAddr,
    /// Size.
    pub bytes: u64,
    /// The accesses that the hardware allows.
    pub permissions: Permissions,
}

/// Maps `run`, allocating tables as needed.
///
/// # Errors
/// See [`MapError`]; what is already mapped stays mapped.
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

/// Maps `run`, whose height is 0, with large pages where they fit.
///
/// # Errors
/// See [`MapError`]; what is already mapped stays mapped.
pub fn map_largest<F: Format>(tables: &mut impl Tables, root: Root, run: &Run) -> Result<(), MapError> {
    let mut done = 0;
    while done < run.bytes {
        let (vaddr, paddr) = (VirtAddr(run.vaddr.0 + done), PhysAddr(run.paddr.0 + done));
        let (height, bytes) = first_part(vaddr, paddr, run.bytes - done);
        map::<F>(tables, root, &Run { vaddr, paddr, bytes, height, access: run.access })?;
        done += bytes;
    }
    Ok(())
}

/// Enters `table`, a table of pages, so that it resolves `vaddr` and its neighbours.
///
/// # Errors
/// See [`MapError`].
pub fn enter_table<F: Format>(
    tables: &mut impl Tables,
    root: Root,
    vaddr: VirtAddr,
    table: PhysAddr,
) -> Result<(), MapError> {
    let above = leaf_table::<F>(tables, root, vaddr, 1)?;
    let entry = &mut tables.table_mut(above)[index(vaddr, 1)];
    if F::decode(*entry, 1) != Entry::Empty {
        return Err(MapError::Occupied);
    }
    *entry = F::branch(table);
    Ok(())
}

/// The table of this height that resolves `vaddr`, allocated if missing.
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

/// Copies the kernel's top entries to the address space under `root`, if one top table resolves both halves.
#[inline(always)]
pub fn share_kernel<F: Format>(tables: &mut impl Tables, kernel: Root, root: Root) {
    if F::HALVES == Halves::Together {
        for position in groups(F::HALVES.kernel()) {
            copy_group(tables, kernel.table, root.table, position);
        }
    }
}

/// Unmaps the page at `vaddr` if an entry of its own maps it.
#[inline(always)]
pub fn unmap<F: Format>(tables: &mut impl Tables, root: Root, vaddr: VirtAddr) {
    let mut table = root.table;
    for height in (1..=root.height).rev() {
        let Entry::Branch(next) = F::decode(tables.table(table)[index(vaddr, height)], height) else {
            return;
        };
        table = next;
    }
    tables.table_mut(table)[index(vaddr, 0)] = 0;
}

/// Copies a table.
///
/// # Errors
/// See [`MapError`].
pub fn copy_table(tables: &mut impl Tables, table: PhysAddr) -> Result<PhysAddr, MapError> {
    let copy = tables.allocate().ok_or(MapError::OutOfTables)?;
    for position in groups(0..ENTRIES) {
        copy_group(tables, table, copy, position);
    }
    Ok(copy)
}

/// Copies a group of entries to the same place in another table. Each word by name, or the compiler calls `memmove` for it.
#[inline(always)]
fn copy_group(tables: &mut impl Tables, from: PhysAddr, to: PhysAddr, position: usize) {
    let [a, b, c, d, e, f, g, h] = tables.table(from).as_chunks::<GROUP>().0[position];
    tables.table_mut(to).as_chunks_mut::<GROUP>().0[position] = [a, b, c, d, e, f, g, h];
}

/// Maps the pages of `run` to other memory than the tables from which `root` was copied do. `own` is the memory of tables that
/// only `root` leads to; others on the way are copied first. Pages that are not mapped stay so.
///
/// # Errors
/// See [`MapError`].
pub fn map_apart<F: Format>(
    tables: &mut impl Tables,
    root: Root,
    own: &Range<u64>,
    run: &Run,
) -> Result<(), MapError> {
    let attributes = F::attributes(0, run.access);
    for done in (0..run.bytes).step_by(span_bytes(0) as usize) {
        let vaddr = VirtAddr(run.vaddr.0 + done);
        let table = own_table::<F>(tables, root, own, vaddr)?;
        let entry = &mut tables.table_mut(table)[index(vaddr, 0)];
        if F::decode(*entry, 0) != Entry::Empty {
            *entry = F::leaf(PhysAddr(run.paddr.0 + done), attributes);
        }
    }
    Ok(())
}

/// The table of pages for `vaddr`. It and those above it are copied unless they are in `own`.
fn own_table<F: Format>(
    tables: &mut impl Tables,
    root: Root,
    own: &Range<u64>,
    vaddr: VirtAddr,
) -> Result<PhysAddr, MapError> {
    let mut table = root.table;
    for height in (1..=root.height).rev() {
        let position = index(vaddr, height);
        let Entry::Branch(next) = F::decode(tables.table(table)[position], height) else {
            return Err(MapError::Occupied);
        };
        let is_own = own.contains(&next.0);
        let next = if is_own { next } else { copy_table(tables, next)? };
        tables.table_mut(table)[position] = F::branch(next);
        table = next;
    }
    Ok(table)
}

/// Unmaps the large page at `vaddr`, or the table of pages that resolves it.
pub fn unmap_large<F: Format>(tables: &mut impl Tables, root: Root, vaddr: VirtAddr) {
    let mut table = root.table;
    for height in (2..=root.height).rev() {
        let Entry::Branch(next) = F::decode(tables.table(table)[index(vaddr, height)], height) else {
            return;
        };
        table = next;
    }
    tables.table_mut(table)[index(vaddr, 1)] = 0;
}

/// The physical address behind `vaddr`, if it is mapped.
#[inline(always)]
pub fn translate<F: Format>(tables: &impl Tables, root: Root, vaddr: VirtAddr) -> Option<PhysAddr> {
    let mut table = root.table;
    for height in (0..=root.height).rev() {
        match F::decode(tables.table(table)[index(vaddr, height)], height) {
            Entry::Empty => return None,
            Entry::Branch(next) => table = next,
            Entry::Leaf(start, _) => return Some(PhysAddr(start.0 + vaddr.0 % span_bytes(height))),
        }
    }
    None
}

/// Calls `visit` for each run that these entries of the top table map, in order of virtual addresses.
///
/// # Errors
/// The first error of `visit`.
pub fn walk<F: Format, E>(
    tables: &impl Tables,
    root: Root,
    entries: Range<usize>,
    mut visit: impl FnMut(Found) -> Result<(), E>,
) -> Result<(), E> {
    let mut pending = None;
    walk_table::<F, E>(tables, root, entries, 0, &mut |found| match &mut pending {
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
    entries: Range<usize>,
    base: u64,
    visit: &mut impl FnMut(Found) -> Result<(), E>,
) -> Result<(), E> {
    let span = span_bytes(root.height);
    let first = entries.start / GROUP;
    let groups = &tables.table(root.table).as_chunks::<GROUP>().0[groups(entries)];
    let mut next = 0;
    while let Some(position) = first_filled(groups, next) {
        next = position + 1;
        let vaddr = base + span * ((first + position) * GROUP) as u64;
        for (entry, offset) in groups[position].iter().zip(0..) {
            let vaddr = vaddr + span * offset;
            match F::decode(*entry, root.height) {
                Entry::Empty => {}
                Entry::Branch(table) => {
                    let next = Root { table, height: root.height - 1 };
                    walk_table::<F, E>(tables, next, 0..ENTRIES, vaddr, visit)?;
                }
                Entry::Leaf(paddr, permissions) => {
                    visit(Found { vaddr: VirtAddr(vaddr), paddr, bytes: span, permissions })?;
                }
            }
        }
    }
    Ok(())
}

/// The first group from `start` on that has an entry. A loop of its own, which needs few registers: most of a table is empty.
#[inline(never)]
fn first_filled(groups: &[[u64; GROUP]], start: usize) -> Option<usize> {
    let found = groups.get(start..)?.iter().position(|group| !is_empty(group))?;
    Some(start + found)
}

/// The groups of these entries, a whole number.
#[inline(always)]
fn groups(entries: Range<usize>) -> Range<usize> {
    entries.start / GROUP..entries.end / GROUP
}

/// Whether all entries are empty. Unrolled by hand, because boot time is measured and most of a table is empty.
#[inline(always)]
fn is_empty(group: &[u64; GROUP]) -> bool {
    let [a, b, c, d, e, f, g, h] = group;
    a | b | c | d | e | f | g | h == 0
}

/// Whether two top tables are equal in these entries. Also unrolled.
pub fn is_shared(one: &Table, other: &Table, entries: Range<usize>) -> bool {
    let groups = groups(entries);
    let [one, other] = [one, other].map(|table| &table.as_chunks::<GROUP>().0[groups.clone()]);
    let is_same = |(one, other): (&[u64; GROUP], &[u64; GROUP])| {
        let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (one, other);
        (a ^ i) | (b ^ j) | (c ^ k) | (d ^ l) | (e ^ m) | (f ^ n) | (g ^ o) | (h ^ p) == 0
    };
    one.iter().zip(other).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use limen_abi::limits::PAGE_BYTES;
    use limen_mmu::{aarch64, riscv64};

    use crate::test_tables::TestTables;

    type Descriptors = aarch64::descriptor::Descriptors;
    type Sv39 = riscv64::descriptor::Descriptors;

    const DATA: Access =
        Access { owner: Owner::User, write: true, execute: false, memory: MemoryType::Cached };
    const LARGE: u64 = span_bytes(1);

    fn run(vaddr: u64, paddr: u64, bytes: u64, height: u32) -> Run {
        Run { vaddr: VirtAddr(vaddr), paddr: PhysAddr(paddr), bytes, height, access: DATA }
    }

    fn found(tables: &TestTables, root: Root) -> Vec<(u64, u64, u64)> {
        let mut all = Vec::new();
        let outcome = walk::<Descriptors, ()>(tables, root, 0..ENTRIES, |found| {
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
    fn pages_that_are_contiguous_on_one_side_only_are_found_apart() {
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
    fn a_table_is_entered_only_in_an_empty_entry() {
        let (mut tables, root) = TestTables::with_root(3, 16);
        let table = tables.allocate().unwrap();
        let vaddr = VirtAddr(3 * LARGE + PAGE_BYTES);
        assert_eq!(enter_table::<Descriptors>(&mut tables, root, vaddr, table), Ok(()));
        assert_eq!(found(&tables, root), []);
        tables.table_mut(table)[1] =
            Descriptors::leaf(PhysAddr(0x8000_0000), Descriptors::attributes(0, DATA));
        assert_eq!(found(&tables, root), [(vaddr.0, 0x8000_0000, PAGE_BYTES)]);
        let again = enter_table::<Descriptors>(&mut tables, root, vaddr, table);
        assert_eq!(again, Err(MapError::Occupied));
    }

    #[test]
    fn an_empty_pool_is_an_error() {
        let (mut tables, root) = TestTables::with_root(3, 3);
        let outcome = map::<Descriptors>(&mut tables, root, &run(0, 0x8000_0000, PAGE_BYTES, 0));
        assert_eq!(outcome, Err(MapError::OutOfTables));
    }

    #[test]
    fn unmapping_a_page_keeps_its_neighbours() {
        let (mut tables, root) = TestTables::with_root(3, 16);
        assert_eq!(
            map::<Descriptors>(&mut tables, root, &run(LARGE, 0x8000_0000, 3 * PAGE_BYTES, 0)),
            Ok(())
        );
        unmap::<Descriptors>(&mut tables, root, VirtAddr(LARGE + PAGE_BYTES));
        let neighbours =
            [LARGE, LARGE + 2 * PAGE_BYTES].map(|start| (start, start + 0x7fe0_0000, PAGE_BYTES));
        assert_eq!(found(&tables, root), neighbours);
        unmap::<Descriptors>(&mut tables, root, VirtAddr(5 * LARGE));
        assert_eq!(found(&tables, root), neighbours);
    }

    #[test]
    fn unmapping_a_page_keeps_a_large_page() {
        let (mut tables, root) = TestTables::with_root(3, 16);
        assert_eq!(map::<Descriptors>(&mut tables, root, &run(LARGE, 0x8000_0000, LARGE, 1)), Ok(()));
        unmap::<Descriptors>(&mut tables, root, VirtAddr(LARGE + PAGE_BYTES));
        assert_eq!(found(&tables, root), [(LARGE, 0x8000_0000, LARGE)]);
    }

    /// Two sets of tables map a page each in place of another, and share the rest.
    fn pages_apart<F: Format>() {
        const SHARED: u64 = 0x8000_0000;
        let (mut tables, root) = TestTables::with_root(F::KERNEL_HEIGHT, 32);
        let start = 0xffff_ffff_8000_0000;
        for (vaddr, bytes) in [(start, 4 * PAGE_BYTES), (start + 6 * LARGE, PAGE_BYTES)] {
            assert_eq!(map::<F>(&mut tables, root, &run(vaddr, SHARED, bytes, 0)), Ok(()));
        }
        unmap::<F>(&mut tables, root, VirtAddr(start + 2 * PAGE_BYTES));
        let copies = [0x9000_0000, 0xa000_0000].map(|paddr| {
            let first = tables.end();
            let copy = Root { table: copy_table(&mut tables, root.table).unwrap(), ..root };
            for (offset, paddr) in [(PAGE_BYTES, paddr), (2 * PAGE_BYTES, paddr + PAGE_BYTES)] {
                let run = run(start + offset, paddr, PAGE_BYTES, 0);
                let own = first..tables.end();
                assert_eq!(map_apart::<F>(&mut tables, copy, &own, &run), Ok(()));
            }
            assert_eq!(tables.end() - first, PAGE_BYTES * u64::from(1 + F::KERNEL_HEIGHT));
            copy
        });
        let translate = |tables: &TestTables, root, page| {
            translate::<F>(tables, root, VirtAddr(start + page * PAGE_BYTES)).map(|paddr| paddr.0)
        };
        for (root, second) in
            [(root, SHARED + PAGE_BYTES), (copies[0], 0x9000_0000), (copies[1], 0xa000_0000)]
        {
            let found = [0, 1, 2, 3].map(|page| translate(&tables, root, page));
            assert_eq!(found, [Some(SHARED), Some(second), None, Some(SHARED + 3 * PAGE_BYTES)]);
            assert_eq!(translate(&tables, root, 6 * LARGE / PAGE_BYTES), Some(SHARED));
        }
        unmap::<F>(&mut tables, copies[0], VirtAddr(start));
        unmap_large::<F>(&mut tables, copies[1], VirtAddr(start + 6 * LARGE));
        let first = [root, copies[0], copies[1]].map(|root| translate(&tables, root, 0));
        assert_eq!(first, [Some(SHARED), None, Some(SHARED)]);
        let last = [root, copies[0], copies[1]].map(|root| translate(&tables, root, 6 * LARGE / PAGE_BYTES));
        assert_eq!(last, [Some(SHARED), Some(SHARED), None]);
    }

    #[test]
    fn a_copy_of_tables_maps_some_pages_apart() {
        pages_apart::<Descriptors>();
        pages_apart::<Sv39>();
        pages_apart::<limen_mmu::x86_64::descriptor::Descriptors>();
    }

    #[test]
    fn part_of_a_large_page_is_not_mapped_apart() {
        let (mut tables, root) = TestTables::with_root(3, 16);
        assert_eq!(map::<Descriptors>(&mut tables, root, &run(LARGE, 0x8000_0000, LARGE, 1)), Ok(()));
        let outcome = map_apart::<Descriptors>(&mut tables, root, &(0..0), &run(LARGE, 0, PAGE_BYTES, 0));
        assert_eq!(outcome, Err(MapError::Occupied));
    }

    #[test]
    fn only_a_mapped_address_is_translated() {
        let (mut tables, root) = TestTables::with_root(3, 16);
        assert_eq!(map::<Descriptors>(&mut tables, root, &run(LARGE, 0x8000_0000, 2 * LARGE, 1)), Ok(()));
        let translate = |vaddr| translate::<Descriptors>(&tables, root, VirtAddr(vaddr));
        assert_eq!(translate(LARGE + 0x12_3456), Some(PhysAddr(0x8012_3456)));
        assert_eq!(translate(LARGE - 1), None);
    }

    #[test]
    fn the_kernel_is_shared_if_one_table_resolves_both_halves() {
        let (mut tables, kernel) = TestTables::with_root(2, 16);
        let root = Root { table: tables.allocate().unwrap(), height: 2 };
        for half in [0, 0xffff_ffff_8000_0000] {
            assert_eq!(map::<Sv39>(&mut tables, kernel, &run(half, 0x8000_0000, PAGE_BYTES, 0)), Ok(()));
        }
        share_kernel::<Sv39>(&mut tables, kernel, root);
        let translate = |vaddr| translate::<Sv39>(&tables, root, VirtAddr(vaddr));
        assert_eq!(translate(0xffff_ffff_8000_0000), Some(PhysAddr(0x8000_0000)));
        assert_eq!(translate(0), None);
    }
}
