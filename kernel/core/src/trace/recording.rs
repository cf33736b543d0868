//! The recording: what each event reads and does, for a replay on the host. [`limen_abi::recording`] describes it.
//!
//! The port calls [`Kernel::record_begin`] before each event and [`Kernel::record_end`] after it, and [`Kernel::record_entry`] for
//! each trap before both: a recording leads all traps through the probes. None changes anything that an event depends on: an
//! open call stays open.
//!
//! A trap saves only some registers of the running thread. The others are in its context when the kernel has switched
//! to another thread, so the next event records that thread once more.

use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::message::{BufferWord, MAX_EXTRA_CAPS, MAX_LENGTH, REGISTER_WORDS};
use limen_abi::recording::{
    EventKind, MOST_READINGS, MOST_WORDS, NO_PROBE_EVENT, PIECES, Part, StateWord, TAKEN, TAKEN_MASK, head,
};
use limen_abi::trace::{HeaderWord, TIMER_LINE};
use limen_abi::{MessageInfo, ProbeEvent};

use limen_image::Options;

use super::{Trace, TraceRing, number};
use crate::arena::{NotificationId, ThreadId};
use crate::event::Event;
use crate::fault::{Access, Fault};
use crate::kernel::{Kernel, Notifications, SchedContexts};
use crate::machine::{Context, Machine, Patching, Ticks};
use crate::processors::mailbox::{Mail, take_lowest};

/// The state of the recording. The number of words so far is that of the trace's records.
#[derive(Debug)]
pub(super) struct Recording {
    /// The number of the event.
    event: u64,
    /// The thread that ran when the event came.
    entered: Option<ThreadId>,
    /// The thread that the last event left for another one.
    left: Option<ThreadId>,
    readings: [Ticks; MOST_READINGS],
    reading_count: usize,
}

impl Recording {
    pub(super) const EMPTY: Self =
        Self { event: 0, entered: None, left: None, readings: [0; MOST_READINGS], reading_count: 0 };
}

impl Trace {
    /// Notes a reading of the clock.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_clock(&mut self, now: Ticks) {
        let Recording { readings, reading_count, .. } = &mut self.recording;
        if let Some(reading) = readings.get_mut(*reading_count) {
            *reading = now;
            *reading_count += 1;
        }
    }
}

/// A part that is being written.
struct Writer<'a> {
    header: &'a [AtomicU64; HeaderWord::LENGTH],
    words: &'a [AtomicU64],
    start: u64,
    length: u64,
}

impl<'a> Writer<'a> {
    /// Begins a part: waits until the reader has taken enough for it.
    fn begin(ring: TraceRing<'a>, start: u64, event: u64) -> Self {
        let (header, words) = (ring.header, ring.slots.as_flattened());
        let last = start.wrapping_add(MOST_WORDS) / (words.len() as u64 / PIECES).max(1);
        while last.wrapping_sub(header[TAKEN].load(Ordering::Acquire)) & TAKEN_MASK >= PIECES {
            core::hint::spin_loop();
        }
        let mut part = Self { header, words, start, length: 1 };
        part.word(event);
        part
    }

    fn word(&mut self, value: u64) {
        self.set(self.length, value);
        self.length += 1;
    }

    fn set(&self, position: u64, value: u64) {
        let place = self.start.wrapping_add(position) as usize & self.words.len().wrapping_sub(1);
        if let Some(word) = self.words.get(place) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Ends the part, and returns the number of words so far.
    fn end(self, part: Part) -> u64 {
        self.set(0, head(part, self.length - 1));
        let count = self.start.wrapping_add(self.length);
        self.header[HeaderWord::COUNT].store(count, Ordering::Release);
        count
    }
}

impl<M: Machine> Kernel<M> {
    /// Records the state after boot.
    #[inline(never)]
    pub fn record_boot(&mut self) {
        let Some(mut part) = self.part() else { return };
        self.write_state(&mut part);
        part.word(self.machine.frequency());
        part.word(self.machine.fpu_options());
        part.word(u64::from(self.processor.number));
        part.word(u64::from(self.machine.switches_page_tables()));
        self.trace.count = part.end(Part::Boot);
    }

    /// Records an entry before the probe of the running program sees it. It leads to the next event, or lets work go on.
    #[cold]
    #[inline(never)]
    pub fn record_entry(&mut self, event: Option<ProbeEvent>, stamp: u64) {
        let thread = self.running_thread();
        let Some(mut part) = self.part_of(self.trace.recording.event.wrapping_add(1)) else { return };
        part.word(event.map_or(NO_PROBE_EVENT, ProbeEvent::as_raw));
        part.word(stamp);
        part.word(thread.map_or(0, |thread| self.threads[thread].context.register(M::Context::PC)));
        self.trace.count = part.end(Part::Entry);
    }

