//! Interrupts: lines, sources and signals.

use limen_image::{
    Architecture, CapKind, ImageError, ImageWriter, Interrupt, InterruptFlags, InterruptSource, Table,
};

use super::{Case, record};
use crate::sample::{cap, line};

const NO_LINE: ImageError = record(Table::Interrupts, 0, "no such interrupt line");
const NO_SOURCE: ImageError = record(Table::Interrupts, 0, "no such source of interrupts");
const FLAGS: ImageError = record(Table::Interrupts, 0, "invalid flags");

pub(super) const INTERRUPTS: &[Case] = &[
    ("line between processors", |w| w.interrupts[0].line = 15, NO_LINE),
    (
        "line beyond the controller",
        |w| w.interrupts[1].line = 288,
        record(Table::Interrupts, 1, "no such interrupt line"),
    ),
    (
        "line 0 of RISC-V",
        |w| {
            w.architecture = Architecture::Riscv64;
            w.interrupts[0].line = 0;
        },
        NO_LINE,
    ),
    ("vector of an exception", |w| for_x86(w, |i| i.line = 0x2f), NO_LINE),
    ("vector of the kernel", |w| for_x86(w, |i| i.line = 0x9c), NO_LINE),
    (
        "line of the timer",
        |w| w.interrupts[0].line = 27,
        record(Table::Interrupts, 0, "the line of the kernel's timer"),
    ),
    ("line twice", |w| w.interrupts[1].line = 33, record(Table::Interrupts, 1, "not in ascending order")),
    ("undefined source", |w| w.interrupts[0].source = 3, NO_SOURCE),
    ("pin on another architecture", |w| w.interrupts[0].source = InterruptSource::Pin as u64, NO_SOURCE),
    (
        "message on another architecture",
        |w| w.interrupts[0].source = InterruptSource::Message as u64,
        NO_SOURCE,
    ),
    ("line on x86", |w| for_x86(w, |i| i.source = InterruptSource::Line as u64), NO_SOURCE),
    ("second I/O APIC", |w| for_x86(w, |i| i.unit = 1), NO_SOURCE),
    ("pin beyond the I/O APIC", |w| for_x86(w, |i| i.input = 288), NO_SOURCE),
    ("invalid PCI address", |w| for_x86(w, |i| *i = Interrupt { unit: 1 << 16, ..message() }), NO_SOURCE),
    (
        "pin twice",
        |w| {
            for_x86(w, |_| {});
            w.interrupts.push(Interrupt { line: 0x31, ..pin() });
        },
        record(Table::Interrupts, 1, "pin of another interrupt"),
    ),
    ("undefined flag", |w| w.interrupts[0].flags = 4, FLAGS),
    ("active-low line", |w| w.interrupts[0].flags = InterruptFlags::ACTIVE_LOW, FLAGS),
    (
        "level-triggered message",
        |w| for_x86(w, |i| *i = Interrupt { flags: 0, ..message() }),
        record(Table::Interrupts, 0, "a message has no level"),
    ),
    (
        "notification",
        |w| w.interrupts[0].notification = 3,
        record(Table::Interrupts, 0, "no such notification"),
    ),
    ("badge", |w| w.interrupts[0].badge = 0, record(Table::Interrupts, 0, "signals nothing")),
];

const fn pin() -> Interrupt {
    let source = InterruptSource::Pin as u64;
    Interrupt { line: 0x30, source, input: 23, flags: InterruptFlags::ALL, ..line(0, 0) }
}

const fn message() -> Interrupt {
    let source = InterruptSource::Message as u64;
    Interrupt { line: 0x30, source, unit: 0xffff, flags: InterruptFlags::EDGE, ..line(0, 0) }
}

/// Turns the sample into an x86 image with a single pin interrupt, then spoils that interrupt.
fn for_x86(writer: &mut ImageWriter, spoil: fn(&mut Interrupt)) {
    writer.architecture = Architecture::X86_64;
    writer.interrupts = vec![pin()];
    writer.caps[6] = cap(1, 138, CapKind::Interrupt, 0);
    spoil(&mut writer.interrupts[0]);
}

#[test]
fn pins_and_messages_are_for_x86() {
    let mut writer = crate::sample::sample();
    for_x86(&mut writer, |_| {});
    writer.interrupts.push(Interrupt { line: 0x9b, ..message() });
    assert_eq!(crate::sample::judge(&crate::sample::words_of(&writer)), Ok(()));
}
