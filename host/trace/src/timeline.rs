//! Follows the records of all rings: what each thread did when, who woke whom, and what programs reported.
//!
//! ```text
//!            run                   wait
//!   Ready ---------> Running ---------------> Waiting
//!     ^                | run (another thread)    |
//!     |<---------------'                         |
//!     '------------------- wake -----------------'
//! ```
//!
//! A thread is in an unknown state before its first record, and again behind lost records.
//!
//! With several processors, their records are followed together, in the order of their times. A message from one to
//! another is an arrow that begins at the record of the sender's processor, and ends where the thread that the message
//! wakes runs on the other:
//!
//! | message | sent | arrived |
//! |---|---|---|
//! | call | `CallElsewhere`, or a fault | `Call`, with the thread that receives it |
//! | reply | `Reply`, with a thread of another processor | `Wake` of this thread |
//! | signal | `SignalElsewhere`, with the notification | `Wake` of the thread that the notification is bound to |
//! | resume, restart | `Block`, with the processor that is asked | `Wake` of another thread there, if only one thread asks |

use std::collections::BTreeMap;

use limen_abi::limits::PROCESSORS;
use limen_abi::trace::{MESSAGE_LINE, WaitedObject};
use limen_abi::{Syscall, TraceKind};

use crate::clock::Clock;
use crate::ring::{Record, Recording};
use crate::system::System;

/// Most spans of a program that are open at the same time; further ones are ignored.
const MOST_OPEN: usize = 64;

/// A traced run.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Time in nanoseconds.
    pub clock: Clock,
    /// Whether the clock's frequency is known; otherwise one tick counts as one nanosecond.
    pub is_clock_known: bool,
    /// The processors, in the order of their numbers.
    pub processors: Vec<Processor>,
    /// Time of the first and of the last record, in ticks.
    pub range: [u64; 2],
    /// Number of records.
    pub records: usize,
    /// The threads that occur.
    pub threads: BTreeMap<u16, Thread>,
    /// Arrows from thread to thread.
    pub flows: Vec<Flow>,
    /// Calls that were answered.
    pub calls: Vec<Call>,
    /// Oddities of the recording.
    pub oddities: Vec<(u64, &'static str)>,
}

/// A processor.
#[derive(Clone, Debug)]
pub struct Processor {
    /// Its number.
    pub number: u64,
    /// When it ran which thread, and what happened without a thread.
    pub whole: Track,
    /// Slots of the schedule of domains.
    pub slots: Track,
    /// Its lost records between others.
    pub losses: Vec<Loss>,
    /// Its lost records before the first and behind the last one.
    pub lost_outside: u64,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// The position of its processor in [`Timeline::processors`]; of a thread without records of its own, the first.
    pub processor: usize,
    /// Its states, with the kernel and services inside of [`State::Running`].
    pub track: Track,
    /// Spans and events of its program.
    pub program: Track,
    /// Values of its program's counters by the offset of the name's first occurrence: time and value.
    pub counters: BTreeMap<u32, Vec<(u64, u64)>>,
    /// The rest of its limited budget: time and ticks.
    pub budget: Vec<(u64, u64)>,
}

/// Slices that nest, and marks.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// The slices in the order in which they end.
    pub slices: Vec<Slice>,
    /// The marks in order.
    pub marks: Vec<Mark>,
}

/// An interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Start in ticks.
    pub start: u64,
    /// End in ticks.
    pub end: u64,
    /// Position of start and end among all starts, ends and marks: times may be equal.
    pub order: [u64; 2],
    /// Number of slices around it.
    pub depth: usize,
    /// Content.
    pub what: What,
}

/// Content of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// State of a thread.
    State(State),
    /// The kernel, entered for a reason (see `EntryReason`) at a program counter.
    Kernel(u32, u64),
    /// Work of a service.
    Work(u32),
    /// A span of a program with the offset of its name's first occurrence, and a value. It is cut if start or end is missing.
    Span(u32, u64),
    /// A thread on the processor; `None` while it is idle.
    Run(Option<u16>),
    /// A slot of a domain.
    Slot(u32),
}

/// State of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is the current thread.
    Running,
    /// It waits for the processor.
    Ready,
    /// It waits for something else.
    Waiting(Wait),
}

