//! Address spaces of programs, built at boot from the image's mapping plan.

use limen_abi::limits::{PAGE_BYTES, PROCESSORS, VSPACES};
use limen_image::{Image, Mapping, MappingFlags, RegionKind};
use limen_mmu::address::{PhysAddr, VirtAddr};

use crate::page_table::{Access, Format, MapError, MemoryType, Owner, Root, Run, Tables, map, share_kernel};

/// The values with which the processor enters an address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AddressSpace {
    /// Its top table.
    pub root: PhysAddr,
    /// Its identifier in the TLB. Zero belongs to no program.
    pub asid: u16,
}

impl AddressSpace {
    /// Its tables.
    pub fn tables<F: Format>(&self) -> Root {
        Root { table: self.root, height: F::USER_HEIGHT }
    }
}

/// All address spaces, by index; those that the image does not have are empty.
pub type AddressSpaces = [AddressSpace; VSPACES];

/// No address spaces.
pub const NO_SPACES: AddressSpaces = [AddressSpace { root: PhysAddr(0), asid: 0 }; VSPACES];

/// A page of the kernel's memory that a program sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KernelPage {
    /// Address space of the program.
    pub vspace: u64,
    /// Its address there.
    pub vaddr: VirtAddr,
    /// Its address in the kernel's memory.
    pub paddr: PhysAddr,
}

/// All such pages.
#[derive(Clone, Copy, Debug)]
pub struct KernelPages<'a> {
    /// Message buffers, which programs also write, ascending by address space and address.
    pub buffers: &'a [KernelPage],
    /// Pages of rings, which programs only read.
    pub rings: &'a [KernelPage],
}

/// The page tables of a processor's kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelRoots {
    /// The part that is mapped while programs run.
    pub shared: Root,
    /// The whole kernel.
    pub whole: Root,
}

/// The home processor of an address space: that of the thread whose program or work runs there.
pub fn home(image: &Image<'_>, vspace: u64) -> usize {
    if image.processors() == 1 {
        return 0;
    }
    let works = image.services().find(|service| service.vspace == vspace);
    let thread = match works {
        Some(service) => image.thread(service.thread),
        None => image.threads().find(|thread| thread.vspace == vspace),
    };
    thread.map_or(0, |thread| thread.processor as usize % PROCESSORS)
}

/// Builds the address spaces that `image` describes and maps these pages of the kernel. Each contains the kernel of its home
/// processor, of which `kernels` are the tables. `spaces` are empty before.
///
/// # Errors
/// See [`MapError`].
pub fn build<F: Format>(
    image: &Image<'_>,
    pages: KernelPages<'_>,
    tables: &mut impl Tables,
    kernels: &[KernelRoots; PROCESSORS],
    spaces: &mut AddressSpaces,
) -> Result<(), MapError> {
    for ((space, asid), vspace) in spaces.iter_mut().zip(1..).zip(0..image.counts().vspaces) {
        *space = AddressSpace { root: tables.allocate().ok_or(MapError::OutOfTables)?, asid };
        share_kernel::<F>(tables, kernels[home(image, vspace)].shared, space.tables::<F>());
    }
    for service in image.services() {
        // Work runs kernel code and needs the whole kernel mapped.
        let (kernel, vspace) = (&kernels[home(image, service.vspace)], service.vspace as usize % VSPACES);
        share_kernel::<F>(tables, kernel.whole, spaces[vspace].tables::<F>());
    }
    let root = |vspace: u64| spaces[vspace as usize % VSPACES].tables::<F>();
    for mapping in image.mappings().filter(|mapping| mapping.flags & MappingFlags::READ != 0) {
        map::<F>(tables, root(mapping.vspace), &run(image, &mapping))?;
    }
    for (pages, write) in [(pages.buffers, true), (pages.rings, false)] {
        let access = Access { owner: Owner::User, write, execute: false, memory: MemoryType::Cached };
        for &KernelPage { vspace, vaddr, paddr } in pages {
            map::<F>(tables, root(vspace), &Run { vaddr, paddr, bytes: PAGE_BYTES, height: 0, access })?;
        }
    }
    Ok(())
}

