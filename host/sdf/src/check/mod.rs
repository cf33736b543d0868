//! Rules across elements, in the order in which Microkit users see their errors.

mod caps;
mod channels;
mod domains;
mod ioports;
mod irqs;
mod keys;
mod maps;
mod names;
mod older_pp;
mod page_size;
mod phys_addr;
mod ranges;
mod seals;
mod services;
mod setvars;
mod unused;
mod wipes;

use crate::Parsed;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{MemoryRegionDraft, ProtectionDomainDraft, SystemDraft};
use crate::model::{
    KeyUse, Map, ProtectionDomain, Service, Setvar, StaticKey, SystemDescription, UserCap, Wipe,
};
use crate::target::Target;

/// Checks a draft and resolves every name to an index.
pub(crate) fn check(mut draft: SystemDraft, target: &Target) -> Result<Parsed, Vec<Diagnostic>> {
    let mut problems = Problems::default();
    let mut warnings = Problems::default();
    older_pp::grant(&mut draft, &mut warnings);
    let caps = caps::resolve(&draft, &mut problems);
    names::check(&draft, &mut problems, &mut warnings);
    let taken = irqs::check(&draft, &mut problems);
    channels::check(&draft, taken, &mut problems);
    ioports::check(&draft, &mut problems);
    let maps = maps::resolve(&draft, target, &mut problems, &mut warnings);
    caps::check_slots(&draft, &mut problems);
    phys_addr::check(&draft.memory_regions, &mut problems);
    let setvars = setvars::resolve(&draft, target, &mut problems);
    let (static_keys, keys) = keys::resolve(&draft, &mut problems);
    let services = services::resolve(&draft, &mut problems);
    let wipes = wipes::resolve(&draft, &mut problems);
    if !problems.is_empty() {
        return Err(problems.into_kept());
    }
    let page_sizes = page_size::choose(&draft.memory_regions, &maps);
    domains::warn(&draft, &mut warnings);
    unused::warn(&draft.memory_regions, &maps, &setvars, &services, &mut warnings);
    Ok(Parsed {
        system: assemble(
            draft,
            static_keys,
            Resolved { keys, services, wipes, caps, maps, setvars },
            page_sizes,
        ),
        warnings: warnings.into_kept(),
    })
}

/// Resolved names, by protection domain.
struct Resolved {
    keys: Vec<Vec<KeyUse>>,
    services: Vec<Vec<Service>>,
    wipes: Vec<Vec<Wipe>>,
    caps: Vec<Vec<UserCap>>,
    maps: Vec<Vec<Map>>,
    setvars: Vec<Vec<Setvar>>,
}

/// Assembles the system; each list has one entry per protection domain or memory region.
fn assemble(
    draft: SystemDraft,
    static_keys: Vec<StaticKey>,
    resolved: Resolved,
    page_sizes: Vec<u64>,
) -> SystemDescription {
    let Resolved { keys, services, wipes, caps, maps, setvars } = resolved;
    let trace_bytes = maps::trace_bytes(&draft.protection_domains, &static_keys);
    let domains = draft.protection_domains.into_iter().map(domain);
    let domains = domains.zip(keys).map(|(domain, keys)| ProtectionDomain { keys, ..domain });
    let domains = domains.zip(services).map(|(domain, services)| ProtectionDomain { services, ..domain });
    let domains = domains.zip(wipes).map(|(domain, wipes)| ProtectionDomain { wipes, ..domain });
    let domains = domains.zip(caps).map(|(domain, caps)| ProtectionDomain { caps, ..domain });
    let domains = domains.zip(maps).map(|(domain, maps)| ProtectionDomain { maps, ..domain });
    let domains = domains.zip(setvars).map(|(domain, setvars)| ProtectionDomain { setvars, ..domain });
    let regions = draft.memory_regions.into_iter().zip(page_sizes);
    SystemDescription {
        boot_figures: draft.boot_figures,
        protection_domains: domains.collect(),
        memory_regions: regions
            .map(|(MemoryRegionDraft { region, .. }, page_bytes)| crate::model::MemoryRegion {
                page_bytes,
                ..region
            })
            .collect(),
        channels: draft.channels,
        static_keys,
        trace_bytes,
        domains: draft.domains,
    }
}

/// The parts of a protection domain that refer to no other element.
fn domain(draft: ProtectionDomainDraft) -> ProtectionDomain {
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
        cpu: header.cpu,
        domain: header.domain,
        timeout_fault: header.timeout_fault,
        smc: header.smc,
        counter: contents.counter,
        fpu_counters: contents.fpu_counters,
        fpu_policy: contents.fpu_policy,
        probe: contents.probe,
        sample_ring: contents.sample_ring,
        trace: contents.trace,
        trace_ring: contents.trace_ring,
        ioports: contents.ioports,
        irqs: contents.irqs,
        program_image: contents.program_image,
        keys: Vec::new(),
        services: Vec::new(),
        wipes: Vec::new(),
        caps: Vec::new(),
        maps: Vec::new(),
        setvars: Vec::new(),
    }
}
