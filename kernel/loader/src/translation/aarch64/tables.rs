//! The tables with which the kernel starts: RAM at its physical addresses below, the kernel's segments above.
//!
//! RAM is writable and never executable, except the loader's code, which is executable and not writable. The
//! kernel removes this identity map before it runs a program; it keeps the tables of its own half.

use limen_image::loader::{KernelSegment, LoaderPlan, MAGIC};

use super::descriptor::{
    ACCESSED, ADDRESS_MASK, ATTRIBUTE_SHIFT, ENTRIES, INNER_SHAREABLE, KERNEL_EXECUTE_NEVER, KERNEL_HEIGHT,
    MAX_LEAF_HEIGHT, READ_ONLY, TABLE, USER_EXECUTE_NEVER, USER_HEIGHT, VALID, index, leaf, span_bytes,
};
use super::system::Memory;

/// Tables that the loader has room for: 8 for the identity map at worst (two per height for unaligned ends of
/// RAM, two for its own code), 2 for the kernel's upper heights, the rest for 12 MiB of kernel.
pub const TABLES: usize = 16;

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

/// Builds the tables for `plan`; `code` is where the loader's own instructions lie.
pub extern "C" fn build(plan: &LoaderPlan, tables: &mut Tables, code_start: u64, code_end: u64) -> Roots {
    let layout = Layout {
        ram: Span { start: plan.ram_start, end: plan.ram_end },
        code: Span { start: code_start, end: code_end },
    };
    let mut pool = Pool::new(tables);
    match pool.build(plan, &layout) {
        Some(roots) if plan.magic == MAGIC => roots,
        _ => Roots::default(),
    }
}

/// Addresses from `start` up to `end`.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
}

impl Span {
    fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// What the identity map is made from.
struct Layout {
    ram: Span,
    code: Span,
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

    fn build(&mut self, plan: &LoaderPlan, layout: &Layout) -> Option<Roots> {
        let identity = self.take()?;
        let kernel = self.take()?;
        self.map_ram(identity, USER_HEIGHT, 0, layout)?;
        for segment in &plan.segments {
            self.map_segment(kernel, segment)?;
        }
        Some(Roots { identity: self.address(identity), kernel: self.address(kernel) })
    }

    /// Maps the RAM that lies under a table with the largest entries that fit.
    fn map_ram(&mut self, table: usize, height: u32, table_start: u64, layout: &Layout) -> Option<()> {
        let bytes = span_bytes(height);
        let end = layout.ram.end.min(table_start + bytes * ENTRIES as u64);
        let mut start = layout.ram.start.max(table_start) & !(bytes - 1);
        while start < end {
            let span = Span { start, end: start + bytes };
            let entry = index(start, height);
            let is_code = layout.code.overlaps(span);
            if height == 0 || (height <= MAX_LEAF_HEIGHT && layout.ram.contains(span) && !is_code) {
                let access = if is_code { CODE } else { DATA };
                self.set(table, entry, start | leaf(height) | access)?;
            } else {
                let next = self.next(table, entry)?;
                self.map_ram(next, height - 1, start, layout)?;
            }
            start = span.end;
        }
        Some(())
    }

    fn map_segment(&mut self, root: usize, segment: &KernelSegment) -> Option<()> {
        let access = access(segment.flags);
        let mut offset = 0;
        while offset < segment.bytes {
            let address = segment.vaddr + offset;
            let mut table = root;
            for height in (1..=KERNEL_HEIGHT).rev() {
                table = self.next(table, index(address, height))?;
            }
            self.set(table, index(address, 0), (segment.paddr + offset) | leaf(0) | access)?;
            offset += span_bytes(0);
        }
        Some(())
    }

    /// The table behind an entry; a new one if the entry is empty.
    fn next(&mut self, table: usize, entry: usize) -> Option<usize> {
        let present = *self.tables.get(table)?.0.get(entry)?;
        if present != 0 {
            return Some(((present & ADDRESS_MASK) - self.base) as usize / size_of::<Table>());
        }
        let next = self.take()?;
        self.set(table, entry, self.address(next) | VALID | TABLE)?;
        Some(next)
    }

    fn set(&mut self, table: usize, entry: usize, value: u64) -> Option<()> {
        *self.tables.get_mut(table)?.0.get_mut(entry)? = value;
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

fn access(flags: u64) -> u64 {
    match (flags & WRITE != 0, flags & EXECUTE != 0) {
        (true, _) => DATA,
        (false, true) => CODE,
        (false, false) => DATA | READ_ONLY,
    }
}
