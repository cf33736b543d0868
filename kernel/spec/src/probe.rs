//! Probes: which events of a program are sampled, and which returns to it are stamped.
//!
//! The counter itself and the registers of the stamps of returns are the ports'. An event carries the counter that the port
//! has read, and how the return is stamped is a part of the state.

use std::collections::BTreeMap;

use limen_abi::limits::PROBE_SAMPLES;
use limen_abi::probe::{ProbeEvent, ProbeOption};
use limen_abi::ring::PAGE_LINES;
use limen_abi::{ErrorCode, Label};

use crate::method::{Answer, Refusal};
use crate::state::{System, ThreadId};

/// The lines of a ring that have samples.
const SLOTS: u64 = PAGE_LINES as u64 - 1;

/// The probe of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Probe {
    /// Whether the program probes itself, and the event that it waits for.
    pub state: State,
    /// The samples that the program has not read, oldest first. None with a ring.
    pub samples: Vec<Sample>,
    /// The samples lost since the start.
    pub dropped: u64,
    /// Kernel entries of the program since the return from the last event, or since the start.
    pub entries: u64,
    /// The page for its samples, if it has one. It stays as it is when the probe stops.
    pub ring: Option<Ring>,
}

/// The state of a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    /// The program does not probe itself.
    #[default]
    Off,
    /// No event is armed.
    Ready,
    /// The next event is sampled.
    Armed {
        /// The event.
        arming: Arming,
        /// The kernel entries of the program since then that were not the event.
        interruptions: u64,
    },
    /// The event was sampled, and the kernel has not returned from it to the program.
    Leaving(Arming),
}

/// The request of a program to sample an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arming {
    /// The event.
    pub event: ProbeEvent,
    /// The first address of the code in which it counts.
    pub first: u64,
    /// The last one, at which the program continues after a fault or an interrupt.
    pub last: u64,
    /// Whether the return is stamped.
    pub exit: Exit,
    /// Whether it stays armed.
    pub stays: bool,
}

/// How a return to a program is stamped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Exit {
    /// Not at all.
    #[default]
    None,
    /// With the counter.
    Plain,
    /// With the counter, read after all earlier instructions.
    Serialised,
}

/// A sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The event.
    pub event: ProbeEvent,
    /// The program's stamp.
    pub user: u64,
    /// The kernel's stamp.
    pub entry: u64,
    /// Other kernel entries of the program between arming and the event.
    pub interruptions: u64,
}

/// The contents of a page of samples, as its program reads them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ring {
    /// The samples since the start.
    pub count: u64,
    /// How many fit in; zero before the first start.
    pub slots: u64,
    /// Whether every crossing switches page tables, from the first start on.
    pub switches_page_tables: bool,
    /// The last samples by number.
    pub samples: BTreeMap<u64, Sample>,
}

/// An entry into the kernel, as probes see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The event; `None` if programs cannot arm it.
    pub event: Option<ProbeEvent>,
    /// The counter at the entry.
    pub stamp: u64,
}

/// Whether the kernel handles an event that a probe has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Handling {
    /// It does.
    AsUsual,
    /// It does not: an armed fault is no fault.
    Nothing,
}

impl Arming {
    fn decode([event, first, last, options]: [u64; 4]) -> Result<Self, Refusal> {
        let range = |most: u64| (ErrorCode::RangeError, vec![0, most]);
        let last_event = ProbeEvent::Interrupt.as_raw();
        let event = ProbeEvent::from_raw(event).ok_or_else(|| range(last_event))?;
        let stays = options & ProbeOption::EVERY != 0;
        let exit = match options & !ProbeOption::EVERY {
            0 => Exit::None,
            ProbeOption::EXIT => Exit::Plain,
            ProbeOption::EXIT_SERIALISED => Exit::Serialised,
            _ => return Err(range(ProbeOption::EXIT_SERIALISED | ProbeOption::EVERY)),
        };
        Ok(Self { event, first, last, exit, stays })
    }

    /// Whether an event of a program at this address is the armed one. The next system call counts anywhere.
    fn is_for(&self, event: Option<ProbeEvent>, address: u64) -> bool {
        let is_anywhere = self.event == ProbeEvent::Syscall && !self.stays;
        event == Some(self.event) && (is_anywhere || self.first <= address && address <= self.last)
    }
}

impl Probe {
    fn push(&mut self, sample: Sample) {
        match &mut self.ring {
            Some(ring) => {
                ring.samples.insert(ring.count, sample);
                ring.count += 1;
                ring.samples.retain(|number, _| number + SLOTS >= ring.count);
            }
            None if self.samples.len() < PROBE_SAMPLES => self.samples.push(sample),
            None => self.dropped += 1,
        }
    }
}

