//! A description as written: every element is legal in itself, memory regions are still names.

use std::collections::HashMap;

use limen_abi::ServiceKind;

use crate::diagnostic::Span;
use crate::model::{
    Channel, ChildOf, Domains, IoPort, Irq, MemoryRegion, Perms, ProgramImage, Shareable, StaticKey, Symbol,
    WipeTrigger,
};
use crate::symbols::Symbols;

/// A system before the rules that look across elements.
pub(crate) struct SystemDraft<'a> {
    /// As in the model.
    pub(crate) boot_figures: bool,
    /// In pre-order.
    pub(crate) protection_domains: Vec<ProtectionDomainDraft<'a>>,
    /// In document order.
    pub(crate) memory_regions: Vec<MemoryRegionDraft>,
    /// Where in the list each of them is; the first of several with the same name.
    pub(crate) region_indices: HashMap<String, usize>,
    /// In document order.
    pub(crate) channels: Vec<Channel>,
    /// In document order.
    pub(crate) static_keys: Vec<StaticKey>,
    pub(crate) domains: Option<Domains>,
}

/// A protection domain: its attributes and what is inside.
pub(crate) struct ProtectionDomainDraft<'a> {
    pub(crate) span: Span,
    pub(crate) header: Header,
    pub(crate) contents: Contents<'a>,
}

/// Attributes of a protection domain; fields as in the model.
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) parent: Option<ChildOf>,
    pub(crate) priority: u8,
    pub(crate) budget_us: u64,
    pub(crate) period_us: u64,
    pub(crate) passive: bool,
    pub(crate) stack_bytes: u64,
    pub(crate) fpu: bool,
    /// Where `pp` says that others may call it, as it did in older descriptions.
    pub(crate) older_pp: Option<Span>,
    pub(crate) domain: u8,
    pub(crate) timeout_fault: bool,
    pub(crate) smc: bool,
}

/// Elements inside a protection domain, nested protection domains apart.
pub(crate) struct Contents<'a> {
    pub(crate) program_image: ProgramImage,
    pub(crate) counter: Option<Shareable>,
    pub(crate) fpu_counters: bool,
    pub(crate) fpu_policy: bool,
    pub(crate) probe: Option<Shareable>,
    pub(crate) ioports: Vec<IoPort>,
    pub(crate) irqs: Vec<Irq>,
    pub(crate) keys: Vec<KeyDraft<'a>>,
    pub(crate) services: Vec<ServiceDraft<'a>>,
    pub(crate) wipes: Vec<WipeDraft<'a>>,
    pub(crate) caps: Vec<CapDraft<'a>>,
    pub(crate) maps: Vec<MapDraft<'a>>,
    pub(crate) setvars: Vec<SetvarDraft<'a>>,
    pub(crate) symbols: Symbols<'a>,
}

/// A capability in a chosen slot, with the name of the protection domain whose object it is.
pub(crate) struct CapDraft<'a> {
    pub(crate) kind: CapKind,
    /// Every kind but scheduling control has one.
    pub(crate) domain: Option<&'a str>,
    pub(crate) slot: u8,
    pub(crate) span: Span,
}

/// Kinds of capabilities that a description may hand out, by the names that messages use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CapKind {
    Tcb,
    Sc,
    VSpace,
    SchedControl,
}

/// What a protection domain has to do with a static key, with its name.
pub(crate) struct KeyDraft<'a> {
    pub(crate) name: &'a str,
    pub(crate) id: Option<u8>,
    pub(crate) symbol: Option<Symbol>,
    pub(crate) shared: bool,
    pub(crate) span: Span,
}

/// A service with the name of what it works on.
pub(crate) struct ServiceDraft<'a> {
    pub(crate) kind: ServiceKind,
    pub(crate) id: u8,
    pub(crate) target: ServiceTargetDraft<'a>,
    pub(crate) setvar_id: Option<Symbol>,
    pub(crate) span: Span,
}

/// What a service works on, by name.
#[derive(Clone, Copy)]
pub(crate) enum ServiceTargetDraft<'a> {
    Region(&'a str),
    Program(&'a str),
    Kernel,
}

/// Memory that is wiped, with the name of its region.
pub(crate) struct WipeDraft<'a> {
    pub(crate) region: &'a str,
    pub(crate) trigger: WipeTrigger,
    pub(crate) span: Span,
}

/// A map with the name of its memory region.
pub(crate) struct MapDraft<'a> {
    pub(crate) region: &'a str,
    pub(crate) vaddr: u64,
    pub(crate) perms: Perms,
    pub(crate) cached: bool,
    pub(crate) setvar_vaddr: Option<Symbol>,
    pub(crate) setvar_size: Option<Symbol>,
    pub(crate) setvar_prefill_size: Option<Symbol>,
    pub(crate) span: Span,
}

/// A setvar with the name of its memory region.
pub(crate) struct SetvarDraft<'a> {
    pub(crate) symbol: Symbol,
    pub(crate) region_paddr: &'a str,
}

/// A memory region, and whether its page size is the tool's choice.
pub(crate) struct MemoryRegionDraft {
    pub(crate) region: MemoryRegion,
    pub(crate) page_size: PageSize,
}

/// Who chose the page size of a memory region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageSize {
    /// The description; it stays.
    Given,
    /// Nobody yet; it may be raised.
    Default,
}

impl SystemDraft<'_> {
    /// Names of the memory regions.
    pub(crate) fn region_names(&self) -> impl Iterator<Item = &str> {
        self.memory_regions.iter().map(|draft| draft.region.name.as_str())
    }

    /// Names of the protection domains.
    pub(crate) fn domain_names(&self) -> impl Iterator<Item = &str> {
        self.protection_domains.iter().map(|domain| domain.header.name.as_str())
    }

    /// The memory region with this name, and its index.
    pub(crate) fn region(&self, name: &str) -> Option<(usize, &MemoryRegion)> {
        let index = *self.region_indices.get(name)?;
        Some((index, &self.memory_regions.get(index)?.region))
    }
}
