//! The memory of the trace: RAM of the image that boot maps at a fixed address of the kernel.
//!
//! It is the only RAM outside of the kernel's image that the kernel accesses after boot, and it only writes there: programs
//! that map the rings read them, and cannot write them. There is a ring for each processor, one behind the other, and each
//! kernel has a reference to its own only.

use core::slice;

use limen_abi::trace::{HEADER_BYTES, HeaderWord, RECORD_BYTES, record_bytes};
use limen_core::trace::TraceRing;
use limen_image::Image;
use limen_mmu::address::PhysAddr;
use limen_mmu::layout;

use crate::arch::mmu::Descriptors;
use crate::arch::{cpu, timer};
use crate::page_table::{self, Access, MapError, MemoryType, Owner, Run, Tables};

/// How the kernel maps the rings.
const WRITABLE: Access =
    Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };

/// Maps the rings of the image, if it has some, and clears them. Called once, after regions were cleared. Returns the ring of
/// this processor, the first.
pub fn map(image: &Image<'_>, tables: &mut impl Tables) -> Result<Option<TraceRing<'static>>, MapError> {
    let Some(region) = image.trace() else { return Ok(None) };
    let (vaddr, paddr) = (layout::TRACE, PhysAddr(region.paddr));
    let run = Run { vaddr, paddr, bytes: region.bytes, height: 0, access: WRITABLE };
    page_table::map::<Descriptors>(tables, cpu::kernel_root(), &run)?;
    cpu::publish_tables();
    let bytes = region.bytes / image.processors();
    for number in 0..image.processors() {
        if let Some(ring) = ring(image, number) {
            ring.clear(&[
                (HeaderWord::FREQUENCY, timer::frequency(&image.board())),
                (HeaderWord::PROCESSOR, number),
                (HeaderWord::PADDR, region.paddr + number * bytes),
            ]);
        }
    }
    Ok(ring(image, 0))
}

/// Returns the ring of a processor, whose kernel alone writes it. Called after [`map`].
pub fn ring(image: &Image<'_>, number: u64) -> Option<TraceRing<'static>> {
    let bytes = image.trace()?.bytes / image.processors();
    let slots = (record_bytes(bytes)? / RECORD_BYTES) as usize;
    let first = (layout::TRACE.0 + number * bytes) as usize;
    // SAFETY: `map` has mapped it for good, and it is aligned. The kernel accesses this memory only as atomics; the checks of
    // the image and of the page tables keep programs from writing it.
    let (header, slots) = unsafe {
        (
            &*core::ptr::with_exposed_provenance(first),
            slice::from_raw_parts(core::ptr::with_exposed_provenance(first + HEADER_BYTES as usize), slots),
        )
    };
    Some(TraceRing { header, slots })
}
