//! Rules of rings: their threads, sizes and addresses.

use limen_abi::limits;

use super::{Check, page_aligned, rule, take};
use crate::record::{Mapping, RingKind, Thread};
use crate::{Image, Table};

/// Rings are few, so each is compared with all mappings and threads.
pub(super) fn check(image: &Image<'_>) -> Check {
    let top = image.board().user_top;
    let mut taken = [false; limits::THREADS];
    let mut previous = (0, 0);
    for (index, ring) in image.rings().enumerate() {
        let check = |ok, what| rule(Table::Rings, index, ok, what);
        let kind = RingKind::from_raw(ring.kind);
        check(kind.is_some_and(|kind| kind.bytes() == ring.bytes), "not the size of a ring")?;
        let thread = image.thread(ring.thread);
        check(thread.is_some() && take(&mut taken, ring.thread), "not a thread without a ring")?;
        let vspace = thread.map_or(0, |thread| thread.vspace);
        let fits = page_aligned(ring.vaddr) && ring.vaddr <= top && ring.bytes - 1 <= top - ring.vaddr;
        check(fits, "not user addresses for a ring")?;
        let end = ring.vaddr + ring.bytes;
        let meets = |other, start, bytes| other == vspace && start < end && ring.vaddr < start + bytes;
        let is_mapped = |mapping: Mapping| meets(mapping.vspace, mapping.vaddr, mapping.bytes);
        let is_buffer = |thread: Thread| meets(thread.vspace, thread.ipc_buffer, limits::PAGE_BYTES);
        let is_free = !image.mappings().any(is_mapped) && !image.threads().any(is_buffer);
        check(is_free, "a ring at an address that is not free")?;
        check((vspace, ring.vaddr) >= previous, "rings not in ascending order or overlapping")?;
        previous = (vspace, end);
    }
    Ok(())
}