impl System {
    /// A method of the caller's own probe. A sample is read only by a call, which gets it.
    pub(crate) fn invoke_probe(
        &mut self,
        caller: ThreadId,
        label: Option<Label>,
        words: Result<[u64; 4], Refusal>,
        is_call: bool,
    ) -> Result<Answer, Refusal> {
        let is_off = self.threads[caller].probe.state == State::Off;
        match label {
            Some(Label::ProbeStart) if is_off => self.start_probe(caller),
            Some(Label::ProbeStop) if !is_off => self.stop_probe(caller),
            Some(Label::ProbeArm) if !is_off => {
                let arming = Arming::decode(words?)?;
                self.threads[caller].probe.state = State::Armed { arming, interruptions: 0 };
            }
            Some(Label::ProbeRead) if !is_off && is_call => return Ok(Some(self.take_sample(caller))),
            Some(Label::ProbeRead) if !is_off => {}
            _ => return Err((ErrorCode::IllegalOperation, Vec::new())),
        }
        Ok(Some(Vec::new()))
    }

    fn start_probe(&mut self, thread: ThreadId) {
        let switches_page_tables = self.switches_page_tables;
        let probe = &mut self.threads[thread].probe;
        probe.state = State::Ready;
        if let Some(ring) = &mut probe.ring {
            *ring = Ring { slots: SLOTS, switches_page_tables, ..Ring::default() };
        }
    }

    /// A program stops its probe, or is stopped or restarted by another one.
    pub(crate) fn stop_probe(&mut self, thread: ThreadId) {
        let probe = &mut self.threads[thread].probe;
        *probe = Probe { ring: probe.ring.take(), ..Probe::default() };
    }

    /// The words that a call of a probe returns. The entry of the call itself does not count.
    fn take_sample(&mut self, thread: ThreadId) -> Vec<u64> {
        let switches = u64::from(self.switches_page_tables);
        let probe = &mut self.threads[thread].probe;
        let sample = if probe.samples.is_empty() { None } else { Some(probe.samples.remove(0)) };
        let [valid, event, user, entry, interruptions] = sample.map_or([0; 5], |sample| {
            [1, sample.event.as_raw(), sample.user, sample.entry, sample.interruptions]
        });
        let after = probe.entries.saturating_sub(1);
        vec![valid, event, user, entry, interruptions, probe.dropped, switches, after]
    }

    /// The current program enters the kernel. Work for a service is not the program. If its faults clear memory, they are
    /// never sampled.
    pub(crate) fn enter(&mut self) -> Handling {
        let (Some(entry), Some(current)) = (self.entry, self.current) else { return Handling::AsUsual };
        let thread = &mut self.threads[current];
        let probe = &mut thread.probe;
        if thread.works.is_some() || probe.state == State::Off {
            return Handling::AsUsual;
        }
        probe.entries += 1;
        let State::Armed { arming, interruptions } = probe.state else { return Handling::AsUsual };
        let registers = &mut thread.registers;
        let (pc, stamp) = (registers.of.pc(), registers.of.stamp());
        let has_to_clear = thread.wipe.is_some() && arming.event.is_fault();
        if has_to_clear || !arming.is_for(entry.event, registers.get(pc)) {
            probe.state = State::Armed { arming, interruptions: interruptions + 1 };
            return Handling::AsUsual;
        }
        let user = registers.get(stamp);
        probe.push(Sample { event: arming.event, user, entry: entry.stamp, interruptions });
        probe.state = State::Leaving(arming);
        if arming.event != ProbeEvent::Syscall {
            registers.set_for_program(registers.of.position(pc), arming.last);
        }
        if arming.event.is_fault() { Handling::Nothing } else { Handling::AsUsual }
    }

    /// The kernel returns to the current program, or to work in its place.
    pub(crate) fn leave(&mut self) {
        let program = self.current.filter(|current| self.threads[*current].works.is_none());
        self.exit = program.map_or(Exit::None, |program| self.end_event(program));
    }

    /// The return from the event of a probe is over: how it is stamped.
    fn end_event(&mut self, thread: ThreadId) -> Exit {
        let probe = &mut self.threads[thread].probe;
        let State::Leaving(arming) = probe.state else { return Exit::None };
        probe.state = if arming.stays { State::Armed { arming, interruptions: 0 } } else { State::Ready };
        probe.entries = 0;
        arming.exit
    }

    /// The system call of a thread restarts. It counts as returned from without a stamp.
    pub(crate) fn restart_syscall(&mut self, thread: ThreadId) {
        self.threads[thread].registers.restart();
        let _: Exit = self.end_event(thread);
    }
}
