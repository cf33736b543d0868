//! Mappings of memory into address spaces.

use limen_abi::limits;
use limen_image::{MappingFlags, Table};

use super::{Case, PAGE, record};
use crate::sample::mapping;

pub(super) const MAPPINGS: &[Case] = &[
    ("address space", |w| w.mappings[7].vspace = 3, record(Table::Mappings, 7, "no such address space")),
    ("region", |w| w.mappings[0].region = 3, record(Table::Mappings, 0, "no such region")),
    ("undefined flag", |w| w.mappings[0].flags |= 1 << 6, record(Table::Mappings, 0, "invalid flags")),
    (
        "writable but not readable",
        |w| w.mappings[0].flags = MappingFlags::WRITE,
        record(Table::Mappings, 0, "invalid flags"),
    ),
    (
        "executable but not readable",
        |w| w.mappings[0].flags = MappingFlags::EXECUTE,
        record(Table::Mappings, 0, "invalid flags"),
    ),
    (
        "code for the kernel",
        |w| w.mappings[6].flags |= MappingFlags::EXECUTE,
        record(Table::Mappings, 6, "invalid flags"),
    ),
    (
        "address in a page",
        |w| w.mappings[0].vaddr += 8,
        record(Table::Mappings, 0, "not aligned to its page size"),
    ),
    (
        "size of half a page",
        |w| w.mappings[0].bytes -= PAGE / 2,
        record(Table::Mappings, 0, "not aligned to its page size"),
    ),
    (
        "offset in a page",
        |w| w.mappings[0].offset = 16,
        record(Table::Mappings, 0, "not aligned to its page size"),
    ),
    ("no pages", |w| w.mappings[0].bytes = 0, record(Table::Mappings, 0, "not aligned to its page size")),
    (
        "large pages at a small address",
        |w| w.mappings[1].vaddr += PAGE,
        record(Table::Mappings, 1, "not aligned to its page size"),
    ),
    (
        "large pages of small memory",
        |w| w.regions[2].paddr += PAGE,
        record(Table::Mappings, 1, "not aligned to its page size"),
    ),
    (
        "larger than its region",
        |w| w.mappings[2].bytes = 2 * PAGE,
        record(Table::Mappings, 2, "reaches beyond its region"),
    ),
    (
        "beyond the end of its region",
        |w| w.mappings[0].offset = 3 * PAGE,
        record(Table::Mappings, 0, "reaches beyond its region"),
    ),
    (
        "offset beyond all addresses",
        |w| w.mappings[0].offset = PAGE.wrapping_neg(),
        record(Table::Mappings, 0, "reaches beyond its region"),
    ),
    (
        "above the user's addresses",
        |w| w.mappings[3].vaddr = limits::USER_TOP_AARCH64 + 1,
        record(Table::Mappings, 3, "not a user address"),
    ),
    (
        "across the end of the user's addresses",
        |w| w.mappings[3] = mapping(1, limits::USER_TOP_AARCH64 + 1 - PAGE, 2 * PAGE, 1, 0),
        record(Table::Mappings, 3, "not a user address"),
    ),
    (
        "wrapping around the address space",
        |w| w.mappings[3].vaddr = PAGE.wrapping_neg(),
        record(Table::Mappings, 3, "not a user address"),
    ),
    (
        "out of order",
        |w| w.mappings.swap(0, 1),
        record(Table::Mappings, 1, "not in ascending order or overlapping"),
    ),
    (
        "address spaces out of order",
        |w| w.mappings.rotate_right(1),
        record(Table::Mappings, 1, "not in ascending order or overlapping"),
    ),
    (
        "overlapping",
        |w| w.mappings[1].vaddr = w.mappings[0].vaddr,
        record(Table::Mappings, 1, "not in ascending order or overlapping"),
    ),
];
