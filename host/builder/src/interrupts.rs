//! Interrupts of a system: the lines that its programs handle.
//!
//! This module checks that the machine has each interrupt in the description and that the kernel does not use it.

use limen_abi::limits::{FIRST_INTERRUPT_VECTOR, INTERRUPTS};
use limen_image::{Interrupt, InterruptFlags, InterruptSource};
use limen_sdf::Diagnostic;
use limen_sdf::model::{Irq, IrqSource, PciAddress, Polarity, SystemDescription, Trigger};

use crate::board::{Board, InterruptControllerKind};
use crate::code;
use crate::error::{Context, error};

/// Number of I/O APICs of a board.
const IO_APICS: u64 = 1;

/// An interrupt with the program that handles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnedInterrupt {
    /// Index of the protection domain.
    pub owner: usize,
    /// Its id in that protection domain.
    pub id: u8,
    /// Its record in the boot image.
    pub record: Interrupt,
}

/// The interrupts of all programs, ascending by line.
///
/// # Errors
/// The machine does not have an interrupt, the kernel reserves it, or there are too many.
pub fn interrupts(system: &SystemDescription, board: &Board) -> Result<Vec<OwnedInterrupt>, Diagnostic> {
    let mut all = Vec::new();
    for (owner, domain) in system.protection_domains.iter().enumerate() {
        for irq in &domain.irqs {
            check(irq, board)?;
            if all.len() == INTERRUPTS {
                return Err(too_many(irq));
            }
            all.push(OwnedInterrupt { owner, id: irq.id, record: record(irq, owner, domain.cpu) });
        }
    }
    all.sort_by_key(|interrupt| interrupt.record.line);
    Ok(all)
}

fn check(irq: &Irq, board: &Board) -> Result<(), Diagnostic> {
    let controller = &board.interrupt_controller;
    let lines = controller.lines;
    match irq.source {
        IrqSource::Line { line } if !(controller.kind.first_line()..lines).contains(&line) => {
            let message = format!("Error: there is no irq {line} on board '{}'", board.name);
            let first = controller.kind.first_line();
            let help = format!("Its interrupt controller has lines {first} to {}.", lines - 1);
            Err(error(code::IRQ_LINE_RANGE, message).at(&irq.span).help(help))
        }
        IrqSource::Line { line } if line == board.timer.interrupt => Err(line_of_kernel(irq, line)),
        IrqSource::Pin { ioapic, pin, .. } if ioapic >= IO_APICS || pin >= lines => {
            let message =
                format!("Error: there is no pin {pin} of I/O APIC {ioapic} on board '{}'", board.name);
            let help = format!("It has one I/O APIC, number 0, with pins 0 to {}.", lines - 1);
            Err(error(code::IRQ_PIN_RANGE, message).at(&irq.span).help(help))
        }
        IrqSource::Line { .. } | IrqSource::Pin { .. } | IrqSource::Message { .. } => Ok(()),
    }
}

fn line_of_kernel(irq: &Irq, line: u64) -> Diagnostic {
    error(code::IRQ_LINE_KERNEL, format!("Error: irq {line} belongs to the kernel"))
        .at(&irq.span)
        .help("It is the scheduler's timer; use another timer of the board.")
}

fn too_many(irq: &Irq) -> Diagnostic {
    error(code::IRQ_TOO_MANY, "Error: too many interrupts".to_owned())
        .at(&irq.span)
        .help(format!("All protection domains together can have at most {INTERRUPTS} irq elements."))
}

impl InterruptControllerKind {
    /// The lowest line of a device.
    fn first_line(self) -> u64 {
        match self {
            // Lower lines are for interrupts between processors.
            Self::GicV2 => 16,
            // Line 0 does not exist.
            Self::Plic => 1,
            Self::Apic => 0,
        }
    }
}

