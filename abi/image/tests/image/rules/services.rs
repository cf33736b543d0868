//! Services: their threads, address spaces and memory.

use limen_abi::limits;
use limen_image::{CapKind, ImageError, Mapping, MappingFlags, NONE, Service, Table};

use super::{Case, PAGE, record};
use crate::sample::{cap, judge, reset, sample, words_of};

const NO_OWN_SPACE: ImageError =
    record(Table::Services, 0, "not an address space for this thread's services");
const OWNER: ImageError = record(Table::Services, 1, "invalid owner");
const NOT_MAPPED: ImageError = record(Table::Services, 1, "memory not mapped for the service");
/// For the first service, which shares stack and source with the second.
const NOT_MAPPED_FIRST: ImageError = record(Table::Services, 0, "memory not mapped for the service");
const STACK: ImageError = record(Table::Services, 0, "a stack with other uses");
/// Position of the seal in the sample.
const SEAL: usize = 6;
const FOREIGN: ImageError = record(Table::Services, 0, "records of another service than a seal");
const NOT_FITTING: ImageError = record(Table::Services, SEAL, "records that do not fit");
const NO_SEAL_MEMORY: ImageError = record(Table::Services, SEAL, "memory not mapped for the seal");
/// Positions of mappings in the sample: target of the reset, in two parts; initial contents; stack.
const TARGET: [usize; 2] = [4, 5];
const SOURCE: usize = 6;
const STACK_PAGES: usize = 7;

