//! The page tables on which the kernel starts: RAM identity-mapped in the lower half, the kernel's segments and its
//! serial port in the upper half.
//!
//! RAM is writable and not executable, except the loader's code, which is executable and not writable. The kernel
//! removes the identity map before it runs a program and keeps the tables of its own half.

use limen_abi::limits::PAGE_BYTES;
use limen_image::loader::{LoaderPlan, MAGIC, MAX_RAM, Ram};
use limen_mmu::address::{PhysAddr, VirtAddr};

use limen_mmu::format::{
    self, Access, ENTRIES, Entry, Format, Halves, MemoryType, Owner, first_part, index, span_bytes,
};
use limen_mmu::layout::CONSOLE;

/// The number of tables: the top of each half, up to 9 for the ends of one range of RAM and the loader's code, up to 5 for
/// each further range, one for the serial port, and 5 for a kernel of up to 6 MiB.
pub const TABLES: usize = 17 + 5 * (MAX_RAM - 1);

/// RAM that the kernel can write.
const DATA: Access = Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };
const READ_ONLY: Access = Access { write: false, ..DATA };
const CODE: Access = Access { execute: true, ..READ_ONLY };
/// Registers of the kernel's serial port.
const DEVICE: Access = Access { memory: MemoryType::Device, ..DATA };

/// ELF program header flags.
const EXECUTE: u64 = 1;
const WRITE: u64 = 2;

/// A translation table.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(4096))]
pub struct Table(format::Table);

/// Memory for tables, all zero.
pub type Tables = [Table; TABLES];

/// Top tables; zero if the plan cannot be carried out. Equal if one table resolves both halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Roots {
    /// Top table of the identity map.
    pub identity: u64,
    /// Top table of the kernel's half.
    pub kernel: u64,
}

/// Builds the tables for `plan`. The loader's own code lies from `code_start` up to `code_end`.
pub extern "C" fn build<F: Format>(
    plan: &LoaderPlan,
    tables: &mut Tables,
    code_start: u64,
    code_end: u64,
) -> Roots {
    if plan.magic != MAGIC {
        return Roots::default();
    }
    let code = Span { start: code_start, end: code_end };
    Pool::new(tables).build::<F>(plan, code).unwrap_or_default()
}

/// Addresses from `start` up to `end`.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
}

