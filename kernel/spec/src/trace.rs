//! The kernel's keys that programs may switch, and the records of programs in the trace.
//!
//! The records of the kernel's own events are outside.

use limen_abi::KernelKey;
use limen_abi::trace::TraceKind;

use crate::state::{KeyId, System, ThreadId};

/// The trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// Whether there is memory for records. Without it, no group can be on.
    pub has_ring: bool,
    /// The keys of the kernel that are on, as options of an image: printing, and the groups of the trace.
    pub keys: u64,
    /// The record that a program has written in the last event.
    pub record: Option<Record>,
}

/// A record of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// When it was written.
    pub time: u64,
    /// An event, the start or the end of a span, or a counter.
    pub kind: TraceKind,
    /// The program's thread.
    pub thread: ThreadId,
    /// Position of its name.
    pub name: u64,
    /// Its value.
    pub value: u64,
}

impl Trace {
    /// Whether a key of the kernel is on.
    pub(crate) const fn is_on(&self, key: KernelKey) -> bool {
        self.keys & key.option() != 0
    }
}

impl System {
    /// All branches on a key are written. If it is one of the kernel, what it is for begins or ends.
    pub(crate) fn switch_kernel(&mut self, key: KeyId) {
        let Some(own) = self.keys[key].kernel else { return };
        if own == KernelKey::Printing || own.is_trace() && self.trace.has_ring {
            let others = self.trace.keys & !own.option();
            self.trace.keys = if self.keys[key].is_on { others | own.option() } else { others };
        }
    }

    /// A program asks for a record: of an event, if it names no kind that programs may use.
    pub(crate) fn write_record(&mut self, caller: ThreadId) {
        if !self.trace.is_on(KernelKey::TracePrograms) {
            return;
        }
        let registers = &self.threads[caller].registers;
        let map = registers.of.map();
        let (what, value) = (registers.get(map.cptr), registers.get(map.info));
        let kinds = [TraceKind::Event, TraceKind::SpanBegin, TraceKind::SpanEnd, TraceKind::Counter];
        let kind = kinds.into_iter().find(|kind| *kind as u64 == what % 0x100).unwrap_or(TraceKind::Event);
        self.trace.record = Some(Record { time: self.now, kind, thread: caller, name: what >> 32, value });
    }
}
