//! Rules of services: the thread, the separate address space, and the mapped memory.

use limen_abi::{SealCipher, ServiceKind, limits};

use super::{Check, page_aligned, rule, take};
use crate::record::{Mapping, MappingFlags, NONE, Range, RegionKind, Service};
use crate::{Image, Table};

pub(super) fn check(image: &Image<'_>) -> Check {
    let threads = image.directory(Table::Threads).1;
    let interrupts = image.directory(Table::Interrupts).1;
    let mut served =
        Served { interrupts: [NONE; limits::SERVED_INTERRUPTS], threads: [false; limits::THREADS] };
    let mut owners = [None; limits::VSPACES];
    for thread in image.threads() {
        if let Some(owner) = owners.get_mut(thread.vspace as usize) {
            *owner = Some(Owner::Program);
        }
    }
    for (index, mapping) in image.mappings().enumerate() {
        let is_program = owners.get(mapping.vspace as usize) == Some(&Some(Owner::Program));
        let is_apart = mapping.flags & MappingFlags::PRIVILEGED == 0 || !is_program;
        rule(Table::Mappings, index, is_apart, "a privileged mapping in a program's address space")?;
    }
    for (index, service) in image.services().enumerate() {
        let check = |ok, what| rule(Table::Services, index, ok, what);
        check(service.thread < threads, "no such thread")?;
        let owner = owners.get_mut(service.vspace as usize);
        let owner = owner.filter(|_| service.vspace < image.counts().vspaces);
        let is_own = owner.is_some_and(|owner| {
            *owner.get_or_insert(Owner::Work(service.thread)) == Owner::Work(service.thread)
        });
        check(is_own, "not an address space for this thread's services")?;
        let Some(kind) = ServiceKind::from_raw(service.kind) else { return check(false, "unknown kind") };
        let is_reset = kind == ServiceKind::Reset;
        let is_seal = kind == ServiceKind::Seal;
        let is_written = is_reset || is_seal || kind == ServiceKind::Wipe;
        let has_target = kind != ServiceKind::KernelDigest;
        let owner_fits = match kind {
            ServiceKind::Reset => service.owner < threads && service.owner != service.thread,
            ServiceKind::Wipe | ServiceKind::Seal | ServiceKind::Digest | ServiceKind::KernelDigest => {
                service.owner == NONE
            }
        };
        check(owner_fits, "invalid owner")?;
        let has_trigger = kind == ServiceKind::Wipe || is_seal && service.interrupt != NONE;
        let interrupt_fits = has_trigger && service.interrupt < interrupts;
        check(interrupt_fits || service.interrupt == NONE, "invalid interrupt")?;
        check(is_reset || is_seal || service.source_bytes == 0, "unused initial contents")?;
        check(!has_trigger || take_trigger(&mut served, &service), "a trigger that already has a service")?;
        check(kind != ServiceKind::Wipe || service.bytes <= limits::WIPE_BYTES, "too much to wipe at once")?;
        check(is_seal || service.source_bytes <= service.bytes, "more initial contents than memory")?;
        check(has_target == (service.bytes != 0), "a target that does not match its size")?;
        check(is_seal || !has_records(&service), "records of another service than a seal")?;
        check(!is_seal || records_fit(&service), "records that do not fit")?;
        check(has_memory(image, &service, is_written), "memory not mapped for the service")?;
        check(!is_seal || seal_has_memory(image, &service), "memory not mapped for the seal")?;
        check(has_stack_alone(image, &service), "a stack with other uses")?;
        check(has_guard(image, &service), "a stack without a guard page")?;
    }
    Ok(())
}

/// Owner of an address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Program,
    /// The kernel, on behalf of this thread's services.
    Work(u64),
}

/// Triggers of wipes and seals found so far.
struct Served {
    interrupts: [u64; limits::SERVED_INTERRUPTS],
    threads: [bool; limits::THREADS],
}

/// Each interrupt, and the faults of each thread, trigger at most one service; the number of such interrupts is
/// limited.
fn take_trigger(served: &mut Served, service: &Service) -> bool {
    if service.interrupt == NONE {
        return take(&mut served.threads, service.thread);
    }
    let is_new = !served.interrupts.contains(&service.interrupt);
    match served.interrupts.iter_mut().find(|interrupt| **interrupt == NONE) {
        Some(place) if is_new => *place = service.interrupt,
        _ => return false,
    }
    true
}

/// Whether a service has a part that only seals have.
fn has_records(service: &Service) -> bool {
    [service.key, service.ring, service.entries, service.record_bytes, service.cipher] != [0; 5]
}

/// Whether each record of a seal lies in the source, and the target holds a sealed one.
fn records_fit(service: &Service) -> bool {
    let sizes = 1..=limits::SEAL_RECORD_BYTES;
    let has_ring = service.entries.is_power_of_two() && service.entries <= limits::SEAL_RING_ENTRIES;
    sizes.contains(&service.record_bytes)
        && service.record_bytes.is_multiple_of(limits::SEAL_ALIGNMENT)
        && service.record_bytes <= service.source_bytes
        && Service::sealed_bytes(service.record_bytes) <= service.bytes
        && (has_ring || service.entries == 0 && service.ring == 0)
        && service.ring.is_multiple_of(4)
        && SealCipher::from_raw(service.cipher).is_some()
}