/// The thing that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A reply; from this thread, if a thread received the message.
    Reply(Option<u16>),
    /// Its fault handler; the label of the fault.
    FaultHandler(u32),
    /// An object, see [`WaitedObject`], and its number.
    Object(u32, u64),
}

/// Something without duration: a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Time in ticks.
    pub time: u64,
    /// Position among all starts, ends and marks.
    pub order: u64,
    /// The record.
    pub record: Record,
    /// The arrow that starts here.
    pub flow: Option<usize>,
}

/// An arrow: one thread makes another one ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Cause.
    pub cause: Cause,
    /// The thread at the start.
    pub from: Option<u16>,
    /// Time of the start.
    pub start: u64,
    /// Time of the kernel's entry in which it starts; the same as `start` without such a record.
    pub entry: u64,
    /// The thread at the end.
    pub to: u16,
    /// Time at which that thread became the current one.
    pub end: Option<u64>,
    /// Time at which the kernel then returned to it, if that is recorded.
    pub exit: Option<u64>,
}

/// Cause of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A call or a message.
    Call,
    /// A reply.
    Reply,
    /// A signal.
    Signal,
    /// Something else that the thread did, such as a fault, for the handler.
    Wake,
    /// An interrupt of this number.
    Interrupt(u32),
}

/// A call with its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The caller.
    pub from: u16,
    /// The server.
    pub to: u16,
    /// Times of call and reply.
    pub times: [u64; 2],
}

/// Records that are lost between two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Times of the two others.
    pub range: [u64; 2],
    /// Number of lost records.
    pub count: u64,
}

impl Timeline {
    /// Follows the records of all processors of a system.
    #[must_use]
    pub fn new(recordings: &[Recording], system: &System) -> Self {
        let all =
            || recordings.iter().flat_map(|recording| [recording.records.first(), recording.records.last()]);
        let times = || all().flatten().map(|record| record.time);
        let range = [times().min().unwrap_or(0), times().max().unwrap_or(0)];
        let mut follower = Follower::new(range[0], system, recordings);
        let mut losses = vec![Vec::new(); recordings.len()];
        let mut next: Vec<usize> = vec![0; recordings.len()];
        while let Some(here) = earliest(recordings, &next) {
            let records = &recordings[here].records;
            let (record, before) =
                (records[next[here]], next[here].checked_sub(1).map(|before| records[before]));
            next[here] += 1;
            if let Some(before) = before.filter(|before| before.number + 1 != record.number) {
                let count = record.number - before.number - 1;
                losses[here].push(Loss { range: [before.time, record.time], count });
                follower.now = before.time;
                follower.forget(here);
            }
            (follower.now, follower.here) = (record.time, here);
            follower.follow(&record);
        }
        follower.now = range[1];
        (0..recordings.len()).for_each(|here| follower.forget(here));
        let sum = |count: fn(&Recording) -> u64| recordings.iter().map(count).fold(0, u64::saturating_add);
        let rings = system.ring().map_or(0, |_| system.place().rings);
        let is_there =
            |number: &u64| recordings.iter().any(|recording| recording.header.processor == *number);
        let oddities = [
            (sum(|recording| recording.damaged), "damaged slots"),
            (
                sum(|recording| recording.disputed),
                "records that differ between the copies of the ring, which may be of different runs",
            ),
            (sum(|recording| recording.disordered), "records with impossible times"),
            (follower.unknown, "records of kinds that this version does not know"),
            (follower.unmatched, "ends of spans without a start, and spans that are nested too deeply"),
            (
                (0..rings.min(PROCESSORS as u64)).filter(|number| !is_there(number)).count() as u64,
                "processors whose ring is missing, with all of their programs",
            ),
        ];
        let homes = follower.homes;
        let threads = follower.threads.into_iter().map(|(number, known)| {
            let processor = homes.get(&number).copied().unwrap_or(0);
            (number, Thread { processor, ..known.thread })
        });
        let processors = follower.processors.into_iter().zip(recordings).zip(losses);
        let processors = processors.map(|((here, recording), losses)| Processor {
            number: recording.header.processor,
            whole: Track { slices: here.whole.slices, marks: here.marks },
            slots: Track { slices: here.slots.slices, marks: Vec::new() },
            lost_outside: recording.lost_count().saturating_sub(recording.lost_between()),
            losses,
        });
        let frequency = recordings.first().map_or(0, |recording| recording.header.frequency);
        Self {
            clock: Clock::new(range[0], frequency),
            is_clock_known: frequency != 0,
            processors: processors.collect(),
            range,
            records: recordings.iter().map(|recording| recording.records.len()).sum(),
            threads: threads.collect(),
            flows: follower.flows,
            calls: follower.calls,
            oddities: oddities.into_iter().filter(|(count, _)| *count > 0).collect(),
        }
    }

