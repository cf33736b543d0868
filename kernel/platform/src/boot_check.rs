//! Checks the page tables before the first program runs.
//!
//! - Kernel half: only the kernel's code is executable, no mapping makes that code writable, and nothing is accessible
//!   to programs. The half does not map the boot image, whose page contents belong to programs, except for a read-only
//!   mapping of the list of static-key sites.
//! - Address spaces: no page is executable for the kernel, inaccessible to programs, or an alias of the kernel's code.
//! - Every address space shares the checked part of its processor's kernel: its half, or the entry area, which holds only
//!   its own pages with their intended access.
//! - The private part of each processor's kernel is in memory of its own.
//! - No address space maps kernel memory (reserved RAM and the pool of page tables), with three exceptions: page contents
//!   of the image, and each thread's own message buffer and ring, each at its own address. Rings are read-only.
//! - The ring of the trace, which is RAM of the image, is read-only in every address space.
//!
//! The checks read the tables back entry by entry and do not trust the code that wrote them.

use core::fmt;

use limen_abi::limits::PAGE_BYTES;
use limen_image::{Image, Range, Region, RegionKind};
use limen_mmu::address::{PhysAddr, VirtAddr};

use crate::address_space::{KernelPage, KernelPages};
use crate::page_table::{
    ENTRIES, Format, Found, Halves, Root, Tables, is_shared, span_bytes, translate, walk,
};

/// A forbidden mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The address space; `None` for the kernel half.
    pub vspace: Option<usize>,
    /// Its virtual address.
    pub vaddr: VirtAddr,
    /// Its physical address.
    pub paddr: PhysAddr,
    /// The rule that it breaks.
    pub rule: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.vspace {
            Some(index) => write!(f, "address space {index}: ")?,
            None => write!(f, "kernel address space: ")?,
        }
        write!(f, "{:#x} maps {:#x}: {}", self.vaddr.0, self.paddr.0, self.rule)
    }
}

/// Checks the kernel half. `code` is the memory of the kernel's code, `image` that of the boot image, and `sites` that
/// of the image's list of sites.
///
/// # Errors
/// The first mapping that breaks a rule.
pub fn check_kernel<F: Format>(
    tables: &impl Tables,
    root: Root,
    code: Range,
    image: Range,
    sites: Range,
) -> Result<(), Violation> {
    walk::<F, _>(tables, root, F::HALVES.kernel(), |found| {
        let Found { vaddr, paddr, permissions, .. } = found;
        let memory = memory(&found);
        let rule = |ok, rule| require(ok, Violation { vspace: None, vaddr, paddr, rule });
        rule(!permissions.user, "programs can access it")?;
        rule(
            !permissions.kernel_executable || contains(code, memory),
            "executable, but not the kernel's code",
        )?;
        rule(!permissions.writable || !overlaps(code, memory), "writable alias of the kernel's code")?;
        let is_list = contains(sites, memory) && !permissions.writable;
        rule(is_list || !overlaps(image, memory), "memory of the boot image")
    })
}

/// Checks that the private part of a processor's kernel, which starts at `vaddr`, is mapped to `memory` of its own.
///
/// # Errors
/// The first page that is not.
pub fn check_private<F: Format>(
    tables: &impl Tables,
    root: Root,
    vaddr: VirtAddr,
    memory: Range,
) -> Result<(), Violation> {
    for page in (memory.start..memory.end).step_by(PAGE_BYTES as usize) {
        let vaddr = VirtAddr(vaddr.0 + (page - memory.start));
        let paddr = translate::<F>(tables, root, vaddr);
        let violation = Violation {
            vspace: None,
            vaddr,
            paddr: paddr.unwrap_or_default(),
            rule: "not the private memory of this processor",
        };
        require(paddr == Some(PhysAddr(page)), violation)?;
    }
    Ok(())
}

/// The part of the kernel that is mapped while programs run, if that is not the whole half. Ranges are physical.
#[derive(Clone, Copy, Debug)]
pub struct EntryArea {
    /// Its page tables.
    pub root: Root,
    /// Code: executable and read-only.
    pub text: Range,
    /// The processor's tables: read-only.
    pub tables: Range,
    /// Stacks.
    pub stacks: Range,
}

