//! Wipes: the memory region is within the limit, and each trigger wipes one region or triggers one seal.

use std::collections::{HashMap, HashSet};

use limen_abi::limits::{SERVED_INTERRUPTS, WIPE_BYTES};

use crate::code;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::draft::{ProtectionDomainDraft, ServiceDraft, ServiceTargetDraft, SystemDraft, WipeDraft};
use crate::meant;
use crate::model::{Wipe, WipeTrigger};

/// The wipes of each protection domain. Invalid ones are reported and left out.
pub(super) fn resolve(draft: &SystemDraft, problems: &mut Problems) -> Vec<Vec<Wipe>> {
    let all = || draft.protection_domains.iter().map(|domain| &domain.contents);
    let wipes = all().flat_map(|contents| &contents.wipes);
    let wiping = wipes.filter(|wipe| wipe.trigger != WipeTrigger::Fault).map(|wipe| &wipe.span);
    let sealing = all().flat_map(|contents| sealing_interrupts(&contents.services)).map(|(_, span)| span);
    if let Some(first_too_many) = sealing.chain(wiping).nth(SERVED_INTERRUPTS) {
        problems.push(too_many(first_too_many));
    }
    let domains = draft.protection_domains.iter();
    domains
        .map(|domain| {
            let mut triggers = Triggers::new(domain, problems);
            let wipes = domain.contents.wipes.iter();
            wipes.filter_map(|wipe| resolve_one(draft, domain, &mut triggers, wipe, problems)).collect()
        })
        .collect()
}

/// The interrupts that trigger seals, and the seals' elements.
fn sealing_interrupts<'d>(services: &'d [ServiceDraft<'_>]) -> impl Iterator<Item = (u8, &'d Span)> {
    services.iter().filter_map(|service| match service.target {
        ServiceTargetDraft::Seal(seal) => Some((seal.irq?, &service.span)),
        _ => None,
    })
}

/// Triggers in a protection domain that have a wipe or a seal.
struct Triggers {
    irqs: HashSet<u8>,
    taken: HashMap<WipeTrigger, &'static str>,
}

impl Triggers {
    /// The triggers of seals. A second seal of an interrupt is reported.
    fn new(domain: &ProtectionDomainDraft, problems: &mut Problems) -> Self {
        let mut taken = HashMap::new();
        for (id, span) in sealing_interrupts(&domain.contents.services) {
            if taken.insert(WipeTrigger::Irq(id), "seal").is_some() {
                let message = format!("Error: interrupt {id} already has a seal: {span}");
                let help = "An interrupt seals the records of one ring, or one record.";
                problems.push(Diagnostic::new(code::SEAL_IRQ_DUPLICATE, span, message, help));
            }
        }
        Self { irqs: domain.contents.irqs.iter().map(|irq| irq.id).collect(), taken }
    }
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
    if let Some(taken) = triggers.taken.insert(wipe.trigger, "wipe") {
        let text = match wipe.trigger {
            WipeTrigger::Irq(id) => format!("interrupt {id} already has a {taken}"),
            WipeTrigger::Fault => format!("faults already have a {taken}"),
        };
        let help = "Wipe one memory region that holds all of the data, on an interrupt without a seal.";
        return refuse(problems, wipe, code::WIPE_DUPLICATE, text, help);
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

fn too_many(span: &Span) -> Diagnostic {
    let message =
        format!("Error: too many interrupts wipe or seal memory. Maximum is {SERVED_INTERRUPTS}: {span}");
    let help =
        "Put the memory into larger regions that fewer interrupts wipe, or request seals with limen_seal.";
    Diagnostic::new(code::WIPES_TOO_MANY, span, message, help)
}
