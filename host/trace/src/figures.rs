//! Figures of a timeline: who used the processor, who waited, and how long answers took.

use std::collections::BTreeMap;

use limen_abi::trace::WaitedObject;

use crate::timeline::{Cause, Processor, Slice, State, Timeline, Wait, What};

/// Waits in the list of the longest.
pub const LONGEST: usize = 12;

/// The figures. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Time from the first to the last record.
    pub total: u64,
    /// The time of each processor in which no thread ran, or in which it is unknown what ran.
    pub rests: Vec<Rest>,
    /// Use of the processors, the largest first.
    pub usage: Vec<Usage>,
    /// The longest waits for a reply, a fault handler, a receiver, budget or the processor, the longest first. A thread
    /// that waits for messages or signals has nothing to do, so these waits are not here.
    pub waits: Vec<LongWait>,
    /// Times between two threads.
    pub latencies: Vec<Latency>,
}

/// Time of a processor that no thread used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    /// The number of the processor.
    pub processor: u64,
    /// Time in which no thread ran.
    pub idle: u64,
    /// Time in which it is unknown what ran.
    pub unknown: u64,
}

/// A thread's use of its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The thread.
    pub thread: u16,
    /// The number of its processor.
    pub processor: u64,
    /// Time in which it was the current thread.
    pub running: u64,
    /// The part of that in the kernel.
    pub kernel: u64,
    /// How many times it was switched to.
    pub slices: usize,
}

/// A long wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongWait {
    /// The thread.
    pub thread: u16,
    /// Its state.
    pub state: State,
    /// Start, since the first record.
    pub start: u64,
    /// Duration.
    pub duration: u64,
    /// Whether it was still waiting at the end, or before lost records.
    pub is_open: bool,
}

/// The path that a latency belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Path {
    /// From a call to its reply: caller and server.
    Call(u16, u16),
    /// From the kernel's entry for a signal to the first instruction of the woken thread: signaller and woken thread.
    Signal(Option<u16>, u16),
    /// From the kernel's entry for an interrupt to the first instruction of the woken thread.
    Interrupt(u32, u16),
}

/// The times of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency {
    /// The path.
    pub path: Path,
    /// The times in ascending order; at least one.
    pub times: Vec<u64>,
}

impl Figures {
    /// Counts.
    #[must_use]
    pub fn new(timeline: &Timeline) -> Self {
        let total = timeline.clock.since_start(timeline.range[1]);
        Self {
            total,
            rests: timeline.processors.iter().map(|processor| rest(timeline, processor, total)).collect(),
            usage: usage(timeline),
            waits: waits(timeline),
            latencies: latencies(timeline),
        }
    }
}

fn rest(timeline: &Timeline, processor: &Processor, total: u64) -> Rest {
    // Sums of slices that do not overlap cannot overflow in ticks.
    let of = |slice: &Slice| slice.end - slice.start;
    let runs = &processor.whole.slices;
    let idle = runs.iter().filter(|slice| slice.what == What::Run(None)).map(of).sum();
    let known = runs.iter().map(of).sum();
    Rest {
        processor: processor.number,
        idle: timeline.clock.nanoseconds(idle),
        unknown: total.saturating_sub(timeline.clock.nanoseconds(known)),
    }
}

fn usage(timeline: &Timeline) -> Vec<Usage> {
    let sum = |thread: u16, slices: &[Slice]| {
        let ticks = |is_counted: fn(What) -> bool| {
            let counted = slices.iter().filter(|slice| is_counted(slice.what));
            timeline.clock.nanoseconds(counted.map(|slice| slice.end - slice.start).sum())
        };
        let is_running = |what| what == What::State(State::Running);
        Usage {
            thread,
            processor: timeline.processor_of(thread).map_or(0, |processor| processor.number),
            running: ticks(is_running),
            kernel: ticks(|what| matches!(what, What::Kernel(..))),
            slices: slices.iter().filter(|slice| is_running(slice.what)).count(),
        }
    };
    let threads = timeline.threads.iter();
    let mut usage: Vec<_> = threads.map(|(number, thread)| sum(*number, &thread.track.slices)).collect();
    usage.sort_by_key(|usage| (u64::MAX - usage.running, usage.thread));
    usage
}

fn waits(timeline: &Timeline) -> Vec<LongWait> {
    let mut all = Vec::new();
    for (number, thread) in &timeline.threads {
        let losses = timeline.processor_of(*number).map_or(&[][..], |processor| &processor.losses);
        for slice in &thread.track.slices {
            let What::State(state) = slice.what else { continue };
            if !is_delay(state) {
                continue;
            }
            all.push(LongWait {
                thread: *number,
                state,
                start: timeline.clock.since_start(slice.start),
                duration: timeline.clock.nanoseconds(slice.end - slice.start),
                is_open: slice.end == timeline.range[1]
                    || losses.binary_search_by_key(&slice.end, |loss| loss.range[0]).is_ok(),
            });
        }
    }
    all.sort_by_key(|wait| (u64::MAX - wait.duration, wait.start, wait.thread));
    all.truncate(LONGEST);
    all
}

/// Whether a thread in this state has something to do, but cannot.
fn is_delay(state: State) -> bool {
    match state {
        State::Running => false,
        State::Ready | State::Waiting(Wait::Reply(_) | Wait::FaultHandler(_)) => true,
        State::Waiting(Wait::Object(kind, _)) => {
            [WaitedObject::Receiver, WaitedObject::Reply, WaitedObject::Budget]
                .iter()
                .any(|object| object.as_raw() == u64::from(kind))
        }
    }
}

fn latencies(timeline: &Timeline) -> Vec<Latency> {
    let mut times = BTreeMap::<Path, Vec<u64>>::new();
    let mut add = |path, ticks| times.entry(path).or_default().push(timeline.clock.nanoseconds(ticks));
    for call in &timeline.calls {
        add(Path::Call(call.from, call.to), call.times[1] - call.times[0]);
    }
    for flow in &timeline.flows {
        let path = match flow.cause {
            Cause::Signal => Path::Signal(flow.from, flow.to),
            Cause::Interrupt(line) => Path::Interrupt(line, flow.to),
            Cause::Call | Cause::Reply | Cause::Wake => continue,
        };
        if let Some(end) = flow.exit.or(flow.end) {
            add(path, end - flow.entry);
        }
    }
    let sorted = |(path, mut times): (Path, Vec<u64>)| {
        times.sort_unstable();
        Latency { path, times }
    };
    times.into_iter().map(sorted).collect()
}

impl Latency {
    /// The time that this share of all times, in percent, does not exceed.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> u64 {
        let position = (self.times.len() * percent).div_ceil(100).max(1);
        self.times.get(position - 1).copied().unwrap_or_default()
    }

    /// Numbers of times by powers of two: each row has the lower bound, which is 0 or a power of two, and the number of
    /// times from there to the next.
    #[must_use]
    pub fn histogram(&self) -> Vec<(u64, usize)> {
        let mut rows = BTreeMap::<u64, usize>::new();
        for time in &self.times {
            *rows.entry(time.checked_ilog2().map_or(0, |power| 1 << power)).or_default() += 1;
        }
        rows.into_iter().collect()
    }
}
