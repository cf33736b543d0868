//! Services: for whom, where, and with what memory.

use limen_abi::limits;
use limen_image::{CapKind, ImageError, Mapping, MappingFlags, NONE, Service, Table};

use super::{Case, PAGE, record};
use crate::sample::{cap, judge, reset, sample, words_of};

const NO_OWN_SPACE: ImageError =
    record(Table::Services, 0, "not an address space for this thread's services");
const OWNER: ImageError = record(Table::Services, 1, "owner that it cannot have");
const NOT_MAPPED: ImageError = record(Table::Services, 1, "memory that is not mapped for it");
/// Of the first service, which shares stack and source with the second.
const NOT_MAPPED_FIRST: ImageError = record(Table::Services, 0, "memory that is not mapped for it");
const STACK: ImageError = record(Table::Services, 0, "a stack that is not for it alone");
/// Positions of mappings in the sample: what is put back, in two parts; first contents; the stack.
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
        "for the kernel beside a program",
        |w| w.mappings[3].flags = MappingFlags::PRIVILEGED,
        record(Table::Mappings, 3, "for the kernel in the address space of a program"),
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
    ("address space that cannot be", |w| w.services[0].vspace = u64::MAX, NO_OWN_SPACE),
    ("address space of a program", |w| w.services[0].vspace = 1, NO_OWN_SPACE),
    (
        "address space of another's services",
        |w| {
            w.services[1] = reset(0, 2, 1);
            w.caps.remove(8);
        },
        record(Table::Services, 1, "not an address space for this thread's services"),
    ),
    ("kind", |w| w.services[1].kind = 4, record(Table::Services, 1, "unknown kind")),
    ("owner", |w| w.services[1].owner = 2, OWNER),
    ("no owner", |w| w.services[1].owner = NONE, OWNER),
    ("itself as owner", |w| w.services[1].owner = 1, OWNER),
    (
        "owner of what is only looked at",
        |w| w.services[0].owner = 0,
        record(Table::Services, 0, "owner that it cannot have"),
    ),
    (
        "first contents of what is only looked at",
        |w| w.services[0].source_bytes = PAGE,
        record(Table::Services, 0, "first contents without a use"),
    ),
    (
        "first contents without a place",
        |w| w.services[1].source_bytes = 3 * PAGE,
        record(Table::Services, 1, "more first contents than memory"),
    ),
    (
        "interrupt that wipes",
        |w| w.services[4].owner = 2,
        record(Table::Services, 4, "owner that it cannot have"),
    ),
    (
        "faults that wipe twice",
        |w| w.services[4].owner = NONE,
        record(Table::Services, 4, "wiped by what wipes already"),
    ),
    (
        "interrupt that wipes twice",
        |w| w.services[5].owner = 1,
        record(Table::Services, 5, "wiped by what wipes already"),
    ),
    (
        "much to wipe",
        |w| w.services[3].bytes = limits::WIPE_BYTES + PAGE,
        record(Table::Services, 3, "too much to wipe at once"),
    ),
    ("target in a page", |w| w.services[1].target += 8, NOT_MAPPED),
    ("size in a page", |w| w.services[1].bytes -= 1024, NOT_MAPPED),
    ("source in a page", |w| w.services[1].source += 8, NOT_MAPPED),
    ("size of first contents in a page", |w| w.services[1].source_bytes -= 8, NOT_MAPPED),
    ("stack in a page", |w| w.services[1].stack_top += 16, NOT_MAPPED),
    (
        "no memory",
        |w| (w.services[1].bytes, w.services[1].source_bytes) = (0, 0),
        record(Table::Services, 1, "work on more or less than it has"),
    ),
    (
        "memory of programs as the kernel's",
        |w| (w.services[2].target, w.services[2].bytes) = (0x20_0000, PAGE),
        record(Table::Services, 2, "work on more or less than it has"),
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
    ("target of programs", |w| w.mappings[TARGET[1]].flags &= !MappingFlags::PRIVILEGED, NOT_MAPPED),
    ("target to look at", |w| w.mappings[TARGET[1]].flags &= !MappingFlags::WRITE, NOT_MAPPED),
    ("target past the caches", |w| w.mappings[TARGET[0]].flags |= MappingFlags::UNCACHED, NOT_MAPPED),
    ("stack to look at", |w| w.mappings[STACK_PAGES].flags &= !MappingFlags::WRITE, NOT_MAPPED_FIRST),
    ("source that nobody reads", |w| w.mappings[SOURCE].flags = MappingFlags::PRIVILEGED, NOT_MAPPED_FIRST),
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
        "stack that the work of others reaches",
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
        record(Table::Services, 1, "a stack that is not for it alone"),
    ),
    (
        "stack above something else",
        |w| {
            w.mappings[SOURCE].vaddr = 0x40_0000 - PAGE;
            w.services[0].target = 0x40_0000 - PAGE;
        },
        record(Table::Services, 0, "a stack without an empty page below"),
    ),
    (
        "stack at the lowest address",
        |w| {
            w.mappings[STACK_PAGES].vaddr = 0;
            w.mappings[TARGET[0]..].rotate_right(1);
            w.services[0].stack_top = Service::STACK_BYTES;
        },
        record(Table::Services, 0, "a stack without an empty page below"),
    ),
    (
        "capability of another",
        |w| w.caps.insert(4, cap(0, 458, CapKind::Service, 0)),
        record(Table::Caps, 4, "service for another thread"),
    ),
    ("capability of none", |w| w.caps[8].object = 6, record(Table::Caps, 8, "no such object")),
];

#[test]
fn services_may_share_a_stack_and_have_it_in_parts() {
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
fn every_service_may_have_what_it_works_on_in_common_with_programs() {
    let mut writer = sample();
    writer.mappings[0].bytes = 0x4000;
    writer.services[1].source_bytes = 0;
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}

#[test]
fn a_service_may_work_on_what_follows_something_else() {
    let mut writer = sample();
    writer.services[0].target = writer.mappings[TARGET[1]].vaddr;
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}
