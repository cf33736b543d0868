//! Names of slices, marks and arrows, for people.

use limen_abi::trace::{BADGE_SHIFT, EntryReason, PROCESSOR_SHIFT, WaitedObject};
use limen_abi::{FaultLabel, Syscall, TraceKind};

use crate::system::System;
use crate::timeline::{Mark, State, Wait, What};

/// Names with the system's names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'s>(pub(crate) &'s System);

impl Words<'_> {
    /// Name of a slice on the track of a thread.
    pub(crate) fn slice(self, thread: Option<u16>, what: What) -> String {
        match what {
            What::State(State::Running) => "running".to_owned(),
            What::State(State::Ready) => "ready".to_owned(),
            What::State(State::Waiting(wait)) => format!("waits for {}", self.wait(wait)),
            What::Kernel(reason, _) => format!("kernel: {}", entry(reason)),
            What::Work(service) => format!("work of service {service}"),
            What::Span(name, _) => self.0.event(thread, name),
            What::Run(thread) => self.thread(thread, "idle"),
            What::Slot(domain) => self.0.domain(domain),
        }
    }

    /// The thing that a thread waits for.
    pub(crate) fn wait(self, wait: Wait) -> String {
        match wait {
            Wait::Reply(Some(server)) => format!("a reply of {}", self.0.thread(server)),
            Wait::Reply(None) => "a reply".to_owned(),
            Wait::FaultHandler(_) => "its fault handler".to_owned(),
            Wait::Object(kind, _) => match WaitedObject::from_raw(u64::from(kind)) {
                Some(WaitedObject::Endpoint) => "a message".to_owned(),
                Some(WaitedObject::Notification) => "a signal".to_owned(),
                Some(WaitedObject::Receiver) => "a receiver".to_owned(),
                Some(WaitedObject::Reply) => "a reply".to_owned(),
                Some(WaitedObject::Budget) => "budget".to_owned(),
                Some(WaitedObject::Stopped) => "time from a caller, or to be started".to_owned(),
                Some(WaitedObject::Processor) => "an answer of another processor".to_owned(),
                None => format!("an object of kind {kind}"),
            },
        }
    }

    /// Name of a thread, or the word for none.
    pub(crate) fn thread(self, thread: Option<u16>, none: &str) -> String {
        thread.map_or_else(|| none.to_owned(), |thread| self.0.thread(thread))
    }

    /// Name of a mark.
    pub(crate) fn mark(self, mark: &Mark) -> String {
        let record = &mark.record;
        let other = |verb: &str, none: &str| match record.other() {
            Some(thread) => format!("{verb} {}", self.0.thread(thread)),
            None => none.to_owned(),
        };
        match record.kind() {
            Some(TraceKind::Call) => other("calls", "calls, and queues"),
            Some(TraceKind::Reply) => other("replies to", "replies"),
            Some(TraceKind::Signal) => other("signals", "signals"),
            Some(TraceKind::CallElsewhere) => format!("calls on processor {}", processor(record.value)),
            Some(TraceKind::SignalElsewhere) => format!("signals to processor {}", processor(record.value)),
            Some(TraceKind::Wake) => other("wakes", "wakes"),
            Some(TraceKind::Block) => format!("asks processor {}", record.value),
            Some(TraceKind::Fault) => format!("fault: {}", fault(record.first())),
            Some(TraceKind::Interrupt) => self.0.interrupt(record.first()),
            Some(TraceKind::Budget) => "budget used up".to_owned(),
            Some(TraceKind::Key) => {
                let state = if record.value & 1 == 0 { "off" } else { "on" };
                format!("key {} {state}", record.first())
            }
            Some(TraceKind::Fpu) => other("FPU to", "FPU to memory"),
            Some(TraceKind::Wipe) => format!("wipe of {} bytes", record.value),
            Some(TraceKind::Event) => self.0.event(record.thread(), record.first()),
            _ => format!("record of kind {}", record.raw_kind()),
        }
    }

    /// Numbers of a mark, with their names.
    pub(crate) fn details(mark: &Mark) -> Vec<(&'static str, u64)> {
        let (first, value) = (u64::from(mark.record.first()), mark.record.value);
        match mark.record.kind() {
            Some(TraceKind::Call) => vec![("badge", value >> 16), ("words", value & 0xffff)],
            Some(TraceKind::Signal) => vec![("badge", value)],
            Some(TraceKind::CallElsewhere | TraceKind::SignalElsewhere) => {
                vec![("object", value & 0xffff), ("badge", value >> BADGE_SHIFT)]
            }
            Some(TraceKind::Fault) => vec![("address", value)],
            Some(TraceKind::Budget) => vec![("scheduling_context", first)],
            Some(TraceKind::Key) => vec![("branches_patched", value >> 1)],
            Some(TraceKind::Event) => vec![("value", value)],
            Some(
                TraceKind::Reply
                | TraceKind::Wake
                | TraceKind::Block
                | TraceKind::Interrupt
                | TraceKind::Fpu
                | TraceKind::Wipe,
            ) => Vec::new(),
            _ => vec![("first", first), ("second", value)],
        }
    }

    /// Numbers of a slice, with their names.
    pub(crate) fn details_of(what: What) -> Vec<(&'static str, u64)> {
        match what {
            What::Kernel(_, pc) => vec![("program_counter", pc)],
            What::Span(_, value) => vec![("value", value)],
            What::State(State::Waiting(Wait::Object(_, object))) => vec![("object", object)],
            What::State(State::Waiting(Wait::FaultHandler(label))) => vec![("fault", u64::from(label))],
            _ => Vec::new(),
        }
    }
}

/// The processor in the second value of a record about an object elsewhere.
fn processor(value: u64) -> u64 {
    value >> PROCESSOR_SHIFT & 0xffff
}

/// Name of the reason of an entry.
fn entry(reason: u32) -> String {
    if let Some(syscall) = Syscall::from_raw(i64::from(reason as i32)) {
        return format!("{syscall:?}");
    }
    match EntryReason::from_raw(u64::from(reason)) {
        Some(EntryReason::Interrupt) => "interrupt".to_owned(),
        Some(EntryReason::Fault) => "fault".to_owned(),
        Some(EntryReason::FpuUse) => "first use of the FPU".to_owned(),
        Some(EntryReason::WorkDone) => "end of work".to_owned(),
        None => format!("system call {}", reason as i32),
    }
}

fn fault(label: u32) -> String {
    FaultLabel::from_raw(u64::from(label))
        .map_or_else(|| format!("label {label}"), |label| format!("{label:?}"))
}
