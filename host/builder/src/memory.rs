//! The physical memory plan.
//!
//! Contents of programs stay in the image. Memory regions with a fixed address get it. The planner allocates the rest
//! from RAM after the kernel, largest alignment first. The largest remaining range becomes the kernel's pool for page
//! tables.

use std::cmp::Reverse;

use limen_abi::limits::PAGE_BYTES;
use limen_image::{Range, RegionKind};
use limen_sdf::Diagnostic;
use limen_sdf::model::SystemDescription;

use crate::address_space::{AddressSpaces, Extent, Purpose};
use crate::board::Board;
use crate::code;
use crate::error::{Context, error};
use crate::fixed_place;
use crate::free_memory::FreeMemory;
use crate::place::Place;

/// Maximum levels of page tables below the root of an address space.
const LEVELS_BELOW_ROOT: u64 = 3;
/// Room for page tables of the kernel's own devices and windows.
const KERNEL_TABLE_BYTES: u64 = 64 * PAGE_BYTES;
/// Entries of a page table.
const TABLE_ENTRIES: u64 = 512;

/// Places of all extents, and the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// One place per extent.
    pub places: Vec<Place>,
    /// RAM for page tables.
    pub pool: Range,
    /// Upper bound of page-table memory, if the pool is placed at boot.
    pub table_bytes: u64,
}

/// Memory that is already in use: the RAM of loader, image and kernel, and the address of page contents in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Loader, image and kernel.
    pub reserved: Range,
    /// First page of contents.
    pub contents_paddr: u64,
}

impl MemoryPlan {
    /// Assigns a place to every extent.
    ///
    /// # Errors
    /// A fixed address cannot be used, or there is not enough RAM.
    pub fn new(
        board: &Board,
        system: &SystemDescription,
        spaces: &AddressSpaces,
        taken: Taken,
    ) -> Result<Self, Diagnostic> {
        let mut places = vec![Place { paddr: 0, kind: RegionKind::Zero, fixed: false }; spaces.extents.len()];
        let mut free = FreeMemory::new(board, taken.reserved);
        place_contents(&spaces.extents, taken.contents_paddr, &mut places);
        let mut floating = Vec::new();
        for (index, extent) in spaces.extents.iter().enumerate() {
            match extent.purpose {
                Purpose::Contents { .. } | Purpose::FirstContents { .. } => {}
                Purpose::Region { region } => {
                    match fixed_place::find(board, &system.memory_regions[region], taken.reserved)? {
                        Some(place) => {
                            free.remove(Range { start: place.paddr, end: place.paddr + extent.bytes });
                            places[index] = place;
                        }
                        None => floating.push(index),
                    }
                }
                Purpose::Zeroed { .. }
                | Purpose::Stack { .. }
                | Purpose::WorkStack { .. }
                | Purpose::Trace => {
                    floating.push(index);
                }
            }
        }
        floating.sort_by_key(|&index| Reverse(spaces.extents[index].alignment));
        for index in floating {
            let extent = &spaces.extents[index];
            let paddr = free.allocate(extent.bytes, extent.alignment);
            places[index].paddr = paddr.ok_or_else(|| no_room(system, extent, &free))?;
        }
        Ok(Self {
            places,
            pool: pool(spaces, &free)?,
            table_bytes: page_table_bytes(spaces) + KERNEL_TABLE_BYTES,
        })
    }
}

fn place_contents(extents: &[Extent], start: u64, places: &mut [Place]) {
    let mut paddr = start;
    for (extent, place) in extents.iter().zip(places) {
        if extent.purpose.contents().is_some() {
            *place = Place { paddr, kind: RegionKind::Contents, fixed: false };
            paddr += extent.bytes;
        }
    }
}

fn no_room(system: &SystemDescription, extent: &Extent, free: &FreeMemory) -> Diagnostic {
    let largest = free.largest().map_or(0, |range| range.end - range.start);
    let (bytes, alignment) = (extent.bytes, extent.alignment);
    let help = format!(
        "It needs 0x{bytes:x} bytes, aligned to 0x{alignment:x}; the largest free range of RAM has 0x{largest:x} \
         bytes."
    );
    let name = |program: usize| {
        system.protection_domains.get(program).map_or("monitor", |domain| domain.name.as_str())
    };
    let diagnostic = match extent.purpose {
        Purpose::Region { region } => {
            let region = &system.memory_regions[region];
            let message = format!("ERROR: cannot auto-select a physical address for MR '{}'", region.name);
            error(code::MEMORY_REGION_FULL, message).at(&region.span)
        }
        Purpose::Trace => {
            error(code::MEMORY_FULL, "ERROR: no memory left for the ring of the trace".to_owned())
        }
        Purpose::Stack { program } | Purpose::WorkStack { program } => {
            error(code::MEMORY_FULL, format!("ERROR: no memory left for the stack of PD '{}'", name(program)))
        }
        Purpose::Zeroed { program }
        | Purpose::Contents { program, .. }
        | Purpose::FirstContents { program, .. } => error(
            code::MEMORY_FULL,
            format!("ERROR: no memory left for the program of PD '{}'", name(program)),
        ),
    };
    diagnostic.help(help)
}

