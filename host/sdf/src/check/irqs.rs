//! Interrupts and vectors have one owner; ids of interrupts differ from those of channels in their protection domain.

use std::collections::HashMap;
use std::fmt;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::draft::{ProtectionDomainDraft, SystemDraft};
use crate::model::{Irq, IrqSource, PciAddress};

/// Ids in use, by protection domain, with the elements that use them.
pub(super) type Taken<'d> = HashMap<(usize, u8), &'d Span>;

/// Checks all interrupts; returns their ids.
pub(super) fn check<'d>(draft: &'d SystemDraft, problems: &mut Problems) -> Taken<'d> {
    check_owners(draft, problems);
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

/// Something that at most one `irq` element has.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Exclusive {
    Line(u64),
    Pin { ioapic: u64, pin: u64 },
    Message { device: PciAddress, handle: u64 },
    Vector(u8),
}

impl Exclusive {
    /// The source of an interrupt, and the vector if there is one.
    fn of(source: IrqSource) -> (Self, Option<Self>) {
        match source {
            IrqSource::Line { line } => (Self::Line(line), None),
            IrqSource::Pin { ioapic, pin, vector, .. } => {
                (Self::Pin { ioapic, pin }, Some(Self::Vector(vector)))
            }
            IrqSource::Message { device, handle, vector } => {
                (Self::Message { device, handle }, Some(Self::Vector(vector)))
            }
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Line(_) | Self::Vector(_) => code::IRQ_DUPLICATE,
            Self::Pin { .. } => code::IRQ_PIN_DUPLICATE,
            Self::Message { .. } => code::IRQ_MESSAGE_DUPLICATE,
        }
    }

    const fn rule(self) -> &'static str {
        match self {
            Self::Vector(_) => "Each interrupt needs a vector of its own",
            _ => "Only one protection domain can handle an interrupt",
        }
    }
}

impl fmt::Display for Exclusive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "irq: {line}"),
            Self::Pin { ioapic, pin } => write!(f, "pin: {pin} of I/O APIC {ioapic}"),
            Self::Message { device, handle } => write!(f, "message: {handle} of PCI device {device}"),
            Self::Vector(vector) => write!(f, "irq vector: {vector}"),
        }
    }
}

fn check_owners(draft: &SystemDraft, problems: &mut Problems) {
    let mut owners = HashMap::new();
    for domain in &draft.protection_domains {
        for irq in &domain.contents.irqs {
            let (source, vector) = Exclusive::of(irq.source);
            let mut earlier = |what| {
                let first: &mut &Span = owners.entry(what).or_insert(&irq.span);
                (*first != &irq.span).then_some((what, *first))
            };
            let (source, vector) = (earlier(source), vector.and_then(earlier));
            // A second element with the same source often has the same vector too, which is no second mistake.
            let vector = vector.filter(|(_, first)| source.is_none_or(|(_, owner)| owner != *first));
            for (what, first) in source.into_iter().chain(vector) {
                problems.push(duplicate(what, domain, irq, first));
            }
        }
    }
}

fn duplicate(what: Exclusive, domain: &ProtectionDomainDraft, irq: &Irq, first: &Span) -> Diagnostic {
    let (name, location) = (&domain.header.name, &domain.span);
    let message = format!("Error: duplicate {what} in protection domain: '{name}' @ {location}");
    let help = format!("{}; the irq element at {first} has this one.", what.rule());
    Diagnostic::new(what.code(), &irq.span, message, help)
}