    /// The processor of a thread.
    #[must_use]
    pub fn processor_of(&self, thread: u16) -> Option<&Processor> {
        self.processors.get(self.threads.get(&thread)?.processor)
    }
}

/// The recording whose next record is the earliest; `next` are the positions of these.
fn earliest(recordings: &[Recording], next: &[usize]) -> Option<usize> {
    let times = recordings.iter().zip(next).enumerate();
    let times =
        times.filter_map(|(here, (recording, next))| Some((recording.records.get(*next)?.time, here)));
    times.min().map(|(_, here)| here)
}

/// The processor on which each thread runs: no thread moves.
fn homes(recordings: &[Recording]) -> BTreeMap<u16, usize> {
    let mut homes = BTreeMap::new();
    for (here, recording) in recordings.iter().enumerate() {
        for record in &recording.records {
            let thread = match record.kind() {
                Some(TraceKind::Switch) => record.other(),
                Some(TraceKind::Entry | TraceKind::Exit | TraceKind::Block) => record.thread(),
                _ => None,
            };
            if let Some(thread) = thread {
                homes.entry(thread).or_insert(here);
            }
        }
    }
    homes
}

impl Timeline {
    /// Keeps only these threads, and what they have to do with each other.
    pub fn keep(&mut self, threads: &[u16]) {
        let is_kept = |thread: &u16| threads.contains(thread);
        self.threads.retain(|thread, _| is_kept(thread));
        self.calls.retain(|call| is_kept(&call.from) && is_kept(&call.to));
        // Marks refer to arrows by number.
        for flow in &mut self.flows {
            let is_between = is_kept(&flow.to) && flow.from.is_none_or(|from| is_kept(&from));
            flow.end = flow.end.filter(|_| is_between);
        }
    }
}

/// Nested slices of which each layer has at most one open.
#[derive(Debug, Default)]
struct Layers {
    open: [Option<(u64, u64, What)>; 3],
    slices: Vec<Slice>,
}

/// Layers of a thread's track.
const STATE: usize = 0;
const WORK: usize = 1;
const KERNEL: usize = 2;

impl Layers {
    /// Replaces the open slice of a layer; those inside of it end with it.
    fn set(&mut self, layer: usize, what: Option<What>, now: u64, order: &mut u64) {
        for closing in (layer..self.open.len()).rev() {
            let depth = self.open[..closing].iter().flatten().count();
            // A thread that runs at once was never ready.
            let is_moment =
                |(start, _, what): &(u64, u64, What)| *start == now && *what == What::State(State::Ready);
            if let Some((start, opened, what)) = self.open[closing].take().filter(|open| !is_moment(open)) {
                // A processor with lost records ends before others continue.
                let end = now.max(start);
                self.slices.push(Slice { start, end, order: [opened, tick(order)], depth, what });
            }
        }
        self.open[layer] = what.map(|what| (now, tick(order), what));
    }
}

fn tick(order: &mut u64) -> u64 {
    *order += 1;
    *order
}

/// The current thread of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Current {
    Unknown,
    Idle,
    Thread(u16),
}

