//! Probes: measure for a program what it costs to enter the kernel and to return.
//!
//! ```text
//!        start           arm               the event            return to the program
//!   Off -------> Ready ------> Armed ------------------> Leaving ------------.
//!    ^             ^             ^                                           |
//!    '-- stop      '-------------'-------------------------------------------'
//!    (or the program stops)  armed for one event, or for every event
//! ```
//!
//! The program reads the counter into a register and causes the event. The port reads the counter in the first
//! instructions of the kernel; the two values make a sample. On return the port reads it once more, in its last
//! instruction before the program's first, into registers that the program declared free when it armed the probe.
//! Arming is for one event, or for every event in code that the program names, so nothing else is stamped. The probe touches no memory of the program: an armed fault is
//! not delivered; instead the program continues at the address it has named. For that the program must be in the code
//! range it has named. A fault or an interrupt in other code does not count as the event. Neither does any fault of a
//! program whose faults wipe: that one wipes and is delivered.
//!
//! Samples go to the ring that the program's description asks for, or else to a few places here, from which the program
//! reads them by a request.
//!
//! While any program probes, a static key of the port routes every trap through this code.

use limen_abi::Label;
use limen_abi::limits::PROBE_SAMPLES;
use limen_abi::probe::{ProbeEvent, ProbeOption, ProbeWord};
use limen_abi::ring::RingWord;

use crate::arena::{SampleRingId, ThreadId};
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::message::Answer;

/// The probe of one program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    state: State,
    /// The event of the last arming. Not in the state, so that an event changes only that.
    arming: Arming,
    /// Other kernel entries since the program or an event armed it.
    interruptions: u64,
    samples: [Sample; PROBE_SAMPLES],
    /// The position of the oldest sample.
    first: usize,
    /// The number of samples that were not read.
    count: usize,
    /// The ring that takes the samples instead.
    ring: Option<SampleRingId>,
    /// The number of samples in the ring since the start.
    published: u64,
    /// The number of samples dropped for lack of room.
    dropped: u64,
    /// Kernel entries since the return from the last event.
    entries: u64,
}

/// See the diagram above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The program does not probe itself.
    Off,
    /// No event is armed.
    Ready,
    /// An event is armed.
    Armed,
    /// The event was sampled, and the kernel has not returned to the program.
    Leaving,
}

/// The event that a probe is armed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arming {
    /// The event.
    pub event: ProbeEvent,
    /// Unless the event is a system call, the program counter must be in `first..=last` when it comes;
    pub first: u64,
    /// the program then continues here.
    pub last: u64,
    /// Whether the return is stamped.
    pub exit: ExitStamp,
    /// How many events it is for.
    pub events: Events,
}

/// How many events an arming is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Events {
    /// The next one.
    One,
    /// All of them, until the program arms another or stops. The return address of a system call must be in the range.
    Every,
}

/// Whether the counter is read on return. Ports use these numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ExitStamp {
    /// It is not read.
    None = 0,
    /// It is read without a barrier.
    Plain = 1,
    /// It is read after all earlier instructions have completed, as far as the processor has a barrier for that.
    Serialised = 2,
}

/// One sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The event.
    pub event: ProbeEvent,
    /// The program's stamp.
    pub user: u64,
    /// The kernel's stamp.
    pub entry: u64,
    /// Other kernel entries since the program or an event armed the probe.
    pub interruptions: u64,
}

impl Sample {
    const NONE: Self = Self { event: ProbeEvent::PageFault, user: 0, entry: 0, interruptions: 0 };
}

impl Probe {
    /// A probe that is off.
    pub const OFF: Self = Self {
        state: State::Off,
        arming: Arming::NONE,
        interruptions: 0,
        samples: [Sample::NONE; PROBE_SAMPLES],
        first: 0,
        count: 0,
        ring: None,
        published: 0,
        dropped: 0,
        entries: 0,
    };

