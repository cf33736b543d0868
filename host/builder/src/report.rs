//! The report of a build in two forms: text for people ([`Report::to_text`]), JSON for tools ([`Report::to_json`]).
//!
//! In JSON, addresses and badges are hexadecimal strings; all other quantities are numbers.

mod authority_list;
mod connections;
mod digests;
mod domains;
mod hex;
mod interrupt_list;
mod memory_map;
mod object_graph;
mod processors;
mod program_list;
mod text;
mod trace;

use serde::Serialize;

use crate::build::Built;
pub use authority_list::{AuthorityRow, PriorityLevel, PriorityOrder};
pub use connections::{Channel, ChannelEnd, MemoryRegion, RegionMap};
pub use digests::ExpectedDigest;
pub use domains::{Domains, ProcessorSchedule, Schedule, Slot};
pub use hex::Hex;
pub use interrupt_list::InterruptLine;
pub use memory_map::{Memory, UserMemory, UserRange};
pub use object_graph::{Capability, CapabilityTable, ObjectGraph, Thread};
pub use processors::{Home, Place, ProcessorCrossing, Processors};
pub use program_list::{GrantedService, IoPorts, Key, ProtectionDomain, Wipe};
pub use text::human_bytes;
pub use trace::{Trace, TracedProgram};

/// Version of the JSON form.
const SCHEMA: u32 = 1;

/// The report of a built system.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    schema: u32,
    /// Version of Limen.
    pub version: &'static str,
    /// The board.
    pub board: String,
    /// Its instruction set.
    pub architecture: &'static str,
    /// The configuration.
    pub config: String,
    /// Sizes in bytes.
    pub sizes: Sizes,
    /// The protection domains, in the order of the description.
    pub protection_domains: Vec<ProtectionDomain>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The memory regions.
    pub memory_regions: Vec<MemoryRegion>,
    /// Scheduling domains, if the description has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domains: Option<Domains>,
    /// Processors with their programs, if the system has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processors: Option<Processors>,
    /// Which party can affect which.
    pub authority: Vec<AuthorityRow>,
    /// Which program can delay which.
    pub priorities: Vec<PriorityOrder>,
    /// Kernel objects and capabilities.
    #[serde(flatten)]
    pub graph: ObjectGraph,
    /// The interrupts.
    pub interrupts: Vec<InterruptLine>,
    /// Digests at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub digests: Vec<ExpectedDigest>,
    /// The ring of the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Physical memory in use.
    pub physical_memory: Vec<Memory>,
    /// The address space of each program.
    pub address_spaces: Vec<UserMemory>,
    kernel: Kernel,
}

/// Sizes in bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Sizes {
    /// The output file.
    pub file_bytes: u64,
    /// Header and tables of the boot image.
    pub tables_bytes: u64,
    /// Page contents of the boot image.
    pub contents_bytes: u64,
    /// RAM for page tables.
    pub pool_bytes: u64,
    /// RAM in use by loader, image, kernel and programs.
    pub used_bytes: u64,
}

/// Addresses of the kernel.
#[derive(Clone, Debug, Serialize)]
struct Kernel {
    entry: Hex,
    segments: Vec<KernelSegment>,
}

/// A part of the kernel.
#[derive(Clone, Copy, Debug, Serialize)]
struct KernelSegment {
    vaddr: Hex,
    paddr: Hex,
    file_bytes: u64,
    memory_bytes: u64,
    flags: u32,
}

impl Report {
    /// Makes the report of a built system.
    #[must_use]
    pub fn new(built: &Built) -> Self {
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            board: built.parts.board.name.clone(),
            architecture: built.parts.board.architecture.name(),
            config: built.parts.config.name.clone(),
            sizes: sizes(built),
            protection_domains: program_list::programs(built),
            channels: connections::channels(built),
            memory_regions: connections::memory_regions(built),
            domains: Domains::new(built),
            processors: Processors::new(built),
            authority: authority_list::rows(built),
            priorities: authority_list::priorities(built),
            graph: ObjectGraph::new(built),
            interrupts: interrupt_list::interrupts(built),
            digests: digests::digests(built),
            trace: trace::trace(built),
            physical_memory: memory_map::physical(built),
            address_spaces: memory_map::address_spaces(built),
            kernel: kernel(built),
        }
    }

    /// The report for people.
    #[must_use]
    pub fn to_text(&self) -> String {
        text::render(self)
    }

    /// The report for tools.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(self)
    }
}

/// `value` as indented JSON with a line end.
///
/// The types of a report hold only values that JSON can express, so this cannot fail.
fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn sizes(built: &Built) -> Sizes {
    Sizes {
        file_bytes: built.file.len() as u64,
        tables_bytes: built.tables.tables_bytes(),
        contents_bytes: built.layout.image_end - built.layout.contents_paddr,
        pool_bytes: built.memory.pool.end - built.memory.pool.start,
        used_bytes: built.used_bytes(),
    }
}

fn kernel(built: &Built) -> Kernel {
    let segments = built.parts.kernel.segments.iter().zip(&built.layout.kernel_paddrs);
    let segment = |(segment, &paddr): (&crate::elf::ElfSegment, &u64)| KernelSegment {
        vaddr: Hex(segment.vaddr),
        paddr: Hex(paddr),
        file_bytes: segment.data.len() as u64,
        memory_bytes: segment.memory_bytes,
        flags: segment.flags,
    };
    Kernel { entry: Hex(built.parts.kernel.entry), segments: segments.map(segment).collect() }
}
