//! Rules of the trace: its memory is RAM that programs may only read.

use limen_abi::trace::record_bytes;

use super::{Check, rule};
use crate::record::{Mapping, MappingFlags, RegionKind};
use crate::{Image, Options, Table};

/// Access to the ring that a program may have.
const ACCESS: u64 = MappingFlags::READ;

pub(super) fn check(image: &Image<'_>) -> Check {
    let number = image.counts().trace;
    if number == 0 {
        let is_off = image.options() & (Options::TRACE | Options::RECORDING) == 0;
        return rule(
            Table::Counts,
            0,
            is_off,
            "a group of the trace or the recording is on, but there is no ring",
        );
    }
    let region = image.trace().unwrap_or_default();
    let is_ram = region.kind == RegionKind::Zero as u64 && !region.is_filled();
    let (bytes, processors) = (region.bytes, image.processors().max(1));
    let is_ring = is_ram && bytes % processors == 0 && record_bytes(bytes / processors).is_some();
    rule(Table::Counts, 0, is_ring, "not the memory of a trace")?;
    let shows_ring = |mapping: &Mapping| mapping.region == number - 1;
    for (index, mapping) in image.mappings().enumerate().filter(|(_, mapping)| shows_ring(mapping)) {
        rule(Table::Mappings, index, mapping.flags == ACCESS, "more access to the trace than reading it")?;
    }
    Ok(())
}
