//! Warnings about maps with unsuitable memory attributes.

use limen_image::RegionKind;
use limen_sdf::model::{Map, MemoryRegion, SystemDescription};
use limen_sdf::{Architecture, Diagnostic};

use crate::address_space::AddressSpaces;
use crate::code;
use crate::error::{Context, error};
use crate::memory::MemoryPlan;

/// Warnings about maps. They are not errors, because the reference accepts such maps.
pub(crate) fn warnings(
    system: &SystemDescription,
    spaces: &AddressSpaces,
    memory: &MemoryPlan,
    architecture: Architecture,
) -> Vec<Diagnostic> {
    let is_device = |region: usize| {
        spaces.extent_of_region(region).is_some_and(|extent| memory.places[extent].kind == RegionKind::Device)
    };
    let maps = system.protection_domains.iter().flat_map(|domain| &domain.maps);
    let mut warnings = Vec::new();
    // The first uncached and the first cached map of each region, with their positions.
    let mut first = vec![[None; 2]; system.memory_regions.len()];
    for (position, map) in maps.enumerate() {
        let region = &system.memory_regions[map.region];
        if is_device(map.region) {
            // Other architectures mark device addresses as uncached in hardware.
            let cached = (map.cached && architecture == Architecture::Aarch64).then(|| cached(map, region));
            let executable = map.perms.execute.then(|| executable(map, region));
            warnings.extend(cached.into_iter().chain(executable));
        } else {
            first[map.region][usize::from(map.cached)].get_or_insert((position, map));
        }
    }
    let mixtures = system.memory_regions.iter().zip(first).filter_map(|(region, [uncached, cached])| {
        let mut maps = [uncached?, cached?];
        maps.sort_by_key(|(position, _)| *position);
        Some(mixture(region, maps.map(|(_, map)| map), architecture))
    });
    warnings.extend(mixtures);
    warnings
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

/// A region of RAM with a cached and an uncached map.
fn mixture(region: &MemoryRegion, [earlier, later]: [&Map; 2], architecture: Architecture) -> Diagnostic {
    let kind = |map: &Map| if map.cached { "cached" } else { "uncached" };
    let message = format!(
        "WARNING: map for '{}' is {}, but the one at {} is {}",
        region.name,
        kind(later),
        earlier.span,
        kind(earlier)
    );
    let help = match architecture {
        Architecture::Aarch64 => {
            "Writes through the caches can stay there, and the uncached map then reads old data; give all maps of \
             the region the same value of cached."
        }
        Architecture::X86_64 => {
            "The architecture does not define accesses to one page with two memory types; give all maps of the \
             region the same value of cached."
        }
        Architecture::Riscv64 => {
            "On RISC-V cached=\"false\" has no effect: all maps of RAM are cached; remove it."
        }
    };
    error(code::MAP_CACHED_AND_UNCACHED, message).at(&later.span).help(help)
}
