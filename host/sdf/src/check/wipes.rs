//! Wipes: the memory region is within the limit, and each trigger wipes one region.

use std::collections::HashSet;

use limen_abi::limits::{WIPE_BYTES, WIPING_INTERRUPTS};

use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{ProtectionDomainDraft, SystemDraft, WipeDraft};
use crate::meant;
use crate::model::{Wipe, WipeTrigger};

/// The wipes of each protection domain. Invalid ones are reported and left out.
pub(super) fn resolve(draft: &SystemDraft, problems: &mut Problems) -> Vec<Vec<Wipe>> {
    let all = draft.protection_domains.iter().flat_map(|domain| &domain.contents.wipes);
    let mut by_interrupt = all.filter(|wipe| wipe.trigger != WipeTrigger::Fault);
    if let Some(first_too_many) = by_interrupt.nth(WIPING_INTERRUPTS) {
        problems.push(too_many(first_too_many));
    }
    let domains = draft.protection_domains.iter();
    domains
        .map(|domain| {
            let irqs = domain.contents.irqs.iter().map(|irq| irq.id).collect();
            let mut triggers = Triggers { irqs, taken: HashSet::new() };
            let wipes = domain.contents.wipes.iter();
            wipes.filter_map(|wipe| resolve_one(draft, domain, &mut triggers, wipe, problems)).collect()
        })
        .collect()
}

/// Wipe triggers of a protection domain.
struct Triggers {
    irqs: HashSet<u8>,
    /// Triggers that already have a wipe.
    taken: HashSet<WipeTrigger>,
}

fn resolve_one(
    draft: &SystemDraft,
    domain: &ProtectionDomainDraft,
    triggers: &mut Triggers,
    wipe: &WipeDraft,
    problems: &mut Problems,
) -> Option<Wipe> {
    if let WipeTrigger::Irq(id) = wipe.trigger
        && !triggers.irqs.contains(&id)
    {
        let text = format!("protection domain '{}' has no interrupt with id {id}", domain.header.name);
        return refuse(
            problems,
            wipe,
            code::WIPE_IRQ_UNKNOWN,
            text,
            "irq must be the id of an irq element of the same protection domain.",
        );
    }
    if !triggers.taken.insert(wipe.trigger) {
        let text = match wipe.trigger {
            WipeTrigger::Irq(id) => format!("interrupt {id} already has a wipe"),
            WipeTrigger::Fault => "faults already have a wipe".to_owned(),
        };
        return refuse(
            problems,
            wipe,
            code::WIPE_DUPLICATE,
            text,
            "Wipe one memory region that holds all of the data.",
        );
    }
    let Some((region, found)) = draft.region(wipe.region) else {
        let text = format!("unknown memory region name '{}'", wipe.region);
        let rule = "region must be the name of a memory_region in this file";
        let help = meant::help(problems, rule, wipe.region, draft.region_names());
        return refuse(problems, wipe, code::WIPE_REGION_UNKNOWN, text, &help);
    };
    if found.bytes > WIPE_BYTES {
        let text = format!("memory region '{}' has more than 0x{WIPE_BYTES:x} bytes", wipe.region);
        let help = "A wipe cannot be preempted; wipe a smaller memory region.";
        return refuse(problems, wipe, code::WIPE_TOO_LARGE, text, help);
    }
    Some(Wipe { region, trigger: wipe.trigger, span: wipe.span.clone() })
}

fn refuse(
    problems: &mut Problems,
    wipe: &WipeDraft,
    code: &'static str,
    text: String,
    help: &str,
) -> Option<Wipe> {
    let message = format!("Error: {text}: {}", wipe.span);
    problems.push(Diagnostic::new(code, &wipe.span, message, help));
    None
}

fn too_many(first: &WipeDraft) -> Diagnostic {
    let span = &first.span;
    let message = format!("Error: too many interrupts wipe memory. Maximum is {WIPING_INTERRUPTS}: {span}");
    let help = "Put the memory into larger regions that fewer interrupts wipe.";
    Diagnostic::new(code::WIPES_TOO_MANY, span, message, help)
}
