//! Address spaces of programs, built at boot from the image's mapping plan.

use limen_abi::limits::{PAGE_BYTES, VSPACES};
use limen_core::address::{PhysAddr, VirtAddr};
use limen_image::{Image, Mapping, MappingFlags, RegionKind};

use crate::arch::mmu::{Descriptors, USER_HEIGHT};
use crate::page_table::{Access, MapError, MemoryType, Owner, Root, Run, Tables, map};

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
    pub fn tables(&self) -> Root {
        Root { table: self.root, height: USER_HEIGHT }
    }
}

/// All address spaces, by index; those that the image does not have are empty.
pub type AddressSpaces = [AddressSpace; VSPACES];

/// Builds the address spaces that `image` describes. `message_buffer` is the page with the message buffer of
/// the thread with this index; it appears at the address of the thread's IPC buffer.
///
/// # Errors
/// See [`MapError`].
pub fn build(
    image: &Image<'_>,
    tables: &mut impl Tables,
    message_buffer: impl Fn(u64) -> PhysAddr,
) -> Result<AddressSpaces, MapError> {
    let mut spaces = [AddressSpace::default(); VSPACES];
    for (space, asid) in spaces.iter_mut().zip(1..).take(image.counts().vspaces as usize) {
        *space = AddressSpace { root: tables.allocate().ok_or(MapError::OutOfTables)?, asid };
    }
    let root = |vspace: u64| spaces[vspace as usize % VSPACES].tables();
    for mapping in image.mappings().filter(|mapping| mapping.flags & MappingFlags::READ != 0) {
        map::<Descriptors>(tables, root(mapping.vspace), &run(image, &mapping))?;
    }
    for (thread, index) in image.threads().zip(0..) {
        let buffer = buffer_run(VirtAddr(thread.ipc_buffer), message_buffer(index));
        map::<Descriptors>(tables, root(thread.vspace), &buffer)?;
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
            owner: Owner::User,
            write: has(MappingFlags::WRITE),
            execute: has(MappingFlags::EXECUTE),
            memory,
        },
    }
}

fn buffer_run(vaddr: VirtAddr, paddr: PhysAddr) -> Run {
    let access = Access { owner: Owner::User, write: true, execute: false, memory: MemoryType::Cached };
    Run { vaddr, paddr, bytes: PAGE_BYTES, height: 0, access }
}
