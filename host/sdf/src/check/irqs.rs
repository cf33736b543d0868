//! Interrupts have one owner, and share the id space of channels in their protection domain.

use std::collections::HashMap;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::draft::{ProtectionDomainDraft, SystemDraft};
use crate::model::{Irq, IrqSource};

/// Ids in use, by protection domain, with the elements that use them.
pub(super) type Taken<'d> = HashMap<(usize, u8), &'d Span>;

/// Checks all interrupts; returns their ids.
pub(super) fn check<'d>(draft: &'d SystemDraft, problems: &mut Problems) -> Taken<'d> {
    check_numbers(draft, problems);
    let mut taken = Taken::new();
    for (index, domain) in draft.protection_domains.iter().enumerate() {
        for irq in &domain.contents.irqs {
            match taken.get(&(index, irq.id)) {
                Some(first) => problems.push(duplicate_id(irq.id, domain, &irq.span, first)),
                None => _ = taken.insert((index, irq.id), &irq.span),
            }
        }
    }
    taken
}

/// Reports an id of a channel or an interrupt that is in use. The location in the message is the protection domain,
/// as users know it; the span is the element.
pub(super) fn duplicate_id(id: u8, domain: &ProtectionDomainDraft, span: &Span, first: &Span) -> Diagnostic {
    let (name, location) = (&domain.header.name, &domain.span);
    let message = format!("Error: duplicate channel id: {id} in protection domain: '{name}' @ {location}");
    let help = format!("Choose another id; the element at {first} has this one.");
    Diagnostic::new(code::CHANNEL_ID_DUPLICATE, span, message, help)
}

fn check_numbers(draft: &SystemDraft, problems: &mut Problems) {
    let (mut numbers, mut pins) = (HashMap::new(), HashMap::new());
    for domain in &draft.protection_domains {
        for irq in &domain.contents.irqs {
            let number = irq.source.number();
            if let Some(first) = numbers.insert(number, &irq.span) {
                problems.push(duplicate(code::IRQ_DUPLICATE, &format!("irq: {number}"), domain, irq, first));
            } else if let IrqSource::Pin { ioapic, pin, .. } = irq.source
                && let Some(first) = pins.insert((ioapic, pin), &irq.span)
            {
                let what = format!("pin: {pin} of I/O APIC {ioapic}");
                problems.push(duplicate(code::IRQ_PIN_DUPLICATE, &what, domain, irq, first));
            }
        }
    }
}

fn duplicate(
    code: &'static str,
    what: &str,
    domain: &ProtectionDomainDraft,
    irq: &Irq,
    first: &Span,
) -> Diagnostic {
    let (name, location) = (&domain.header.name, &domain.span);
    let message = format!("Error: duplicate {what} in protection domain: '{name}' @ {location}");
    let help = format!(
        "Only one protection domain can handle an interrupt; the irq element at {first} has this one."
    );
    Diagnostic::new(code, &irq.span, message, help)
}