pub(super) const SERVICES: &[Case] = &[
    (
        "too many",
        |w| w.services = vec![w.services[0]; limits::SERVICES + 1],
        ImageError::Directory { table: Table::Services as usize },
    ),
    (
        "privileged mapping beside a program",
        |w| w.mappings[3].flags = MappingFlags::PRIVILEGED,
        record(Table::Mappings, 3, "a privileged mapping in a program's address space"),
    ),
    (
        "thread",
        |w| {
            w.services[0].thread = 2;
            w.caps.remove(7);
        },
        record(Table::Services, 0, "no such thread"),
    ),
    ("address space", |w| w.services[0].vspace = 3, NO_OWN_SPACE),
    ("address space out of range", |w| w.services[0].vspace = u64::MAX, NO_OWN_SPACE),
    ("address space of a program", |w| w.services[0].vspace = 1, NO_OWN_SPACE),
    (
        "address space of another thread's services",
        |w| {
            w.services[1] = reset(0, 2, 1);
            w.caps.remove(8);
        },
        record(Table::Services, 1, "not an address space for this thread's services"),
    ),
    ("kind", |w| w.services[1].kind = 5, record(Table::Services, 1, "unknown kind")),
    ("owner", |w| w.services[1].owner = 2, OWNER),
    ("no owner", |w| w.services[1].owner = NONE, OWNER),
    ("itself as owner", |w| w.services[1].owner = 1, OWNER),
    ("owner of a digest", |w| w.services[0].owner = 0, record(Table::Services, 0, "invalid owner")),
    ("owner of a wipe", |w| w.services[4].owner = 0, record(Table::Services, 4, "invalid owner")),
    (
        "interrupt of a reset",
        |w| w.services[1].interrupt = 0,
        record(Table::Services, 1, "invalid interrupt"),
    ),
    (
        "initial contents of a digest",
        |w| w.services[0].source_bytes = PAGE,
        record(Table::Services, 0, "unused initial contents"),
    ),
    (
        "initial contents larger than the target",
        |w| w.services[1].source_bytes = 3 * PAGE,
        record(Table::Services, 1, "more initial contents than memory"),
    ),
    (
        "interrupt that wipes",
        |w| w.services[4].interrupt = 2,
        record(Table::Services, 4, "invalid interrupt"),
    ),
    (
        "two wipes by faults",
        |w| w.services[4].interrupt = NONE,
        record(Table::Services, 4, "a trigger that already has a service"),
    ),
    (
        "two wipes by an interrupt",
        |w| w.services[5].interrupt = 1,
        record(Table::Services, 5, "a trigger that already has a service"),
    ),
    (
        "wipe above the limit",
        |w| w.services[3].bytes = limits::WIPE_BYTES + PAGE,
        record(Table::Services, 3, "too much to wipe at once"),
    ),
    ("target in a page", |w| w.services[1].target += 8, NOT_MAPPED),
    ("size in a page", |w| w.services[1].bytes -= 1024, NOT_MAPPED),
    ("source in a page", |w| w.services[1].source += 8, NOT_MAPPED),
    ("size of initial contents in a page", |w| w.services[1].source_bytes -= 8, NOT_MAPPED),
    ("stack in a page", |w| w.services[1].stack_top += 16, NOT_MAPPED),
    (
        "no memory",
        |w| (w.services[1].bytes, w.services[1].source_bytes) = (0, 0),
        record(Table::Services, 1, "a target that does not match its size"),
    ),
    (
        "program memory for a kernel digest",
        |w| (w.services[2].target, w.services[2].bytes) = (0x20_0000, PAGE),
        record(Table::Services, 2, "a target that does not match its size"),
    ),
    ("target above what is mapped", |w| w.services[1].target += PAGE, NOT_MAPPED),
    ("target below what is mapped", |w| w.services[1].target -= PAGE, NOT_MAPPED),
    ("target at the end of everything", |w| w.services[1].target = PAGE.wrapping_neg(), NOT_MAPPED),
    ("source above what is mapped", |w| w.services[1].source += PAGE, NOT_MAPPED),
    ("stack above what is mapped", |w| w.services[1].stack_top += PAGE, NOT_MAPPED),
    ("stack below what is mapped", |w| w.services[1].stack_top -= PAGE, NOT_MAPPED),
    ("stack at the end of everything", |w| w.services[1].stack_top = PAGE.wrapping_neg(), NOT_MAPPED),
    ("stack at the start of everything", |w| w.services[1].stack_top = PAGE, NOT_MAPPED),
    (
        "a hole in the target",
        |w| {
            w.mappings[TARGET[1]].vaddr += PAGE;
            w.services[1].bytes += PAGE;
        },
        NOT_MAPPED,
    ),
    ("target mapped for programs", |w| w.mappings[TARGET[1]].flags &= !MappingFlags::PRIVILEGED, NOT_MAPPED),
    ("read-only target", |w| w.mappings[TARGET[1]].flags &= !MappingFlags::WRITE, NOT_MAPPED),
    ("uncached target", |w| w.mappings[TARGET[0]].flags |= MappingFlags::UNCACHED, NOT_MAPPED),
    ("read-only stack", |w| w.mappings[STACK_PAGES].flags &= !MappingFlags::WRITE, NOT_MAPPED_FIRST),
    ("unreadable source", |w| w.mappings[SOURCE].flags = MappingFlags::PRIVILEGED, NOT_MAPPED_FIRST),
    ("a device", |w| w.mappings[SOURCE].region = 0, NOT_MAPPED_FIRST),
    (
        "memory in another address space",
        |w| {
            w.counts.vspaces = 4;
            w.services.iter_mut().for_each(|service| service.vspace = 3);
        },
        NOT_MAPPED_FIRST,
    ),
    ("stack that a program reaches", |w| w.mappings[1].bytes = 0x40_0000, STACK),
    (
        "stack that services of others reach",
        |w| {
            w.counts.vspaces = 4;
            w.mappings.push(Mapping { vspace: 3, vaddr: 0, ..w.mappings[STACK_PAGES] });
        },
        STACK,
    ),
    (
        "stack in two places",
        |w| w.mappings.push(Mapping { vaddr: 0x50_0000, ..w.mappings[STACK_PAGES] }),
        STACK,
    ),
    ("stack as target", |w| w.services[0].target = w.services[0].stack_top - PAGE, STACK),
    (
        "stack as source",
        |w| w.services[1].source = w.services[1].stack_top - PAGE,
        record(Table::Services, 1, "a stack with other uses"),
    ),
    (
        "stack above another mapping",
        |w| {
            w.mappings[SOURCE].vaddr = 0x40_0000 - PAGE;
            w.services[0].target = 0x40_0000 - PAGE;
        },
        record(Table::Services, 0, "a stack without a guard page"),
    ),
    (
        "stack at the lowest address",
        |w| {
            w.mappings[STACK_PAGES].vaddr = 0;
            w.mappings[TARGET[0]..].rotate_right(1);
            w.services[0].stack_top = Service::STACK_BYTES;
        },
        record(Table::Services, 0, "a stack without a guard page"),
    ),
    ("owner of a seal", |w| w.services[SEAL].owner = 0, record(Table::Services, SEAL, "invalid owner")),
    (
        "a seal by an interrupt that wipes",
        |w| w.services[SEAL].interrupt = 1,
        record(Table::Services, SEAL, "a trigger that already has a service"),
    ),
    (
        "a seal by no interrupt",
        |w| w.services[SEAL].interrupt = 2,
        record(Table::Services, SEAL, "invalid interrupt"),
    ),
    ("key of a digest", |w| w.services[0].key = PAGE, FOREIGN),
    ("ring of a digest", |w| w.services[0].ring = PAGE, FOREIGN),
    ("entries of a digest", |w| w.services[0].entries = 1, FOREIGN),
    ("record of a digest", |w| w.services[0].record_bytes = 16, FOREIGN),
    ("cipher of a digest", |w| w.services[0].cipher = 1, FOREIGN),
    ("no record", |w| w.services[SEAL].record_bytes = 0, NOT_FITTING),
    (
        "record above the limit",
        |w| w.services[SEAL].record_bytes = limits::SEAL_RECORD_BYTES + 16,
        NOT_FITTING,
    ),
    ("record without alignment", |w| w.services[SEAL].record_bytes = 24, NOT_FITTING),
    ("record larger than all records", |w| w.services[SEAL].source_bytes = 0, NOT_FITTING),
    ("record that leaves no place for its header", |w| w.services[SEAL].record_bytes = PAGE, NOT_FITTING),
    ("ring of an odd size", |w| w.services[SEAL].entries = 12, NOT_FITTING),
    ("ring above the limit", |w| w.services[SEAL].entries = 2 * limits::SEAL_RING_ENTRIES, NOT_FITTING),
    ("ring without entries", |w| w.services[SEAL].entries = 0, NOT_FITTING),
    ("ring without alignment", |w| w.services[SEAL].ring += 2, NOT_FITTING),
    ("unknown cipher", |w| w.services[SEAL].cipher = 3, NOT_FITTING),
    ("ring past its page", |w| w.services[SEAL].ring += PAGE - 16, NO_SEAL_MEMORY),
    ("ring at the end of everything", |w| w.services[SEAL].ring = 8_u64.wrapping_neg(), NO_SEAL_MEMORY),
    ("key in a page", |w| w.services[SEAL].key += 16, NO_SEAL_MEMORY),
    ("key at no memory", |w| w.services[SEAL].key += PAGE, NO_SEAL_MEMORY),
    ("key at the end of everything", |w| w.services[SEAL].key = PAGE.wrapping_neg(), NO_SEAL_MEMORY),
    ("key of another seal", |w| w.services.push(w.services[SEAL]), NO_SEAL_MEMORY),
    (
        "stack as key",
        |w| w.services[SEAL].key = w.services[SEAL].stack_top - PAGE,
        record(Table::Services, SEAL, "a stack with other uses"),
    ),
    (
        "stack as ring",
        |w| w.services[SEAL].ring = w.services[SEAL].stack_top - PAGE,
        record(Table::Services, SEAL, "a stack with other uses"),
    ),
    (
        "capability of another thread",
        |w| w.caps.insert(4, cap(0, 458, CapKind::Service, 0)),
        record(Table::Caps, 4, "service for another thread"),
    ),
    ("capability without a service", |w| w.caps[8].object = 7, record(Table::Caps, 8, "no such object")),
];

#[test]
fn services_may_share_a_stack_and_map_it_in_parts() {
    let mut writer = sample();
    let stack = writer.mappings[STACK_PAGES];
    let part = Service::STACK_BYTES / 2;
    writer.mappings[STACK_PAGES].bytes = part;
    writer.mappings.push(Mapping {
        vaddr: stack.vaddr + part,
        offset: stack.offset + part,
        bytes: part,
        ..stack
    });
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}

#[test]
fn services_may_share_their_target_with_programs() {
    let mut writer = sample();
    writer.mappings[0].bytes = 0x4000;
    writer.services[1].source_bytes = 0;
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}

#[test]
fn a_seal_may_have_one_record() {
    let mut writer = sample();
    (writer.services[SEAL].ring, writer.services[SEAL].entries) = (0, 0);
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}

#[test]
fn a_target_may_follow_another_mapping() {
    let mut writer = sample();
    writer.services[0].target = writer.mappings[TARGET[1]].vaddr;
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}
