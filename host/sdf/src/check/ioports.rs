//! Ids of I/O port ranges are unique within each protection domain, and each port has one owner.

use std::collections::HashMap;

use super::ranges::Ranges;
use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{ProtectionDomainDraft, SystemDraft};
use crate::model::IoPort;

type Owned<'d, 'a> = (&'d ProtectionDomainDraft<'a>, &'d IoPort);

pub(super) fn check(draft: &SystemDraft, problems: &mut Problems) {
    let mut earlier = Ranges::<Owned>::default();
    for domain in &draft.protection_domains {
        let mut ids = HashMap::new();
        for ports in &domain.contents.ioports {
            if let Some(first) = ids.insert(ports.id, &ports.span) {
                let (id, name, location) = (ports.id, &domain.header.name, &domain.span);
                let message =
                    format!("Error: duplicate I/O port id: {id} in protection domain: '{name}' @ {location}");
                let help = format!("Choose another id; the element at {first} has this one.");
                problems.push(Diagnostic::new(code::IOPORT_ID_DUPLICATE, &ports.span, message, help));
            }
            let range = (u64::from(ports.addr), u64::from(ports.last) + 1);
            if let Err(other) = earlier.insert(range, (domain, ports)) {
                problems.push(overlap((domain, ports), other));
            }
        }
    }
}

/// The message has the locations of the protection domains, as users know it; the span is the element.
fn overlap(later: Owned, earlier: Owned) -> Diagnostic {
    let describe = |(domain, ports): Owned| {
        let (id, start, end) = (ports.id, ports.addr, u32::from(ports.last) + 1);
        let (name, location) = (&domain.header.name, &domain.span);
        format!(
            "I/O port id: {id}, half-open range: [{start:#x}, {end:#x}) in protection domain: '{name}' @ {location}"
        )
    };
    let message = format!("Error: {} overlaps with {}", describe(later), describe(earlier));
    let help = "Only one protection domain can own a port; let the others call it.";
    Diagnostic::new(code::IOPORT_OVERLAP, &later.1.span, message, help)
}
