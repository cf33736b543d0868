//! Interrupts and the programs that handle them.

use limen_image::{Interrupt, InterruptFlags};
use serde::Serialize;

use crate::build::Built;
use crate::interrupts::source;

/// An interrupt and its driver.
#[derive(Clone, Debug, Serialize)]
pub struct InterruptLine {
    /// Line of the interrupt controller; on x86, vector of the processor.
    pub line: u64,
    /// Its source.
    pub source: String,
    /// `level` or `edge`.
    pub trigger: &'static str,
    /// Protection domain.
    pub owner: String,
    /// Its id in that protection domain.
    pub id: u8,
}

/// All interrupts, ascending by line.
pub(super) fn interrupts(built: &Built) -> Vec<InterruptLine> {
    let domains = &built.parts.system.protection_domains;
    let all = built.objects.interrupts.iter();
    all.map(|interrupt| InterruptLine {
        line: interrupt.record.line,
        source: source(&interrupt.record),
        trigger: trigger(&interrupt.record),
        owner: domains[interrupt.owner].name.clone(),
        id: interrupt.id,
    })
    .collect()
}

fn trigger(record: &Interrupt) -> &'static str {
    if record.flags & InterruptFlags::EDGE != 0 { "edge" } else { "level" }
}

#[cfg(test)]
mod tests {
    use limen_image::InterruptSource;

    use super::*;

    #[test]
    fn sources_are_described_in_words() {
        let record = |source: InterruptSource, unit, input, flags| Interrupt {
            line: 49,
            source: source as u64,
            unit,
            input,
            flags,
            ..Interrupt::default()
        };
        let text = |record| (source(&record), trigger(&record));
        assert_eq!(text(record(InterruptSource::Line, 0, 0, 1)), ("line 49".into(), "edge"));
        let pin = record(InterruptSource::Pin, 0, 16, InterruptFlags::ACTIVE_LOW);
        assert_eq!(text(pin), ("pin 16 of I/O APIC 0, active when low".into(), "level"));
        let message = record(InterruptSource::Message, 0x1fb, 2, 1);
        assert_eq!(text(message), ("message 2 of PCI device 01:1f.3".into(), "edge"));
    }
}