/// A thread while its records are followed.
#[derive(Debug, Default)]
struct Known {
    is_touched: bool,
    /// The time of its last record, also of another processor.
    last: u64,
    thread: Thread,
    layers: Layers,
    state: Option<State>,
    /// The state after the present one, if that is running.
    next: Option<Wait>,
    /// The work of a service that continues when the thread runs again.
    work: Option<u32>,
    /// The system call that it is in, if known.
    syscall: Option<Syscall>,
    /// Its call without a reply so far: time and server.
    call: Option<(u64, Option<u16>)>,
    /// Its call or fault that has not arrived on another processor.
    sent: Option<Sent>,
    /// Arrows that end when it runs.
    arriving: Vec<usize>,
    /// Arrows that have ended, and after which the kernel has yet to return to it.
    arrived: Vec<usize>,
    /// Whether it has faulted, and no handler has replied since.
    has_faulted: bool,
    /// Open spans: offset, value, time and order of the start.
    spans: Vec<(u32, u64, u64, u64)>,
}

/// Names of spans and counters, of which each place in the source has its own copy.
#[derive(Debug)]
struct Names<'s> {
    system: &'s System,
    /// The first occurrence of each name, by thread and text.
    first: BTreeMap<(u16, &'s [u8]), u32>,
    /// The same by thread and offset.
    known: BTreeMap<(u16, u32), u32>,
}

impl Names<'_> {
    /// The offset of the first name of this thread that has the same text.
    fn first(&mut self, thread: u16, offset: u32) -> u32 {
        let (system, names) = (self.system, &mut self.first);
        *self.known.entry((thread, offset)).or_insert_with(|| {
            let name = system.name_at(thread, offset);
            name.map_or(offset, |name| *names.entry((thread, name)).or_insert(offset))
        })
    }
}

/// A message to another processor.
#[derive(Clone, Copy, Debug)]
struct Sent {
    from: u16,
    start: u64,
    /// The kernel's entry, as in [`Flow`].
    entry: u64,
    /// The position of the mark of its record.
    mark: usize,
}

/// A method of a thread that waits for the answer of another processor.
#[derive(Clone, Copy, Debug)]
struct Asked {
    processor: u64,
    sent: Sent,
}

/// A processor while its records are followed.
#[derive(Debug)]
struct Here {
    /// The number of the processor.
    number: u64,
    current: Current,
    /// The interrupt of the present event.
    interrupt: Option<u32>,
    /// The time of the present entry into the kernel, if it is recorded.
    entry: Option<u64>,
    whole: Layers,
    slots: Layers,
    marks: Vec<Mark>,
}

#[derive(Debug)]
struct Follower<'s> {
    names: Names<'s>,
    now: u64,
    order: u64,
    processors: Vec<Here>,
    /// The processor of the present record.
    here: usize,
    /// The processors of the threads.
    homes: BTreeMap<u16, usize>,
    threads: BTreeMap<u16, Known>,
    /// The threads with records since the last loss.
    touched: Vec<u16>,
    /// Signals to other processors that have not woken a thread, by notification.
    signals: BTreeMap<u64, Vec<Sent>>,
    /// Methods that have woken no thread, by the thread that waits for the answer.
    asked: BTreeMap<u16, Asked>,
    flows: Vec<Flow>,
    calls: Vec<Call>,
    unknown: u64,
    unmatched: u64,
}

impl<'s> Follower<'s> {
    fn new(now: u64, system: &'s System, recordings: &[Recording]) -> Self {
        let unknown = |recording: &Recording| Here {
            number: recording.header.processor,
            current: Current::Unknown,
            interrupt: None,
            entry: None,
            whole: Layers::default(),
            slots: Layers::default(),
            marks: Vec::new(),
        };
        let mut follower = Self {
            names: Names { system, first: BTreeMap::new(), known: BTreeMap::new() },
            now,
            order: 0,
            processors: recordings.iter().map(unknown).collect(),
            here: 0,
            homes: homes(recordings),
            threads: BTreeMap::new(),
            touched: Vec::new(),
            signals: BTreeMap::new(),
            asked: BTreeMap::new(),
            flows: Vec::new(),
            calls: Vec::new(),
            unknown: 0,
            unmatched: 0,
        };
        // The first record of a processor says what has run there since the trace began.
        for (here, recording) in recordings.iter().enumerate().filter(|_| recordings.len() > 1) {
            follower.here = here;
            match recording.records.first() {
                Some(first) if first.number == 0 && first.kind() == Some(TraceKind::Switch) => {
                    follower.run(first.other());
                }
                None if recording.lost.is_empty() => follower.run(None),
                _ => {}
            }
        }
        follower
    }

