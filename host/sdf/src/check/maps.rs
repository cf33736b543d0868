//! Maps name a memory region and fit below the stack. Maps and rings do not overlap.

use std::fmt;

use limen_abi::KernelKey;
use limen_abi::limits::{PAGE_BYTES, SAMPLE_RINGS};
use limen_abi::trace::{DEFAULT_BYTES, memory_bytes_of};

use super::ranges::Ranges;
use crate::attribute::Reported;
use crate::code;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::draft::{MapDraft, ProtectionDomainDraft, SystemDraft};
use crate::meant;
use crate::model::{Map, MemoryRegion, Ring, StaticKey};
use crate::target::Target;

/// Checked maps of each protection domain. Invalid ones are reported and left out.
pub(super) fn resolve(
    draft: &SystemDraft,
    target: &Target,
    problems: &mut Problems,
    warnings: &mut Problems,
) -> Vec<Vec<Map>> {
    let domains = draft.protection_domains.iter();
    let mut rings = domains.clone().filter_map(|domain| domain.contents.sample_ring.as_ref());
    if let Some(Ring { span, .. }) = rings.nth(SAMPLE_RINGS) {
        let message = format!("Error: too many rings of samples. Maximum is {SAMPLE_RINGS}: {span}");
        let help = "Programs without a ring read their samples with limen_probe_read.";
        problems.push(Diagnostic::new(code::PROBE_RINGS_TOO_MANY, span, message, help));
    }
    domains.map(|domain| resolve_domain(draft, domain, target, problems, warnings)).collect()
}

/// The bytes of records in each ring of the trace: the most that a protection domain asks for. A key of the trace needs a ring
/// even if no program reads it.
pub(super) fn trace_bytes(domains: &[ProtectionDomainDraft], keys: &[StaticKey]) -> Option<u64> {
    let has_key = keys.iter().any(|key| key.kernel.is_some_and(KernelKey::is_trace));
    let has_trace = has_key || domains.iter().any(|domain| domain.contents.trace_ring.is_some());
    let asked = domains.iter().filter_map(|domain| domain.contents.trace_bytes).max();
    has_trace.then(|| asked.unwrap_or(DEFAULT_BYTES))
}

/// Addresses of a map or ring, for checks and messages.
#[derive(Clone, Copy)]
struct Extent<'d> {
    what: What<'d>,
    start: u64,
    end: u64,
}

/// A holder of addresses.
#[derive(Clone, Copy)]
enum What<'d> {
    /// A map for this region.
    Map(&'d str),
    /// The ring of a probe.
    Ring,
    /// The ring of the trace.
    Trace,
}

impl fmt::Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map(region) => write!(f, "map for '{region}'"),
            Self::Ring => f.write_str("the ring of 'probe'"),
            Self::Trace => f.write_str("the ring of 'trace'"),
        }
    }
}

fn resolve_domain(
    draft: &SystemDraft,
    domain: &ProtectionDomainDraft,
    target: &Target,
    problems: &mut Problems,
    warnings: &mut Problems,
) -> Vec<Map> {
    let limit = target.map_limit(domain.header.stack_bytes);
    let mut maps = Vec::new();
    let mut extents = Ranges::default();
    for map in &domain.contents.maps {
        let Ok((index, extent)) = locate(draft, map, limit, problems) else { continue };
        if extent.end == limit {
            warnings.push(no_stack_guard(map));
        }
        if let Err(other) = extents.insert((extent.start, extent.end), extent) {
            problems.push(overlap(&map.span, &extent, &other, &domain.header.name));
        }
        maps.push(resolved(map, index));
    }
    if let Some(Ring { vaddr, span, .. }) = &domain.contents.sample_ring {
        let extent = Extent { what: What::Ring, start: *vaddr, end: vaddr + PAGE_BYTES };
        if let Err(other) = extents.insert((extent.start, extent.end), extent) {
            problems.push(overlap(span, &extent, &other, &domain.header.name));
        }
    }
    if let Some(Ring { vaddr, span, .. }) = &domain.contents.trace_ring {
        let records = trace_bytes(&draft.protection_domains, &[]).unwrap_or_default();
        let bytes = memory_bytes_of(target.cpus.into(), records);
        let extent = Extent { what: What::Trace, start: *vaddr, end: vaddr + bytes };
        if extent.end > limit {
            problems.push(beyond_limit(span, &extent, limit));
        } else if let Err(other) = extents.insert((extent.start, extent.end), extent) {
            problems.push(overlap(span, &extent, &other, &domain.header.name));
        }
    }
    maps
}

