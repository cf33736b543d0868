//! Rules of interrupts: each line exists, is free of kernel use, occurs once and signals a notification.

use limen_abi::limits;

use super::{Check, rule, take};
use crate::record::{Board, Interrupt, InterruptFlags, InterruptSource};
use crate::{Architecture, Image, Table};

/// GICv2: lower lines are for interrupts between processors.
const FIRST_GIC_LINE: u64 = 16;
/// PLIC: line 0 does not exist.
const FIRST_PLIC_LINE: u64 = 1;
/// Number of I/O APICs of a PC.
const IO_APICS: u64 = 1;
/// Addresses of PCI devices: 256 buses of 32 devices with 8 functions.
const PCI_ADDRESSES: u64 = 1 << 16;

pub(super) fn check(image: &Image<'_>) -> Check {
    let (board, notifications) = (image.board(), image.counts().notifications);
    let mut previous = None;
    let mut taken_pins = [false; limits::INTERRUPT_LINES as usize];
    for (index, interrupt) in image.interrupts().enumerate() {
        let check = |ok, what| rule(Table::Interrupts, index, ok, what);
        check(has_line(image, &board, interrupt.line), "no such interrupt line")?;
        check(interrupt.line != board.timer_interrupt, "the line of the kernel's timer")?;
        check(previous.is_none_or(|line| interrupt.line > line), "not in ascending order")?;
        previous = Some(interrupt.line);
        check(has_source(image, &board, &interrupt), "no such source of interrupts")?;
        check(!is_pin(&interrupt) || take(&mut taken_pins, interrupt.input), "pin of another interrupt")?;
        check(interrupt.flags & !flags_of(&interrupt) == 0, "invalid flags")?;
        check(is_edge(&interrupt) || !is_message(&interrupt), "a message has no level")?;
        check(interrupt.notification < notifications, "no such notification")?;
        check(interrupt.badge != 0, "signals nothing")?;
    }
    Ok(())
}

fn has_line(image: &Image<'_>, board: &Board, line: u64) -> bool {
    const VECTORS: core::ops::RangeInclusive<u64> =
        limits::FIRST_INTERRUPT_VECTOR..=limits::FIRST_INTERRUPT_VECTOR + limits::MAX_INTERRUPT_VECTOR;
    let lines = board.interrupt_lines;
    if is(image, Architecture::X86_64) {
        VECTORS.contains(&line)
    } else if is(image, Architecture::Aarch64) {
        (FIRST_GIC_LINE..lines).contains(&line)
    } else {
        (FIRST_PLIC_LINE..lines).contains(&line)
    }
}

fn has_source(image: &Image<'_>, board: &Board, interrupt: &Interrupt) -> bool {
    match InterruptSource::from_raw(interrupt.source) {
        Some(InterruptSource::Line) => !is(image, Architecture::X86_64),
        Some(InterruptSource::Pin) => {
            let exists = interrupt.unit < IO_APICS && interrupt.input < board.interrupt_lines;
            is(image, Architecture::X86_64) && exists
        }
        Some(InterruptSource::Message) => is(image, Architecture::X86_64) && interrupt.unit < PCI_ADDRESSES,
        None => false,
    }
}

fn is(image: &Image<'_>, architecture: Architecture) -> bool {
    image.architecture() == architecture as u64
}

/// A PC has one I/O APIC, so the pin alone identifies the source.
fn is_pin(interrupt: &Interrupt) -> bool {
    interrupt.source == InterruptSource::Pin as u64
}

fn flags_of(interrupt: &Interrupt) -> u64 {
    if is_pin(interrupt) { InterruptFlags::ALL } else { InterruptFlags::EDGE }
}

fn is_message(interrupt: &Interrupt) -> bool {
    interrupt.source == InterruptSource::Message as u64
}

fn is_edge(interrupt: &Interrupt) -> bool {
    interrupt.flags & InterruptFlags::EDGE != 0
}
