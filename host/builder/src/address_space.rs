//! The address space of each program: its pages, its stack, its memory regions.
//!
//! The result lists *extents*, runs of physical memory without an address ([`crate::memory`] assigns them), and their
//! mappings. It leaves out the IPC buffer, because the kernel maps it.

use std::collections::HashMap;

use limen_abi::limits::{LARGE_PAGE_BYTES, MAPPINGS, PAGE_BYTES, REGIONS};
use limen_image::{MappingFlags, Service};
use limen_sdf::model::{Map, ProtectionDomain, ServiceTarget, SystemDescription};
use limen_sdf::{Diagnostic, Target};

use crate::code;
use crate::error::{Context, error};
use crate::program::Program;
use crate::segment::Segment;
use crate::services;

/// Bytes of the monitor's stack.
const MONITOR_STACK_BYTES: u64 = 0x2000;

/// Physically contiguous memory that is allocated as one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its purpose.
    pub purpose: Purpose,
    /// Size, a multiple of the page size.
    pub bytes: u64,
    /// Alignment of the physical address: 4 KiB or 2 MiB.
    pub alignment: u64,
}

/// Purpose of an extent. `program` counts protection domains in order; the monitor is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Pages of a program with contents.
    Contents {
        /// Index of the program.
        program: usize,
        /// User address of the pages.
        vaddr: u64,
    },
    /// Zero-initialised pages of a program.
    Zeroed {
        /// Index of the program.
        program: usize,
    },
    /// The stack of a program.
    Stack {
        /// Index of the program.
        program: usize,
    },
    /// A copy of the initial contents of a program's writable pages.
    FirstContents {
        /// Index of the program.
        program: usize,
        /// User address of those pages.
        vaddr: u64,
    },
    /// The kernel's stack for services of a program.
    WorkStack {
        /// Index of the program.
        program: usize,
    },
    /// A memory region of the description.
    Region {
        /// Index of the memory region.
        region: usize,
    },
}

impl Purpose {
    /// The program and the user address whose contents the pages have in the image.
    pub(crate) fn contents(&self) -> Option<(usize, u64)> {
        match self {
            Self::Contents { program, vaddr } | Self::FirstContents { program, vaddr } => {
                Some((*program, *vaddr))
            }
            _ => None,
        }
    }

    /// The memory region, if it is one.
    pub(crate) fn region(&self) -> Option<usize> {
        match self {
            Self::Region { region } => Some(*region),
            _ => None,
        }
    }
}

/// A mapping in an address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserMapping {
    /// Index of the address space: the program's index; the address spaces for services follow.
    pub program: usize,
    /// First user address.
    pub vaddr: u64,
    /// Size in bytes; equal to the extent's.
    pub bytes: u64,
    /// Index of the extent.
    pub extent: usize,
    /// [`MappingFlags`] bits.
    pub flags: u64,
}

/// All address spaces of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressSpaces {
    /// All extents.
    pub extents: Vec<Extent>,
    /// Ascending by program and address.
    pub mappings: Vec<UserMapping>,
    /// Services of protection domains.
    pub services: Vec<Service>,
    /// The extent of each memory region in use.
    of_regions: Vec<Option<usize>>,
    /// For an extent whose initial contents are needed again, the extent with the copy.
    first_contents: HashMap<usize, usize>,
}

/// Bytes of a program's stack.
pub(crate) fn stack_bytes(system: &SystemDescription, program: usize) -> u64 {
    system.protection_domains.get(program).map_or(MONITOR_STACK_BYTES, |domain| domain.stack_bytes)
}

