//! The report of a build in two forms: text for people ([`Report::to_text`]), JSON for tools ([`Report::to_json`]).
//!
//! In JSON, addresses and badges are hexadecimal strings; all other quantities are numbers.

mod digests;
mod domains;
mod hex;
mod interrupt_list;
mod memory_map;
mod object_graph;
mod text;

use serde::Serialize;

use crate::address_plan::stack_bytes;
use crate::build::Built;
pub use digests::ExpectedDigest;
pub use domains::{Domains, Slot};
pub use hex::Hex;
pub use interrupt_list::InterruptLine;
pub use memory_map::{Memory, UserMemory, UserRange};
pub use object_graph::{Capability, CapabilityTable, ObjectGraph, Thread};
pub use text::human_bytes;

/// Version of the JSON form.
const SCHEMA: u32 = 1;

/// The report of a built system.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    schema: u32,
    /// Version of Limen.
    version: &'static str,
    board: String,
    config: String,
    sizes: Sizes,
    protection_domains: Vec<ProtectionDomain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domains: Option<Domains>,
    #[serde(flatten)]
    graph: ObjectGraph,
    interrupts: Vec<InterruptLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    digests: Vec<ExpectedDigest>,
    physical_memory: Vec<Memory>,
    address_spaces: Vec<UserMemory>,
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

/// A protection domain of the description.
#[derive(Clone, Debug, Serialize)]
struct ProtectionDomain {
    name: String,
    parent: Option<String>,
    program: String,
    priority: u8,
    budget_us: u64,
    period_us: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    passive: bool,
    fpu: bool,
    counter: bool,
    stack_start: Hex,
    stack_end: Hex,
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
        let domains = 0..built.parts.system.protection_domains.len();
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            board: built.parts.board.name.clone(),
            config: built.parts.config.name.clone(),
            sizes: sizes(built),
            protection_domains: domains.map(|index| protection_domain(built, index)).collect(),
            domains: Domains::new(built),
            graph: ObjectGraph::new(built),
            interrupts: interrupt_list::interrupts(built),
            digests: digests::digests(built),
            physical_memory: memory_map::physical(built),
            address_spaces: memory_map::address_spaces(built),
            kernel: kernel(built),
        }
    }

    /// Sizes in bytes.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Kernel objects and capabilities.
    #[must_use]
    pub fn graph(&self) -> &ObjectGraph {
        &self.graph
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

fn protection_domain(built: &Built, index: usize) -> ProtectionDomain {
    let system = &built.parts.system;
    let domain = &system.protection_domains[index];
    let stack_end = built.parts.board.target().stack_top();
    let parent = domain.parent.as_ref();
    ProtectionDomain {
        name: domain.name.clone(),
        parent: parent.map(|parent| system.protection_domains[parent.parent].name.clone()),
        program: built.parts.programs[index].path.display().to_string(),
        priority: domain.priority,
        budget_us: domain.budget_us,
        period_us: domain.period_us,
        domain: system.domains.as_ref().map(|domains| domains.name_of(domain.domain).to_owned()),
        passive: domain.passive,
        fpu: domain.fpu,
        counter: domain.counter.is_some(),
        stack_start: Hex(stack_end - stack_bytes(system, index)),
        stack_end: Hex(stack_end),
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
