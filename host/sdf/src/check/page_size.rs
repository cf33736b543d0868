//! Large pages for memory regions without an explicit page size.

use limen_abi::limits::LARGE_PAGE_BYTES;

use crate::draft::{MemoryRegionDraft, PageSize};
use crate::model::Map;

/// Page size of each memory region, in bytes: large if the description does not set it and size, physical address and
/// all maps allow it.
pub(super) fn choose(regions: &[MemoryRegionDraft], maps: &[Vec<Map>]) -> Vec<u64> {
    let is_large = |number: u64| number.is_multiple_of(LARGE_PAGE_BYTES);
    let mut large: Vec<bool> = regions
        .iter()
        .map(|MemoryRegionDraft { region, page_size }| {
            *page_size == PageSize::Default && is_large(region.bytes) && region.phys_addr.is_none_or(is_large)
        })
        .collect();
    for map in maps.iter().flatten().filter(|map| !is_large(map.vaddr)) {
        if let Some(large) = large.get_mut(map.region) {
            *large = false;
        }
    }
    let chosen = regions.iter().zip(large);
    chosen.map(|(draft, large)| if large { LARGE_PAGE_BYTES } else { draft.region.page_bytes }).collect()
}
