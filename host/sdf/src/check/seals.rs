//! Seals: the memory regions exist and are large enough, and no two seals have the same key.

use std::collections::{HashMap, HashSet};

use limen_abi::limits::PAGE_BYTES;
use limen_abi::service::SEALED_HEADER_BYTES;

use super::services::Refusal;
use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{ProtectionDomainDraft, SealDraft, SystemDraft};
use crate::meant;
use crate::model::{MemoryRegion, Seal, Service, ServiceTarget, UsedRing};

/// Bytes of a used ring: flags, index, entries, and the index of an event.
const fn ring_bytes(entries: u64) -> u64 {
    4 + 8 * entries + 2
}

/// Resolves the names of a seal.
pub(super) fn resolve(
    draft: &SystemDraft,
    domain: &ProtectionDomainDraft,
    irqs: &HashSet<u8>,
    seal: &SealDraft,
    problems: &Problems,
) -> Result<ServiceTarget, Refusal> {
    let find = |attribute, name| find(draft, attribute, name, problems);
    let (key, _) = find("key", seal.key)?;
    let (from, records) = find("from", seal.from)?;
    let (to, sealed) = find("to", seal.to)?;
    let ring = seal.ring.as_ref().map(|ring| Ok((ring, find("used", ring.region)?))).transpose()?;
    holds(records, 0, seal.record_bytes, "a record")?;
    holds(sealed, 0, SEALED_HEADER_BYTES as u64 + seal.record_bytes, "a sealed record")?;
    if let Some((ring, (_, region))) = &ring {
        holds(region, ring.offset, ring_bytes(ring.entries), "the ring")?;
    }
    let ring =
        ring.map(|(ring, (region, _))| UsedRing { region, offset: ring.offset, entries: ring.entries });
    if [Some(key), Some(from), ring.map(|ring| ring.region)].contains(&Some(to)) {
        let help = "The kernel overwrites to; give sealed records a memory region without other uses.";
        let text = format!("memory region '{}' is both to and another part of the seal", seal.to);
        return Err((code::SEAL_OVERWRITES, text, help.to_owned()));
    }
    if let Some(id) = seal.irq
        && !irqs.contains(&id)
    {
        let text = format!("protection domain '{}' has no interrupt with id {id}", domain.header.name);
        let help = "irq must be the id of an irq element of the same protection domain.";
        return Err((code::SEAL_IRQ_UNKNOWN, text, help.to_owned()));
    }
    let SealDraft { irq, record_bytes, cipher, .. } = *seal;
    Ok(ServiceTarget::Seal(Seal { key, from, to, irq, record_bytes, ring, cipher }))
}

/// Reports seals that name the key of an earlier one.
pub(super) fn check_keys(draft: &SystemDraft, services: &[Vec<Service>], problems: &mut Problems) {
    let mut seen: HashMap<usize, &Service> = HashMap::new();
    for service in services.iter().flatten() {
        let ServiceTarget::Seal(seal) = service.target else { continue };
        if let Some(first) = seen.insert(seal.key, service) {
            let (name, span) = (&draft.memory_regions[seal.key].region.name, &service.span);
            let message = format!("Error: memory region '{name}' is already the key of a seal: {span}");
            let help = format!(
                "Two seals would number their records alike, which reveals the contents; the other is at {}.",
                first.span
            );
            problems.push(Diagnostic::new(code::SEAL_KEY_SHARED, span, message, help));
        }
    }
}

fn find<'d>(
    draft: &'d SystemDraft,
    attribute: &str,
    name: &str,
    problems: &Problems,
) -> Result<(usize, &'d MemoryRegion), Refusal> {
    draft.region(name).ok_or_else(|| {
        let rule = format!("{attribute} must be the name of a memory_region in this file");
        let help = meant::help(problems, &rule, name, draft.region_names());
        (code::SEAL_REGION_UNKNOWN, format!("unknown memory region name '{name}'"), help)
    })
}

fn holds(region: &MemoryRegion, offset: u64, bytes: u64, what: &str) -> Result<(), Refusal> {
    if offset.checked_add(bytes).is_some_and(|end| end <= region.bytes) {
        return Ok(());
    }
    let text = format!("memory region '{}' does not hold {what}, which has 0x{bytes:x} bytes", region.name);
    let pages = bytes.div_ceil(PAGE_BYTES) * PAGE_BYTES;
    let help =
        format!("A memory region of at least 0x{pages:x} bytes holds it at offset 0; record sets its size.");
    Err((code::SEAL_TOO_SMALL, text, help))
}