impl AddressSpaces {
    /// Lays out the address space of every program.
    ///
    /// # Errors
    /// A program's own pages collide with its stack or with a memory region.
    pub fn plan(
        system: &SystemDescription,
        programs: &[Program],
        target: &Target,
    ) -> Result<Self, Diagnostic> {
        let mut spaces = Self::default();
        for (index, program) in programs.iter().enumerate() {
            let limit = target.map_limit(stack_bytes(system, index));
            check_segments(program, limit)?;
            spaces.add_segments(index, program);
            spaces.add(index, limit, Purpose::Stack { program: index }, target.stack_top() - limit);
        }
        spaces.add_regions(system, programs)?;
        for (index, program) in programs.iter().enumerate() {
            spaces.check_own_buffer(index, program, target)?;
        }
        spaces.services = services::plan(system, programs.len(), &mut spaces)?;
        check_counts(&spaces)?;
        spaces.mappings.sort_by_key(|mapping| (mapping.program, mapping.vaddr));
        Ok(spaces)
    }

    /// The extent of a memory region, if it is in use.
    pub(crate) fn extent_of_region(&self, region: usize) -> Option<usize> {
        self.of_regions.get(region).copied().flatten()
    }

    /// Adds an extent; returns its index.
    pub(crate) fn extend(&mut self, purpose: Purpose, bytes: u64) -> usize {
        self.extents.push(Extent { purpose, bytes, alignment: PAGE_BYTES });
        self.extents.len() - 1
    }

    /// Maps an extent into an address space for services, for the kernel only.
    pub(crate) fn see(&mut self, vspace: usize, vaddr: u64, extent: usize, access: u64) {
        let flags = access | MappingFlags::PRIVILEGED;
        let bytes = self.extents[extent].bytes;
        self.mappings.push(UserMapping { program: vspace, vaddr, bytes, extent, flags });
    }

    /// Writable pages with contents, by address.
    pub(crate) fn writable_contents(&self, program: usize) -> Vec<usize> {
        self.contents(program, |flags| flags & MappingFlags::WRITE != 0)
    }

    /// Read-only pages with contents, by address.
    pub(crate) fn constant_contents(&self, program: usize) -> Vec<usize> {
        self.contents(program, |flags| flags & MappingFlags::WRITE == 0)
    }

    fn contents(&self, program: usize, is_meant: impl Fn(u64) -> bool) -> Vec<usize> {
        let is_contents =
            |mapping: &&UserMapping| matches!(self.extents[mapping.extent].purpose, Purpose::Contents { .. });
        let own = self.mappings.iter().filter(|mapping| mapping.program == program);
        let mut found: Vec<_> = own.filter(is_contents).filter(|mapping| is_meant(mapping.flags)).collect();
        found.sort_by_key(|mapping| mapping.vaddr);
        found.into_iter().map(|mapping| mapping.extent).collect()
    }

    /// Zero-initialised pages of a program, its stack included.
    pub(crate) fn zeroed(&self, program: usize) -> Vec<usize> {
        let own = [Purpose::Zeroed { program }, Purpose::Stack { program }];
        let extents = self.extents.iter().enumerate();
        extents.filter(|(_, extent)| own.contains(&extent.purpose)).map(|(index, _)| index).collect()
    }

    /// The extent with the copy of this extent's initial contents; all users share it.
    pub(crate) fn first_contents_of(&mut self, extent: usize) -> usize {
        let Extent { purpose: Purpose::Contents { program, vaddr }, bytes, .. } = self.extents[extent] else {
            return extent;
        };
        if let Some(known) = self.first_contents.get(&extent) {
            return *known;
        }
        let first = self.extend(Purpose::FirstContents { program, vaddr }, bytes);
        self.first_contents.insert(extent, first);
        first
    }

    fn add_segments(&mut self, index: usize, program: &Program) {
        for segment in &program.segments {
            for run in segment.runs() {
                let purpose = if run.zero {
                    Purpose::Zeroed { program: index }
                } else {
                    Purpose::Contents { program: index, vaddr: run.vaddr }
                };
                self.add(index, run.vaddr, purpose, run.bytes);
                if let Some(mapping) = self.mappings.last_mut() {
                    mapping.flags = segment.flags;
                }
            }
        }
    }

    /// Adds readable and writable memory of one program.
    fn add(&mut self, program: usize, vaddr: u64, purpose: Purpose, bytes: u64) {
        let flags = MappingFlags::READ | MappingFlags::WRITE;
        let extent = self.extend(purpose, bytes);
        self.mappings.push(UserMapping { program, vaddr, bytes, extent, flags });
    }