    fn here(&mut self) -> &mut Here {
        &mut self.processors[self.here]
    }

    /// Whether a thread runs on another processor than the one with the present record.
    fn is_elsewhere(&self, thread: u16) -> bool {
        self.homes.get(&thread).is_some_and(|home| *home != self.here)
    }

    fn known(&mut self, thread: u16) -> &mut Known {
        let known = self.threads.entry(thread).or_default();
        known.last = known.last.max(self.now);
        if !known.is_touched {
            known.is_touched = true;
            self.touched.push(thread);
        }
        known
    }

    fn follow(&mut self, record: &Record) {
        let Some(kind) = record.kind() else {
            self.unknown += 1;
            self.mark(record, None);
            return;
        };
        // The records of an event end with its effects on threads.
        if !matches!(kind, TraceKind::Block | TraceKind::Wake | TraceKind::Wipe) {
            self.here().interrupt = None;
        }
        match kind {
            TraceKind::Entry => self.enter(record),
            TraceKind::Exit => self.exit(record.thread()),
            TraceKind::Switch => self.is_running(record.other()),
            TraceKind::Call => self.call(record),
            TraceKind::Reply => self.reply(record),
            TraceKind::Signal => self.signal(record),
            TraceKind::Fault => self.fault(record),
            TraceKind::Interrupt => {
                self.here().interrupt = Some(record.first());
                self.mark(record, None);
            }
            TraceKind::Domain => {
                let slots = &mut self.processors[self.here].slots;
                slots.set(STATE, Some(What::Slot(record.first())), self.now, &mut self.order);
            }
            TraceKind::WorkBegin => self.work(record.thread(), Some(record.first())),
            TraceKind::WorkEnd => self.work(record.thread(), None),
            TraceKind::Wake => self.wake_otherwise(record),
            TraceKind::Block => self.block(record),
            TraceKind::CallElsewhere => self.call_elsewhere(record),
            TraceKind::SignalElsewhere => self.signal_elsewhere(record),
            TraceKind::Budget | TraceKind::Key | TraceKind::Fpu | TraceKind::Wipe => self.mark(record, None),
            TraceKind::Left => {
                let (now, left) = (self.now, record.value);
                if let Some(owner) = record.other() {
                    self.known(owner).thread.budget.push((now, left));
                }
            }
            TraceKind::Event | TraceKind::SpanBegin | TraceKind::SpanEnd | TraceKind::Counter => {
                self.report(kind, record);
            }
        }
    }

    /// A record of the running thread, which may contradict what is known after lost records or without switches.
    fn is_running(&mut self, thread: Option<u16>) {
        let current = thread.map_or(Current::Idle, Current::Thread);
        if self.processors[self.here].current != current {
            self.run(thread);
        }
    }

    fn enter(&mut self, record: &Record) {
        self.is_running(record.thread());
        self.here().entry = Some(self.now);
        if let Some(thread) = record.thread() {
            self.known(thread).syscall = Syscall::from_raw(i64::from(record.first() as i32));
            self.set(thread, KERNEL, Some(What::Kernel(record.first(), record.value)));
        }
    }

    fn exit(&mut self, thread: Option<u16>) {
        self.is_running(thread);
        self.here().entry = None;
        if let Some(thread) = thread {
            self.set(thread, KERNEL, None);
            let now = self.now;
            for flow in std::mem::take(&mut self.known(thread).arrived) {
                self.flows[flow].exit = Some(now);
            }
        }
    }

    /// Another thread becomes the current one; `None` if the processor is idle.
    fn run(&mut self, to: Option<u16>) {
        if let Current::Thread(from) = self.processors[self.here].current {
            let known = self.known(from);
            let state = known.next.take().map_or(State::Ready, State::Waiting);
            self.set_state(from, Some(state));
        }
        let here = &mut self.processors[self.here];
        here.current = to.map_or(Current::Idle, Current::Thread);
        here.whole.set(STATE, Some(What::Run(to)), self.now, &mut self.order);
        let Some(to) = to else { return };
        let now = self.now;
        let known = self.known(to);
        let (work, arriving) = (known.work, std::mem::take(&mut known.arriving));
        known.next = None;
        for flow in &arriving {
            self.flows[*flow].end = Some(now);
        }
        self.known(to).arrived = arriving;
        self.set_state(to, Some(State::Running));
        self.set(to, WORK, work.map(What::Work));
    }