    /// Returns whether the program probes itself.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.state != State::Off
    }

    /// Returns the state.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// Returns the last arming, and the other kernel entries since then.
    #[must_use]
    pub fn arming(&self) -> (Arming, u64) {
        (self.arming, self.interruptions)
    }

    /// Iterates over the samples that were not read.
    pub fn samples(&self) -> impl Iterator<Item = Sample> {
        let unread = self.samples.iter().cycle().skip(self.first).take(self.count);
        unread.copied()
    }

    /// Returns the number of samples dropped for lack of room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the number of kernel entries since the return from the last event.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns the ring that takes the samples.
    #[must_use]
    pub fn ring(&self) -> Option<SampleRingId> {
        self.ring
    }

    /// Sets the ring for the samples, at boot.
    pub(crate) fn set_ring(&mut self, ring: Option<SampleRingId>) {
        self.ring = ring;
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

/// A checked request of a program about its own probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Turn the probe on, without samples.
    Start,
    /// Turn it off.
    Stop,
    /// Arm it for one event.
    Arm(Arming),
    /// Read and remove the oldest sample.
    Read,
}

impl Request {
    /// Decodes an invocation of the right to probe. Out of line, like `perform`, because other requests are more
    /// frequent.
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

    /// Performs a decoded request.
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
                let probe = &mut kernel.probes[caller];
                (probe.state, probe.arming, probe.interruptions) = (State::Armed, arming, 0);
                Answer::Empty
            }
            Self::Read => Answer::Sample(caller),
        };
        (answer, Outcome::NOTHING)
    }
}

impl Arming {
    /// That of a probe that was never armed.
    const NONE: Self =
        Self { event: ProbeEvent::PageFault, first: 0, last: 0, exit: ExitStamp::None, events: Events::One };

    fn decode<M: Machine>(arguments: &Arguments<'_, M>) -> Result<Self, InvokeError> {
        let [event, first, last, options] = arguments.words()?;
        let max = ProbeEvent::ALL.len() as u64 - 1;
        let event = ProbeEvent::from_raw(event).ok_or(InvokeError::Range { min: 0, max })?;
        let events = if options & ProbeOption::EVERY == 0 { Events::One } else { Events::Every };
        let exit = match options & !ProbeOption::EVERY {
            0 => ExitStamp::None,
            ProbeOption::EXIT => ExitStamp::Plain,
            ProbeOption::EXIT_SERIALISED => ExitStamp::Serialised,
            _ => {
                let max = ProbeOption::EXIT_SERIALISED | ProbeOption::EVERY;
                return Err(InvokeError::Range { min: 0, max });
            }
        };
        Ok(Self { event, first, last, exit, events })
    }

    /// Returns whether this is the event, with the program at `pc`.
    fn is_for(&self, event: Option<ProbeEvent>, pc: u64) -> bool {
        let is_anywhere = self.event == ProbeEvent::Syscall && self.events == Events::One;
        event == Some(self.event) && (is_anywhere || (self.first..=self.last).contains(&pc))
    }
}

/// The rest of a trap that a probe has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Rest {
    /// Handle it as usual.
    Serve,
    /// Nothing: the program continues elsewhere.
    Return,
}

impl<M: Machine> Kernel<M> {
    fn start_probe(&mut self, thread: ThreadId) {
        let ring = self.probes[thread].ring;
        self.probes[thread] = Probe { state: State::Ready, ring, ..Probe::OFF };
        if let Some(ring) = ring {
            let ring = &self.machine.sample_rings()[ring];
            ring.clear();
            ring.set_header(RingWord::PAGE_TABLE_SWITCH, u64::from(self.machine.switches_page_tables()));
        }
        self.probing += 1;
        if self.probing == 1 {
            self.lead_through_probes(true);
        }
    }

    /// Turns off the probe of a program that asks for it, is stopped or is restarted.
    #[inline(never)]
    pub(crate) fn stop_probe(&mut self, thread: ThreadId) {
        if !self.probes[thread].is_on() {
            return;
        }
        self.probes[thread].state = State::Off;
        self.probing -= 1;
        if self.probing == 0 {
            self.lead_through_probes(false);
        }
    }

