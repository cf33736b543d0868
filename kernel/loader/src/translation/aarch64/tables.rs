//! The tables with which the kernel starts: RAM at its physical addresses below, the kernel's segments above.
//!
//! RAM is writable and never executable, except the loader's code, which is executable and not writable. The
//! kernel removes this identity map before it runs a program; it keeps the tables of its own half.

use limen_abi::limits::PAGE_BYTES;
use limen_image::loader::{LoaderPlan, MAGIC};

use super::descriptor::{
    ACCESSED, ADDRESS_MASK, ATTRIBUTE_SHIFT, ENTRIES, INNER_SHAREABLE, KERNEL_EXECUTE_NEVER, KERNEL_HEIGHT,
    MAX_LEAF_HEIGHT, READ_ONLY, TABLE, USER_EXECUTE_NEVER, USER_HEIGHT, VALID, index, is_branch, leaf,
    span_bytes,
};
use super::system::Memory;

/// Tables that the loader has room for: the top of each half, up to 9 for the ends of RAM and the loader's code, and
/// the rest for a kernel of up to 6 MiB.
pub const TABLES: usize = 16;

/// Cached RAM that the kernel may access.
const NORMAL: u64 =
    ACCESSED | INNER_SHAREABLE | USER_EXECUTE_NEVER | (Memory::Cached as u64) << ATTRIBUTE_SHIFT;
const DATA: u64 = NORMAL | KERNEL_EXECUTE_NEVER;
const CODE: u64 = NORMAL | READ_ONLY;

/// ELF program header flags.
const EXECUTE: u64 = 1;
const WRITE: u64 = 2;

/// A translation table.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(4096))]
pub struct Table([u64; ENTRIES]);

/// Memory for tables, all zero.
pub type Tables = [Table; TABLES];

/// Top tables, as TTBR0_EL1 and TTBR1_EL1 take them; zero if the plan cannot be carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Roots {
    /// Top table of the identity map.
    pub identity: u64,
    /// Top table of the kernel's half.
    pub kernel: u64,
}

/// Builds the tables for `plan`; the loader's own instructions lie from `code_start` up to `code_end`.
pub extern "C" fn build(plan: &LoaderPlan, tables: &mut Tables, code_start: u64, code_end: u64) -> Roots {
    if plan.magic != MAGIC {
        return Roots::default();
    }
    let code = Span { start: code_start, end: code_end };
    Pool::new(tables).build(plan, code).unwrap_or_default()
}

/// Addresses from `start` up to `end`.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
}

/// Tables under construction; a table is named by its position.
struct Pool<'a> {
    tables: &'a mut Tables,
    base: u64,
    used: usize,
}

impl<'a> Pool<'a> {
    fn new(tables: &'a mut Tables) -> Self {
        // The MMU is off, or maps this memory to itself: a pointer is a physical address.
        let base = (&raw const *tables).addr() as u64;
        Self { tables, base, used: 0 }
    }

    fn build(&mut self, plan: &LoaderPlan, code: Span) -> Option<Roots> {
        let identity = self.take()?;
        let kernel = self.take()?;
        self.map_ram(identity, USER_HEIGHT, Span { start: plan.ram_start, end: plan.ram_end })?;
        for page in (code.start..code.end).step_by(PAGE_BYTES as usize) {
            self.map_page(identity, USER_HEIGHT, page, page | CODE)?;
        }
        for segment in &plan.segments {
            let access = access(segment.flags);
            for offset in (0..segment.bytes).step_by(PAGE_BYTES as usize) {
                let entry = (segment.paddr + offset) | access;
                self.map_page(kernel, KERNEL_HEIGHT, segment.vaddr + offset, entry)?;
            }
        }
        Some(Roots { identity: self.address(identity), kernel: self.address(kernel) })
    }

    /// Maps RAM that lies under `table` to itself, with the largest entries that fit.
    fn map_ram(&mut self, table: usize, height: u32, ram: Span) -> Option<()> {
        let bytes = span_bytes(height);
        let mut start = ram.start;
        while start < ram.end {
            let position = index(start, height);
            let whole = if start.is_multiple_of(bytes) { (ram.end - start) / bytes } else { 0 };
            if height <= MAX_LEAF_HEIGHT && whole > 0 {
                self.fill(table, position, whole as usize, start, height)?;
                start += whole * bytes;
            } else {
                let end = ram.end.min((start / bytes + 1) * bytes);
                let next = self.next(table, position, height)?;
                self.map_ram(next, height.checked_sub(1)?, Span { start, end })?;
                start = end;
            }
        }
        Some(())
    }

    /// Sets the page entry for `address`, under a top table of this height.
    fn map_page(&mut self, top: usize, top_height: u32, address: u64, entry: u64) -> Option<()> {
        let mut table = top;
        for height in (1..=top_height).rev() {
            table = self.next(table, index(address, height), height)?;
        }
        *self.tables.get_mut(table)?.0.get_mut(index(address, 0))? = entry | leaf(0);
        Some(())
    }

    /// The table behind an entry. It is made if the entry is empty; it is made to map the same if the entry maps RAM.
    fn next(&mut self, table: usize, position: usize, height: u32) -> Option<usize> {
        let present = *self.tables.get(table)?.0.get(position)?;
        let address = present & ADDRESS_MASK;
        if is_branch(present, height) {
            return Some((address - self.base) as usize / size_of::<Table>());
        }
        let next = self.take()?;
        if present != 0 {
            self.fill(next, 0, ENTRIES, address, height - 1)?;
        }
        *self.tables.get_mut(table)?.0.get_mut(position)? = self.address(next) | VALID | TABLE;
        Some(next)
    }

