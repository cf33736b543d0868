//! Probes: what it costs a program to enter the kernel and to come back, told to that program alone.
//!
//! ```text
//!        start           arm               the event            return to the program
//!   Off -------> Ready ------> Armed ------------------> Leaving ------------.
//!    ^             ^                                                         |
//!    '-- stop      '---------------------------------------------------------'
//!    (or the program stops)
//! ```
//!
//! The program reads the counter into a register, and causes the event. The port reads the counter at the first
//! instructions of the kernel; the two make a sample. At the return the port reads it once more, with its last instruction
//! before the program's first, into registers that the program has declared free by arming. Each arming is for one event, so
//! nothing else is stamped. No memory of the program is touched: a fault that was armed for is not delivered, but
//! the program goes on where it has said. For that it must be in the code that it has named, where it expects to be taken
//! elsewhere; a fault or an interrupt in other code is none that was armed for. Nor is any fault of a program whose faults
//! wipe: that wipes, and is delivered.
//!
//! As long as any program probes, a static key of the port leads every trap past here.

use limen_abi::Label;
use limen_abi::limits::PROBE_SAMPLES;
use limen_abi::probe::{ProbeEvent, ProbeOption, ProbeWord};

use crate::arena::ThreadId;
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::message::Answer;

/// What a program samples.
#[derive(Debug)]
pub struct Probe {
    state: State,
    samples: [Sample; PROBE_SAMPLES],
    /// Position of the oldest sample.
    first: usize,
    /// Samples that were not read.
    count: usize,
    /// Samples without room.
    dropped: u64,
    /// Entries since the return from the last event.
    entries: u64,
}

/// See the picture above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Off,
    Ready,
    Armed { arming: Arming, interruptions: u64 },
    Leaving { exit: ExitStamp },
}

/// What a program waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arming {
    event: ProbeEvent,
    /// Where the program is when it comes, unless it is a system call: from here
    first: u64,
    /// to here, where it goes on.
    last: u64,
    exit: ExitStamp,
}

/// Whether the counter is read at the return; ports know them by these numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ExitStamp {
    /// No.
    None = 0,
    /// With nothing before it.
    Plain = 1,
    /// When every instruction before it is complete, as far as the processor has a barrier for that.
    Serialised = 2,
}

/// One crossing.
#[derive(Clone, Copy, Debug)]
struct Sample {
    event: ProbeEvent,
    user: u64,
    entry: u64,
    interruptions: u64,
}

impl Sample {
    const NONE: Self = Self { event: ProbeEvent::PageFault, user: 0, entry: 0, interruptions: 0 };
}

impl Probe {
    /// Nothing is sampled.
    pub const OFF: Self = Self {
        state: State::Off,
        samples: [Sample::NONE; PROBE_SAMPLES],
        first: 0,
        count: 0,
        dropped: 0,
        entries: 0,
    };

    /// Whether the program samples itself.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.state != State::Off
    }

    fn push(&mut self, sample: Sample) {
        let position = (self.first + self.count) % PROBE_SAMPLES;
        match self.samples.get_mut(position) {
            Some(place) if self.count < PROBE_SAMPLES => {
                *place = sample;
                self.count += 1;
            }
            _ => self.dropped += 1,
        }
    }

    fn pop(&mut self) -> Option<Sample> {
        self.count = self.count.checked_sub(1)?;
        let position = self.first;
        self.first = (position + 1) % PROBE_SAMPLES;
        self.samples.get(position).copied()
    }
}

/// A checked request of a program about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Begin, without samples.
    Start,
    /// End.
    Stop,
    /// Sample one event.
    Arm(Arming),
    /// Give the oldest sample away.
    Read,
}

impl Request {
    /// Looks at a message to the right to probe. Out of line, as what follows: other requests are more frequent.
    #[inline(never)]
    pub(crate) fn decode<M: Machine>(arguments: &Arguments<'_, M>) -> Result<Self, InvokeError> {
        match (arguments.label(), arguments.is_probing()) {
            (Some(Label::ProbeStart), false) => Ok(Self::Start),
            (Some(Label::ProbeStop), true) => Ok(Self::Stop),
            (Some(Label::ProbeArm), true) => Arming::decode(arguments).map(Self::Arm),
            (Some(Label::ProbeRead), true) => Ok(Self::Read),
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    /// Does what was decoded.
    #[inline(never)]
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>, caller: ThreadId) -> (Answer, Outcome) {
        let answer = match self {
            Self::Start => {
                kernel.start_probe(caller);
                Answer::Empty
            }
            Self::Stop => {
                kernel.stop_probe(caller);
                Answer::Empty
            }
            Self::Arm(arming) => {
                kernel.probes[caller].state = State::Armed { arming, interruptions: 0 };
                Answer::Empty
            }
            Self::Read => Answer::Sample(caller),
        };
        (answer, Outcome::NOTHING)
    }
}

impl Arming {
    fn decode<M: Machine>(arguments: &Arguments<'_, M>) -> Result<Self, InvokeError> {
        let [event, first, last, options] = arguments.words()?;
        let max = ProbeEvent::ALL.len() as u64 - 1;
        let event = ProbeEvent::from_raw(event).ok_or(InvokeError::Range { min: 0, max })?;
        let exit = match options {
            0 => ExitStamp::None,
            ProbeOption::EXIT => ExitStamp::Plain,
            ProbeOption::EXIT_SERIALISED => ExitStamp::Serialised,
            _ => return Err(InvokeError::Range { min: 0, max: ProbeOption::EXIT_SERIALISED }),
        };
        Ok(Self { event, first, last, exit })
    }

