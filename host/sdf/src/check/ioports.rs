//! Ids of I/O port ranges are unique in each protection domain, and no port has two owners.

use std::collections::HashMap;

use crate::code;
use crate::diagnostic::Diagnostic;
use crate::draft::{ProtectionDomainDraft, SystemDraft};
use crate::model::IoPort;

type Owned<'d, 'a> = (&'d ProtectionDomainDraft<'a>, &'d IoPort);

pub(super) fn check(draft: &SystemDraft, problems: &mut Vec<Diagnostic>) {
    let mut earlier: Vec<Owned> = Vec::new();
    for domain in &draft.protection_domains {
        let mut ids = HashMap::new();
        for ports in &domain.contents.ioports {
            if let Some(first) = ids.insert(ports.id, &ports.span) {
                let (id, name, location) = (ports.id, &domain.header.name, &domain.span);
                let message =
                    format!("Error: duplicate I/O port id: {id} in protection domain: '{name}' @ {location}");
                let help = format!("Choose another id; this one is taken: {first}.");
                problems.push(Diagnostic::new(code::IOPORT_ID_DUPLICATE, &ports.span, message, help));
            }
            let overlapping = |(_, other): &&Owned| ports.addr <= other.last && other.addr <= ports.last;
            if let Some(other) = earlier.iter().find(overlapping) {
                problems.push(overlap((domain, ports), *other));
            }
            earlier.push((domain, ports));
        }
    }
}

/// The locations in the message are the protection domains, as users know it; the span is the element.
fn overlap(later: Owned, earlier: Owned) -> Diagnostic {
    let describe = |(domain, ports): Owned| {
        let (id, start, end) = (ports.id, ports.addr, u32::from(ports.last) + 1);
        let (name, location) = (&domain.header.name, &domain.span);
        format!(
            "I/O port id: {id}, half-open range: [{start:#x}, {end:#x}) in protection domain: '{name}' @ {location}"
        )
    };
    let message = format!("Error: {} overlaps with {}", describe(later), describe(earlier));
    let help = "A device has one driver; others ask that protection domain.";
    Diagnostic::new(code::IOPORT_OVERLAP, &later.1.span, message, help)
}
