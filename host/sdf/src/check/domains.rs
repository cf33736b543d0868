//! Warns of protection domains that never run.

use std::collections::HashSet;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::draft::SystemDraft;

/// The monitor's domain.
const MONITOR: u8 = 0;

/// Warns of each protection domain, and of the monitor, if its domain has no slot in the repeating cycle.
pub(super) fn warn(draft: &SystemDraft, warnings: &mut Problems) {
    let Some(domains) = &draft.domains else { return };
    let running: HashSet<u8> = domains.repeating().map(|(domain, _)| domain).collect();
    let idle = draft.protection_domains.iter().filter(|domain| !running.contains(&domain.header.domain));
    for domain in idle {
        let what = format!("protection domain '{}'", domain.header.name);
        warnings.push(never_runs(&what, domains.name_of(domain.header.domain), &domain.span));
    }
    if !running.contains(&MONITOR)
        && let Some(first) = domains.names.first()
    {
        let span = domains.names.iter().find(|domain| domain.id == MONITOR).unwrap_or(first).span.clone();
        warnings.push(monitor_never_runs(&span));
    }
}

fn never_runs(what: &str, domain: &str, span: &Span) -> Diagnostic {
    let message =
        format!("WARNING: {what} never runs, because domain '{domain}' has no slot in the schedule: {span}");
    let help = "Add a <schedule_entry> for its domain between the start index and the first end marker.";
    Diagnostic::new(code::DOMAIN_NEVER_RUNS, span, message, help)
}

fn monitor_never_runs(span: &Span) -> Diagnostic {
    let message =
        format!("WARNING: the monitor never runs, because domain 0 has no slot in the schedule: {span}");
    let help = "The monitor reports faults and makes protection domains passive; give domain 0 a short slot.";
    Diagnostic::new(code::DOMAIN_NEVER_RUNS, span, message, help)
}