/// Whether the key and the ring of a seal are mapped, and no other seal has the same key: both would count the same
/// numbers.
fn seal_has_memory(image: &Image<'_>, service: &Service) -> bool {
    let key = |of: &Service| {
        let mapping = image.mapping(first_ending_after(image, of.vspace, of.key));
        memory(image, &mapping).start.wrapping_add(of.key.wrapping_sub(mapping.vaddr))
    };
    let is_seal = |other: &Service| other.kind == ServiceKind::Seal.as_raw();
    page_aligned(service.key)
        && is_mapped(image, service.vspace, service.key, limits::PAGE_BYTES, MappingFlags::READ)
        && (service.entries == 0
            || is_mapped(image, service.vspace, service.ring, ring_bytes(service), MappingFlags::READ))
        && image.services().filter(is_seal).filter(|other| key(other) == key(service)).count() == 1
}

fn ring_bytes(service: &Service) -> u64 {
    if service.entries == 0 { 0 } else { Service::ring_bytes(service.entries) }
}

fn has_memory(image: &Image<'_>, service: &Service, is_written: bool) -> bool {
    let target = if is_written { MappingFlags::WRITE } else { MappingFlags::READ };
    let Some(stack) = service.stack_top.checked_sub(Service::STACK_BYTES) else { return false };
    let in_pages = [service.stack_top, service.target, service.bytes, service.source, service.source_bytes];
    in_pages.into_iter().all(page_aligned)
        && is_mapped(image, service.vspace, stack, Service::STACK_BYTES, MappingFlags::WRITE)
        && is_mapped(image, service.vspace, service.target, service.bytes, target)
        && is_mapped(image, service.vspace, service.source, service.source_bytes, MappingFlags::READ)
}

/// Whether the service has its stack to itself: one mapping in its address space, none elsewhere, and not part of the
/// target.
fn has_stack_alone(image: &Image<'_>, service: &Service) -> bool {
    let range = |start, bytes| Range { start, end: start + bytes };
    let stack = range(service.stack_top - Service::STACK_BYTES, Service::STACK_BYTES);
    let worked_on = [
        range(service.target, service.bytes),
        range(service.source, service.source_bytes),
        range(service.key, if service.record_bytes == 0 { 0 } else { limits::PAGE_BYTES }),
        range(service.ring, ring_bytes(service)),
    ];
    let first = first_ending_after(image, service.vspace, stack.start);
    let is_stack = |mapping: &Mapping| {
        mapping.vspace == service.vspace && range(mapping.vaddr, mapping.bytes).overlaps(&stack)
    };
    let mut parts =
        (first..).map(|index| (index, image.mapping(index))).take_while(|(_, part)| is_stack(part));
    !worked_on.into_iter().any(|worked_on| worked_on.overlaps(&stack))
        && parts.all(|(index, part)| {
            let memory = memory(image, &part);
            (0..)
                .zip(image.mappings())
                .all(|(other, mapping)| other == index || !self::memory(image, &mapping).overlaps(&memory))
        })
}

/// Whether a guard page catches stack overflow.
fn has_guard(image: &Image<'_>, service: &Service) -> bool {
    let start = service.stack_top - Service::STACK_BYTES;
    let Some(guard) = start.checked_sub(limits::PAGE_BYTES) else { return false };
    let next = image.mapping(first_ending_after(image, service.vspace, guard));
    next.vspace != service.vspace || next.bytes == 0 || next.vaddr >= start
}

/// Physical memory of a mapping.
fn memory(image: &Image<'_>, mapping: &Mapping) -> Range {
    let start = image.region(mapping.region).paddr + mapping.offset;
    Range { start, end: start + mapping.bytes }
}

/// Whether a range is completely mapped as cached memory with this access.
fn is_mapped(image: &Image<'_>, vspace: u64, start: u64, bytes: u64, access: u64) -> bool {
    let Some(end) = start.checked_add(bytes) else { return false };
    let mut at = start;
    let mut index = first_ending_after(image, vspace, start);
    while at < end {
        let mapping = image.mapping(index);
        let allowed = mapping.flags & (MappingFlags::PRIVILEGED | MappingFlags::UNCACHED | access);
        let is_memory = image.region(mapping.region).kind != RegionKind::Device as u64;
        let is_here = mapping.vspace == vspace && mapping.vaddr <= at && at < mapping.vaddr + mapping.bytes;
        if !is_here || !is_memory || allowed != MappingFlags::PRIVILEGED | access {
            return false;
        }
        at = mapping.vaddr + mapping.bytes;
        index += 1;
    }
    true
}

/// The first mapping that does not end before this address. A binary search, because mappings ascend.
fn first_ending_after(image: &Image<'_>, vspace: u64, address: u64) -> u64 {
    let ends_before =
        |Mapping { vspace: other, vaddr, bytes, .. }: Mapping| (other, vaddr + bytes) <= (vspace, address);
    let (mut low, mut high) = (0, image.mapping_count());
    while low < high {
        let middle = low.midpoint(high);
        if ends_before(image.mapping(middle)) { low = middle + 1 } else { high = middle }
    }
    low
}
