//! Where in physical memory everything lies.
//!
//! Contents of programs lie in the image. Memory regions with an address get it. The rest is taken from RAM after
//! the kernel, largest alignment first; the largest range left over becomes the kernel's pool for page tables.

use std::cmp::Reverse;

use limen_abi::limits::PAGE_BYTES;
use limen_image::{Range, RegionKind};
use limen_sdf::Diagnostic;
use limen_sdf::model::{MemoryRegion, SystemDescription};

use crate::address_space::{AddressSpaces, Extent, Purpose};
use crate::board::Board;
use crate::error::{Context, error};

/// Physical addresses that page tables can hold end here (48 bits).
const ADDRESS_LIMIT: u64 = 1 << 48;
/// Levels of page tables below the root of an address space, at most.
const LEVELS_BELOW_ROOT: u64 = 3;
/// Entries of a page table.
const TABLE_ENTRIES: u64 = 512;

/// Where an extent lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Physical address.
    pub paddr: u64,
    /// Where its first contents come from.
    pub kind: RegionKind,
}

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// One place per extent.
    pub places: Vec<Place>,
    /// RAM for page tables.
    pub pool: Range,
}

/// What is decided before: RAM that loader, image and kernel take, and where in it the page contents start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Loader, image and kernel.
    pub reserved: Range,
    /// First page of contents.
    pub contents_paddr: u64,
}

impl MemoryPlan {
    /// Gives every extent a place.
    ///
    /// # Errors
    /// A fixed address cannot be used, or there is not enough RAM.
    pub fn new(
        board: &Board,
        system: &SystemDescription,
        spaces: &AddressSpaces,
        taken: Taken,
    ) -> Result<Self, Diagnostic> {
        let mut places = vec![Place { paddr: 0, kind: RegionKind::Zero }; spaces.extents.len()];
        let mut free = FreeMemory::new(board, taken.reserved);
        place_contents(&spaces.extents, taken.contents_paddr, &mut places);
        let mut floating = Vec::new();
        for (index, extent) in spaces.extents.iter().enumerate() {
            match extent.purpose {
                Purpose::Contents { .. } => {}
                Purpose::Region { region } => {
                    match fixed_place(board, &system.memory_regions[region], taken.reserved)? {
                        Some(place) => {
                            free.remove(Range { start: place.paddr, end: place.paddr + extent.bytes });
                            places[index] = place;
                        }
                        None => floating.push(index),
                    }
                }
                Purpose::Zeroed { .. } | Purpose::Stack { .. } => floating.push(index),
            }
        }
        floating.sort_by_key(|&index| Reverse(spaces.extents[index].alignment));
        for index in floating {
            let extent = &spaces.extents[index];
            let paddr = free.allocate(extent.bytes, extent.alignment);
            places[index].paddr = paddr.ok_or_else(|| no_room(system, extent, &free))?;
        }
        Ok(Self { places, pool: pool(spaces, &free)? })
    }
}

fn place_contents(extents: &[Extent], start: u64, places: &mut [Place]) {
    let mut paddr = start;
    for (extent, place) in extents.iter().zip(places) {
        if matches!(extent.purpose, Purpose::Contents { .. }) {
            *place = Place { paddr, kind: RegionKind::Contents };
            paddr += extent.bytes;
        }
    }
}