/// Finds the memory region and checks that its map fits into the address space.
fn locate<'d>(
    draft: &SystemDraft,
    map: &MapDraft<'d>,
    limit: u64,
    problems: &mut Problems,
) -> Result<(usize, Extent<'d>), Reported> {
    let Some((index, region)) = draft.region(map.region) else {
        let problem = unknown_region(draft, map, problems);
        problems.push(problem);
        return Err(Reported);
    };
    let mut report = |problem| {
        problems.push(problem);
        Reported
    };
    if !map.vaddr.is_multiple_of(region.page_bytes) {
        return Err(report(misaligned(map, region)));
    }
    let Some(end) = map.vaddr.checked_add(region.bytes) else {
        return Err(report(overflow(map)));
    };
    let extent = Extent { what: What::Map(map.region), start: map.vaddr, end };
    if end > limit {
        return Err(report(beyond_limit(&map.span, &extent, limit)));
    }
    Ok((index, extent))
}

fn resolved(map: &MapDraft, region: usize) -> Map {
    Map {
        region,
        vaddr: map.vaddr,
        perms: map.perms,
        cached: map.cached,
        setvar_vaddr: map.setvar_vaddr.clone(),
        setvar_size: map.setvar_size.clone(),
        setvar_prefill_size: map.setvar_prefill_size.clone(),
        span: map.span.clone(),
    }
}

fn unknown_region(draft: &SystemDraft, map: &MapDraft, problems: &Problems) -> Diagnostic {
    let message = format!("Error: invalid memory region name '{}' on 'map' @ {}", map.region, map.span);
    let rule = "mr must be the name of a memory_region in this file";
    let help = meant::help(problems, rule, map.region, draft.region_names());
    Diagnostic::new(code::MAP_MR_UNKNOWN, &map.span, message, help)
}

fn misaligned(map: &MapDraft, region: &MemoryRegion) -> Diagnostic {
    let message = format!("Error: invalid vaddr alignment on 'map' @ {}", map.span);
    let help =
        format!("vaddr must be a multiple of {:#x}, the page size of '{}'.", region.page_bytes, region.name);
    Diagnostic::new(code::MAP_VADDR_ALIGNMENT, &map.span, message, help)
}

fn overflow(map: &MapDraft) -> Diagnostic {
    let message = format!("Error: map for '{}' has address range that overflows @ {}", map.region, map.span);
    let help = "vaddr plus the size of the memory region must fit into 64 bits; check the size.";
    Diagnostic::new(code::MAP_OVERFLOW, &map.span, message, help)
}

fn beyond_limit(span: &Span, extent: &Extent, limit: u64) -> Diagnostic {
    let Extent { what, start, end } = extent;
    let message = format!(
        "Error: {what} has virtual address range [{start:#x}..{end:#x}) which exceeds valid address \
         space [0x0..{limit:#x}) @ {span}"
    );
    let help = "The stack of the protection domain starts at the limit, and its IPC buffer lies above.";
    Diagnostic::new(code::MAP_END_LIMIT, span, message, help)
}

fn overlap(span: &Span, extent: &Extent, other: &Extent, domain: &str) -> Diagnostic {
    let Extent { what, start, end } = extent;
    let message = format!(
        "Error: {what} has virtual address range [{start:#x}..{end:#x}) which overlaps with {} [{:#x}..{:#x}) in \
         protection domain '{domain}' @ {span}",
        other.what, other.start, other.end
    );
    let help = format!("The other map ends at {:#x}.", other.end);
    Diagnostic::new(code::MAP_OVERLAP, span, message, help)
}

fn no_stack_guard(map: &MapDraft) -> Diagnostic {
    let (region, span) = (map.region, &map.span);
    let message = format!(
        "WARNING: map for '{region}' ends at the bottom of the stack, so a stack overflow would write to it: {span}"
    );
    let help = "Leave at least one page unmapped below the stack, so that a stack overflow faults.";
    Diagnostic::new(code::MAP_STACK_GUARD, span, message, help)
}
