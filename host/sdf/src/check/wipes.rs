//! Wipes: of a memory region that is not too large, each by something that wipes nothing else.

use limen_abi::limits::{WIPE_BYTES, WIPING_INTERRUPTS};

use crate::code;
use crate::diagnostic::Diagnostic;
use crate::draft::{ProtectionDomainDraft, SystemDraft, WipeDraft};
use crate::meant;
use crate::model::{Wipe, WipeTrigger};

/// The wipes of each protection domain. Of those with problems only the problems remain.
pub(super) fn resolve(draft: &SystemDraft, problems: &mut Vec<Diagnostic>) -> Vec<Vec<Wipe>> {
    let all = draft.protection_domains.iter().flat_map(|domain| &domain.contents.wipes);
    let mut by_interrupt = all.filter(|wipe| wipe.trigger != WipeTrigger::Fault);
    if let Some(first_too_many) = by_interrupt.nth(WIPING_INTERRUPTS) {
        problems.push(too_many(first_too_many));
    }
    let domains = draft.protection_domains.iter();
    domains
        .map(|domain| {
            let wipes = domain.contents.wipes.iter().enumerate();
            wipes.filter_map(|(at, wipe)| resolve_one(draft, domain, at, wipe, problems)).collect()
        })
        .collect()
}

fn resolve_one(
    draft: &SystemDraft,
    domain: &ProtectionDomainDraft,
    position: usize,
    wipe: &WipeDraft,
    problems: &mut Vec<Diagnostic>,
) -> Option<Wipe> {
    let mut refuse = |code, text: String, help: &str| {
        let message = format!("Error: {text}: {}", wipe.span);
        problems.push(Diagnostic::new(code, &wipe.span, message, help));
        None
    };
    if let WipeTrigger::Irq(id) = wipe.trigger
        && !domain.contents.irqs.iter().any(|irq| irq.id == id)
    {
        let text = format!("protection domain '{}' has no interrupt with id {id}", domain.header.name);
        return refuse(code::WIPE_IRQ_UNKNOWN, text, "irq is the id of an irq element beside the wipe.");
    }
    if domain.contents.wipes.iter().take(position).any(|other| other.trigger == wipe.trigger) {
        let text = "there is another wipe by the same".to_owned();
        return refuse(code::WIPE_DUPLICATE, text, "An interrupt, or faults, wipe one memory region.");
    }
    let Some((region, found)) = draft.region(wipe.region) else {
        let text = format!("unknown memory region name '{}'", wipe.region);
        let rule = "region must be the name of a memory_region in this file";
        let help = meant::help(rule, wipe.region, draft.region_names());
        return refuse(code::WIPE_REGION_UNKNOWN, text, &help);
    };
    if found.bytes > WIPE_BYTES {
        let text = format!("memory region '{}' has more than 0x{WIPE_BYTES:x} bytes", wipe.region);
        let help = "Nothing else happens while memory is wiped, so it may not be more.";
        return refuse(code::WIPE_TOO_LARGE, text, help);
    }
    Some(Wipe { region, trigger: wipe.trigger, span: wipe.span.clone() })
}

fn too_many(first: &WipeDraft) -> Diagnostic {
    let span = &first.span;
    let message = format!("Error: too many interrupts wipe memory. Maximum is {WIPING_INTERRUPTS}: {span}");
    let help = "Let one interrupt wipe a larger memory region.";
    Diagnostic::new(code::WIPES_TOO_MANY, span, message, help)
}
