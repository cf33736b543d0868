//! The boot image: records of all decisions, then page contents.
//!
//! The number of records is known before any physical address, so the image is written in two passes: [`records`]
//! fills the tables and determines their size, [`finish`] fills in the addresses.

use limen_image::{
    Cap, FixedRegion, FixedRegionFlags, Image, ImageError, ImageWriter, Machine, Mapping, Memory, MemoryKind,
    PLACED_RESERVED, RAM_RANGES, Range, Region, RegionKind, UNPLACED, name_words, place,
};
use limen_sdf::{Architecture, Diagnostic, SystemDescription};

use crate::address_space::{AddressSpaces, Purpose};
use crate::board::{Board, BootProtocol};
use crate::code;
use crate::config::Config;
use crate::error::{Context, error};
use crate::key_sites::{self, BoundSite};
use crate::memory::MemoryPlan;
use crate::needed_ram::needs_ram;
use crate::objects::Objects;
use crate::parts::Parts;
use crate::payload::Layout;
use crate::prefill;
use crate::program::Program;
use crate::services;

/// The tables of the image, with physical addresses of zero.
#[must_use]
pub fn records(
    board: &Board,
    config: &Config,
    spaces: &AddressSpaces,
    objects: &Objects,
    caps: Vec<Cap>,
) -> ImageWriter {
    let mut writer = ImageWriter::new(architecture(board));
    writer.options = config.options();
    writer.board = board.image_record();
    writer.counts = objects.counts;
    match board.boot {
        BootProtocol::Loader => {
            writer.ram = board.ram_ranges();
            writer.reserved = vec![Range::default()];
        }
        BootProtocol::Multiboot => {
            writer.ram = vec![Range::default(); RAM_RANGES];
            writer.reserved = vec![Range::default(); PLACED_RESERVED];
        }
    }
    writer.regions = vec![Region::default(); spaces.extents.len()];
    writer.mappings = vec![Mapping::default(); spaces.mappings.len()];
    writer.sched_contexts.clone_from(&objects.sched_contexts);
    writer.threads.clone_from(&objects.threads);
    writer.caps = caps;
    writer.interrupts = objects.interrupts.iter().map(|interrupt| interrupt.record).collect();
    writer.keys.clone_from(&objects.keys);
    writer.domain_schedule.clone_from(&objects.domain_schedule);
    writer.services = services::records(&spaces.services, &objects.interrupts);
    writer.rings.clone_from(&spaces.rings);
    writer.processors = u64::from(board.processors(config));
    writer.homes.clone_from(&objects.homes);
    writer
}

/// Fills in the addresses and returns the whole image.
///
/// # Errors
/// The kernel would refuse the image, which is a bug in this tool.
pub fn finish(
    parts: &Parts,
    writer: &mut ImageWriter,
    spaces: &AddressSpaces,
    layout: &Layout,
    memory: &MemoryPlan,
    sites: &[BoundSite],
) -> Result<Vec<u8>, Diagnostic> {
    let Parts { board, system, programs, .. } = parts;
    let order = ascending_extents(memory);
    let files = layout.contents_paddr - layout.image_paddr + program_bytes(spaces);
    let files = prefill::sources(system, spaces, files);
    let fill = |record, extent| prefill::describe(record, extent, system, spaces, &files);
    match board.boot {
        BootProtocol::Loader => {
            writer.reserved = vec![layout.taken().reserved];
            writer.pool = memory.pool;
            let region = |&extent| fill(region(spaces, memory, extent), extent);
            writer.regions = order.iter().map(region).collect();
        }
        BootProtocol::Multiboot => {
            let region = |&extent| fill(unplaced_region(spaces, memory, layout, extent), extent);
            writer.fixed_regions = fixed_regions(system, spaces, memory, &order);
            writer.regions = order.iter().map(region).collect();
            writer.pool = Range { start: 0, end: memory.table_bytes };
        }
    }
    let mut region_of = vec![0; order.len()];
    for (region, &extent) in order.iter().enumerate() {
        region_of[extent] = region as u64;
    }
    writer.mappings = spaces
        .mappings
        .iter()
        .map(|mapping| Mapping {
            vspace: mapping.program as u64,
            vaddr: mapping.vaddr,
            bytes: mapping.bytes,
            region: region_of[mapping.extent],
            offset: 0,
            flags: mapping.flags,
        })
        .collect();
    let trace = spaces.extents.iter().position(|extent| extent.purpose == Purpose::Trace);
    writer.counts.trace = trace.map_or(0, |extent| region_of[extent] + 1);
    writer.key_sites = key_sites::records(sites, spaces, &region_of, &writer.regions);
    let paddr = match board.boot {
        BootProtocol::Loader => layout.image_paddr,
        BootProtocol::Multiboot => UNPLACED,
    };
    let words = writer.finish(paddr, layout.image_bytes());
    let mut bytes = limen_image::bytes_of(&words);
    check(board, layout, words).map_err(|reason| {
        error(code::IMAGE_REFUSED, format!("ERROR: the kernel would refuse this boot image: {reason}"))
            .help("This is a bug in the tool; please report it with the system description.")
    })?;
    bytes.resize((layout.contents_paddr - layout.image_paddr) as usize, 0);
    append_contents(&mut bytes, spaces, programs);
    prefill::append(&mut bytes, system, spaces);
    Ok(bytes)
}