    fn set(&mut self, thread: u16, layer: usize, what: Option<What>) {
        let (now, mut order) = (self.now, self.order);
        let known = self.known(thread);
        if known.layers.open[layer].is_some() || what.is_some() {
            known.layers.set(layer, what, now, &mut order);
        }
        self.order = order;
    }

    fn set_state(&mut self, thread: u16, state: Option<State>) {
        self.known(thread).state = state;
        self.set(thread, STATE, state.map(What::State));
    }

    /// A thread waits: from now on, or from the next switch if it is running.
    fn wait(&mut self, thread: u16, wait: Wait) {
        let known = self.known(thread);
        if known.state == Some(State::Running) {
            known.next = Some(wait);
        } else {
            self.set_state(thread, Some(State::Waiting(wait)));
        }
    }

    fn wake(&mut self, thread: u16) {
        self.asked.remove(&thread);
        let known = self.known(thread);
        known.next = None;
        if !matches!(known.state, Some(State::Running | State::Ready)) {
            self.set_state(thread, Some(State::Ready));
        }
    }

    /// Wakes a thread with an arrow to its next slice. One of another processor is ready when the message arrives.
    fn wake_by(&mut self, cause: Cause, from: Option<u16>, to: u16) -> usize {
        if !self.is_elsewhere(to) {
            self.wake(to);
        }
        let entry = self.here().entry.unwrap_or(self.now);
        self.lead(Flow { cause, from, start: self.now, entry, to, end: None, exit: None })
    }

    /// Adds an arrow to the next slice of its thread, or to the one that runs.
    fn lead(&mut self, flow: Flow) -> usize {
        let (to, now) = (flow.to, self.now);
        let is_running = !self.is_elsewhere(to) && self.known(to).state == Some(State::Running);
        self.flows.push(Flow { end: is_running.then_some(now), ..flow });
        let flow = self.flows.len() - 1;
        let known = self.known(to);
        if is_running { &mut known.arrived } else { &mut known.arriving }.push(flow);
        flow
    }

    /// Wakes a thread with an arrow from the message of another processor.
    fn arrive(&mut self, cause: Cause, sent: Sent, to: u16) {
        let Sent { from, start, entry, mark } = sent;
        self.wake(to);
        let flow = self.lead(Flow { cause, from: Some(from), start, entry, to, end: None, exit: None });
        if let Some(mark) = self.known(from).thread.track.marks.get_mut(mark) {
            mark.flow = Some(flow);
        }
    }

    /// Marks a message to another processor.
    fn send(&mut self, record: &Record) -> Option<Sent> {
        self.mark(record, None);
        let from = record.thread()?;
        let entry = self.here().entry.unwrap_or(self.now);
        let mark = self.known(from).thread.track.marks.len() - 1;
        Some(Sent { from, start: self.now, entry, mark })
    }

    fn call_elsewhere(&mut self, record: &Record) {
        let Some(sent) = self.send(record) else { return };
        let known = self.known(sent.from);
        known.sent = Some(sent);
        if matches!(known.syscall, None | Some(Syscall::Call)) {
            known.call = Some((sent.start, None));
            self.wait(sent.from, Wait::Reply(None));
        }
    }

    fn signal_elsewhere(&mut self, record: &Record) {
        if let Some(sent) = self.send(record) {
            self.signals.entry(record.value & 0xffff).or_default().push(sent);
        }
    }

    /// A thread receives the call or fault of a thread of another processor.
    fn receive_elsewhere(&mut self, from: u16, to: u16, record: &Record) {
        let known = self.known(from);
        let cause = if known.has_faulted { Cause::Wake } else { Cause::Call };
        let is_call = known.call.is_some() && !known.has_faulted;
        let flow = match known.sent.take() {
            Some(sent) => {
                self.arrive(cause, sent, to);
                None
            }
            // Its record is lost: the arrow starts here.
            None => Some(self.wake_by(cause, Some(from), to)),
        };
        self.mark(record, flow);
        if is_call {
            let known = self.known(from);
            known.call = known.call.map(|(start, _)| (start, Some(to)));
            self.wait(from, Wait::Reply(Some(to)));
        }
    }

