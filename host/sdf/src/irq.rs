//! `irq`: an interrupt that a protection domain handles.

use std::num::IntErrorKind;

use limen_abi::limits::{MAX_CHANNEL_ID, MAX_INTERRUPT_VECTOR};

use crate::attribute::{Attributes, Reported, is_negative};
use crate::code;
use crate::diagnostic::Problems;
use crate::grammar::{self, Attribute};
use crate::model::{Irq, IrqSource, PciAddress, Polarity, Trigger};
use crate::symbols::Symbols;
use crate::target::{Architecture, Target};
use crate::unexpected;
use crate::xml::Element;

/// The forms of `irq` elements, each with one attribute that identifies it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Line,
    Pin,
    Message,
}

impl Kind {
    fn of(element: &Element, target: &Target) -> Self {
        let kinds = [("irq", Self::Line), ("pin", Self::Pin), ("pcidev", Self::Message)];
        let written = kinds.into_iter().find(|(name, _)| element.attribute(name).is_some());
        // Without any, report errors of the form that is most common on the architecture.
        let usual = if target.architecture == Architecture::X86_64 { Self::Pin } else { Self::Line };
        written.map_or(usual, |(_, kind)| kind)
    }

    const fn known(self) -> &'static [Attribute] {
        match self {
            Self::Line => grammar::IRQ_LINE,
            Self::Pin => grammar::IRQ_PIN,
            Self::Message => grammar::IRQ_MESSAGE,
        }
    }

    /// The error message if the architecture lacks this form.
    fn refusal(self, target: &Target) -> Option<&'static str> {
        match (self, target.architecture) {
            (Self::Line, Architecture::X86_64) => Some("ARM and RISC-V IRQs are not supported on x86"),
            (Self::Line, _) | (Self::Pin | Self::Message, Architecture::X86_64) => None,
            (Self::Pin, _) => Some("x86 I/O APIC IRQ isn't supported on ARM and RISC-V"),
            (Self::Message, _) => Some("x86 MSI IRQ isn't supported on ARM and RISC-V"),
        }
    }
}

/// Reads one `irq` element.
pub(crate) fn read<'a>(
    element: Element<'a>,
    target: &Target,
    symbols: &mut Symbols<'a>,
    problems: &mut Problems,
) -> Result<Irq, Reported> {
    let kind = Kind::of(&element, target);
    let mut attributes = Attributes::read(element, kind.known(), problems);
    if let Some(text) = kind.refusal(target) {
        let help = match target.architecture {
            Architecture::X86_64 => {
                "Add the source: pin=\"...\" of an I/O APIC, or pcidev=\"...\" of a PCI device."
            }
            _ => "Add the line of the interrupt controller: irq=\"...\".",
        };
        let text = text.to_owned();
        let name = element.attributes().next().map_or_else(String::new, |(name, ..)| name);
        return Err(attributes.value_error(code::IRQ_ARCHITECTURE, &name, &text, help));
    }
    let id = read_id(&mut attributes);
    let source = match kind {
        Kind::Line => attributes.required_number("irq").map(|line| IrqSource::Line { line }),
        Kind::Pin => read_pin(&mut attributes),
        Kind::Message => read_message(&mut attributes),
    };
    let trigger = if kind == Kind::Message { Ok(Trigger::Edge) } else { read_trigger(&mut attributes) };
    let setvar_id = symbols.claim_optional(&mut attributes, "setvar_id");
    unexpected::children(element, problems);
    Ok(Irq { id: id?, source: source?, trigger: trigger?, setvar_id, span: element.span() })
}

fn read_id(attributes: &mut Attributes) -> Result<u8, Reported> {
    let help = "Ids of channels and interrupts are 0 to 61, unique within a protection domain.";
    if attributes.optional("id").is_some_and(is_negative) {
        return Err(attributes.value_error(code::IRQ_ID_RANGE, "id", "id must be >= 0", help));
    }
    let id = attributes.required_number("id")?;
    match u8::try_from(id) {
        Ok(id) if id <= MAX_CHANNEL_ID => Ok(id),
        _ => {
            let text = format!("id must be < {}", MAX_CHANNEL_ID + 1);
            Err(attributes.value_error(code::IRQ_ID_RANGE, "id", &text, help))
        }
    }
}

fn read_pin(attributes: &mut Attributes) -> Result<IrqSource, Reported> {
    let ioapic = match attributes.optional("ioapic") {
        Some(_) => read_unsigned(attributes, "ioapic"),
        None => Ok(0),
    };
    let pin = read_unsigned(attributes, "pin");
    let vector = read_vector(attributes);
    let polarity = match attributes.optional("polarity") {
        None | Some("high") => Ok(Polarity::High),
        Some("low") => Ok(Polarity::Low),
        Some(_) => {
            let text = "polarity must be either 'low' or 'high'";
            let help = "The default is high.";
            Err(attributes.value_error(code::IRQ_POLARITY, "polarity", text, help))
        }
    };
    Ok(IrqSource::Pin { ioapic: ioapic?, pin: pin?, polarity: polarity?, vector: vector? })
}