/// Checks that the page tables of the entry area map nothing else.
///
/// # Errors
/// The first mapping that breaks a rule.
pub fn check_entry_area<F: Format>(tables: &impl Tables, area: &EntryArea) -> Result<(), Violation> {
    walk::<F, _>(tables, area.root, 0..ENTRIES, |found| {
        let Found { vaddr, paddr, permissions, .. } = found;
        let memory = memory(&found);
        let rule = |ok, rule| require(ok, Violation { vspace: None, vaddr, paddr, rule });
        rule(!permissions.user, "programs can access it")?;
        let pages = [area.text, area.tables, area.stacks];
        rule(pages.iter().any(|pages| contains(*pages, memory)), "not for the entry area")?;
        rule(
            !permissions.kernel_executable || contains(area.text, memory),
            "executable in the entry area, but not its code",
        )?;
        rule(
            !permissions.writable || contains(area.stacks, memory),
            "writable in the entry area, but not a stack",
        )
    })
}

/// The facts that address spaces are checked against.
#[derive(Debug)]
pub struct UserRules<'a> {
    image: &'a Image<'a>,
    pages: KernelPages<'a>,
    code: Range,
    contents: Range,
}

impl<'a> UserRules<'a> {
    /// Rules for the address spaces of `image`, which map these pages of the kernel. `code` is the memory of the kernel's
    /// code.
    pub fn new(image: &'a Image<'a>, pages: KernelPages<'a>, code: Range) -> Self {
        let end = image.paddr() + image.image_bytes();
        let mut contents = image.regions().filter(|region| region.kind == RegionKind::Contents as u64);
        let contents = Range { start: contents.next().map_or(end, |first| first.paddr), end };
        Self { image, pages, code, contents }
    }

    /// Checks the address space of a program; `shared` holds the kernel addresses that all address spaces of its processor
    /// share.
    ///
    /// # Errors
    /// The first mapping that breaks a rule.
    pub fn check<F: Format>(
        &self,
        tables: &impl Tables,
        vspace: usize,
        root: Root,
        shared: Root,
    ) -> Result<(), Violation> {
        self.check_shared::<F>(tables, vspace, root, shared)?;
        walk::<F, _>(tables, root, F::HALVES.user(), |found| {
            let Found { vaddr, paddr, permissions, .. } = found;
            let memory = memory(&found);
            let rule = |ok, rule| require(ok, Violation { vspace: Some(vspace), vaddr, paddr, rule });
            rule(permissions.user, "programs cannot access it")?;
            rule(!permissions.kernel_executable, "the kernel can execute it")?;
            rule(!overlaps(self.code, memory), "alias of the kernel's code")?;
            rule(!permissions.writable || !self.is_trace(memory), "writable alias of the trace")?;
            let allowed = !self.is_kernel_memory(memory) || self.is_for_program(vspace, &found);
            rule(allowed, "memory of the kernel")
        })
    }

    /// Checks an address space of work; `kernel` maps the whole kernel.
    ///
    /// # Errors
    /// The first mapping that breaks a rule.
    pub fn check_work<F: Format>(
        &self,
        tables: &impl Tables,
        vspace: usize,
        root: Root,
        kernel: Root,
    ) -> Result<(), Violation> {
        self.check_shared::<F>(tables, vspace, root, kernel)?;
        walk::<F, _>(tables, root, F::HALVES.user(), |found| {
            let Found { vaddr, paddr, permissions, .. } = found;
            let memory = memory(&found);
            let rule = |ok, rule| require(ok, Violation { vspace: Some(vspace), vaddr, paddr, rule });
            rule(!permissions.user, "programs can access it")?;
            rule(!permissions.kernel_executable, "the kernel can execute it")?;
            rule(!overlaps(self.code, memory), "alias of the kernel's code")?;
            rule(!self.is_kernel_memory(memory), "memory of the kernel")
        })
    }