    /// Records a fault that a probe has sampled. It leads to no other event.
    #[cold]
    #[inline(never)]
    pub fn record_sampled(&mut self, is_printing: bool) {
        self.record_begin_of(EventKind::Sampled, [0; REGISTER_WORDS], is_printing);
        self.record_end();
    }

    /// Records an event and what it may read, and whether the kernel prints faults.
    #[inline(never)]
    pub fn record_begin(&mut self, event: &Event, is_printing: bool) {
        let (kind, arguments) = arguments_of(event);
        self.record_begin_of(kind, arguments, is_printing);
    }

    #[inline(never)]
    fn record_begin_of(&mut self, kind: EventKind, arguments: [u64; REGISTER_WORDS], is_printing: bool) {
        let thread = self.running_thread();
        self.trace.recording.event = self.trace.recording.event.wrapping_add(1);
        self.trace.recording.entered = thread;
        self.trace.recording.reading_count = 0;
        self.machine.forget_interrupt();
        let Some(mut part) = self.part() else { return };
        part.word(kind as u64);
        arguments.into_iter().for_each(|argument| part.word(argument));
        part.word(u64::from(is_printing));
        self.write_thread(&mut part, thread);
        self.write_thread(&mut part, self.trace.recording.left);
        match thread.filter(|_| kind == EventKind::Syscall) {
            Some(thread) => {
                let info = self.threads[thread].context.info();
                self.write_message(&mut part, thread, info);
                self.write_extra(&mut part, thread, info);
            }
            None => [0, 0].into_iter().for_each(|count| part.word(count)),
        }
        self.trace.count = part.end(Part::Begin);
    }

    /// Returns whether the image asks for a recording: for code that has no static branches, because boot may unmap it.
    #[inline(always)]
    pub(crate) fn is_recorded(&self) -> bool {
        self.options & Options::RECORDING != 0
    }

    /// Records what the event takes from the mailbox of this processor, before it handles any of it.
    #[cold]
    #[inline(never)]
    pub(crate) fn record_mail(&mut self, mail: &Mail, code: u64) {
        let Mail { mut letters, recalls, signals } = *mail;
        let Some(mut part) = self.part() else { return };
        [letters, recalls, signals, code].into_iter().for_each(|bits| part.word(bits));
        self.trace.count = part.end(Part::Mail);
        while let Some(thread) = take_lowest(&mut letters) {
            self.record_letter(thread);
        }
    }

    fn record_letter(&mut self, thread: ThreadId) {
        let Some(mut part) = self.part() else { return };
        let letter = self.machine.mailboxes().letter(thread);
        part.word(number(Some(thread)));
        part.word(letter.words().count() as u64);
        letter.words().for_each(|word| part.word(word));
        let info = letter.message().info;
        self.write_message(&mut part, thread, info);
        self.write_extra(&mut part, thread, info);
        self.trace.count = part.end(Part::Letter);
    }

    /// Records the number of a recalled request. Its home may write another one at any time.
    #[cold]
    #[inline(never)]
    pub(crate) fn record_recall(&mut self, thread: ThreadId, recalled: u64) {
        let Some(mut part) = self.part() else { return };
        part.word(number(Some(thread)));
        part.word(recalled);
        self.trace.count = part.end(Part::Recall);
    }

    /// Records bits that other processors have signalled.
    #[cold]
    #[inline(never)]
    pub(crate) fn record_signals(&mut self, id: NotificationId, badge: u64) {
        let Some(mut part) = self.part() else { return };
        part.word(Notifications::index_of(id) as u64);
        part.word(badge);
        self.trace.count = part.end(Part::Signals);
    }

    /// Records the effects of the event.
    #[inline(never)]
    pub fn record_end(&mut self) {
        let Some(mut part) = self.part() else { return };
        part.word(self.machine.last_interrupt().map_or(TIMER_LINE, |line| u64::from(line.0)));
        let Recording { readings, reading_count, .. } = self.trace.recording;
        part.word(reading_count as u64);
        readings.into_iter().take(reading_count).for_each(|reading| part.word(reading));
        self.write_state(&mut part);
        self.trace.count = part.end(Part::End);
        let entered = self.trace.recording.entered;
        self.trace.recording.left = entered.filter(|thread| Some(*thread) != self.running_thread());
    }