fn pool(spaces: &AddressSpaces, free: &FreeMemory) -> Result<Range, Diagnostic> {
    let needed = page_table_bytes(spaces);
    match free.largest() {
        Some(range) if range.end - range.start >= needed => Ok(range),
        range => {
            let left = range.map_or(0, |range| range.end - range.start);
            let message = "ERROR: could not allocate all required kernel objects.".to_owned();
            Err(error(code::MEMORY_POOL, message).help(format!(
                "Page tables may need 0x{needed:x} bytes, but the largest free range of RAM has 0x{left:x}."
            )))
        }
    }
}

/// An upper bound; it assumes that no two mappings share a table.
fn page_table_bytes(spaces: &AddressSpaces) -> u64 {
    // A mapping may start and end inside a table, on every level.
    let tables = |bytes: u64| {
        let pages = bytes / PAGE_BYTES;
        pages / TABLE_ENTRIES + pages / TABLE_ENTRIES.pow(2) + 2 * LEVELS_BELOW_ROOT
    };
    let mappings = spaces.mappings.iter().map(|mapping| mapping.bytes);
    let mapped: u64 = mappings.chain(spaces.rings.iter().map(|ring| ring.bytes)).map(tables).sum();
    // The root, and the IPC buffer's tables.
    let per_program = 1 + LEVELS_BELOW_ROOT;
    let programs = spaces.mappings.last().map_or(0, |mapping| mapping.program as u64 + 1);
    (mapped + programs * per_program) * PAGE_BYTES
}

#[cfg(test)]
mod tests {
    use limen_sdf::Span;
    use limen_sdf::model::MemoryRegion;
    use proptest::prelude::*;

    use super::*;
    use crate::test_system::{board, system};

    const RESERVED: Range = Range { start: 0x7000_0000, end: 0x7040_3000 };
    const TAKEN: Taken = Taken { reserved: RESERVED, contents_paddr: 0x7001_0000 };

    /// A system whose regions have these sizes in (large) pages and optional addresses.
    fn with_regions(regions: &[(u64, bool, Option<u64>)]) -> (SystemDescription, AddressSpaces) {
        let text =
            "<system><protection_domain name=\"p\"><program_image path=\"p\" /></protection_domain></system>";
        let mut system = system(text);
        let span = Span { file: String::new(), line: 1, column: 1 };
        let mut spaces = AddressSpaces::default();
        for (region, &(pages, large, phys_addr)) in regions.iter().enumerate() {
            let page_bytes = if large { 0x20_0000 } else { PAGE_BYTES };
            let (name, bytes, span) = (region.to_string(), pages * page_bytes, span.clone());
            system.memory_regions.push(MemoryRegion {
                name,
                bytes,
                page_bytes,
                phys_addr,
                prefill: None,
                shared: false,
                span,
            });
            spaces.extents.push(Extent { purpose: Purpose::Region { region }, bytes, alignment: page_bytes });
        }
        (system, spaces)
    }

    fn plan(regions: &[(u64, bool, Option<u64>)]) -> Result<MemoryPlan, Diagnostic> {
        let (system, spaces) = with_regions(regions);
        MemoryPlan::new(&board(), &system, &spaces, TAKEN)
    }

    #[test]
    fn memory_after_the_kernel_is_allocated_first() {
        let plan = plan(&[(1, false, None), (1, true, None), (1, false, None)]).unwrap();
        let paddrs: Vec<_> = plan.places.iter().map(|place| place.paddr).collect();
        assert_eq!(paddrs, [0x7040_3000, 0x7060_0000, 0x7040_4000]);
        assert_eq!(plan.pool, Range { start: 0x7080_0000, end: 0xc000_0000 });
    }

    #[test]
    fn memory_for_fixed_addresses_is_never_allocated() {
        // 1.1 GiB above the kernel and 256 MiB below the loader; the second region fits only below.
        let plan = plan(&[(630, true, None), (100, true, None)]).unwrap();
        assert_eq!(plan.places[1].paddr, 0x6000_0000);
        assert!(plan_error(&[(630, true, None), (129, true, None)]).contains("cannot auto-select"));
    }

