//! Warns of protection domains that never run.

use crate::code;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::draft::{Header, SystemDraft};

/// The monitor's domain.
const MONITOR: u8 = 0;

/// Warns of each protection domain, and of the monitor, if its domain has no slot in the repeating cycle of its processor.
pub(super) fn warn(draft: &SystemDraft, warnings: &mut Problems) {
    let Some(domains) = &draft.domains else { return };
    let runs = |cpu, id| domains.schedule_of(cpu).repeating().any(|(domain, _)| domain == id);
    for domain in &draft.protection_domains {
        let Header { name, cpu, domain: id, .. } = &domain.header;
        if !runs(*cpu, *id) {
            let own = domains.others.iter().any(|(other, _)| other == cpu).then_some(*cpu);
            warnings.push(never_runs(name, domains.name_of(*id), own, &domain.span));
        }
    }
    if !runs(0, MONITOR)
        && let Some(first) = domains.names.first()
    {
        let span = domains.names.iter().find(|domain| domain.id == MONITOR).unwrap_or(first).span.clone();
        warnings.push(monitor_never_runs(&span));
    }
}

/// A protection domain that never runs; `cpu` is its processor if that has a schedule of its own.
fn never_runs(name: &str, domain: &str, cpu: Option<u8>, span: &Span) -> Diagnostic {
    let schedule = cpu.map_or_else(|| "the schedule".to_owned(), |cpu| format!("the schedule of cpu {cpu}"));
    let message = format!(
        "WARNING: protection domain '{name}' never runs, because domain '{domain}' has no slot in {schedule}: {span}"
    );
    let help = "Add a <schedule_entry> for its domain between the start index and the first end marker.";
    Diagnostic::new(code::DOMAIN_NEVER_RUNS, span, message, help)
}

fn monitor_never_runs(span: &Span) -> Diagnostic {
    let message =
        format!("WARNING: the monitor never runs, because domain 0 has no slot in the schedule: {span}");
    let help = "The monitor reports faults and makes protection domains passive; give domain 0 a short slot.";
    Diagnostic::new(code::DOMAIN_NEVER_RUNS, span, message, help)
}