/// The place of a region with a fixed address; `None` without one.
fn fixed_place(board: &Board, region: &MemoryRegion, reserved: Range) -> Result<Option<Place>, Diagnostic> {
    let Some(paddr) = region.phys_addr else {
        return Ok(None);
    };
    let end = paddr.saturating_add(region.bytes);
    let refuse = |why: String, help: &str| {
        let name = &region.name;
        let message =
            format!("ERROR: memory region '{name}' physical address range [0x{paddr:x}..0x{end:x}) {why}");
        Err(error("mr-phys-addr", message).at(&region.span).help(help))
    };
    let range = Range { start: paddr, end };
    if end > ADDRESS_LIMIT {
        return refuse("is not in the memory of the machine".to_owned(), "Physical addresses have 48 bits.");
    }
    if overlaps(range, reserved) {
        let Range { start, end } = reserved;
        return refuse(
            format!("overlaps with loader, boot image and kernel [0x{start:x}..0x{end:x})"),
            "Choose another phys_addr, or leave it out and let the tool choose.",
        );
    }
    let controller = board.interrupt_controller;
    for register in [controller.paddr, controller.cpu_paddr] {
        if overlaps(range, Range { start: register, end: register + PAGE_BYTES }) {
            return refuse(
                format!("overlaps with the interrupt controller at 0x{register:x}"),
                "Only the kernel may have it; programs use <irq> elements.",
            );
        }
    }
    let mut ram = board.ram_ranges().into_iter().filter(|ram| overlaps(*ram, range));
    match ram.next() {
        None => Ok(Some(Place { paddr, kind: RegionKind::Device })),
        Some(ram) if ram.start <= paddr && end <= ram.end => {
            Ok(Some(Place { paddr, kind: RegionKind::Zero }))
        }
        Some(ram) => refuse(
            format!("lies only partly in RAM [0x{:x}..0x{:x})", ram.start, ram.end),
            "A memory region is either RAM or a device.",
        ),
    }
}

fn no_room(system: &SystemDescription, extent: &Extent, free: &FreeMemory) -> Diagnostic {
    let largest = free.largest().map_or(0, |range| range.end - range.start);
    let (bytes, alignment) = (extent.bytes, extent.alignment);
    let help = format!(
        "It needs 0x{bytes:x} bytes at a multiple of 0x{alignment:x}; the largest free range of RAM has 0x{largest:x} \
         bytes."
    );
    let name = |program: usize| {
        system.protection_domains.get(program).map_or("monitor", |domain| domain.name.as_str())
    };
    let diagnostic = match extent.purpose {
        Purpose::Region { region } => {
            let region = &system.memory_regions[region];
            let message = format!("ERROR: cannot auto-select a physical address for MR '{}'", region.name);
            error("memory-region-full", message).at(&region.span)
        }
        Purpose::Stack { program } => {
            error("memory-full", format!("ERROR: no memory left for the stack of PD '{}'", name(program)))
        }
        Purpose::Zeroed { program } | Purpose::Contents { program, .. } => {
            error("memory-full", format!("ERROR: no memory left for the program of PD '{}'", name(program)))
        }
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
            Err(error("memory-pool", message).help(format!(
                "Page tables may need 0x{needed:x} bytes, but the largest free range of RAM has 0x{left:x}."
            )))
        }
    }
}

/// An upper bound, in which no two mappings share a table.
fn page_table_bytes(spaces: &AddressSpaces) -> u64 {
    // A mapping may begin and end in the middle of a table, on every level.
    let tables = |bytes: u64| {
        let pages = bytes / PAGE_BYTES;
        pages / TABLE_ENTRIES + pages / TABLE_ENTRIES.pow(2) + 2 * LEVELS_BELOW_ROOT
    };
    let mapped: u64 = spaces.mappings.iter().map(|mapping| tables(mapping.bytes)).sum();
    // The root, and the IPC buffer's tables.
    let per_program = 1 + LEVELS_BELOW_ROOT;
    let programs = spaces.mappings.last().map_or(0, |mapping| mapping.program as u64 + 1);
    (mapped + programs * per_program) * PAGE_BYTES
}

/// RAM that has no use yet.
#[derive(Clone, Debug)]
struct FreeMemory {
    /// Ascending and disjoint.
    gaps: Vec<Range>,
    /// Memory after this address is taken first.
    prefer_from: u64,
}

impl FreeMemory {
    fn new(board: &Board, reserved: Range) -> Self {
        let mut free = Self { gaps: board.ram_ranges(), prefer_from: reserved.end };
        free.remove(reserved);
        if let Some(pinned) = board.pinned {
            free.remove(Range { start: pinned.start, end: pinned.end });
        }
        free
    }

