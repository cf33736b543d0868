//! The memory of the trace: RAM of the image that boot maps at a fixed address of the kernel.
//!
//! It is the only RAM outside of the kernel's image that the kernel accesses after boot, and it only writes there: programs
//! that map the ring read it, and cannot write it.

use core::slice;

use limen_abi::trace::{HEADER_BYTES, HeaderWord, RECORD_BYTES, record_bytes};
use limen_core::trace::TraceRing;
use limen_image::{Image, Region};
use limen_mmu::address::PhysAddr;
use limen_mmu::layout;

use crate::arch::mmu::Descriptors;
use crate::arch::{cpu, timer};
use crate::page_table::{self, Access, MapError, MemoryType, Owner, Run, Tables};

/// How the kernel maps the ring.
const WRITABLE: Access =
    Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };

/// Maps the ring of the image, if it has one, and clears it. Called once, after regions were cleared.
pub fn map(image: &Image<'_>, tables: &mut impl Tables) -> Result<Option<TraceRing<'static>>, MapError> {
    let Some((Region { paddr, bytes, .. }, records)) =
        image.trace().and_then(|region| Some((region, record_bytes(region.bytes)?)))
    else {
        return Ok(None);
    };
    let run = Run { vaddr: layout::TRACE, paddr: PhysAddr(paddr), bytes, height: 0, access: WRITABLE };
    page_table::map::<Descriptors>(tables, cpu::kernel_root(), &run)?;
    cpu::publish_tables();
    let first = layout::TRACE.0 as usize;
    let slots = (records / RECORD_BYTES) as usize;
    // SAFETY: just mapped, for good, and aligned. The kernel has no other reference to this memory, and accesses it as atomics;
    // the checks of the image and of the page tables keep programs from writing it.
    let (header, slots) = unsafe {
        (
            &*core::ptr::with_exposed_provenance(first),
            slice::from_raw_parts(core::ptr::with_exposed_provenance(first + HEADER_BYTES as usize), slots),
        )
    };
    let ring = TraceRing { header, slots };
    ring.clear(&[(HeaderWord::FREQUENCY, timer::frequency(&image.board())), (HeaderWord::PADDR, paddr)]);
    Ok(Some(ring))
}