/// Tables under construction; a table is identified by its index.
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

    fn build<F: Format>(&mut self, plan: &LoaderPlan, code: Span) -> Option<Roots> {
        let identity = self.take()?;
        let kernel = match F::HALVES {
            Halves::Apart => self.take()?,
            Halves::Together => identity,
        };
        for ram in &plan.ram {
            self.map_ram::<F>(identity, F::USER_HEIGHT, *ram)?;
        }
        for page in (code.start..code.end).step_by(PAGE_BYTES as usize) {
            self.map_part::<F>(
                (identity, F::USER_HEIGHT),
                (VirtAddr(page), PhysAddr(page)),
                (0, PAGE_BYTES),
                CODE,
            )?;
        }
        for segment in &plan.segments {
            let mut done = 0;
            while done < segment.bytes {
                let start = (VirtAddr(segment.vaddr + done), PhysAddr(segment.paddr + done));
                let part = first_part(start.0, start.1, segment.bytes - done);
                self.map_part::<F>((kernel, F::KERNEL_HEIGHT), start, part, access(segment.flags))?;
                done += part.1;
            }
        }
        if plan.serial_paddr != 0 {
            let start = (CONSOLE, PhysAddr(plan.serial_paddr));
            self.map_part::<F>((kernel, F::KERNEL_HEIGHT), start, (0, PAGE_BYTES), DEVICE)?;
        }
        Some(Roots { identity: self.address(identity), kernel: self.address(kernel) })
    }

    /// Identity-maps the RAM that `table` resolves, with the largest entries that fit.
    fn map_ram<F: Format>(&mut self, table: usize, height: u32, ram: Ram) -> Option<()> {
        let bytes = span_bytes(height);
        let mut start = ram.start;
        while start < ram.end {
            let position = index(VirtAddr(start), height);
            let whole = if start.is_multiple_of(bytes) { (ram.end - start) / bytes } else { 0 };
            if height <= F::MAX_LEAF_HEIGHT && whole > 0 {
                self.fill::<F>(table, position, whole as usize, start, height)?;
                start += whole * bytes;
            } else {
                let end = ram.end.min((start / bytes + 1) * bytes);
                let next = self.next::<F>(table, position, height)?;
                self.map_ram::<F>(next, height.checked_sub(1)?, Ram { start, end })?;
                start = end;
            }
        }
        Some(())
    }

    /// Maps memory under a top table of this height, with entries of one height: see [`first_part`].
    fn map_part<F: Format>(
        &mut self,
        (top, top_height): (usize, u32),
        (vaddr, paddr): (VirtAddr, PhysAddr),
        (height, bytes): (u32, u64),
        access: Access,
    ) -> Option<()> {
        let (attributes, span) = (F::attributes(height, access), span_bytes(height));
        let mut done = 0;
        while done < bytes {
            let address = VirtAddr(vaddr.0 + done);
            let mut table = top;
            for above in (height + 1..=top_height).rev() {
                table = self.next::<F>(table, index(address, above), above)?;
            }
            let entries = self.tables.get_mut(table)?.0.iter_mut().skip(index(address, height));
            for entry in entries.take(((bytes - done) / span) as usize) {
                *entry = F::leaf(PhysAddr(paddr.0 + done), attributes);
                done += span;
            }
        }
        Some(())
    }

    /// The table that an entry leads to. An empty entry gets a new table; an entry that maps RAM is split into a table
    /// that maps the same.
    fn next<F: Format>(&mut self, table: usize, position: usize, height: u32) -> Option<usize> {
        let present = F::decode(*self.tables.get(table)?.0.get(position)?, height);
        if let Entry::Branch(next) = present {
            return Some((next.0 - self.base) as usize / size_of::<Table>());
        }
        let next = self.take()?;
        if let Entry::Leaf(start, _) = present {
            self.fill::<F>(next, 0, ENTRIES, start.0, height - 1)?;
        }
        *self.tables.get_mut(table)?.0.get_mut(position)? = F::branch(PhysAddr(self.address(next)));
        Some(next)
    }

    /// Identity-maps RAM from `start` with `count` entries.
    fn fill<F: Format>(
        &mut self,
        table: usize,
        first: usize,
        count: usize,
        start: u64,
        height: u32,
    ) -> Option<()> {
        let entries = self.tables.get_mut(table)?.0.get_mut(first..first + count)?;
        let step = F::leaf(PhysAddr(span_bytes(height)), 0);
        let mut entry = F::leaf(PhysAddr(start), F::attributes(height, DATA));
        for to in entries {
            *to = entry;
            entry = entry.wrapping_add(step);
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

/// The kernel's access to a segment with these ELF program header flags.
fn access(flags: u64) -> Access {
    match (flags & WRITE != 0, flags & EXECUTE != 0) {
        (true, _) => DATA,
        (false, true) => CODE,
        (false, false) => READ_ONLY,
    }
}

#[cfg(test)]
mod tests {
    use limen_image::loader::KernelSegment;

    use limen_mmu::{aarch64, riscv64};

    use super::*;

    const RAM: Ram = Ram { start: 0x4000_0000, end: 0xc000_0000 };
    const LOADER: Span = Span { start: 0x7000_0000, end: 0x7000_2000 };
    const KERNEL: u64 = 0xffff_ffff_8000_0000;

    struct Built {
        tables: Box<Tables>,
        roots: Roots,
    }

    fn built<F: Format>(ram: Ram, segments: &[KernelSegment]) -> Built {
        built_in::<F>(&[ram], segments)
    }

    fn built_in<F: Format>(ram: &[Ram], segments: &[KernelSegment]) -> Built {
        let mut plan = LoaderPlan { magic: MAGIC, ..LoaderPlan::default() };
        plan.ram[..ram.len()].copy_from_slice(ram);
        for (to, from) in plan.segments.iter_mut().zip(segments) {
            *to = *from;
        }
        let mut tables = Box::new([Table([0; ENTRIES]); TABLES]);
        let roots = build::<F>(&plan, &mut tables, LOADER.start, LOADER.end);
        Built { tables, roots }
    }

    impl Built {
        /// The physical address of `address`, and the attribute bits of its entry.
        fn identity<F: Format>(&self, address: u64) -> Option<(u64, u64)> {
            self.resolve::<F>(self.roots.identity, F::USER_HEIGHT, address)
        }

        fn kernel<F: Format>(&self, address: u64) -> Option<(u64, u64)> {
            self.resolve::<F>(self.roots.kernel, F::KERNEL_HEIGHT, address)
        }

        fn resolve<F: Format>(&self, root: u64, top_height: u32, address: u64) -> Option<(u64, u64)> {
            let base = (&raw const *self.tables).addr() as u64;
            let mut table = root;
            for height in (0..=top_height).rev() {
                let position = index(VirtAddr(address), height);
                let entry = self.tables[(table - base) as usize / size_of::<Table>()].0[position];
                match F::decode(entry, height) {
                    Entry::Empty => return None,
                    Entry::Branch(next) => table = next.0,
                    Entry::Leaf(start, _) => {
                        let attributes = entry & !F::leaf(start, 0);
                        return Some((
                            start.0 + address % span_bytes(height),
                            attributes ^ shape::<F>(height),
                        ));
                    }
                }
            }
            None
        }
    }

    /// The difference between the attributes of a height and those of pages.
    fn shape<F: Format>(height: u32) -> u64 {
        F::attributes(height, DATA) ^ F::attributes(0, DATA)
    }

    fn page<F: Format>(address: u64, access: Access) -> Option<(u64, u64)> {
        Some((address, F::attributes(0, access)))
    }

    fn ram_is_mapped_to_itself_up_to_its_ends<F: Format>() {
        for ram in [RAM, Ram { start: 0x4012_3000, end: 0xbfff_d000 }] {
            let built = built::<F>(ram, &[]);
            for address in [ram.start, ram.start + 0x1000, 0x7000_2000, 0x8000_0000, ram.end - 0x1000] {
                assert_eq!(built.identity::<F>(address), page::<F>(address, DATA), "{address:#x}");
            }
            assert_eq!(built.identity::<F>(ram.start - 0x1000), None);
            assert_eq!(built.identity::<F>(ram.end), None);
        }
    }

    /// Ends inside large pages of every size, and a kernel as large as it may be.
    fn memory_between_ranges_of_ram_is_not_mapped<F: Format>() {
        let ranges = [
            Ram { start: 0x4020_1000, end: 0x7fff_f000 },
            Ram { start: 0x8_0020_1000, end: 0x8_7fff_f000 },
            Ram { start: 0x10_0020_1000, end: 0x10_7fff_f000 },
            Ram { start: 0x20_0020_1000, end: 0x20_7fff_f000 },
        ];
        let kernel = KernelSegment { vaddr: KERNEL + 0x1000, paddr: 0x7010_0000, bytes: 6 << 20, flags: 6 };
        let built = built_in::<F>(&ranges, &[kernel]);
        for Ram { start, end } in ranges {
            for address in [start, start + 0x1000, (start + end) / 2, end - 0x1000] {
                assert_eq!(built.identity::<F>(address), page::<F>(address, DATA), "{address:#x}");
            }
            for address in [start - 0x1000, end, end + 0x1000] {
                assert_eq!(built.identity::<F>(address), None, "{address:#x}");
            }
        }
        assert_eq!(built.kernel::<F>(kernel.vaddr), page::<F>(kernel.paddr, DATA));
    }

    fn only_the_loaders_code_is_executable<F: Format>() {
        let built = built::<F>(RAM, &[]);
        for address in [LOADER.start, LOADER.end - 0x1000] {
            assert_eq!(built.identity::<F>(address), page::<F>(address, CODE));
        }
        for address in [LOADER.start - 0x1000, LOADER.end] {
            assert_eq!(built.identity::<F>(address), page::<F>(address, DATA));
        }
    }

    fn segments_have_the_access_of_their_flags<F: Format>() {
        let segment = |page: u64, flags| KernelSegment {
            vaddr: KERNEL + page * PAGE_BYTES,
            paddr: 0x7010_0000 + page * PAGE_BYTES,
            bytes: PAGE_BYTES,
            flags,
        };
        let built = built::<F>(RAM, &[segment(0, 5), segment(1, 4), segment(2, 6)]);
        assert_eq!(built.kernel::<F>(KERNEL), page::<F>(0x7010_0000, CODE));
        assert_eq!(built.kernel::<F>(KERNEL + 0x1000), page::<F>(0x7010_1000, READ_ONLY));
        assert_eq!(built.kernel::<F>(KERNEL + 0x2000), page::<F>(0x7010_2000, DATA));
        assert_eq!(built.kernel::<F>(KERNEL + 0x3000), None);
    }

    fn large_pages_take_no_table_of_pages<F: Format>() {
        let large = span_bytes(1);
        let segment = |vaddr, paddr, bytes, flags| KernelSegment { vaddr, paddr, bytes, flags };
        let text = segment(KERNEL, 0x7010_0000, PAGE_BYTES, 5);
        let data = segment(KERNEL + large, 0x7020_0000, 2 * large, 6);
        let built = built::<F>(RAM, &[text, data]);
        for offset in [0, 0x1000, large, 2 * large - 0x1000] {
            assert_eq!(built.kernel::<F>(KERNEL + large + offset), page::<F>(0x7020_0000 + offset, DATA));
        }
        assert_eq!(built.kernel::<F>(KERNEL), page::<F>(0x7010_0000, CODE));
        assert_eq!(
            built.kernel::<F>(KERNEL + large - 0x1000),
            None,
            "the stack overflows into unmapped memory"
        );
        assert_eq!(built.kernel::<F>(KERNEL + 3 * large), None);
        // As many tables as for the text alone: the last one is empty.
        let used = |built: &Built| {
            built.tables.iter().filter(|table| table.0.iter().any(|entry| *entry != 0)).count()
        };
        assert_eq!(used(&built), used(&tests::built::<F>(RAM, &[text])));
    }

    fn the_serial_port_is_a_device<F: Format>() {
        let mut plan = LoaderPlan { magic: MAGIC, serial_paddr: 0x0900_0000, ..LoaderPlan::default() };
        plan.ram[0] = RAM;
        let mut tables = Box::new([Table([0; ENTRIES]); TABLES]);
        let roots = build::<F>(&plan, &mut tables, LOADER.start, LOADER.end);
        let built = Built { tables, roots };
        assert_eq!(built.kernel::<F>(CONSOLE.0), page::<F>(0x0900_0000, DEVICE));
        assert_eq!(tests::built::<F>(RAM, &[]).kernel::<F>(CONSOLE.0), None);
    }

    fn a_plan_that_cannot_be_carried_out_gives_no_tables<F: Format>() {
        let huge = KernelSegment { vaddr: KERNEL, paddr: 0x7010_0000, bytes: 1 << 30, flags: 6 };
        assert_eq!(built::<F>(RAM, &[huge]).roots, Roots::default());
        let mut tables = Box::new([Table([0; ENTRIES]); TABLES]);
        assert_eq!(build::<F>(&LoaderPlan::default(), &mut tables, 0, 0), Roots::default());
    }

    macro_rules! on_every_architecture {
        ($($property:ident)+) => {
            mod on_aarch64 { $( #[test] fn $property() { super::$property::<super::aarch64::descriptor::Descriptors>(); } )+ }
            mod on_riscv64 { $( #[test] fn $property() { super::$property::<super::riscv64::descriptor::Descriptors>(); } )+ }
        };
    }

    on_every_architecture! {
        ram_is_mapped_to_itself_up_to_its_ends
        memory_between_ranges_of_ram_is_not_mapped
        only_the_loaders_code_is_executable
        segments_have_the_access_of_their_flags
        large_pages_take_no_table_of_pages
        the_serial_port_is_a_device
        a_plan_that_cannot_be_carried_out_gives_no_tables
    }
}