    /// Records what patching branches has done.
    #[cold]
    #[inline(never)]
    pub(crate) fn record_patching(&mut self, patching: Patching, room: usize) {
        let Some(mut part) = self.part() else { return };
        part.word(u64::from(patching == Patching::Done));
        part.word(room as u64);
        self.trace.count = part.end(Part::Patching);
    }

    fn part(&self) -> Option<Writer<'_>> {
        self.part_of(self.trace.recording.event)
    }

    fn part_of(&self, event: u64) -> Option<Writer<'_>> {
        Some(Writer::begin(self.machine.trace_ring()?, self.trace.count, event))
    }

    fn write_thread(&self, part: &mut Writer<'_>, thread: Option<ThreadId>) {
        part.word(number(thread));
        if let Some(thread) = thread {
            let context = &self.threads[thread].context;
            (0..M::Context::REGISTERS).for_each(|position| part.word(context.register(position)));
        }
    }

    /// Writes the words of a thread's message that are not in registers, with their number.
    fn write_message(&self, part: &mut Writer<'_>, thread: ThreadId, info: MessageInfo) {
        let length = info.length().min(MAX_LENGTH);
        part.word(length.saturating_sub(REGISTER_WORDS) as u64);
        let buffer = &self.machine.buffers()[thread];
        (REGISTER_WORDS..length).for_each(|position| part.word(buffer.word(BufferWord::MESSAGE + position)));
    }

    /// Writes the extra capabilities of a message, with their number.
    fn write_extra(&self, part: &mut Writer<'_>, thread: ThreadId, info: MessageInfo) {
        let count = info.extra_caps().min(MAX_EXTRA_CAPS);
        part.word(count as u64);
        let buffer = &self.machine.buffers()[thread];
        (0..count).for_each(|position| part.word(buffer.word(BufferWord::CAPS_OR_BADGES + position)));
    }

    fn write_state(&self, part: &mut Writer<'_>) {
        let thread = self.running_thread();
        self.write_thread(part, thread);
        match thread {
            Some(thread) => self.write_message(part, thread, self.threads[thread].context.info()),
            None => part.word(0),
        }
        self.state_words().into_iter().for_each(|word| part.word(word));
    }

    /// The words at the end of a recorded state.
    pub fn state_words(&self) -> [u64; StateWord::LENGTH] {
        let processor = &self.processor;
        let mut words = [0; StateWord::LENGTH];
        words[StateWord::SINCE] = processor.since;
        words[StateWord::PROGRAMMED] = processor.programmed;
        words[StateWord::SLOT_END] = processor.slot_end;
        words[StateWord::DOMAIN] = u64::from(processor.domain);
        words[StateWord::CHARGED] =
            processor.sched_context.map_or(number(None), |id| SchedContexts::index_of(id) as u64);
        words[StateWord::REMAINING] =
            processor.sched_context.map_or(0, |id| self.sched_contexts[id].remaining);
        words[StateWord::FPU_OWNER] = number(processor.fpu.owner());
        words[StateWord::FPU_IS_ON] = u64::from(processor.fpu.is_on());
        words
    }
}

fn arguments_of(event: &Event) -> (EventKind, [u64; REGISTER_WORDS]) {
    match *event {
        Event::Syscall(number) => (EventKind::Syscall, [number as u64, 0, 0, 0]),
        Event::Fault(fault) => arguments_of_fault(fault),
        Event::FpuUse(fault) => (EventKind::FpuUse, arguments_of_fault(fault).1),
        Event::Interrupt => (EventKind::Interrupt, [0; REGISTER_WORDS]),
        Event::WorkDone(result) => (EventKind::WorkDone, result.words),
    }
}

/// The ports know no other faults: those of capabilities, unknown system calls and budgets are the core's own.
fn arguments_of_fault(fault: Fault) -> (EventKind, [u64; REGISTER_WORDS]) {
    match fault {
        Fault::Vm { address, access: Access::Instruction, status } => {
            (EventKind::InstructionFault, [address, status, 0, 0])
        }
        Fault::Vm { address, access: Access::Data, status } => {
            (EventKind::DataFault, [address, status, 0, 0])
        }
        Fault::UserException { number, code } => (EventKind::Exception, [number, code, 0, 0]),
        Fault::Cap { .. } | Fault::UnknownSyscall { .. } | Fault::Timeout { .. } => {
            (EventKind::Exception, [0; REGISTER_WORDS])
        }
    }
}
