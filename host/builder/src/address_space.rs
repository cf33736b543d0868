//! What each program sees: its own pages, its stack, its memory regions.
//!
//! The result names *extents*, runs of physical memory that still have no address ([`crate::memory`] gives them one),
//! and the places where programs see them. The IPC buffer is not among them: the kernel maps it itself.

use limen_abi::limits::{LARGE_PAGE_BYTES, PAGE_BYTES};
use limen_image::MappingFlags;
use limen_sdf::model::{Map, SystemDescription};
use limen_sdf::{Diagnostic, Target};

use crate::code;
use crate::error::{Context, error};
use crate::program::Program;
use crate::segment::Segment;

/// Bytes of the monitor's stack.
const MONITOR_STACK_BYTES: u64 = 0x2000;

/// Physically contiguous memory that is placed as one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// What it is for.
    pub purpose: Purpose,
    /// Size, a multiple of the page size.
    pub bytes: u64,
    /// Its physical address is a multiple of this: 4 KiB or 2 MiB.
    pub alignment: u64,
}

/// What an extent is for. `program` counts protection domains in order; the monitor is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Pages of a program that have contents.
    Contents {
        /// Index of the program.
        program: usize,
        /// Where the program sees them.
        vaddr: u64,
    },
    /// Pages of a program that start out as zero.
    Zeroed {
        /// Index of the program.
        program: usize,
    },
    /// The stack of a program.
    Stack {
        /// Index of the program.
        program: usize,
    },
    /// A memory region of the description.
    Region {
        /// Index of the memory region.
        region: usize,
    },
}

/// A part of an address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserMapping {
    /// Index of the program.
    pub program: usize,
    /// First user address.
    pub vaddr: u64,
    /// Size in bytes, that of the extent.
    pub bytes: u64,
    /// Index of the extent.
    pub extent: usize,
    /// [`MappingFlags`] bits.
    pub flags: u64,
}

/// All address spaces of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressSpaces {
    /// Memory that is needed.
    pub extents: Vec<Extent>,
    /// Ascending by program and address.
    pub mappings: Vec<UserMapping>,
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
        spaces.mappings.sort_by_key(|mapping| (mapping.program, mapping.vaddr));
        Ok(spaces)
    }

    /// The extent of a memory region, if anybody uses it.
    pub(crate) fn extent_of_region(&self, region: usize) -> Option<usize> {
        self.extents.iter().position(|extent| extent.purpose == Purpose::Region { region })
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

    /// Readable and writable memory of one program.
    fn add(&mut self, program: usize, vaddr: u64, purpose: Purpose, bytes: u64) {
        let flags = MappingFlags::READ | MappingFlags::WRITE;
        self.mappings.push(UserMapping { program, vaddr, bytes, extent: self.extents.len(), flags });
        self.extents.push(Extent { purpose, bytes, alignment: PAGE_BYTES });
    }

    /// Every region that is mapped, or whose address a program wants to know.
    fn add_regions(&mut self, system: &SystemDescription, programs: &[Program]) -> Result<(), Diagnostic> {
        for (index, region) in system.memory_regions.iter().enumerate() {
            let users = || system.protection_domains.iter().enumerate();
            let maps = || users().flat_map(|(pd, d)| d.maps.iter().map(move |map| (pd, map)));
            let is_mapped = maps().any(|(_, map)| map.region == index);
            let is_named = users().any(|(_, d)| d.setvars.iter().any(|s| s.region_paddr == index));
            if !is_mapped && !is_named {
                continue;
            }
            for (program, map) in maps().filter(|(_, map)| map.region == index) {
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

fn check_segments(program: &Program, limit: u64) -> Result<(), Diagnostic> {
    match program.segments.iter().find(|segment| segment.end > limit) {
        Some(Segment { start, end, .. }) => {
            let name = &program.name;
            let message = format!(
                "ERROR: ELF segment at [0x{start:x}..0x{end:x}) of PD '{name}' overlaps with its stack"
            );
            Err(error(code::ELF_OVER_STACK, message)
                .at(program.span.as_ref())
                .help(format!("Programs and their memory regions must end below 0x{limit:x}.")))
        }
        None => Ok(()),
    }
}

fn check_map(region: &str, bytes: u64, map: &Map, program: &Program) -> Result<(), Diagnostic> {
    let (start, end) = (map.vaddr, map.vaddr.saturating_add(bytes));
    let Some(segment) = program.segments.iter().find(|s| s.start < end && start < s.end) else {
        return Ok(());
    };
    let message = format!(
        "ERROR: mapping MR '{region}' to PD '{}' with vaddr [0x{start:x}..0x{end:x}) will overlap with an ELF segment \
         at [0x{:x}..0x{:x})",
        program.name, segment.start, segment.end
    );
    Err(error(code::MAP_OVER_ELF, message).at(&map.span).help("Choose a vaddr that is free in this program."))
}

fn map_flags(map: &Map, large: bool) -> u64 {
    let bit = |condition: bool, bits: u64| if condition { bits } else { 0 };
    bit(map.perms.read, MappingFlags::READ)
        | bit(map.perms.write, MappingFlags::READ | MappingFlags::WRITE)
        | bit(map.perms.execute, MappingFlags::READ | MappingFlags::EXECUTE)
        | bit(!map.cached, MappingFlags::UNCACHED)
        | bit(large, MappingFlags::LARGE)
}