    /// Whether the place that a program has chosen for its IPC buffer is free.
    fn check_own_buffer(&self, index: usize, program: &Program, target: &Target) -> Result<(), Diagnostic> {
        let Some(start) = program.own_ipc_buffer() else { return Ok(()) };
        let end = start.saturating_add(PAGE_BYTES);
        let own = |mapping: &&UserMapping| mapping.program == index;
        let meets = |mapping: &UserMapping| mapping.vaddr < end && start < mapping.vaddr + mapping.bytes;
        let reason = if start % PAGE_BYTES != 0 {
            "is not at the start of a page"
        } else if start > target.ipc_buffer_vaddr() {
            "is beyond the last page"
        } else if self.mappings.iter().filter(own).any(meets) {
            "overlaps with other memory of this program"
        } else {
            return Ok(());
        };
        let message = format!("ERROR: IPC buffer at 0x{start:x} of PD '{}' {reason}", program.name);
        Err(error(code::IPC_BUFFER_PLACE, message).at(program.span.as_ref()).help(
            "The address is that of the symbol __sel4_ipc_buffer_obj, which the program's linker sets.",
        ))
    }

    /// Adds every region that is mapped or whose address a program needs.
    fn add_regions(&mut self, system: &SystemDescription, programs: &[Program]) -> Result<(), Diagnostic> {
        let mut maps = vec![Vec::new(); system.memory_regions.len()];
        let mut is_used = vec![false; maps.len()];
        for (program, domain) in system.protection_domains.iter().enumerate() {
            domain.maps.iter().for_each(|map| maps[map.region].push((program, map)));
            domain.setvars.iter().for_each(|setvar| is_used[setvar.region_paddr] = true);
            served_regions(domain).for_each(|region| is_used[region] = true);
        }
        self.of_regions = vec![None; maps.len()];
        for (index, (region, maps)) in system.memory_regions.iter().zip(maps).enumerate() {
            if maps.is_empty() && !is_used[index] {
                continue;
            }
            self.of_regions[index] = Some(self.extents.len());
            for (program, map) in maps {
                check_map(&region.name, region.bytes, map, &programs[program])?;
                let large = region.page_bytes == LARGE_PAGE_BYTES;
                let (vaddr, bytes, extent) = (map.vaddr, region.bytes, self.extents.len());
                self.mappings.push(UserMapping {
                    program,
                    vaddr,
                    bytes,
                    extent,
                    flags: map_flags(map, large),
                });
            }
            let purpose = Purpose::Region { region: index };
            self.extents.push(Extent { purpose, bytes: region.bytes, alignment: region.page_bytes });
        }
        Ok(())
    }
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

/// Memory regions that are targets of a protection domain's services and wipes.
pub(crate) fn served_regions(domain: &ProtectionDomain) -> impl Iterator<Item = usize> {
    let services = domain.services.iter().filter_map(|service| match service.target {
        ServiceTarget::Region(region) => Some(region),
        ServiceTarget::Program(_) | ServiceTarget::Kernel => None,
    });
    services.chain(domain.wipes.iter().map(|wipe| wipe.region))
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

fn check_map(region: &str, bytes: u64, map: &Map, program: &Program) -> Result<(), Diagnostic> {
    let (start, end) = (map.vaddr, map.vaddr.saturating_add(bytes));
    let above = program.segments.partition_point(|segment| segment.end <= start);
    let Some(segment) = program.segments.get(above).filter(|segment| segment.start < end) else {
        return Ok(());
    };
    let message = format!(
        "ERROR: mapping MR '{region}' to PD '{}' with vaddr [0x{start:x}..0x{end:x}) will overlap with an ELF segment \
         at [0x{:x}..0x{:x})",
        program.name, segment.start, segment.end
    );
    Err(error(code::MAP_OVER_ELF, message)
        .at(&map.span)
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
