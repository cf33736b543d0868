//! Warnings about maps of devices with memory attributes.

use limen_image::RegionKind;
use limen_sdf::model::{Map, MemoryRegion, SystemDescription};
use limen_sdf::{Architecture, Diagnostic};

use crate::address_space::AddressSpaces;
use crate::code;
use crate::error::{Context, error};
use crate::memory::MemoryPlan;

/// Warnings about maps of devices. They are not errors, because the reference accepts such maps.
pub(crate) fn warnings(
    system: &SystemDescription,
    spaces: &AddressSpaces,
    memory: &MemoryPlan,
    architecture: Architecture,
) -> Vec<Diagnostic> {
    let is_device = |region: usize| {
        spaces.extent_of_region(region).is_some_and(|extent| memory.places[extent].kind == RegionKind::Device)
    };
    // Other architectures mark device addresses as uncached in hardware.
    let caches_matter = architecture == Architecture::Aarch64;
    let maps = system.protection_domains.iter().flat_map(|domain| &domain.maps);
    maps.filter(|map| is_device(map.region))
        .flat_map(|map| {
            let region = &system.memory_regions[map.region];
            let cached = (map.cached && caches_matter).then(|| cached(map, region));
            let executable = map.perms.execute.then(|| executable(map, region));
            cached.into_iter().chain(executable)
        })
        .collect()
}

fn cached(map: &Map, region: &MemoryRegion) -> Diagnostic {
    let message = format!("WARNING: map for '{}' shows a device through caches", region.name);
    error(code::MAP_DEVICE_CACHED, message)
        .at(&map.span)
        .help("Reads can be stale and writes can be lost; add cached=\"false\".")
}

fn executable(map: &Map, region: &MemoryRegion) -> Diagnostic {
    let message = format!("WARNING: map for '{}' allows to execute a device", region.name);
    error(code::MAP_DEVICE_EXECUTABLE, message)
        .at(&map.span)
        .help("Instruction prefetch can read device registers; remove 'x' from perms.")
}