    /// A message of another processor wakes a thread: a reply that was sent there, or signals. Those that were sent before it
    /// began to wait have, but for the last, been received before. Returns whether one is known.
    fn wake_by_message(&mut self, to: u16, notification: u64) -> bool {
        let known = self.known(to);
        let waits_since = known.layers.open[STATE].map_or(0, |(start, ..)| start);
        let mut is_known = !known.arriving.is_empty();
        self.wake(to);
        if !is_known {
            let sent = self.signals.remove(&notification).unwrap_or_default();
            let before = sent.iter().take_while(|sent| sent.start < waits_since).count();
            for sent in sent.iter().skip(before.min(sent.len().saturating_sub(1))) {
                self.arrive(Cause::Signal, *sent, to);
                is_known = true;
            }
        }
        is_known
    }

    fn call(&mut self, record: &Record) {
        let (from, to) = (record.thread(), record.other());
        if let (Some(from), Some(to)) = (from, to)
            && self.is_elsewhere(from)
        {
            return self.receive_elsewhere(from, to, record);
        }
        let flow = to.map(|to| self.wake_by(Cause::Call, from, to));
        self.mark(record, flow);
        let now = self.now;
        let Some(from) = from else { return };
        let known = self.known(from);
        // A send is recorded as a call, but has no reply.
        if !matches!(known.syscall, None | Some(Syscall::Call)) {
            return;
        }
        // A caller that queued gets a second record when a thread receives its message.
        let start =
            known.call.filter(|_| known.state != Some(State::Running)).map_or(now, |(start, _)| start);
        known.call = Some((start, to));
        self.wait(from, Wait::Reply(to));
    }

    fn reply(&mut self, record: &Record) {
        let (from, to) = (record.thread(), record.other());
        let flow = to.map(|to| self.wake_by(Cause::Reply, from, to));
        self.mark(record, flow);
        let now = self.now;
        if let Some(to) = to {
            self.known(to).has_faulted = false;
        }
        if let (Some(from), Some(to)) = (from, to)
            && let Some((start, _)) = self.known(to).call.take()
        {
            self.calls.push(Call { from: to, to: from, times: [start, now] });
        }
    }

    fn signal(&mut self, record: &Record) {
        let flow = record.other().map(|to| self.wake_by(Cause::Signal, record.thread(), to));
        self.mark(record, flow);
    }

    fn wake_otherwise(&mut self, record: &Record) {
        let Some(to) = record.other() else { return };
        // A program that has faulted continues after a reply. Otherwise its parent has, as a rule, restarted it.
        if std::mem::take(&mut self.known(to).has_faulted) {
            self.close_spans(to, 0);
        }
        let interrupt = self.here().interrupt;
        let is_message = interrupt.is_none_or(|line| u64::from(line) == MESSAGE_LINE);
        let is_answer = self.asked.contains_key(&to);
        if is_message && self.processors.len() > 1 && self.wake_by_message(to, record.value.wrapping_sub(1)) {
            return self.mark(record, None);
        }
        if interrupt.is_some()
            && is_message
            && !is_answer
            && let Some(sent) = self.take_asked()
        {
            self.arrive(Cause::Wake, sent, to);
            return self.mark(record, None);
        }
        let (cause, from) = match interrupt {
            // Another processor has resumed it.
            Some(_) if is_message => (Cause::Wake, None),
            interrupt => (interrupt.map_or(Cause::Wake, Cause::Interrupt), record.thread()),
        };
        let flow = self.wake_by(cause, from, to);
        self.mark(record, Some(flow));
    }

    /// The method that asks this processor, if there is only one: it can have woken a thread here.
    fn take_asked(&mut self) -> Option<Sent> {
        let number = self.here().number;
        let mut asking = self.asked.iter().filter(|(_, asked)| asked.processor == number);
        let (Some((thread, _)), None) = (asking.next(), asking.next()) else { return None };
        let thread = *thread;
        self.asked.remove(&thread).map(|asked| asked.sent)
    }

