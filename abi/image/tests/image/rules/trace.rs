//! The trace: its memory, and what programs may do with it.

use limen_abi::trace::{MAX_BYTES, MIN_BYTES, memory_bytes, memory_bytes_of};
use limen_image::{ImageError, ImageWriter, MappingFlags, Options, Region, RegionKind, Table};

use super::{Case, PAGE, record};
use crate::sample::{judge, mapping, region, sample, spread, words_of};

const MEMORY: ImageError = record(Table::Counts, 0, "not the memory of a trace");
const NO_RING: ImageError =
    record(Table::Counts, 0, "a group of the trace or the recording is on, but there is no ring");
const ACCESS: ImageError = record(Table::Mappings, 3, "more access to the trace than reading it");

/// Adds a ring that the first program reads: region 3, mapping 3.
pub(super) fn add(w: &mut ImageWriter) {
    add_for(w, 1);
}

/// The same with a ring for each of some processors.
pub(super) fn add_for(w: &mut ImageWriter, processors: u64) {
    let bytes = memory_bytes_of(processors, MIN_BYTES);
    w.counts.trace = 4;
    w.regions.push(region(0x4500_0000, bytes, RegionKind::Zero));
    w.mappings.insert(3, mapping(0, 0x90_0000, bytes, 3, MappingFlags::READ));
}

/// Adds a ring, and changes its region.
fn region_as(w: &mut ImageWriter, change: impl Fn(&mut Region)) {
    add(w);
    change(&mut w.regions[3]);
}

/// Adds a ring, and more access to it.
fn access(w: &mut ImageWriter, flags: u64) {
    add(w);
    w.mappings[3].flags |= flags;
}

pub(super) const TRACE: &[Case] = &[
    ("no such region", |w| w.counts.trace = 4, MEMORY),
    ("page contents", |w| w.counts.trace = 2, MEMORY),
    (
        "a device",
        |w| {
            region_as(w, |region| {
                (region.paddr, region.kind) = (0x7000_0000, RegionKind::Device as u64);
            });
        },
        MEMORY,
    ),
    ("no power of two", |w| region_as(w, |region| region.bytes = memory_bytes(3 * MIN_BYTES)), MEMORY),
    (
        "too small",
        |w| {
            region_as(w, |region| region.bytes = PAGE);
            w.mappings[3].bytes = PAGE;
        },
        MEMORY,
    ),
    ("too large", |w| region_as(w, |region| region.bytes = memory_bytes(2 * MAX_BYTES)), MEMORY),
    ("writable", |w| access(w, MappingFlags::WRITE), ACCESS),
    ("executable", |w| access(w, MappingFlags::EXECUTE), ACCESS),
    ("past the caches", |w| access(w, MappingFlags::UNCACHED), ACCESS),
    ("no ring for a group", |w| w.options |= Options::TRACE, NO_RING),
];

#[test]
fn each_processor_may_have_a_ring() {
    let mut writer = sample();
    spread(&mut writer);
    add_for(&mut writer, 2);
    writer.options |= Options::TRACE;
    assert_eq!(judge(&words_of(&writer)), Ok(()));
    // Not one ring of twice the size.
    let bytes = memory_bytes(2 * MIN_BYTES);
    (writer.regions[3].bytes, writer.mappings[3].bytes) = (bytes, bytes);
    assert_eq!(judge(&words_of(&writer)), Err(MEMORY));
}

#[test]
fn a_ring_may_be_read() {
    let mut writer = sample();
    add(&mut writer);
    writer.options |= Options::TRACE;
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}