fn read_message(attributes: &mut Attributes) -> Result<IrqSource, Reported> {
    let device = attributes.required("pcidev").and_then(|text| {
        PciAddress::parse(text).map_err(|reason| {
            let help = "Write bus, device and function in hexadecimal digits, for example 00:1f.2.";
            attributes.value_error(code::IRQ_PCI_ADDRESS, "pcidev", &reason, help)
        })
    });
    let handle = read_unsigned(attributes, "handle");
    let vector = read_vector(attributes);
    Ok(IrqSource::Message { device: device?, handle: handle?, vector: vector? })
}

fn read_unsigned(attributes: &mut Attributes, name: &str) -> Result<u64, Reported> {
    if attributes.optional(name).is_some_and(is_negative) {
        let text = format!("{name} must be >= 0");
        let help = "Numbers count from 0.";
        return Err(attributes.value_error(code::IRQ_NEGATIVE, name, &text, help));
    }
    attributes.required_number(name)
}

fn read_vector(attributes: &mut Attributes) -> Result<u8, Reported> {
    let refuse = |attributes: &mut Attributes| {
        let text = format!("vector must be within [0..{MAX_INTERRUPT_VECTOR}]");
        let help =
            "Choose a number unique among the system's interrupts; higher vectors have higher priority.";
        attributes.value_error(code::IRQ_VECTOR_RANGE, "vector", &text, help)
    };
    if attributes.optional("vector").is_some_and(is_negative) {
        return Err(refuse(attributes));
    }
    let vector = attributes.required_number("vector")?;
    u8::try_from(vector).ok().filter(|_| vector <= MAX_INTERRUPT_VECTOR).ok_or_else(|| refuse(attributes))
}

fn read_trigger(attributes: &mut Attributes) -> Result<Trigger, Reported> {
    match attributes.optional("trigger") {
        None | Some("level") => Ok(Trigger::Level),
        Some("edge") => Ok(Trigger::Edge),
        Some(_) => {
            let text = "trigger must be either 'level' or 'edge'";
            let help = "The default is level.";
            Err(attributes.value_error(code::IRQ_TRIGGER, "trigger", text, help))
        }
    }
}

impl PciAddress {
    /// Parses `bus:device.function`; an error is a sentence.
    fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':').and_then(|(bus, rest)| Some((bus, rest.split_once('.')?)));
        let Some((bus, (device, function))) = parts else {
            return Err("expected PCI address in bus:device.function form".to_owned());
        };
        Ok(Self {
            bus: Self::part("bus", bus, 0xff)?,
            device: Self::part("device", device, 31)?,
            function: Self::part("function", function, 7)?,
        })
    }

    fn part(name: &str, text: &str, most: u8) -> Result<u8, String> {
        let number = match i64::from_str_radix(text.trim(), 16) {
            Ok(number) => u8::try_from(number).ok(),
            Err(problem) => match problem.kind() {
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => None,
                _ => return Err(format!("failed to parse PCI {name}")),
            },
        };
        number
            .filter(|number| *number <= most)
            .ok_or_else(|| format!("PCI {name} must be within [0..{most}]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pci_addresses_are_three_hexadecimal_numbers() {
        assert_eq!(PciAddress::parse("0:1f.2"), Ok(PciAddress { bus: 0, device: 31, function: 2 }));
        assert_eq!(PciAddress::parse("00ff:00.7"), Ok(PciAddress { bus: 255, device: 0, function: 7 }));
        assert_eq!(PciAddress::parse(" 2 : 3 . +1 "), Ok(PciAddress { bus: 2, device: 3, function: 1 }));
        for (text, reason) in [
            ("", "expected PCI address in bus:device.function form"),
            ("0.1:2", "expected PCI address in bus:device.function form"),
            (":0.0", "failed to parse PCI bus"),
            ("0:x.0", "failed to parse PCI device"),
            ("0:0.-", "failed to parse PCI function"),
            ("-1:0.0", "PCI bus must be within [0..255]"),
            ("0:-1.0", "PCI device must be within [0..31]"),
            ("0:0.-1", "PCI function must be within [0..7]"),
            ("10000000000000000:0.0", "PCI bus must be within [0..255]"),
            ("100:0.0", "PCI bus must be within [0..255]"),
            ("0:20.0", "PCI device must be within [0..31]"),
            ("0:0.8", "PCI function must be within [0..7]"),
        ] {
            assert_eq!(PciAddress::parse(text), Err(reason.to_owned()), "{text}");
        }
    }
}