    /// Makes `count` entries map RAM from `start` on to itself.
    fn fill(&mut self, table: usize, first: usize, count: usize, start: u64, height: u32) -> Option<()> {
        let entries = self.tables.get_mut(table)?.0.get_mut(first..first + count)?;
        let mut entry = start | leaf(height) | DATA;
        for to in entries {
            *to = entry;
            entry += span_bytes(height);
        }
        Some(())
    }

    fn take(&mut self) -> Option<usize> {
        let table = self.used;
        self.used += 1;
        (table < TABLES).then_some(table)
    }

    fn address(&self, table: usize) -> u64 {
        self.base + (table * size_of::<Table>()) as u64
    }
}

/// The attributes of a kernel segment with these ELF program header flags.
fn access(flags: u64) -> u64 {
    match (flags & WRITE != 0, flags & EXECUTE != 0) {
        (true, _) => DATA,
        (false, true) => CODE,
        (false, false) => DATA | READ_ONLY,
    }
}

#[cfg(test)]
mod tests {
    use limen_image::loader::KernelSegment;

    use super::*;

    const RAM: Span = Span { start: 0x4000_0000, end: 0xc000_0000 };
    const CODE: Span = Span { start: 0x7000_0000, end: 0x7000_2000 };
    const KERNEL: u64 = 0xffff_ff80_0000_0000;

    struct Built {
        tables: Box<Tables>,
        roots: Roots,
    }

    fn built(ram: Span, segments: &[KernelSegment]) -> Built {
        let mut plan =
            LoaderPlan { magic: MAGIC, ram_start: ram.start, ram_end: ram.end, ..LoaderPlan::default() };
        for (to, from) in plan.segments.iter_mut().zip(segments) {
            *to = *from;
        }
        let mut tables = Box::new([Table([0; ENTRIES]); TABLES]);
        let roots = build(&plan, &mut tables, CODE.start, CODE.end);
        Built { tables, roots }
    }

    impl Built {
        fn identity(&self, address: u64) -> Option<u64> {
            self.resolve(self.roots.identity, USER_HEIGHT, address)
        }

        fn kernel(&self, address: u64) -> Option<u64> {
            self.resolve(self.roots.kernel, KERNEL_HEIGHT, address)
        }

        /// The physical address and attributes of the entry that maps `address`.
        fn resolve(&self, root: u64, top_height: u32, address: u64) -> Option<u64> {
            let base = (&raw const *self.tables).addr() as u64;
            let mut table = root;
            for height in (0..=top_height).rev() {
                let entry =
                    self.tables[(table - base) as usize / size_of::<Table>()].0[index(address, height)];
                if is_branch(entry, height) {
                    table = entry & ADDRESS_MASK;
                } else {
                    let offset = address % span_bytes(height);
                    return (entry & VALID != 0).then_some((entry & !(VALID | TABLE)) + offset);
                }
            }
            None
        }
    }

    #[test]
    fn ram_is_mapped_to_itself_up_to_its_ends() {
        for ram in [RAM, Span { start: 0x4012_3000, end: 0xbfff_d000 }] {
            let built = built(ram, &[]);
            for address in [ram.start, ram.start + 0x1000, 0x7000_2000, 0x8000_0000, ram.end - 0x1000] {
                assert_eq!(built.identity(address), Some(address | DATA), "{address:#x}");
            }
            assert_eq!(built.identity(ram.start - 0x1000), None);
            assert_eq!(built.identity(ram.end), None);
        }
    }

    #[test]
    fn only_the_loaders_code_is_executable() {
        let built = built(RAM, &[]);
        assert_eq!(built.identity(CODE.start), Some(CODE.start | super::CODE));
        assert_eq!(built.identity(CODE.end - 0x1000), Some((CODE.end - 0x1000) | super::CODE));
        assert_eq!(built.identity(CODE.start - 0x1000), Some((CODE.start - 0x1000) | DATA));
        assert_eq!(built.identity(CODE.end), Some(CODE.end | DATA));
    }

    #[test]
    fn segments_have_the_access_of_their_flags() {
        let segment = |page: u64, flags| KernelSegment {
            vaddr: KERNEL + page * PAGE_BYTES,
            paddr: 0x7010_0000 + page * PAGE_BYTES,
            bytes: PAGE_BYTES,
            flags,
        };
        let built = built(RAM, &[segment(0, 5), segment(1, 4), segment(2, 6)]);
        assert_eq!(built.kernel(KERNEL), Some(0x7010_0000 | super::CODE));
        assert_eq!(built.kernel(KERNEL + 0x1000), Some(0x7010_1000 | DATA | READ_ONLY));
        assert_eq!(built.kernel(KERNEL + 0x2000), Some(0x7010_2000 | DATA));
        assert_eq!(built.kernel(KERNEL + 0x3000), None);
    }

    #[test]
    fn a_plan_that_cannot_be_carried_out_gives_no_tables() {
        let huge = KernelSegment { vaddr: KERNEL, paddr: 0x7010_0000, bytes: 1 << 30, flags: 6 };
        assert_eq!(built(RAM, &[huge]).roots, Roots::default());
        let mut tables = Box::new([Table([0; ENTRIES]); TABLES]);
        assert_eq!(build(&LoaderPlan::default(), &mut tables, 0, 0), Roots::default());
    }
}
