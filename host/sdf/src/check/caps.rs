//! Capabilities in slots that the description chooses: they exist, and each slot holds one.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{CapDraft, CapKind, ProtectionDomainDraft, SystemDraft};
use crate::meant;
use crate::model::{UserCap, UserCapTarget};

/// Capabilities of each protection domain. Invalid ones are reported and left out.
pub(super) fn resolve(draft: &SystemDraft, problems: &mut Problems) -> Vec<Vec<UserCap>> {
    let domains = draft.protection_domains.iter();
    domains
        .map(|domain| {
            domain.contents.caps.iter().filter_map(|cap| resolve_one(draft, cap, problems)).collect()
        })
        .collect()
}

fn resolve_one(draft: &SystemDraft, cap: &CapDraft, problems: &mut Problems) -> Option<UserCap> {
    let name = cap.domain.unwrap_or_default();
    let owner = draft.protection_domains.iter().position(|domain| domain.header.name == name);
    let target = match (cap.kind, owner) {
        (CapKind::SchedControl, _) => UserCapTarget::SchedControl,
        (CapKind::Tcb, Some(owner)) => UserCapTarget::Thread(owner),
        (CapKind::Sc, Some(owner)) => UserCapTarget::SchedContext(owner),
        (CapKind::VSpace, Some(owner)) => UserCapTarget::Vspace(owner),
        (_, None) => {
            let problem = unknown_domain(draft, name, cap, problems);
            problems.push(problem);
            return None;
        }
    };
    Some(UserCap { slot: cap.slot, target, span: cap.span.clone() })
}

/// Reports each slot with several capabilities.
pub(super) fn check_slots(draft: &SystemDraft, problems: &mut Problems) {
    for domain in &draft.protection_domains {
        let mut slots: BTreeMap<u8, Vec<&CapDraft>> = BTreeMap::new();
        for cap in &domain.contents.caps {
            slots.entry(cap.slot).or_default().push(cap);
        }
        let shared = slots.iter().filter(|(_, caps)| caps.len() > 1);
        problems.extend(shared.filter_map(|(slot, caps)| overlap(domain, *slot, caps)));
    }
}

fn unknown_domain(draft: &SystemDraft, name: &str, cap: &CapDraft, problems: &Problems) -> Diagnostic {
    let span = &cap.span;
    let message = format!("Error: unknown PD name '{name}': {span}");
    let rule = "pd must be the name of a protection domain in this file";
    let help = meant::help(problems, rule, name, draft.domain_names());
    Diagnostic::new(code::CSPACE_PD_UNKNOWN, span, message, help)
}

fn overlap(domain: &ProtectionDomainDraft, slot: u8, caps: &[&CapDraft]) -> Option<Diagnostic> {
    let name = &domain.header.name;
    let mut message = format!("Error: overlapping user caps in slot {slot} of protection domain '{name}':");
    for cap in caps {
        let from = cap.domain.map(|domain| format!(" from '{domain}'")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(message, "\n  type {:?}{from} at '{}'", cap.kind, cap.span);
    }
    let help = "Give each capability its own slot, from 1 to 63.";
    Some(Diagnostic::new(code::CSPACE_OVERLAP, &caps.last()?.span, message, help))
}
