//! Names are unique and not reserved.

use std::collections::HashMap;

use limen_abi::limits::NAME_BYTES;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::draft::SystemDraft;

/// The protection domain that the tool adds to every system.
const RESERVED: &str = "monitor";

pub(super) fn check(draft: &SystemDraft, problems: &mut Problems, warnings: &mut Problems) {
    let domains =
        || draft.protection_domains.iter().map(|domain| (domain.header.name.as_str(), &domain.span));
    let regions = draft.memory_regions.iter().map(|draft| (draft.region.name.as_str(), &draft.region.span));
    check_unique(code::PD_NAME_DUPLICATE, "protection domain", domains(), problems);
    problems.extend(domains().filter(|(name, _)| *name == RESERVED).map(|(_, span)| reserved(span)));
    warnings.extend(domains().filter(|(name, _)| name.len() > NAME_BYTES).map(long));
    check_unique(code::MR_NAME_DUPLICATE, "memory region", regions, problems);
}

fn check_unique<'d>(
    code: &'static str,
    kind: &str,
    names: impl Iterator<Item = (&'d str, &'d Span)>,
    problems: &mut Problems,
) {
    let mut seen = HashMap::new();
    for (name, span) in names {
        if let Some(first) = seen.insert(name, span) {
            let message = format!("Error: duplicate {kind} name '{name}'.: {span}");
            let help = format!("The {kind} at {first} has this name; choose another.");
            problems.push(Diagnostic::new(code, span, message, help));
        }
    }
}

fn long((name, span): (&str, &Span)) -> Diagnostic {
    let message = format!(
        "WARNING: the name of protection domain '{name}' has {} bytes, of which programs see the first {NAME_BYTES}: \
         {span}",
        name.len()
    );
    let help = "The program and the monitor print a truncated name; choose a shorter one.";
    Diagnostic::new(code::PD_NAME_LONG, span, message, help)
}

fn reserved(span: &Span) -> Diagnostic {
    let message = format!("Error: the PD name '{RESERVED}' is reserved for the Microkit Monitor.: {span}");
    let help = "The tool adds a protection domain of this name that handles faults; choose another name.";
    Diagnostic::new(code::PD_NAME_RESERVED, span, message, help)
}