    fn remove(&mut self, range: Range) {
        let keep = |gap: &Range| {
            let before = Range { start: gap.start, end: gap.end.min(range.start) };
            let after = Range { start: gap.start.max(range.end), end: gap.end };
            [before, after].into_iter().filter(|part| part.start < part.end)
        };
        self.gaps = self.gaps.iter().flat_map(keep).collect();
    }

    fn allocate(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let (below, above): (Vec<Range>, Vec<Range>) =
            self.gaps.iter().partition(|gap| gap.start < self.prefer_from);
        let fit = |gap: &Range| {
            let start = gap.start.checked_next_multiple_of(alignment)?;
            let end = start.checked_add(bytes)?;
            (end <= gap.end).then_some(Range { start, end })
        };
        let range = above.iter().chain(&below).find_map(fit)?;
        self.remove(range);
        Some(range.start)
    }

    fn largest(&self) -> Option<Range> {
        self.gaps.iter().copied().max_by_key(|gap| (gap.end - gap.start, Reverse(gap.start)))
    }
}

fn overlaps(a: Range, b: Range) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use limen_sdf::Span;
    use proptest::prelude::*;

    use super::*;
    use crate::test_system::{board, system};

    const RESERVED: Range = Range { start: 0x7000_0000, end: 0x7040_3000 };
    const TAKEN: Taken = Taken { reserved: RESERVED, contents_paddr: 0x7001_0000 };

    /// A system whose regions have these sizes in pages (and large pages), and perhaps an address.
    fn with_regions(regions: &[(u64, bool, Option<u64>)]) -> (SystemDescription, AddressSpaces) {
        let text =
            "<system><protection_domain name=\"p\"><program_image path=\"p\" /></protection_domain></system>";
        let mut system = system(text);
        let span = Span { file: String::new(), line: 1, column: 1 };
        let mut spaces = AddressSpaces::default();
        for (region, &(pages, large, phys_addr)) in regions.iter().enumerate() {
            let page_bytes = if large { 0x20_0000 } else { PAGE_BYTES };
            let (name, bytes, span) = (region.to_string(), pages * page_bytes, span.clone());
            system.memory_regions.push(MemoryRegion { name, bytes, page_bytes, phys_addr, span });
            spaces.extents.push(Extent { purpose: Purpose::Region { region }, bytes, alignment: page_bytes });
        }
        (system, spaces)
    }

    fn plan(regions: &[(u64, bool, Option<u64>)]) -> Result<MemoryPlan, Diagnostic> {
        let (system, spaces) = with_regions(regions);
        MemoryPlan::new(&board(), &system, &spaces, TAKEN)
    }

    #[test]
    fn memory_after_the_kernel_is_taken_first() {
        let plan = plan(&[(1, false, None), (1, true, None), (1, false, None)]).unwrap();
        let paddrs: Vec<_> = plan.places.iter().map(|place| place.paddr).collect();
        assert_eq!(paddrs, [0x7040_3000, 0x7060_0000, 0x7040_4000]);
        assert_eq!(plan.pool, Range { start: 0x7080_0000, end: 0xc000_0000 });
    }

    #[test]
    fn memory_for_fixed_addresses_is_never_chosen() {
        // 1.1 GiB above the kernel and 256 MiB below the loader; the second region fits only below.
        let plan = plan(&[(630, true, None), (100, true, None)]).unwrap();
        assert_eq!(plan.places[1].paddr, 0x6000_0000);
        assert!(plan_error(&[(630, true, None), (129, true, None)]).contains("cannot auto-select"));
    }

    #[test]
    fn page_tables_need_what_is_left() {
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

    fn plan_error(regions: &[(u64, bool, Option<u64>)]) -> String {
        plan(regions).unwrap_err().message
    }

    /// Sizes that sometimes exhaust memory; some regions at distinct fixed places among free and taken memory.
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
                prop_assert!(!overlaps(plan.pool, pinned));
            }
        }
    }
}