    /// The shared tables are checked once; here it is enough to compare the entries that lead to them.
    fn check_shared<F: Format>(
        &self,
        tables: &impl Tables,
        vspace: usize,
        root: Root,
        shared: Root,
    ) -> Result<(), Violation> {
        if F::HALVES == Halves::Apart {
            return Ok(());
        }
        let [own, shared] = [root, shared].map(|root| tables.table(root.table));
        let violation = Violation {
            vspace: Some(vspace),
            vaddr: VirtAddr(span_bytes(root.height) * F::HALVES.kernel().start as u64),
            paddr: root.table,
            rule: "not the kernel's half that all share",
        };
        require(is_shared(own, shared, F::HALVES.kernel()), violation)
    }

    fn is_kernel_memory(&self, memory: Range) -> bool {
        overlaps(self.image.pool(), memory)
            || (!contains(self.contents, memory)
                && self.image.reserved().any(|reserved| overlaps(reserved, memory)))
    }

    fn is_trace(&self, memory: Range) -> bool {
        let ring = self.image.trace();
        ring.is_some_and(|Region { paddr, bytes, .. }| {
            overlaps(Range { start: paddr, end: paddr + bytes }, memory)
        })
    }

    /// Whether all pages are message buffers and rings of this address space. Neighbouring pages are one run.
    fn is_for_program(&self, vspace: usize, found: &Found) -> bool {
        let KernelPages { buffers, rings } = self.pages;
        (0..found.bytes).step_by(PAGE_BYTES as usize).all(|offset| {
            let (vaddr, paddr) = (VirtAddr(found.vaddr.0 + offset), PhysAddr(found.paddr.0 + offset));
            let page = KernelPage { vspace: vspace as u64, vaddr, paddr };
            let place = |page: &KernelPage| (page.vspace, page.vaddr.0);
            let buffer = buffers.binary_search_by_key(&place(&page), place);
            buffer.is_ok_and(|index| buffers[index] == page)
                || (!found.permissions.writable && rings.contains(&page))
        })
    }
}

fn require(ok: bool, violation: Violation) -> Result<(), Violation> {
    if ok { Ok(()) } else { Err(violation) }
}

fn memory(found: &Found) -> Range {
    Range { start: found.paddr.0, end: found.paddr.0 + found.bytes }
}

fn contains(outer: Range, range: Range) -> bool {
    outer.start <= range.start && range.end <= outer.end
}