    /// Leads every trap through the probes, or none. With several processors, the keeper of keys does that.
    fn lead_through_probes(&mut self, state: bool) {
        if self.processors == 1 {
            // All branches follow at once.
            let patching = self.machine.set_probing(state);
            if self.is_recorded() {
                self.record_patching(patching, 0);
            }
        }
    }

    /// Removes the oldest sample of a program and returns it in the order of [`ProbeWord`]. Out of line, too.
    #[inline(never)]
    pub(crate) fn take_sample(&mut self, thread: ThreadId) -> [u64; ProbeWord::LENGTH] {
        let probe = &mut self.probes[thread];
        let mut words = [0; ProbeWord::LENGTH];
        words[ProbeWord::DROPPED] = probe.dropped;
        // The entry of this very request does not count.
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

    /// Records that the running program entered the kernel when the counter was `stamp`. `event` is `None` for an
    /// entry that cannot be sampled. Called before the event is handled.
    pub fn probe_entry(&mut self, event: Option<ProbeEvent>, stamp: u64) -> Rest {
        let Some(thread) = self.processor.current.or_else(|| self.hidden()) else { return Rest::Serve };
        if self.works[thread].is_some() {
            return Rest::Serve;
        }
        let probe = &mut self.probes[thread];
        probe.entries += 1;
        if probe.state == State::Armed { self.sample(thread, event, stamp) } else { Rest::Serve }
    }

    /// Samples the event if it is the armed one. Out of line, because entries of other programs pass by.
    #[inline(never)]
    fn sample(&mut self, thread: ThreadId, event: Option<ProbeEvent>, stamp: u64) -> Rest {
        let probe = &mut self.probes[thread];
        let context = &mut self.threads[thread].context;
        let has_to_wipe = self.served_faults[thread].is_some() && probe.arming.event.is_fault();
        if has_to_wipe || !probe.arming.is_for(event, context.register(M::Context::PC)) {
            probe.interruptions += 1;
            return Rest::Serve;
        }
        let Arming { event, last, .. } = probe.arming;
        let interruptions = probe.interruptions;
        let user = context.register(M::Context::STAMP);
        match probe.ring {
            Some(ring) => {
                let record = [event.as_raw(), user, stamp, interruptions];
                self.machine.sample_rings()[ring].push(probe.published, &record);
                probe.published += 1;
            }
            None => probe.push(Sample { event, user, entry: stamp, interruptions }),
        }
        probe.state = State::Leaving;
        if event != ProbeEvent::Syscall {
            context.set_register(M::Context::PC, last);
        }
        if event.is_fault() { Rest::Return } else { Rest::Serve }
    }

    /// Handles a system call while probing.
    pub fn serve_probed_syscall(&mut self, number: i64, stamp: u64) -> Option<&mut M::Context> {
        let _: Rest = self.probe_entry(Some(ProbeEvent::Syscall), stamp);
        self.serve_syscall(number)
    }

    /// Returns how the next return to this thread is stamped, and clears it.
    pub(crate) fn take_exit(&mut self, thread: ThreadId) -> ExitStamp {
        let probe = &mut self.probes[thread];
        if probe.state != State::Leaving {
            return ExitStamp::None;
        }
        probe.state = match probe.arming.events {
            Events::One => State::Ready,
            Events::Every => State::Armed,
        };
        (probe.interruptions, probe.entries) = (0, 0);
        probe.arming.exit
    }

    /// Returns how the return to the running program is stamped. Called once per return while probing.
    pub fn exit_stamp(&mut self) -> ExitStamp {
        let thread = self.processor.current.or_else(|| self.hidden());
        let thread = thread.filter(|thread| self.works[*thread].is_none());
        thread.map_or(ExitStamp::None, |thread| self.take_exit(thread))
    }
}
