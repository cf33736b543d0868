//! Unused memory regions.

use std::collections::HashSet;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::MemoryRegionDraft;
use crate::model::{Map, MemoryRegion, Seal, Service, Setvar};

/// Warns of each memory region that has no map and no setvar, and belongs to no seal.
pub(super) fn warn(
    regions: &[MemoryRegionDraft],
    maps: &[Vec<Map>],
    setvars: &[Vec<Setvar>],
    services: &[Vec<Service>],
    warnings: &mut Problems,
) {
    let mapped = maps.iter().flatten().map(|map| map.region);
    let addressed = setvars.iter().flatten().map(|setvar| setvar.region_paddr);
    let sealed = services.iter().flatten().filter_map(Service::seal).flat_map(Seal::regions);
    let used: HashSet<usize> = mapped.chain(addressed).chain(sealed).collect();
    let unused = regions.iter().enumerate().filter(|(index, _)| !used.contains(index));
    warnings.extend(unused.map(|(_, draft)| unused_region(&draft.region)));
}

fn unused_region(region: &MemoryRegion) -> Diagnostic {
    let (name, span) = (&region.name, &region.span);
    let message = format!("WARNING: unused memory region '{name}': {span}");
    let help = "Map it into a protection domain, or remove it.";
    Diagnostic::new(code::MR_UNUSED, span, message, help)
}
