//! Address spaces of programs, built at boot from the image's mapping plan.

use limen_abi::limits::{PAGE_BYTES, VSPACES};
use limen_core::address::{PhysAddr, VirtAddr};
use limen_image::{Image, Mapping, MappingFlags, RegionKind};

use crate::page_table::{Access, Format, MapError, MemoryType, Owner, Root, Run, Tables, map, share_kernel};

/// What the processor needs to enter an address space.
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

/// Where a thread finds its message buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BufferPage {
    /// Address space of the thread.
    pub vspace: u64,
    /// Address of its IPC buffer.
    pub vaddr: VirtAddr,
    /// The page with its message buffer, in the kernel's memory.
    pub paddr: PhysAddr,
}

/// Builds the address spaces that `image` describes, with these message buffers. What of the kernel is mapped where
/// programs run is all under the first of `roots` by now, and where work is done, under the second.
///
/// # Errors
/// See [`MapError`].
pub fn build<F: Format>(
    image: &Image<'_>,
    buffers: &[BufferPage],
    tables: &mut impl Tables,
    roots: [Root; 2],
) -> Result<AddressSpaces, MapError> {
    let [shared, kernel] = roots;
    let mut spaces = [AddressSpace::default(); VSPACES];
    for (space, asid) in spaces.iter_mut().zip(1..).take(image.counts().vspaces as usize) {
        *space = AddressSpace { root: tables.allocate().ok_or(MapError::OutOfTables)?, asid };
        share_kernel::<F>(tables, shared, space.tables::<F>());
    }
    for service in image.services() {
        // Work is the kernel's, and needs all of it.
        share_kernel::<F>(tables, kernel, spaces[service.vspace as usize % VSPACES].tables::<F>());
    }
    let root = |vspace: u64| spaces[vspace as usize % VSPACES].tables::<F>();
    for mapping in image.mappings().filter(|mapping| mapping.flags & MappingFlags::READ != 0) {
        map::<F>(tables, root(mapping.vspace), &run(image, &mapping))?;
    }
    for buffer in buffers {
        map::<F>(tables, root(buffer.vspace), &buffer_run(buffer))?;
    }
    Ok(spaces)
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

fn buffer_run(buffer: &BufferPage) -> Run {
    let access = Access { owner: Owner::User, write: true, execute: false, memory: MemoryType::Cached };
    Run { vaddr: buffer.vaddr, paddr: buffer.paddr, bytes: PAGE_BYTES, height: 0, access }
}