fn overlaps(a: Range, b: Range) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use limen_image::{Architecture, Board, Counts, ImageWriter, NONE, Thread};

    use super::*;
    use limen_mmu::aarch64::descriptor::Descriptors;
    use limen_mmu::x86_64;

    use crate::page_table::{Access, MemoryType, Owner, Run, map, map_largest, share_kernel};
    use crate::test_tables::TestTables;

    const IMAGE: u64 = 0x7000_0000;
    const CONTENTS: u64 = IMAGE + 0x2000;
    const CODE: Range = Range { start: 0x7010_0000, end: 0x7010_4000 };
    const BUFFER: PhysAddr = PhysAddr(0x7020_0000);
    const IPC_BUFFER: VirtAddr = VirtAddr(0x10_0000);
    const RING: PhysAddr = PhysAddr(0x7020_1000);
    const PAGES: KernelPages<'static> = KernelPages {
        buffers: &[KernelPage { vspace: 0, vaddr: IPC_BUFFER, paddr: BUFFER }],
        rings: &[KernelPage { vspace: 0, vaddr: VirtAddr(0x11_0000), paddr: RING }],
    };
    const KERNEL_CODE: Access =
        Access { owner: Owner::Kernel, write: false, execute: true, memory: MemoryType::Cached };
    const KERNEL_DATA: Access = Access { write: true, execute: false, ..KERNEL_CODE };
    const USER_CODE: Access = Access { owner: Owner::User, ..KERNEL_CODE };
    const USER_DATA: Access = Access { owner: Owner::User, ..KERNEL_DATA };
    const WORK_DATA: Access = Access { owner: Owner::Work, ..KERNEL_DATA };

    fn kernel(mappings: &[(u64, Access)]) -> Result<(), &'static str> {
        let (tables, root) =
            mapped(2, mappings.iter().zip(0..).map(|(&(paddr, access), page)| (page, paddr, access)));
        let image = Range { start: IMAGE, end: CONTENTS + PAGE_BYTES };
        let sites = Range { start: IMAGE + PAGE_BYTES, end: CONTENTS };
        check_kernel::<Descriptors>(&tables, root, CODE, image, sites).map_err(|violation| violation.rule)
    }

    fn user(vspace: usize, vaddr: VirtAddr, paddr: u64, access: Access) -> Result<(), &'static str> {
        let words = image();
        let image = Image::validate(&words).expect("a valid image");
        let (tables, root) = mapped(3, [(vaddr.0 / PAGE_BYTES, paddr, access)].into_iter());
        let rules = UserRules::new(&image, PAGES, CODE);
        rules.check::<Descriptors>(&tables, vspace, root, root).map_err(|violation| violation.rule)
    }

    fn work(vaddr: VirtAddr, paddr: u64, access: Access) -> Result<(), &'static str> {
        let words = image();
        let image = Image::validate(&words).expect("a valid image");
        let (tables, root) = mapped(3, [(vaddr.0 / PAGE_BYTES, paddr, access)].into_iter());
        let rules = UserRules::new(&image, PAGES, CODE);
        rules.check_work::<Descriptors>(&tables, 0, root, root).map_err(|violation| violation.rule)
    }

    fn mapped(height: u32, pages: impl Iterator<Item = (u64, u64, Access)>) -> (TestTables, Root) {
        let (mut tables, root) = TestTables::with_root(height, 16);
        for (page, paddr, access) in pages {
            let (vaddr, paddr) = (VirtAddr(page * PAGE_BYTES), PhysAddr(paddr));
            let run = Run { vaddr, paddr, bytes: PAGE_BYTES, height: 0, access };
            assert_eq!(map::<Descriptors>(&mut tables, root, &run), Ok(()));
        }
        (tables, root)
    }

    fn image() -> Vec<u64> {
        let mut writer = ImageWriter::new(Architecture::Aarch64);
        writer.board = Board { user_top: limen_abi::limits::USER_TOP_AARCH64, ..Board::default() };
        writer.counts = Counts { vspaces: 2, ..Counts::default() };
        writer.ram = [Range { start: 0x4000_0000, end: 0xc000_0000 }].into();
        writer.reserved = [Range { start: IMAGE, end: 0x7040_0000 }].into();
        writer.pool = Range { start: 0x9000_0000, end: 0x9010_0000 };
        let contents =
            Region { paddr: CONTENTS, bytes: 0x1000, kind: RegionKind::Contents as u64, ..Region::default() };
        writer.regions = [contents].into();
        let none = Thread {
            sched_context: NONE,
            notification: NONE,
            fault_slot: NONE,
            timeout_slot: NONE,
            ..Thread::default()
        };
        writer.threads = [Thread { ipc_buffer: IPC_BUFFER.0, ..none }].into();
        writer.finish(IMAGE, 0x3000)
    }

    #[test]
    fn code_and_data_of_the_kernel_pass() {
        assert_eq!(kernel(&[(CODE.start, KERNEL_CODE), (CODE.end, KERNEL_DATA)]), Ok(()));
    }

    #[test]
    fn kernel_code_outside_its_memory_is_found() {
        let rule = "executable, but not the kernel's code";
        assert_eq!(kernel(&[(CODE.end, KERNEL_CODE)]), Err(rule));
        assert_eq!(kernel(&[(CODE.end, Access { write: true, ..KERNEL_CODE })]), Err(rule));
    }

    #[test]
    fn kernel_code_that_can_be_written_is_found() {
        let rule = "writable alias of the kernel's code";
        assert_eq!(kernel(&[(CODE.start, KERNEL_CODE), (CODE.start, KERNEL_DATA)]), Err(rule));
        assert_eq!(kernel(&[(CODE.start, Access { write: true, ..KERNEL_CODE })]), Err(rule));
    }

    #[test]
    fn large_pages_are_checked_to_their_ends() {
        const HOLDS_CODE_AND_IMAGE: u64 = IMAGE;
        assert_eq!(CODE.start / span_bytes(1) * span_bytes(1), HOLDS_CODE_AND_IMAGE);
        let large = |paddr, access| {
            let (mut tables, root) = TestTables::with_root(2, 2);
            let (vaddr, paddr, bytes) = (VirtAddr(span_bytes(1)), PhysAddr(paddr), span_bytes(1));
            let run = Run { vaddr, paddr, bytes, height: 0, access };
            assert_eq!(map_largest::<Descriptors>(&mut tables, root, &run), Ok(()), "two tables are enough");
            let image = Range { start: IMAGE, end: CONTENTS + PAGE_BYTES };
            let sites = Range { start: IMAGE + PAGE_BYTES, end: CONTENTS };
            check_kernel::<Descriptors>(&tables, root, CODE, image, sites).map_err(|violation| violation.rule)
        };
        for beside in [IMAGE - span_bytes(1), IMAGE + span_bytes(1)] {
            assert_eq!(large(beside, KERNEL_DATA), Ok(()));
        }
        let found = |access| large(HOLDS_CODE_AND_IMAGE, access);
        assert_eq!(found(KERNEL_DATA), Err("writable alias of the kernel's code"));
        assert_eq!(found(KERNEL_CODE), Err("executable, but not the kernel's code"));
        assert_eq!(found(Access { execute: false, ..KERNEL_CODE }), Err("memory of the boot image"));
    }

    #[test]
    fn memory_of_the_kernel_that_the_image_claims_is_found() {
        assert_eq!(kernel(&[(CONTENTS + PAGE_BYTES, KERNEL_DATA)]), Ok(()));
        assert_eq!(kernel(&[(CONTENTS, KERNEL_DATA)]), Err("memory of the boot image"));
        let read_only = Access { write: false, ..KERNEL_DATA };
        assert_eq!(kernel(&[(IMAGE, read_only)]), Err("memory of the boot image"));
    }

    #[test]
    fn the_list_of_sites_is_only_read() {
        assert_eq!(kernel(&[(IMAGE + PAGE_BYTES, Access { write: false, ..KERNEL_DATA })]), Ok(()));
        assert_eq!(kernel(&[(IMAGE + PAGE_BYTES, KERNEL_DATA)]), Err("memory of the boot image"));
        assert_eq!(
            kernel(&[(IMAGE + PAGE_BYTES, Access { execute: true, write: false, ..KERNEL_DATA })]),
            Err("executable, but not the kernel's code")
        );
    }

    #[test]
    fn the_private_part_is_in_memory_of_the_processor() {
        const FIRST: u64 = 0xffff_ffff_8000_3000;
        let memory = Range { start: 0x8000_0000, end: 0x8000_2000 };
        let check = |pages: [u64; 2]| {
            let pages = (FIRST / PAGE_BYTES..).zip(pages).map(|(page, paddr)| (page, paddr, KERNEL_DATA));
            let (tables, root) = mapped(2, pages);
            check_private::<Descriptors>(&tables, root, VirtAddr(FIRST), memory)
                .map_err(|violation| (violation.vaddr.0, violation.rule))
        };
        let rule = "not the private memory of this processor";
        assert_eq!(check([memory.start, memory.start + PAGE_BYTES]), Ok(()));
        assert_eq!(check([memory.start, memory.end]), Err((FIRST + PAGE_BYTES, rule)));
        assert_eq!(check([0x9000_0000, memory.start + PAGE_BYTES]), Err((FIRST, rule)));
    }

    #[test]
    fn a_user_page_in_the_kernels_half_is_found() {
        assert_eq!(kernel(&[(0x8000_0000, USER_DATA)]), Err("programs can access it"));
    }

    #[test]
    fn a_program_in_its_own_memory_passes() {
        assert_eq!(user(0, VirtAddr(0x20_0000), CONTENTS, USER_CODE), Ok(()));
        assert_eq!(user(0, VirtAddr(0x20_0000), 0x8000_0000, USER_DATA), Ok(()));
    }

    #[test]
    fn a_kernel_page_in_an_address_space_is_found() {
        assert_eq!(user(0, VirtAddr(0x20_0000), 0x8000_0000, KERNEL_DATA), Err("programs cannot access it"));
    }

    #[test]
    fn memory_of_the_kernel_in_an_address_space_is_found() {
        for paddr in [IMAGE, CODE.end, 0x9000_0000, BUFFER.0] {
            assert_eq!(user(0, VirtAddr(0x20_0000), paddr, USER_DATA), Err("memory of the kernel"));
        }
        assert_eq!(user(0, VirtAddr(0x20_0000), CODE.start, USER_CODE), Err("alias of the kernel's code"));
    }

    #[test]
    fn a_message_buffer_belongs_to_its_thread_only() {
        assert_eq!(user(0, IPC_BUFFER, BUFFER.0, USER_DATA), Ok(()));
        assert_eq!(user(1, IPC_BUFFER, BUFFER.0, USER_DATA), Err("memory of the kernel"));
        assert_eq!(user(0, IPC_BUFFER, BUFFER.0 + PAGE_BYTES, USER_DATA), Err("memory of the kernel"));
    }

    #[test]
    fn a_ring_belongs_to_its_thread_only_which_reads_it() {
        const USER_CONSTANTS: Access = Access { write: false, ..USER_DATA };
        let vaddr = PAGES.rings[0].vaddr;
        assert_eq!(user(0, vaddr, RING.0, USER_CONSTANTS), Ok(()));
        assert_eq!(user(0, vaddr, RING.0, USER_DATA), Err("memory of the kernel"));
        assert_eq!(user(1, vaddr, RING.0, USER_CONSTANTS), Err("memory of the kernel"));
        assert_eq!(user(0, vaddr, RING.0 + PAGE_BYTES, USER_CONSTANTS), Err("memory of the kernel"));
        assert_eq!(user(0, VirtAddr(0x12_0000), RING.0, USER_CONSTANTS), Err("memory of the kernel"));
        assert_eq!(work(vaddr, RING.0, Access { write: false, ..WORK_DATA }), Err("memory of the kernel"));
    }

    #[test]
    fn work_in_memory_of_programs_passes() {
        assert_eq!(work(VirtAddr(0x20_0000), CONTENTS, Access { write: false, ..WORK_DATA }), Ok(()));
        assert_eq!(work(VirtAddr(0x20_0000), 0x8000_0000, WORK_DATA), Ok(()));
    }

    #[test]
    fn memory_of_work_that_programs_can_access_is_found() {
        for access in [USER_DATA, USER_CODE] {
            assert_eq!(work(VirtAddr(0x20_0000), 0x8000_0000, access), Err("programs can access it"));
        }
    }

    #[test]
    fn memory_of_work_that_is_executable_is_found() {
        assert_eq!(work(VirtAddr(0x20_0000), 0x8000_0000, KERNEL_CODE), Err("the kernel can execute it"));
    }

    #[test]
    fn memory_of_the_kernel_in_a_work_space_is_found() {
        for (vaddr, paddr) in [(VirtAddr(0x20_0000), IMAGE), (VirtAddr(0x20_0000), CODE.end)]
            .into_iter()
            .chain([(VirtAddr(0x20_0000), 0x9000_0000), (IPC_BUFFER, BUFFER.0)])
        {
            assert_eq!(work(vaddr, paddr, WORK_DATA), Err("memory of the kernel"));
        }
        assert_eq!(work(VirtAddr(0x20_0000), CODE.start, WORK_DATA), Err("alias of the kernel's code"));
    }

    #[test]
    fn memory_of_work_beside_a_program_is_found() {
        assert_eq!(user(0, VirtAddr(0x20_0000), 0x8000_0000, WORK_DATA), Err("programs cannot access it"));
    }

    #[test]
    fn work_without_the_kernels_own_addresses_is_found() {
        type Paging = x86_64::descriptor::Descriptors;
        let words = image();
        let image = Image::validate(&words).expect("a valid image");
        let (mut tables, entry_area) = TestTables::with_root(3, 16);
        let [kernel, root] = [0, 1].map(|_| Root { table: tables.allocate().unwrap(), height: 3 });
        for (shared, page) in [(entry_area, 0), (kernel, 1)] {
            let vaddr = VirtAddr(0xffff_ffff_8000_0000 + page * PAGE_BYTES);
            let paddr = PhysAddr(CODE.start + page * PAGE_BYTES);
            let run = Run { vaddr, paddr, bytes: PAGE_BYTES, height: 0, access: KERNEL_CODE };
            assert_eq!(map::<Paging>(&mut tables, shared, &run), Ok(()));
        }
        let rules = UserRules::new(&image, PAGES, CODE);
        let check = |tables: &TestTables| {
            let work = rules.check_work::<Paging>(tables, 1, root, kernel);
            let program = rules.check::<Paging>(tables, 1, root, entry_area);
            [work, program].map(|result| result.is_ok())
        };
        assert_eq!(check(&tables), [false, false]);
        share_kernel::<Paging>(&mut tables, entry_area, root);
        assert_eq!(check(&tables), [false, true]);
        share_kernel::<Paging>(&mut tables, kernel, root);
        assert_eq!(check(&tables), [true, false]);
    }

    fn entry_area(page: u64, access: Access) -> Result<(), &'static str> {
        type Paging = x86_64::descriptor::Descriptors;
        let pages = |first| Range { start: first * PAGE_BYTES, end: (first + 2) * PAGE_BYTES };
        let (mut tables, root) = TestTables::with_root(3, 16);
        let area = EntryArea { root, text: pages(10), tables: pages(20), stacks: pages(30) };
        let (vaddr, paddr) = (VirtAddr(0xffff_ffff_8000_0000), PhysAddr(page * PAGE_BYTES));
        let run = Run { vaddr, paddr, bytes: PAGE_BYTES, height: 0, access };
        assert_eq!(map::<Paging>(&mut tables, root, &run), Ok(()));
        check_entry_area::<Paging>(&tables, &area).map_err(|violation| violation.rule)
    }

    #[test]
    fn an_entry_area_of_code_tables_and_stacks_passes() {
        let tables = Access { execute: false, ..KERNEL_CODE };
        for (page, access) in [(10, KERNEL_CODE), (21, tables), (31, KERNEL_DATA), (30, tables)] {
            assert_eq!(entry_area(page, access), Ok(()));
        }
    }

    #[test]
    fn a_superfluous_mapping_in_the_entry_area_is_found() {
        assert_eq!(entry_area(12, KERNEL_CODE), Err("not for the entry area"));
        assert_eq!(entry_area(10, USER_CODE), Err("programs can access it"));
        for page in [20, 30] {
            assert_eq!(entry_area(page, KERNEL_CODE), Err("executable in the entry area, but not its code"));
        }
        for page in [10, 20] {
            assert_eq!(entry_area(page, KERNEL_DATA), Err("writable in the entry area, but not a stack"));
        }
    }

    #[test]
    fn an_address_space_with_another_kernel_half_is_found() {
        type Paging = x86_64::descriptor::Descriptors;
        let words = image();
        let image = Image::validate(&words).expect("a valid image");
        let (mut tables, shared) = TestTables::with_root(3, 16);
        let root = Root { table: tables.allocate().unwrap(), height: 3 };
        let page = Run {
            vaddr: VirtAddr(0xffff_ffff_8000_0000),
            paddr: PhysAddr(CODE.start),
            bytes: PAGE_BYTES,
            height: 0,
            access: KERNEL_CODE,
        };
        assert_eq!(map::<Paging>(&mut tables, shared, &page), Ok(()));
        let check = |tables: &TestTables| {
            let rules = UserRules::new(&image, PAGES, CODE);
            rules.check::<Paging>(tables, 1, root, shared).map_err(|violation| violation.rule)
        };
        assert_eq!(check(&tables), Err("not the kernel's half that all share"));
        share_kernel::<Paging>(&mut tables, shared, root);
        assert_eq!(check(&tables), Ok(()));
    }
}