    /// Whether this is the event, with the program at `pc`.
    fn is_for(&self, event: Option<ProbeEvent>, pc: u64) -> bool {
        event == Some(self.event)
            && (self.event == ProbeEvent::Syscall || (self.first..=self.last).contains(&pc))
    }
}

/// What is left of a trap that a probe has looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Rest {
    /// All of it.
    Serve,
    /// Nothing: the program goes on elsewhere.
    Return,
}

impl<M: Machine> Kernel<M> {
    fn start_probe(&mut self, thread: ThreadId) {
        self.probes[thread] = Probe { state: State::Ready, ..Probe::OFF };
        self.probing += 1;
        if self.probing == 1 {
            self.machine.set_probing(true);
        }
    }

    /// A program ends its probing, was stopped, or starts again.
    #[inline(never)]
    pub(crate) fn stop_probe(&mut self, thread: ThreadId) {
        if !self.probes[thread].is_on() {
            return;
        }
        self.probes[thread].state = State::Off;
        self.probing -= 1;
        if self.probing == 0 {
            self.machine.set_probing(false);
        }
    }

    /// The oldest sample of a program, out of line as well, in the order of [`ProbeWord`]. It is there no more.
    #[inline(never)]
    pub(crate) fn take_sample(&mut self, thread: ThreadId) -> [u64; ProbeWord::LENGTH] {
        let probe = &mut self.probes[thread];
        let mut words = [0; ProbeWord::LENGTH];
        words[ProbeWord::DROPPED] = probe.dropped;
        // But that which asks.
        words[ProbeWord::INTERRUPTIONS_AFTER] = probe.entries.saturating_sub(1);
        words[ProbeWord::PAGE_TABLE_SWITCH] = u64::from(self.machine.switches_page_tables());
        if let Some(sample) = probe.pop() {
            words[ProbeWord::VALID] = 1;
            words[ProbeWord::EVENT] = sample.event.as_raw();
            words[ProbeWord::USER] = sample.user;
            words[ProbeWord::ENTRY] = sample.entry;
            words[ProbeWord::INTERRUPTIONS] = sample.interruptions;
        }
        words
    }

    /// The program that runs has entered the kernel when the counter was `stamp`; `event` is none for what cannot be
    /// sampled. Called before the event is served.
    pub fn probe_entry(&mut self, event: Option<ProbeEvent>, stamp: u64) -> Rest {
        let Some(thread) = self.processor.current.or_else(|| self.hidden()) else { return Rest::Serve };
        if self.works[thread].is_some() {
            return Rest::Serve;
        }
        let probe = &mut self.probes[thread];
        probe.entries += 1;
        let State::Armed { arming, interruptions } = &mut probe.state else { return Rest::Serve };
        let context = &mut self.threads[thread].context;
        let has_to_wipe = self.wiping_faults[thread].is_some() && arming.event.is_fault();
        if has_to_wipe || !arming.is_for(event, context.register(M::Context::PC)) {
            *interruptions += 1;
            return Rest::Serve;
        }
        let Arming { event, last, exit, .. } = *arming;
        let user = context.register(M::Context::STAMP);
        let sample = Sample { event, user, entry: stamp, interruptions: *interruptions };
        probe.push(sample);
        probe.state = State::Leaving { exit };
        if event != ProbeEvent::Syscall {
            context.set_register(M::Context::PC, last);
        }
        if event.is_fault() { Rest::Return } else { Rest::Serve }
    }

    /// Serves a system call while probing; the return from one that was a fault is not stamped.
    pub fn serve_probed_syscall(&mut self, number: i64, stamp: u64) -> Option<&mut M::Context> {
        let caller = self.processor.current.or_else(|| self.hidden());
        let _: Rest = self.probe_entry(Some(ProbeEvent::Syscall), stamp);
        self.serve_syscall(number);
        if let Some(caller) = caller.filter(|caller| self.threads[*caller].fault.is_some()) {
            let _: ExitStamp = self.take_exit(caller);
        }
        self.running()
    }

    /// How the next return to this thread is stamped; only that one.
    pub(crate) fn take_exit(&mut self, thread: ThreadId) -> ExitStamp {
        let probe = &mut self.probes[thread];
        let State::Leaving { exit } = probe.state else { return ExitStamp::None };
        probe.state = State::Ready;
        probe.entries = 0;
        exit
    }

    /// How the return to the program that runs is to be stamped. Called once for each return while probing.
    pub fn exit_stamp(&mut self) -> ExitStamp {
        let thread = self.processor.current.or_else(|| self.hidden());
        let thread = thread.filter(|thread| self.works[*thread].is_none());
        thread.map_or(ExitStamp::None, |thread| self.take_exit(thread))
    }
}