    fn fault(&mut self, record: &Record) {
        if let Some(sent) = self.send(record) {
            let known = self.known(sent.from);
            (known.has_faulted, known.sent) = (true, Some(sent));
            self.wait(sent.from, Wait::FaultHandler(record.first()));
        }
    }

    fn block(&mut self, record: &Record) {
        let Some(thread) = record.thread() else { return };
        let known = self.known(thread);
        let object = WaitedObject::from_raw(record.first().into());
        let is_reply = matches!(object, Some(WaitedObject::Reply | WaitedObject::Processor));
        let wait = match known.next {
            // The fault or call says more.
            Some(wait @ (Wait::FaultHandler(_) | Wait::Reply(_))) if is_reply => wait,
            _ => {
                if object == Some(WaitedObject::Processor)
                    && let Some(sent) = self.send(record)
                {
                    self.asked.insert(thread, Asked { processor: record.value, sent });
                }
                Wait::Object(record.first(), record.value)
            }
        };
        self.wait(thread, wait);
    }

    fn work(&mut self, thread: Option<u16>, work: Option<u32>) {
        let Some(thread) = thread else { return };
        let known = self.known(thread);
        known.work = work;
        if self.processors[self.here].current == Current::Thread(thread) {
            self.set(thread, WORK, work.map(What::Work));
        }
    }

    /// A program's own record.
    fn report(&mut self, kind: TraceKind, record: &Record) {
        let Some(number) = record.thread() else { return self.mark(record, None) };
        let (name, value, now) = (self.names.first(number, record.first()), record.value, self.now);
        let order = tick(&mut self.order);
        let known = self.known(number);
        match kind {
            TraceKind::SpanBegin if known.spans.len() < MOST_OPEN => {
                known.spans.push((name, value, now, order))
            }
            TraceKind::SpanEnd => {
                let Some(depth) = known.spans.iter().rposition(|(open, ..)| *open == name) else {
                    self.unmatched += 1;
                    return;
                };
                self.close_spans(number, depth);
            }
            TraceKind::Counter => known.thread.counters.entry(name).or_default().push((now, value)),
            TraceKind::Event => {
                known.thread.program.marks.push(Mark { time: now, order, record: *record, flow: None });
            }
            _ => self.unmatched += 1,
        }
    }

    /// Ends the spans of a thread that are nested at least this deep.
    fn close_spans(&mut self, thread: u16, depth: usize) {
        let (now, mut order) = (self.now, self.order);
        let known = self.known(thread);
        while known.spans.len() > depth {
            let Some((name, value, start, opened)) = known.spans.pop() else { break };
            let order = [opened, tick(&mut order)];
            let depth = known.spans.len();
            known.thread.program.slices.push(Slice {
                start,
                end: now.max(start),
                order,
                depth,
                what: What::Span(name, value),
            });
        }
        self.order = order;
    }

    fn mark(&mut self, record: &Record, flow: Option<usize>) {
        let mark = Mark { time: self.now, order: tick(&mut self.order), record: *record, flow };
        match record.thread() {
            Some(thread) => self.known(thread).thread.track.marks.push(mark),
            None => self.here().marks.push(mark),
        }
    }

    /// Closes everything of a processor that is open: what follows is unknown.
    fn forget(&mut self, here: usize) {
        self.here = here;
        let touched = std::mem::take(&mut self.touched);
        let (others, own): (Vec<_>, Vec<_>) =
            touched.into_iter().partition(|thread| self.is_elsewhere(*thread));
        self.touched = others;
        let end = self.now;
        for thread in own {
            self.asked.remove(&thread);
            // Others may have had to do with it later.
            self.now = end.max(self.threads.get(&thread).map_or(0, |known| known.last));
            self.set(thread, STATE, None);
            self.close_spans(thread, 0);
            let Some(known) = self.threads.get_mut(&thread) else { continue };
            let mut thread = std::mem::take(&mut known.thread);
            thread.track.slices.append(&mut known.layers.slices);
            *known = Known { thread, ..Known::default() };
        }
        self.now = end;
        let here = &mut self.processors[here];
        for track in [&mut here.whole, &mut here.slots] {
            track.set(STATE, None, self.now, &mut self.order);
        }
        (here.current, here.interrupt, here.entry) = (Current::Unknown, None, None);
    }
}
