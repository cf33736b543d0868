//! Channels and memory regions, as the description declares them.

use limen_image::RegionKind;
use limen_sdf::model::{self, Map, Perms, Prefill};
use serde::Serialize;

use super::Hex;
use crate::build::Built;

/// A channel.
#[derive(Clone, Debug, Serialize)]
pub struct Channel {
    /// Its two ends.
    pub ends: Vec<ChannelEnd>,
    /// The element.
    pub at: String,
}

/// One end of a channel.
#[derive(Clone, Debug, Serialize)]
pub struct ChannelEnd {
    /// The protection domain.
    pub pd: String,
    /// The channel's id there.
    pub id: u8,
    /// It may call the other end.
    pub pp: bool,
    /// It may notify the other end.
    pub notify: bool,
}

/// A memory region.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryRegion {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The size of its pages.
    pub page_bytes: u64,
    /// `zero`, `contents`, `device`, `fixed` (decided at boot) or `unused`.
    pub kind: &'static str,
    /// Its physical address, if it is in use.
    pub paddr: Option<Hex>,
    /// The description chose the address.
    pub fixed: bool,
    /// Its initial contents, if not zeros: `file` or `boot_info`.
    pub prefill: Option<&'static str>,
    /// Bytes of the file.
    pub prefill_bytes: Option<u64>,
    /// A device that several scheduling domains may use.
    pub shared: bool,
    /// Its maps.
    pub maps: Vec<RegionMap>,
    /// The element.
    pub at: String,
}

/// A map of a memory region.
#[derive(Clone, Debug, Serialize)]
pub struct RegionMap {
    /// The protection domain.
    pub pd: String,
    /// First user address.
    pub vaddr: Hex,
    /// A subset of `r`, `w`, `x`, as in the description.
    pub perms: String,
    /// Whether accesses go through the caches.
    pub cached: bool,
    /// The element.
    pub at: String,
}

pub(super) fn channels(built: &Built) -> Vec<Channel> {
    let system = &built.parts.system;
    let end = |end: &model::ChannelEnd| ChannelEnd {
        pd: system.protection_domains[end.protection_domain].name.clone(),
        id: end.id,
        pp: end.may_call,
        notify: end.may_notify,
    };
    let channels = system.channels.iter();
    channels
        .map(|channel| Channel { ends: channel.ends.iter().map(end).collect(), at: channel.span.to_string() })
        .collect()
}

pub(super) fn memory_regions(built: &Built) -> Vec<MemoryRegion> {
    let system = &built.parts.system;
    let mut maps: Vec<Vec<RegionMap>> = vec![Vec::new(); system.memory_regions.len()];
    for domain in &system.protection_domains {
        for map in &domain.maps {
            maps[map.region].push(region_map(&domain.name, map));
        }
    }
    let regions = system.memory_regions.iter().zip(maps).enumerate();
    regions.map(|(index, (region, maps))| memory_region(built, index, region, maps)).collect()
}

fn memory_region(
    built: &Built,
    index: usize,
    region: &model::MemoryRegion,
    maps: Vec<RegionMap>,
) -> MemoryRegion {
    let place = built.spaces.extent_of_region(index).map(|extent| &built.memory.places[extent]);
    MemoryRegion {
        name: region.name.clone(),
        bytes: region.bytes,
        page_bytes: region.page_bytes,
        kind: place.map_or("unused", |place| kind_name(place.kind)),
        paddr: place.map(|place| Hex(place.paddr)),
        fixed: region.phys_addr.is_some(),
        prefill: region.prefill.as_ref().map(|prefill| match prefill {
            Prefill::File(_) => "file",
            Prefill::BootInfo(_) => "boot_info",
        }),
        prefill_bytes: region.prefill_bytes(),
        shared: region.shared,
        maps,
        at: region.span.to_string(),
    }
}

/// Name of a kind of physical memory.
pub(super) fn kind_name(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Zero | RegionKind::Floating => "zero",
        RegionKind::Contents => "contents",
        RegionKind::Device => "device",
        RegionKind::Fixed => "fixed",
    }
}

fn region_map(owner: &str, map: &Map) -> RegionMap {
    RegionMap {
        pd: owner.to_owned(),
        vaddr: Hex(map.vaddr),
        perms: perms(map.perms),
        cached: map.cached,
        at: map.span.to_string(),
    }
}

fn perms(perms: Perms) -> String {
    let letters = [(perms.read, 'r'), (perms.write, 'w'), (perms.execute, 'x')];
    letters.into_iter().filter(|(has, _)| *has).map(|(_, letter)| letter).collect()
}
