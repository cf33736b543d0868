//! Lays out the [address space](crate::address_space) of each program.

use limen_abi::limits::{LARGE_PAGE_BYTES, MAPPINGS, PAGE_BYTES, REGIONS};
use limen_abi::trace::memory_bytes_of;
use limen_image::{MappingFlags, Ring, RingKind};
use limen_sdf::model::{self, Map, SystemDescription};
use limen_sdf::{Diagnostic, Span, Target};

use crate::address_space::{AddressSpaces, Purpose, UserMapping};
use crate::code;
use crate::config::Config;
use crate::error::{Context, error};
use crate::program::Program;
use crate::segment::Segment;
use crate::services::{self, served_regions};
use crate::stack_views;

/// Bytes of the monitor's stack.
const MONITOR_STACK_BYTES: u64 = 0x2000;

/// Bytes of a program's stack.
pub(crate) fn stack_bytes(system: &SystemDescription, program: usize) -> u64 {
    system.protection_domains.get(program).map_or(MONITOR_STACK_BYTES, |domain| domain.stack_bytes)
}

/// Lays out the address space of every program.
///
/// # Errors
/// A program's own pages collide with its stack or with a memory region.
pub fn plan(
    system: &SystemDescription,
    programs: &[Program],
    config: &Config,
    target: &Target,
) -> Result<AddressSpaces, Diagnostic> {
    let mut spaces = AddressSpaces::default();
    for (index, program) in programs.iter().enumerate() {
        let limit = target.map_limit(stack_bytes(system, index));
        check_segments(program, limit)?;
        add_segments(&mut spaces, index, program);
        let stack = spaces.extend(Purpose::Stack { program: index }, target.stack_top() - limit);
        spaces.map(index, limit, stack, MappingFlags::READ | MappingFlags::WRITE);
    }
    add_regions(&mut spaces, system, programs)?;
    if config.is_printing() {
        stack_views::map(&mut spaces, system, programs, target);
    }
    add_trace(&mut spaces, system, programs, target)?;
    spaces.rings = rings(system, programs)?;
    for (index, program) in programs.iter().enumerate() {
        check_own_buffer(&spaces, index, program, target)?;
    }
    spaces.services = services::plan(system, programs.len(), &mut spaces)?;
    check_counts(&spaces)?;
    spaces.mappings.sort_by_key(|mapping| (mapping.program, mapping.vaddr));
    Ok(spaces)
}

fn add_segments(spaces: &mut AddressSpaces, index: usize, program: &Program) {
    for segment in &program.segments {
        for run in segment.runs() {
            let purpose = if run.zero {
                Purpose::Zeroed { program: index }
            } else {
                Purpose::Contents { program: index, vaddr: run.vaddr }
            };
            let extent = spaces.extend(purpose, run.bytes);
            spaces.map(index, run.vaddr, extent, segment.flags);
        }
    }
}

/// Whether the place that a program has chosen for its IPC buffer is free.
fn check_own_buffer(
    spaces: &AddressSpaces,
    index: usize,
    program: &Program,
    target: &Target,
) -> Result<(), Diagnostic> {
    let Some(start) = program.own_ipc_buffer() else { return Ok(()) };
    let end = start.saturating_add(PAGE_BYTES);
    let own = |mapping: &&UserMapping| mapping.program == index;
    let meets = |mapping: &UserMapping| mapping.vaddr < end && start < mapping.vaddr + mapping.bytes;
    let is_ring =
        |ring: &Ring| ring.thread == index as u64 && ring.vaddr < end && start < ring.vaddr + ring.bytes;
    let reason = if start % PAGE_BYTES != 0 {
        "is not at the start of a page"
    } else if start > target.ipc_buffer_vaddr() {
        "is beyond the last page"
    } else if spaces.mappings.iter().filter(own).any(meets) || spaces.rings.iter().any(is_ring) {
        "overlaps with other memory of this program"
    } else {
        return Ok(());
    };
    let message = format!("ERROR: IPC buffer at 0x{start:x} of PD '{}' {reason}", program.name);
    Err(error(code::IPC_BUFFER_PLACE, message)
        .at(program.span.as_ref())
        .help("The address is that of the symbol __sel4_ipc_buffer_obj, which the program's linker sets."))
}

/// Adds every region that is mapped or whose address a program needs.
fn add_regions(
    spaces: &mut AddressSpaces,
    system: &SystemDescription,
    programs: &[Program],
) -> Result<(), Diagnostic> {
    let mut maps = vec![Vec::new(); system.memory_regions.len()];
    let mut is_used = vec![false; maps.len()];
    for (program, domain) in system.protection_domains.iter().enumerate() {
        domain.maps.iter().for_each(|map| maps[map.region].push((program, map)));
        domain.setvars.iter().for_each(|setvar| is_used[setvar.region_paddr] = true);
        served_regions(domain).for_each(|region| is_used[region] = true);
    }
    for (index, (region, maps)) in system.memory_regions.iter().zip(maps).enumerate() {
        if maps.is_empty() && !is_used[index] {
            continue;
        }
        let extent = spaces.extend_by_region(index, region.bytes, region.page_bytes);
        for (program, map) in maps {
            let what = format!("MR '{}'", region.name);
            check_not_over_elf(&what, (map.vaddr, region.bytes), &map.span, &programs[program])?;
            let large = region.page_bytes == LARGE_PAGE_BYTES;
            spaces.map(program, map.vaddr, extent, map_flags(map, large));
        }
    }
    Ok(())
}