fn run(image: &Image<'_>, mapping: &Mapping) -> Run {
    let region = image.region(mapping.region);
    let has = |flag| mapping.flags & flag != 0;
    let memory = match (has(MappingFlags::UNCACHED), RegionKind::from_raw(region.kind)) {
        (false, _) => MemoryType::Cached,
        (true, Some(RegionKind::Device)) => MemoryType::Device,
        (true, _) => MemoryType::Uncached,
    };
    Run {
        vaddr: VirtAddr(mapping.vaddr),
        paddr: PhysAddr(region.paddr + mapping.offset),
        bytes: mapping.bytes,
        height: u32::from(has(MappingFlags::LARGE)),
        access: Access {
            owner: if has(MappingFlags::PRIVILEGED) { Owner::Work } else { Owner::User },
            write: has(MappingFlags::WRITE),
            execute: has(MappingFlags::EXECUTE),
            memory,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use limen_abi::ServiceKind;
    use limen_abi::limits::USER_TOP_AARCH64;
    use limen_image::{Architecture, Board, Counts, ImageWriter, NONE, Range, Region, Service, Thread};
    use limen_mmu::{aarch64, riscv64, x86_64};

    use super::*;
    use crate::page_table::{Found, Halves, is_shared, walk};
    use crate::test_tables::TestTables;

    const IPC_BUFFER: u64 = 0x10_0000;
    const DATA: u64 = MappingFlags::READ | MappingFlags::WRITE;

    /// A program in address space 0, and a digest for it in address space 1: it reads a page that the program also has,
    /// and its stack is not mapped in the program.
    fn image(processor: u64) -> Vec<u64> {
        let mut writer = ImageWriter::new(Architecture::Aarch64);
        writer.board = Board { user_top: USER_TOP_AARCH64, ..Board::default() };
        writer.counts = Counts { vspaces: 2, ..Counts::default() };
        writer.ram = [Range { start: 0x4000_0000, end: 0xc000_0000 }].into();
        writer.reserved = [Range { start: 0x7000_0000, end: 0x7040_0000 }].into();
        writer.pool = Range { start: 0x9000_0000, end: 0x9010_0000 };
        writer.processors = processor + 1;
        let region =
            |paddr, bytes| Region { paddr, bytes, kind: RegionKind::Zero as u64, ..Region::default() };
        writer.regions = [region(0x4400_0000, 0x1000), region(0x4500_0000, Service::STACK_BYTES)].into();
        let mapping =
            |vspace, vaddr, region, bytes, flags| Mapping { vspace, vaddr, bytes, region, offset: 0, flags };
        writer.mappings = [
            mapping(0, 0x20_0000, 0, 0x1000, DATA),
            mapping(1, 0x20_0000, 0, 0x1000, MappingFlags::READ | MappingFlags::PRIVILEGED),
            mapping(1, 0x40_0000, 1, Service::STACK_BYTES, DATA | MappingFlags::PRIVILEGED),
        ]
        .into();
        let (sched_context, notification, fault_slot, timeout_slot) = (NONE, NONE, NONE, NONE);
        let ipc_buffer = IPC_BUFFER;
        writer.threads = [Thread {
            processor,
            ipc_buffer,
            sched_context,
            notification,
            fault_slot,
            timeout_slot,
            ..Thread::default()
        }]
        .into();
        writer.services = [Service {
            kind: ServiceKind::Digest as u64,
            vspace: 1,
            stack_top: 0x40_0000 + Service::STACK_BYTES,
            target: 0x20_0000,
            bytes: 0x1000,
            owner: NONE,
            interrupt: NONE,
            ..Service::default()
        }]
        .into();
        writer.finish(0x7000_0000, 0x3000)
    }

    /// The mappings in the user half: virtual address, physical address, accessible to programs, writable.
    fn found<F: Format>(tables: &TestTables, root: Root) -> Vec<(u64, u64, bool, bool)> {
        let mut all = Vec::new();
        let visited = walk::<F, ()>(tables, root, F::HALVES.user(), |found| {
            let Found { vaddr, paddr, permissions, .. } = found;
            assert!(!permissions.kernel_executable);
            all.push((vaddr.0, paddr.0, permissions.user, permissions.writable));
            Ok(())
        });
        assert_eq!(visited, Ok(()));
        all
    }

    fn work_has_its_own_memory_and_the_whole_kernel<F: Format>(processor: usize) {
        let words = image(processor as u64);
        let image = Image::validate(&words).expect("a valid image");
        let (mut tables, other) = TestTables::with_root(F::KERNEL_HEIGHT, 32);
        let [shared, kernel] =
            [0, 1].map(|_| Root { table: tables.allocate().unwrap(), height: F::KERNEL_HEIGHT });
        let access = Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };
        for (root, paddr) in [(shared, 0x7010_0000), (kernel, 0x7020_0000)] {
            let vaddr = VirtAddr(0xffff_ffff_8000_0000);
            let run = Run { vaddr, paddr: PhysAddr(paddr), bytes: PAGE_BYTES, height: 0, access };
            assert_eq!(map::<F>(&mut tables, root, &run), Ok(()));
        }
        let page = |vaddr, paddr| KernelPage { vspace: 0, vaddr: VirtAddr(vaddr), paddr: PhysAddr(paddr) };
        let pages = KernelPages {
            buffers: &[page(IPC_BUFFER, 0x7030_0000)],
            rings: &[page(IPC_BUFFER + PAGE_BYTES, 0x7030_1000)],
        };
        let mut kernels = [KernelRoots { shared: other, whole: other }; PROCESSORS];
        kernels[processor] = KernelRoots { shared, whole: kernel };
        let mut spaces = NO_SPACES;
        assert_eq!(build::<F>(&image, pages, &mut tables, &kernels, &mut spaces), Ok(()));
        let [program, work] = [0, 1].map(|index: usize| spaces[index].tables::<F>());
        let programs = [
            (IPC_BUFFER, 0x7030_0000, true, true),
            (IPC_BUFFER + PAGE_BYTES, 0x7030_1000, true, false),
            (0x20_0000, 0x4400_0000, true, true),
        ];
        assert_eq!(found::<F>(&tables, program), programs);
        let works = [(0x20_0000, 0x4400_0000, false, false), (0x40_0000, 0x4500_0000, false, true)];
        assert_eq!(found::<F>(&tables, work), works);
        assert_eq!((spaces[0].asid, spaces[1].asid, spaces[2]), (1, 2, AddressSpace::default()));
        if F::HALVES == Halves::Together {
            let shares = |space: Root, kernel: Root| {
                is_shared(tables.table(space.table), tables.table(kernel.table), F::HALVES.kernel())
            };
            assert!(shares(program, shared) && !shares(program, kernel));
            assert!(shares(work, kernel) && !shares(work, shared));
        }
    }

    #[test]
    fn work_has_its_own_memory_on_every_architecture() {
        for processor in [0, PROCESSORS - 1] {
            work_has_its_own_memory_and_the_whole_kernel::<aarch64::descriptor::Descriptors>(processor);
            work_has_its_own_memory_and_the_whole_kernel::<riscv64::descriptor::Descriptors>(processor);
            work_has_its_own_memory_and_the_whole_kernel::<x86_64::descriptor::Descriptors>(processor);
        }
    }
}
