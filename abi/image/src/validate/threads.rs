//! Rules of threads: their address spaces, the objects that they own alone, and their IPC buffers.

use limen_abi::limits;

use super::{Check, page_aligned, rule, take};
use crate::record::{Mapping, NONE, Thread, ThreadFlags};
use crate::{Image, Table};

pub(super) fn check(image: &Image<'_>) -> Check {
    let counts = image.counts();
    let sched_contexts = image.directory(Table::SchedContexts).1;
    let domains = if image.directory(Table::DomainSchedule).1 == 0 { 1 } else { limits::DOMAINS as u64 };
    let top = image.board().user_top;
    let mut taken_contexts = [false; limits::SCHED_CONTEXTS];
    let mut taken_notifications = [false; limits::NOTIFICATIONS];
    let mut previous = None;
    let mut mappings = image.mappings().peekable();
    for (index, thread) in image.threads().enumerate() {
        let check = |ok, what| rule(Table::Threads, index, ok, what);
        check(thread.priority < limits::PRIORITIES as u64, "no such priority")?;
        check(thread.vspace < counts.vspaces, "no such address space")?;
        check(optional(thread.sched_context, sched_contexts), "no such scheduling context")?;
        check(optional(thread.notification, counts.notifications), "no such notification")?;
        check(optional(thread.fault_slot, limits::CAP_SLOTS as u64), "no such fault slot")?;
        check(optional(thread.timeout_slot, limits::CAP_SLOTS as u64), "no such timeout slot")?;
        check(thread.domain < domains, "no such domain")?;
        check(thread.flags & !ThreadFlags::ALL == 0, "invalid flags")?;
        check(thread.entry <= top && thread.stack_top <= top, "entry or stack is not a user address")?;
        check(take(&mut taken_contexts, thread.sched_context), "scheduling context of another thread")?;
        check(take(&mut taken_notifications, thread.notification), "notification of another thread")?;
        let place = (thread.vspace, thread.ipc_buffer);
        check(previous.is_none_or(|previous| place > previous), "not in the order of IPC buffers")?;
        previous = Some(place);
        let fits = page_aligned(thread.ipc_buffer) && thread.ipc_buffer <= top;
        while mappings.next_if(|mapping| ends_before(mapping, &thread)).is_some() {}
        let is_free = mappings.peek().is_none_or(|mapping| starts_after(mapping, &thread));
        check(fits && is_free, "IPC buffer at an address that is not free")?;
    }
    Ok(())
}

fn optional(index: u64, count: u64) -> bool {
    index == NONE || index < count
}

/// Mappings and threads are in the same order, so a mapping that ends before one buffer ends before those of all
/// later threads.
fn ends_before(mapping: &Mapping, thread: &Thread) -> bool {
    (mapping.vspace, mapping.vaddr + mapping.bytes) <= (thread.vspace, thread.ipc_buffer)
}

fn starts_after(mapping: &Mapping, thread: &Thread) -> bool {
    (mapping.vspace, mapping.vaddr) >= (thread.vspace, thread.ipc_buffer.saturating_add(limits::PAGE_BYTES))
}