fn record(irq: &Irq, owner: usize, processor: u8) -> Interrupt {
    let edge = if irq.trigger == Trigger::Edge { InterruptFlags::EDGE } else { 0 };
    let vector = |vector: u8| FIRST_INTERRUPT_VECTOR + u64::from(vector);
    let (line, source, unit, input, low) = match irq.source {
        IrqSource::Line { line } => (line, InterruptSource::Line, 0, 0, false),
        IrqSource::Pin { ioapic, pin, polarity, vector: number } => {
            (vector(number), InterruptSource::Pin, ioapic, pin, polarity == Polarity::Low)
        }
        IrqSource::Message { device, handle, vector: number } => {
            (vector(number), InterruptSource::Message, pci_address(device), handle, false)
        }
    };
    let flags = edge | if low { InterruptFlags::ACTIVE_LOW } else { 0 };
    let (notification, badge) = (owner as u64, 1 << irq.id);
    Interrupt {
        line,
        source: source as u64,
        unit,
        input,
        flags,
        notification,
        badge,
        processor: u64::from(processor),
    }
}

fn pci_address(device: PciAddress) -> u64 {
    u64::from(device.bus) << 8 | u64::from(device.device) << 3 | u64::from(device.function)
}

/// The source of an interrupt in words.
pub(crate) fn source(record: &Interrupt) -> String {
    let Interrupt { line, unit, input, .. } = record;
    match InterruptSource::from_raw(record.source) {
        Some(InterruptSource::Pin) => {
            let low = if record.flags & InterruptFlags::ACTIVE_LOW != 0 { ", active when low" } else { "" };
            format!("pin {input} of I/O APIC {unit}{low}")
        }
        Some(InterruptSource::Message) => {
            let (bus, device, function) = (unit >> 8, unit >> 3 & 31, unit & 7);
            format!("message {input} of PCI device {bus:02x}:{device:02x}.{function}")
        }
        Some(InterruptSource::Line) | None => format!("line {line}"),
    }
}

#[cfg(test)]
mod tests {
    use limen_sdf::Target;

    use super::*;
    use crate::test_system::{board, system};

    fn domain(irqs: &str) -> String {
        format!(
            "<system><protection_domain name='one'><program_image path='p' />{irqs}</protection_domain></system>"
        )
    }

    #[test]
    fn interrupts_are_sorted_by_line_and_signal_their_owner() {
        let text = "<system><protection_domain name='a'><program_image path='p' /><irq irq='48' id='61' /></protection_domain>\
            <protection_domain name='b'><program_image path='p' /><irq irq='33' id='2' trigger='edge' /></protection_domain></system>";
        let all = interrupts(&system(text), &board()).unwrap();
        let facts: Vec<_> = all
            .iter()
            .map(|i| (i.owner, i.id, i.record.line, i.record.flags, i.record.notification, i.record.badge))
            .collect();
        assert_eq!(facts, [(1, 2, 33, 1, 1, 4), (0, 61, 48, 0, 0, 1 << 61)]);
    }

    #[test]
    fn pins_and_messages_have_vectors_above_those_of_exceptions() {
        let board = Board::parse(include_str!("../boards/x86_64_generic.toml")).unwrap();
        let text = domain(
            "<irq pin='4' vector='107' id='0' polarity='low' /><irq pcidev='2:1f.7' handle='3' vector='0' id='1' />",
        );
        let system =
            limen_sdf::parse("test.system", &text, &Target::x86_64(), &limen_sdf::no_files).unwrap().system;
        let all = interrupts(&system, &board).unwrap();
        let facts: Vec<_> = all
            .iter()
            .map(|i| (i.record.line, i.record.source, i.record.unit, i.record.input, i.record.flags))
            .collect();
        assert_eq!(facts, [(0x30, 2, 0x2ff, 3, 1), (0x9b, 1, 0, 4, 2)]);
        let text = domain("<irq pin='24' vector='1' id='0' />");
        let system =
            limen_sdf::parse("test.system", &text, &Target::x86_64(), &limen_sdf::no_files).unwrap().system;
        assert_eq!(interrupts(&system, &board).unwrap_err().code, code::IRQ_PIN_RANGE);
    }

    #[test]
    fn interrupts_up_to_the_limit_are_accepted() {
        let irqs = |first: u64| (0..62).map(move |id| format!("<irq irq='{}' id='{id}' />", first + id));
        let domain = |(name, first): (&str, u64)| {
            let irqs: String = irqs(first).collect();
            format!("<protection_domain name='{name}'><program_image path='p' />{irqs}</protection_domain>")
        };
        let domains: String = [("a", 32), ("b", 94), ("c", 156)].map(domain).concat();
        let refused = interrupts(&system(&format!("<system>{domains}</system>")), &board()).unwrap_err();
        assert_eq!(refused.code, code::IRQ_TOO_MANY);
    }
}