    #[test]
    fn page_tables_need_the_remaining_memory() {
        let all_above = (0xc000_0000 - 0x7040_3000) / PAGE_BYTES;
        assert!(plan(&[(all_above, false, None), (0xffff, false, None)]).is_ok());
        assert!(plan_error(&[(all_above, false, None), (0x1_0000, false, None)]).contains("kernel objects"));
    }

    #[test]
    fn fixed_addresses_are_ram_or_devices() {
        let plan = plan(&[(1, false, Some(0x4000_0000)), (1, false, Some(0x900_0000))]).unwrap();
        let kinds: Vec<_> = plan.places.iter().map(|place| place.kind).collect();
        assert_eq!(kinds, [RegionKind::Zero, RegionKind::Device]);
    }

    #[test]
    fn the_zcu102_has_two_banks_of_ram() {
        let board = Board::parse(include_str!("../boards/zcu102.toml")).unwrap();
        let plan = |regions: &[_]| {
            let (system, spaces) = with_regions(regions);
            let reserved = Range { start: 0x4000_0000, end: 0x4040_0000 };
            MemoryPlan::new(&board, &system, &spaces, Taken { reserved, contents_paddr: reserved.start })
        };
        // Memory for devices up to the end of the lower bank, and the upper bank.
        let fixed = [(0x110, false, Some(0x7fef_0000)), (0x8_0000, false, Some(0x8_0000_0000))];
        let kinds = plan(&fixed).unwrap().places.into_iter().map(|place| place.kind);
        assert_eq!(kinds.collect::<Vec<_>>(), [RegionKind::Zero; 2]);
        let across = plan(&[(2, false, Some(0x7fff_f000))]).unwrap_err();
        assert!(across.message.contains("lies only partly in RAM [0x1000..0x80000000)"), "{across:?}");
        // The largest regions of the lower bank leave the firmware's megabyte alone; the next one is in the upper bank.
        let floating = plan(&[(0x3_fb00, false, None), (0x3_ffff, false, None), (1, false, None)]).unwrap();
        let paddrs = floating.places.iter().map(|place| place.paddr).collect::<Vec<_>>();
        assert_eq!(paddrs, [0x4040_0000, 0x8_0000_0000, 0x8_3fff_f000]);
        assert_eq!(floating.pool, Range { start: 0x8_4000_0000, end: 0x8_8000_0000 });
    }

    fn plan_error(regions: &[(u64, bool, Option<u64>)]) -> String {
        plan(regions).unwrap_err().message
    }

    /// Sizes that sometimes exhaust memory, and some regions at distinct fixed addresses in free and used memory.
    fn regions() -> impl Strategy<Value = Vec<(u64, bool, Option<u64>)>> {
        let region = (1..80u64, any::<bool>(), prop::option::weighted(0.3, 0..12u64));
        prop::collection::vec(region, 0..24).prop_map(|regions| {
            let mut taken = [false; 12];
            regions
                .into_iter()
                .map(|(pages, large, slot)| {
                    // Slots are 160 MiB apart, so that fixed regions never overlap each other.
                    let free = slot.filter(|&slot| !std::mem::replace(&mut taken[slot as usize], true));
                    (pages, large, free.map(|slot| 0x3c00_0000 + slot * 0xa00_0000))
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn nothing_overlaps(regions in regions()) {
            let (system, spaces) = with_regions(&regions);
            if let Ok(plan) = MemoryPlan::new(&board(), &system, &spaces, TAKEN) {
                let extents = spaces.extents.iter().zip(&plan.places);
                let range = |(extent, place): (&Extent, &Place)| {
                    assert_eq!(place.paddr % extent.alignment, 0);
                    Range { start: place.paddr, end: place.paddr + extent.bytes }
                };
                let mut ranges: Vec<_> = extents.map(range).chain([RESERVED, plan.pool]).collect();
                ranges.sort_by_key(|range| range.start);
                for pair in ranges.windows(2) {
                    prop_assert!(pair[0].end <= pair[1].start, "{pair:x?}");
                }
            }
        }

        #[test]
        fn pinned_memory_is_left_to_fixed_addresses(regions in regions()) {
            if let Ok(plan) = plan(&regions) {
                let pinned = Range { start: 0x4000_0000, end: 0x6000_0000 };
                for ((_, _, fixed), place) in regions.iter().zip(&plan.places) {
                    let inside = (pinned.start..pinned.end).contains(&place.paddr);
                    prop_assert!(fixed.is_some() || !inside);
                }
                prop_assert!(plan.pool.start >= pinned.end || plan.pool.end <= pinned.start);
            }
        }
    }
}
