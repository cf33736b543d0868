//! Follows the records of a ring: what each thread did when, who woke whom, and what programs reported.
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

use std::collections::BTreeMap;

use limen_abi::trace::WaitedObject;
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
    /// The processor.
    pub processor: u64,
    /// Time of the first and of the last record, in ticks.
    pub range: [u64; 2],
    /// Number of records.
    pub records: usize,
    /// The threads that occur.
    pub threads: BTreeMap<u16, Thread>,
    /// When the processor ran which thread, and what happened without a thread.
    pub whole: Track,
    /// Slots of the schedule of domains.
    pub slots: Track,
    /// Arrows from thread to thread.
    pub flows: Vec<Flow>,
    /// Calls that were answered.
    pub calls: Vec<Call>,
    /// Lost records between others.
    pub losses: Vec<Loss>,
    /// Lost records before the first and behind the last one.
    pub lost_outside: u64,
    /// Oddities of the recording.
    pub oddities: Vec<(u64, &'static str)>,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
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
    /// Follows the records of a recording of a system.
    #[must_use]
    pub fn new(recording: &Recording, system: &System) -> Self {
        let times = [recording.records.first(), recording.records.last()];
        let range = times.map(|record| record.map_or(0, |record| record.time));
        let mut follower = Follower::new(range[0], system);
        let mut losses = Vec::new();
        let mut next = recording.records.first().map_or(0, |record| record.number);
        for record in &recording.records {
            if record.number != next {
                losses.push(Loss { range: [follower.now, record.time], count: record.number - next });
                follower.forget();
            }
            next = record.number + 1;
            follower.now = record.time;
            follower.follow(record);
        }
        follower.forget();
        let oddities = [
            (recording.damaged, "damaged slots"),
            (
                recording.disputed,
                "records that differ between the copies of the ring, which may be of different runs",
            ),
            (recording.disordered, "records with impossible times"),
            (follower.unknown, "records of kinds that this version does not know"),
            (follower.unmatched, "ends of spans without a start, and spans that are nested too deeply"),
        ];
        Self {
            clock: Clock::new(range[0], recording.header.frequency),
            is_clock_known: recording.header.frequency != 0,
            processor: recording.header.processor,
            range,
            records: recording.records.len(),
            threads: follower.threads.into_iter().map(|(number, known)| (number, known.thread)).collect(),
            whole: Track { slices: follower.whole.slices, marks: follower.marks },
            slots: Track { slices: follower.slots.slices, marks: Vec::new() },
            flows: follower.flows,
            calls: follower.calls,
            lost_outside: recording.lost_count().saturating_sub(recording.lost_between()),
            losses,
            oddities: oddities.into_iter().filter(|(count, _)| *count > 0).collect(),
        }
    }
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
                self.slices.push(Slice { start, end: now, order: [opened, tick(order)], depth, what });
            }
        }
        self.open[layer] = what.map(|what| (now, tick(order), what));
    }
}

fn tick(order: &mut u64) -> u64 {
    *order += 1;
    *order
}

/// The current thread of the processor.
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

#[derive(Debug)]
struct Follower<'s> {
    names: Names<'s>,
    now: u64,
    order: u64,
    current: Current,
    /// The interrupt of the present event.
    interrupt: Option<u32>,
    /// The time of the present entry into the kernel, if it is recorded.
    entry: Option<u64>,
    threads: BTreeMap<u16, Known>,
    /// The threads with records since the last loss.
    touched: Vec<u16>,
    whole: Layers,
    slots: Layers,
    marks: Vec<Mark>,
    flows: Vec<Flow>,
    calls: Vec<Call>,
    unknown: u64,
    unmatched: u64,
}

impl<'s> Follower<'s> {
    fn new(now: u64, system: &'s System) -> Self {
        Self {
            names: Names { system, first: BTreeMap::new(), known: BTreeMap::new() },
            now,
            order: 0,
            current: Current::Unknown,
            interrupt: None,
            entry: None,
            threads: BTreeMap::new(),
            touched: Vec::new(),
            whole: Layers::default(),
            slots: Layers::default(),
            marks: Vec::new(),
            flows: Vec::new(),
            calls: Vec::new(),
            unknown: 0,
            unmatched: 0,
        }
    }

