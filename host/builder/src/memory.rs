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
/// Tables on the way from the root of an address space to a page, at most.
const TABLE_LEVELS: u64 = 4;

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

/// An upper bound: a path of tables per address space and mapping, and one more table per 2 MiB of small pages.
fn page_table_bytes(spaces: &AddressSpaces) -> u64 {
    let per_mapping = spaces.mappings.iter().map(|mapping| TABLE_LEVELS + mapping.bytes / (512 * PAGE_BYTES));
    let programs = spaces.mappings.last().map_or(0, |mapping| mapping.program as u64 + 1);
    (per_mapping.sum::<u64>() + programs * TABLE_LEVELS) * PAGE_BYTES
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