/// Whether the kernel will accept the image; for an image placed at boot, on a machine with the RAM of the board
/// file.
fn check(board: &Board, layout: &Layout, mut words: Vec<u64>) -> Result<(), ImageError> {
    if board.boot == BootProtocol::Multiboot {
        let ram = |range| Memory { range, kind: MemoryKind::Ram };
        let memory: Vec<_> = board.ram_ranges().into_iter().map(ram).collect();
        let kernel =
            board.pinned.map_or(Range::default(), |range| Range { start: range.start, end: range.end });
        let reach = memory.iter().map(|memory| memory.range.end).max().unwrap_or_default();
        let machine =
            Machine { image_paddr: layout.image_paddr, memory: &memory, kernel, reach, end: u64::MAX };
        match place(&mut words, &machine) {
            // Another machine may have suitable memory there.
            Err(ImageError::FixedRegion { .. }) => return Ok(()),
            placed => placed?,
        }
    }
    Image::validate(&words).map(drop)
}

/// Bytes of page contents: programs, then files.
#[must_use]
pub fn contents_bytes(system: &SystemDescription, spaces: &AddressSpaces) -> u64 {
    program_bytes(spaces) + prefill::bytes(system, spaces)
}

fn program_bytes(spaces: &AddressSpaces) -> u64 {
    let contents = spaces.extents.iter().filter(|extent| extent.purpose.contents().is_some());
    contents.map(|extent| extent.bytes).sum()
}

fn append_contents(bytes: &mut Vec<u8>, spaces: &AddressSpaces, programs: &[Program]) {
    for extent in &spaces.extents {
        if let Some((program, vaddr)) = extent.purpose.contents() {
            for page in programs[program].contents(vaddr, extent.bytes) {
                bytes.extend_from_slice(page);
            }
        }
    }
}

/// Extents by physical address; extents whose kind is decided at boot come last.
fn ascending_extents(memory: &MemoryPlan) -> Vec<usize> {
    let mut order: Vec<usize> = (0..memory.places.len()).collect();
    order.sort_by_key(|&extent| {
        (memory.places[extent].kind == RegionKind::Fixed, memory.places[extent].paddr)
    });
    order
}

fn region(spaces: &AddressSpaces, memory: &MemoryPlan, extent: usize) -> Region {
    let place = memory.places[extent];
    Region {
        paddr: place.paddr,
        bytes: spaces.extents[extent].bytes,
        kind: place.kind as u64,
        ..Region::default()
    }
}

/// Number of regions whose kind is decided at boot.
#[must_use]
pub fn fixed_region_count(board: &Board, system: &SystemDescription, spaces: &AddressSpaces) -> usize {
    let regions = spaces.extents.iter().filter_map(|extent| extent.purpose.region());
    let fixed = regions.filter(|&region| system.memory_regions[region].phys_addr.is_some());
    if board.boot == BootProtocol::Multiboot { fixed.count() } else { 0 }
}

/// Details for the kernel of regions whose kind is decided at boot.
fn fixed_regions(
    system: &SystemDescription,
    spaces: &AddressSpaces,
    memory: &MemoryPlan,
    order: &[usize],
) -> Vec<FixedRegion> {
    let needs_ram = needs_ram(system);
    let fixed = order.iter().filter(|&&extent| memory.places[extent].kind == RegionKind::Fixed);
    fixed
        .filter_map(|&extent| spaces.extents[extent].purpose.region())
        .map(|region| FixedRegion {
            name: name_words(&system.memory_regions[region].name),
            flags: if needs_ram[region] { FixedRegionFlags::NEEDS_RAM } else { 0 },
        })
        .collect()
}

/// The record of a region that is placed at boot; see `limen_image::place`.
fn unplaced_region(spaces: &AddressSpaces, memory: &MemoryPlan, layout: &Layout, extent: usize) -> Region {
    let region = region(spaces, memory, extent);
    match memory.places[extent].kind {
        RegionKind::Contents => Region { paddr: region.paddr - layout.image_paddr, ..region },
        RegionKind::Zero if !memory.places[extent].fixed => {
            Region { paddr: spaces.extents[extent].alignment, kind: RegionKind::Floating as u64, ..region }
        }
        _ => region,
    }
}

fn architecture(board: &Board) -> limen_image::Architecture {
    match board.architecture {
        Architecture::Aarch64 => limen_image::Architecture::Aarch64,
        Architecture::Riscv64 => limen_image::Architecture::Riscv64,
        Architecture::X86_64 => limen_image::Architecture::X86_64,
    }
}