/// Adds the rings of the trace, one for each processor, and maps them for their readers.
fn add_trace(
    spaces: &mut AddressSpaces,
    system: &SystemDescription,
    programs: &[Program],
    target: &Target,
) -> Result<(), Diagnostic> {
    let Some(records) = system.trace_bytes else { return Ok(()) };
    let bytes = memory_bytes_of(target.cpus.into(), records);
    let extent = spaces.extend(Purpose::Trace, bytes);
    for (index, (domain, program)) in system.protection_domains.iter().zip(programs).enumerate() {
        let Some(model::Ring { vaddr, span, .. }) = &domain.trace_ring else { continue };
        check_not_over_elf("the ring of 'trace'", (*vaddr, bytes), span, program)?;
        spaces.map(index, *vaddr, extent, MappingFlags::READ);
    }
    Ok(())
}

/// The rings of all programs. Thread and address space of a program have the same index, so their order is ascending.
fn rings(system: &SystemDescription, programs: &[Program]) -> Result<Vec<Ring>, Diagnostic> {
    let mut rings = Vec::new();
    for (index, (domain, program)) in system.protection_domains.iter().zip(programs).enumerate() {
        let Some(model::Ring { vaddr, span, .. }) = &domain.sample_ring else { continue };
        let kind = RingKind::Samples;
        let ring = Ring { kind: kind as u64, thread: index as u64, vaddr: *vaddr, bytes: kind.bytes() };
        check_not_over_elf("the ring of 'probe'", (ring.vaddr, ring.bytes), span, program)?;
        rings.push(ring);
    }
    Ok(rings)
}

/// Checks that all mappings fit into the boot image.
fn check_counts(spaces: &AddressSpaces) -> Result<(), Diagnostic> {
    let (pieces, maps) = (spaces.extents.len(), spaces.mappings.len());
    if pieces > REGIONS {
        let message = format!("ERROR: the system has {pieces} pieces of memory, maximum is {REGIONS}");
        let help = "Memory regions, stacks and program segments count; merge memory regions.";
        return Err(error(code::MEMORY_TOO_MANY, message).help(help));
    }
    if maps > MAPPINGS {
        let message = format!("ERROR: programs see {maps} pieces of memory, maximum is {MAPPINGS}");
        let help = "Maps of memory regions, stacks and program segments count; merge memory regions.";
        return Err(error(code::MAPS_TOO_MANY, message).help(help));
    }
    Ok(())
}

fn check_segments(program: &Program, limit: u64) -> Result<(), Diagnostic> {
    match program.segments.iter().find(|segment| segment.end > limit) {
        Some(Segment { start, end, .. }) => {
            let name = &program.name;
            let message = format!(
                "ERROR: ELF segment at [0x{start:x}..0x{end:x}) of PD '{name}' overlaps with its stack"
            );
            Err(error(code::ELF_OVER_STACK, message)
                .at(program.span.as_ref())
                .help(format!("Link the program so that it ends below 0x{limit:x}.")))
        }
        None => Ok(()),
    }
}

fn check_not_over_elf(
    what: &str,
    (start, bytes): (u64, u64),
    span: &Span,
    program: &Program,
) -> Result<(), Diagnostic> {
    let end = start.saturating_add(bytes);
    let above = program.segments.partition_point(|segment| segment.end <= start);
    let Some(segment) = program.segments.get(above).filter(|segment| segment.start < end) else {
        return Ok(());
    };
    let message = format!(
        "ERROR: mapping {what} to PD '{}' with vaddr [0x{start:x}..0x{end:x}) will overlap with an ELF segment \
         at [0x{:x}..0x{:x})",
        program.name, segment.start, segment.end
    );
    Err(error(code::MAP_OVER_ELF, message)
        .at(span)
        .help("Choose a vaddr outside the segments of this program."))
}

fn map_flags(map: &Map, large: bool) -> u64 {
    let bit = |condition: bool, bits: u64| if condition { bits } else { 0 };
    bit(map.perms.read, MappingFlags::READ)
        | bit(map.perms.write, MappingFlags::READ | MappingFlags::WRITE)
        | bit(map.perms.execute, MappingFlags::READ | MappingFlags::EXECUTE)
        | bit(!map.cached, MappingFlags::UNCACHED)
        | bit(large, MappingFlags::LARGE)
}
