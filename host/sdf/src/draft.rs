//! A description as written: every element is valid on its own, and references are still names.

use std::collections::HashMap;

use limen_abi::{SealCipher, ServiceKind};

use crate::diagnostic::Span;
use crate::model::{
    Channel, ChildOf, Domains, IoPort, Irq, MemoryRegion, Perms, ProgramImage, Ring, Shareable, StaticKey,
    Symbol, WipeTrigger,
};
use crate::symbols::Symbols;

/// A system before the rules across elements are checked.
pub(crate) struct SystemDraft<'a> {
    /// As in the model.
    pub(crate) boot_figures: bool,
    /// In pre-order.
    pub(crate) protection_domains: Vec<ProtectionDomainDraft<'a>>,
    /// In document order.
    pub(crate) memory_regions: Vec<MemoryRegionDraft>,
    /// Index of each region in the list; of several with the same name, the first.
    pub(crate) region_indices: HashMap<String, usize>,
    /// In document order.
    pub(crate) channels: Vec<Channel>,
    /// In document order.
    pub(crate) static_keys: Vec<StaticKeyDraft<'a>>,
    pub(crate) domains: Option<Domains>,
}

/// A protection domain: its attributes and contents.
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
    /// Location of the `pp` attribute of older descriptions, which lets peers call this domain.
    pub(crate) older_pp: Option<Span>,
    pub(crate) cpu: u8,
    pub(crate) domain: u8,
    pub(crate) timeout_fault: bool,
    pub(crate) smc: bool,
}

/// Elements inside a protection domain, except nested protection domains.
pub(crate) struct Contents<'a> {
    pub(crate) program_image: ProgramImage,
    pub(crate) counter: Option<Shareable>,
    pub(crate) fpu_counters: bool,
    pub(crate) fpu_policy: bool,
    pub(crate) probe: Option<Shareable>,
    pub(crate) sample_ring: Option<Ring>,
    pub(crate) trace: Option<Shareable>,
    pub(crate) trace_ring: Option<Ring>,
    /// Bytes of records that it asks for.
    pub(crate) trace_bytes: Option<u64>,
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

/// A capability in a chosen slot, with the name of the protection domain that owns the object.
pub(crate) struct CapDraft<'a> {
    pub(crate) kind: CapKind,
    /// Present for every kind except scheduling control.
    pub(crate) domain: Option<&'a str>,
    pub(crate) slot: u8,
    pub(crate) span: Span,
}

/// Kinds of capabilities that a description can grant, named as in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CapKind {
    Tcb,
    Sc,
    VSpace,
    SchedControl,
}

/// A static key with the name of its group.
pub(crate) struct StaticKeyDraft<'a> {
    pub(crate) key: StaticKey,
    pub(crate) group: Option<&'a str>,
}

/// A protection domain's use of a static key, with the name of the key.
pub(crate) struct KeyDraft<'a> {
    pub(crate) name: &'a str,
    pub(crate) id: Option<u8>,
    pub(crate) symbol: Option<Symbol>,
    pub(crate) shared: bool,
    pub(crate) span: Span,
}

/// A service with the name of its target.
pub(crate) struct ServiceDraft<'a> {
    pub(crate) kind: ServiceKind,
    pub(crate) id: u8,
    pub(crate) target: ServiceTargetDraft<'a>,
    pub(crate) setvar_id: Option<Symbol>,
    pub(crate) span: Span,
}

/// The target of a service, by name.
#[derive(Clone, Copy)]
pub(crate) enum ServiceTargetDraft<'a> {
    Region(&'a str),
    Program(&'a str),
    Kernel,
    Seal(SealDraft<'a>),
}

/// A seal with the names of its memory regions.
#[derive(Clone, Copy)]
pub(crate) struct SealDraft<'a> {
    pub(crate) key: &'a str,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) irq: Option<u8>,
    pub(crate) record_bytes: u64,
    pub(crate) ring: Option<RingDraft<'a>>,
    pub(crate) cipher: SealCipher,
}

/// A used ring with the name of its memory region.
#[derive(Clone, Copy)]
pub(crate) struct RingDraft<'a> {
    pub(crate) region: &'a str,
    pub(crate) offset: u64,
    pub(crate) entries: u64,
}

/// A wipe with the name of its memory region.
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

/// A memory region, and whether the tool may choose its page size.
pub(crate) struct MemoryRegionDraft {
    pub(crate) region: MemoryRegion,
    pub(crate) page_size: PageSize,
}

/// Origin of a memory region's page size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageSize {
    /// Set by the description; the tool keeps it.
    Given,
    /// Default; the tool may raise it.
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

    /// The index of the memory region with this name, and the region.
    pub(crate) fn region(&self, name: &str) -> Option<(usize, &MemoryRegion)> {
        let index = *self.region_indices.get(name)?;
        Some((index, &self.memory_regions.get(index)?.region))
    }
}
