//! Physical memory, and the mappings of each address space.

use limen_abi::limits::PAGE_BYTES;
use limen_image::MappingFlags;
use serde::Serialize;

use super::Hex;
use super::connections::kind_name;
use crate::address_space::{Purpose, UserMapping};
use crate::build::Built;
use crate::segment::perms;

/// A range of physical addresses.
#[derive(Clone, Debug, Serialize)]
pub struct Memory {
    /// First address.
    pub start: Hex,
    /// First address after it.
    pub end: Hex,
    /// `image`, `contents`, `zero`, `device`, `fixed` (zero or device, decided at boot), `kernel` or `pool`.
    pub kind: &'static str,
    /// Its purpose.
    pub purpose: String,
}

/// The address space of one program.
#[derive(Clone, Debug, Serialize)]
pub struct UserMemory {
    /// Protection domain, or `monitor`.
    pub owner: String,
    /// Its mappings, ascending.
    pub ranges: Vec<UserRange>,
}

/// A range of user addresses.
#[derive(Clone, Debug, Serialize)]
pub struct UserRange {
    /// First address.
    pub start: Hex,
    /// First address after it.
    pub end: Hex,
    /// Physical address; `None` if the kernel chooses it at boot.
    pub paddr: Option<Hex>,
    /// A subset of `r`, `w`, `x`.
    pub perms: String,
    /// Whether accesses go through the caches.
    pub cached: bool,
    /// Page size in bytes.
    pub page_bytes: u64,
    /// Its purpose.
    pub purpose: String,
}

/// All physical memory in use, ascending.
pub(super) fn physical(built: &Built) -> Vec<Memory> {
    let layout = &built.layout;
    let memory = |start, end, kind, purpose: &str| Memory {
        start: Hex(start),
        end: Hex(end),
        kind,
        purpose: purpose.to_owned(),
    };
    let mut ranges = vec![
        memory(layout.start, layout.plan_paddr, "loader", "loader"),
        memory(layout.plan_paddr, layout.image_paddr, "loader", "loader plan"),
        memory(layout.image_paddr, layout.contents_paddr, "image", "boot image tables"),
        memory(layout.image_end, layout.end, "kernel", "kernel"),
        memory(built.memory.pool.start, built.memory.pool.end, "pool", "page tables"),
    ];
    for (extent, place) in built.spaces.extents.iter().zip(&built.memory.places) {
        let kind = kind_name(place.kind);
        let purpose = purpose(built, extent.purpose);
        ranges.push(memory(place.paddr, place.paddr + extent.bytes, kind, &purpose));
    }
    ranges.sort_by_key(|range| range.start);
    ranges
}

/// Every address space, by program.
pub(super) fn address_spaces(built: &Built) -> Vec<UserMemory> {
    let target = built.parts.board.target(&built.parts.config);
    let programs = built.parts.programs.iter().enumerate().map(|(index, program)| {
        let mut ranges = user_ranges(built, index);
        let rings = built.spaces.rings.iter().filter(|ring| ring.thread == index as u64);
        ranges.extend(rings.map(|ring| kernel_pages(ring.vaddr, ring.bytes, "r", "ring of the probe")));
        ranges.push(kernel_pages(program.ipc_buffer(&target), PAGE_BYTES, "rw", "IPC buffer"));
        ranges.sort_by_key(|range| range.start);
        UserMemory { owner: program.name.clone(), ranges }
    });
    let served =
        built.parts.system.protection_domains.iter().filter(|domain| crate::services::needs_space(domain));
    let works = served.zip(built.parts.programs.len()..).map(|(domain, index)| {
        let owner = format!("the kernel, for services of {}", domain.name);
        UserMemory { owner, ranges: user_ranges(built, index) }
    });
    programs.chain(works).collect()
}

fn user_ranges(built: &Built, space: usize) -> Vec<UserRange> {
    let mappings = built.spaces.mappings.iter().filter(|mapping| mapping.program == space);
    mappings.map(|mapping| user_range(built, mapping)).collect()
}

fn user_range(built: &Built, mapping: &UserMapping) -> UserRange {
    let extent = &built.spaces.extents[mapping.extent];
    UserRange {
        start: Hex(mapping.vaddr),
        end: Hex(mapping.vaddr + mapping.bytes),
        paddr: Some(Hex(built.memory.places[mapping.extent].paddr)),
        perms: perms(mapping.flags),
        cached: mapping.flags & MappingFlags::UNCACHED == 0,
        page_bytes: extent.alignment,
        purpose: purpose(built, extent.purpose),
    }
}

/// Pages of the kernel's own memory.
fn kernel_pages(vaddr: u64, bytes: u64, perms: &str, purpose: &str) -> UserRange {
    UserRange {
        start: Hex(vaddr),
        end: Hex(vaddr + bytes),
        paddr: None,
        perms: perms.to_owned(),
        cached: true,
        page_bytes: PAGE_BYTES,
        purpose: purpose.to_owned(),
    }
}

fn purpose(built: &Built, purpose: Purpose) -> String {
    let program = |index: usize| &built.parts.programs[index].name;
    match purpose {
        Purpose::Contents { program: index, .. } => format!("program of {}", program(index)),
        Purpose::Zeroed { program: index } => format!("zeroed data of {}", program(index)),
        Purpose::Stack { program: index } => format!("stack of {}", program(index)),
        Purpose::FirstContents { program: index, .. } => format!("initial contents of {}", program(index)),
        Purpose::WorkStack { program: index } => format!("kernel's stack for services of {}", program(index)),
        Purpose::Trace => "ring of the trace".to_owned(),
        Purpose::Region { region } => {
            format!("memory region {}", built.parts.system.memory_regions[region].name)
        }
    }
}
