//! Rules that look across elements, in the order in which Microkit users see their errors.

mod caps;
mod channels;
mod domains;
mod ioports;
mod irqs;
mod maps;
mod names;
mod page_size;
mod phys_addr;
mod setvars;
mod unused;

use crate::Parsed;
use crate::diagnostic::Diagnostic;
use crate::draft::{MemoryRegionDraft, ProtectionDomainDraft, SystemDraft};
use crate::model::{Map, ProtectionDomain, Setvar, SystemDescription, UserCap};
use crate::target::Target;

/// Checks a draft and gives every name its index.
pub(crate) fn check(draft: SystemDraft, target: &Target) -> Result<Parsed, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut warnings = Vec::new();
    let caps = caps::resolve(&draft, &mut problems);
    names::check(&draft, &mut problems, &mut warnings);
    let taken = irqs::check(&draft, &mut problems);
    channels::check(&draft, taken, &mut problems);
    ioports::check(&draft, &mut problems);
    let maps = maps::resolve(&draft, target, &mut problems, &mut warnings);
    caps::check_slots(&draft, &mut problems);
    phys_addr::check(&draft.memory_regions, &mut problems);
    let setvars = setvars::resolve(&draft, target, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let page_sizes = page_size::choose(&draft.memory_regions, &maps);
    domains::warn(&draft, &mut warnings);
    unused::warn(&draft.memory_regions, &maps, &setvars, &mut warnings);
    Ok(Parsed { system: assemble(draft, caps, maps, setvars, page_sizes), warnings })
}

/// Puts the parts together; each list has one entry per protection domain or memory region.
fn assemble(
    draft: SystemDraft,
    caps: Vec<Vec<UserCap>>,
    maps: Vec<Vec<Map>>,
    setvars: Vec<Vec<Setvar>>,
    page_sizes: Vec<u64>,
) -> SystemDescription {
    let domains = draft.protection_domains.into_iter().zip(caps).zip(maps).zip(setvars);
    let domains = domains.map(|(((draft, caps), maps), setvars)| domain(draft, caps, maps, setvars));
    let regions = draft.memory_regions.into_iter().zip(page_sizes);
    SystemDescription {
        protection_domains: domains.collect(),
        memory_regions: regions
            .map(|(MemoryRegionDraft { region, .. }, page_bytes)| crate::model::MemoryRegion {
                page_bytes,
                ..region
            })
            .collect(),
        channels: draft.channels,
        domains: draft.domains,
    }
}

fn domain(
    draft: ProtectionDomainDraft,
    caps: Vec<UserCap>,
    maps: Vec<Map>,
    setvars: Vec<Setvar>,
) -> ProtectionDomain {
    let ProtectionDomainDraft { span, header, contents } = draft;
    ProtectionDomain {
        name: header.name,
        span,
        parent: header.parent,
        priority: header.priority,
        budget_us: header.budget_us,
        period_us: header.period_us,
        passive: header.passive,
        stack_bytes: header.stack_bytes,
        fpu: header.fpu,
        domain: header.domain,
        timeout_fault: header.timeout_fault,
        smc: header.smc,
        counter: contents.counter,
        fpu_counters: contents.fpu_counters,
        fpu_policy: contents.fpu_policy,
        ioports: contents.ioports,
        irqs: contents.irqs,
        caps,
        program_image: contents.program_image,
        maps,
        setvars,
    }
}