    fn known(&mut self, thread: u16) -> &mut Known {
        let known = self.threads.entry(thread).or_default();
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
            self.interrupt = None;
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
                self.interrupt = Some(record.first());
                self.mark(record, None);
            }
            TraceKind::Domain => {
                self.slots.set(STATE, Some(What::Slot(record.first())), self.now, &mut self.order);
            }
            TraceKind::WorkBegin => self.work(record.thread(), Some(record.first())),
            TraceKind::WorkEnd => self.work(record.thread(), None),
            TraceKind::Wake => self.wake_otherwise(record),
            TraceKind::Block => self.block(record),
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
        if self.current != current {
            self.run(thread);
        }
    }

    fn enter(&mut self, record: &Record) {
        self.is_running(record.thread());
        self.entry = Some(self.now);
        if let Some(thread) = record.thread() {
            self.known(thread).syscall = Syscall::from_raw(i64::from(record.first() as i32));
            self.set(thread, KERNEL, Some(What::Kernel(record.first(), record.value)));
        }
    }

    fn exit(&mut self, thread: Option<u16>) {
        self.is_running(thread);
        self.entry = None;
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
        if let Current::Thread(from) = self.current {
            let known = self.known(from);
            let state = known.next.take().map_or(State::Ready, State::Waiting);
            self.set_state(from, Some(state));
        }
        self.current = to.map_or(Current::Idle, Current::Thread);
        self.whole.set(STATE, Some(What::Run(to)), self.now, &mut self.order);
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
        let known = self.known(thread);
        known.next = None;
        if !matches!(known.state, Some(State::Running | State::Ready)) {
            self.set_state(thread, Some(State::Ready));
        }
    }

    /// Wakes a thread with an arrow to its next slice.
    fn wake_by(&mut self, cause: Cause, from: Option<u16>, to: u16) -> usize {
        let flow = self.flows.len();
        self.wake(to);
        let is_running = self.known(to).state == Some(State::Running);
        let (start, entry) = (self.now, self.entry.unwrap_or(self.now));
        self.flows.push(Flow { cause, from, start, entry, to, end: is_running.then_some(start), exit: None });
        let known = self.known(to);
        if is_running { &mut known.arrived } else { &mut known.arriving }.push(flow);
        flow
    }

    fn call(&mut self, record: &Record) {
        let (from, to) = (record.thread(), record.other());
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
        let cause = self.interrupt.map_or(Cause::Wake, Cause::Interrupt);
        let flow = self.wake_by(cause, record.thread(), to);
        self.mark(record, Some(flow));
    }

    fn fault(&mut self, record: &Record) {
        self.mark(record, None);
        if let Some(thread) = record.thread() {
            self.known(thread).has_faulted = true;
            self.wait(thread, Wait::FaultHandler(record.first()));
        }
    }

    fn block(&mut self, record: &Record) {
        let Some(thread) = record.thread() else { return };
        let known = self.known(thread);
        let is_reply = u64::from(record.first()) == WaitedObject::Reply.as_raw();
        let wait = match known.next {
            // The fault or call says more.
            Some(wait @ (Wait::FaultHandler(_) | Wait::Reply(_))) if is_reply => wait,
            _ => Wait::Object(record.first(), record.value),
        };
        self.wait(thread, wait);
    }

    fn work(&mut self, thread: Option<u16>, work: Option<u32>) {
        let Some(thread) = thread else { return };
        let known = self.known(thread);
        known.work = work;
        if self.current == Current::Thread(thread) {
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
                end: now,
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
            None => self.marks.push(mark),
        }
    }

    /// Closes everything that is open: what follows is unknown.
    fn forget(&mut self) {
        for thread in std::mem::take(&mut self.touched) {
            self.set(thread, STATE, None);
            self.close_spans(thread, 0);
            let Some(known) = self.threads.get_mut(&thread) else { continue };
            let mut thread = std::mem::take(&mut known.thread);
            thread.track.slices.append(&mut known.layers.slices);
            *known = Known { thread, ..Known::default() };
        }
        for track in [&mut self.whole, &mut self.slots] {
            track.set(STATE, None, self.now, &mut self.order);
        }
        (self.current, self.interrupt, self.entry) = (Current::Unknown, None, None);
    }
}
