//! Compares what was charged with what happened: every tick once, to the scheduling context that used it.

use limen_core::arena::SchedContextId;
use limen_core::fault::Fault;
use limen_core::kernel::SchedContexts;
use limen_core::machine::Ticks;

use super::windows::History;
use super::world::World;
use crate::support::{SchedContext, System};

/// The record of one system.
pub(super) struct Record {
    before: Before,
    /// The charges to each scheduling context over time, and its limits.
    histories: Vec<History>,
    /// Ticks for which programs ran on each scheduling context.
    used: Vec<Ticks>,
    /// The longest kernel entry, in ticks.
    longest_entry: Ticks,
    latest: Ticks,
}

/// The state before an event.
#[derive(Default)]
struct Before {
    is_idle: bool,
    time: Ticks,
    in_kernel: Ticks,
    since: Ticks,
    charged: Option<usize>,
    consumed: Vec<Ticks>,
    timeouts: Vec<Option<Fault>>,
}

impl Before {
    fn of(world: &World) -> Self {
        let kernel = &world.system.kernel;
        Self {
            is_idle: kernel.processor.current.is_none(),
            time: kernel.machine.time(),
            in_kernel: kernel.machine.time_in_kernel(),
            since: kernel.processor.since,
            charged: world.running_on(),
            consumed: consumed(&world.system),
            timeouts: world.system.threads().map(|thread| kernel.threads[thread.id()].fault).collect(),
        }
    }
}

impl Record {
    /// Starts after boot.
    pub(super) fn new(world: &World) -> Self {
        let since = world.system.kernel.processor.since;
        Self {
            before: Before::default(),
            histories: world.limits.iter().map(|limit| History::new(since, *limit)).collect(),
            used: consumed(&world.system),
            longest_entry: 0,
            latest: world.latest,
        }
    }

    /// Lets the running thread run for this long.
    pub(super) fn pass(&mut self, world: &mut World, ticks: Ticks) {
        if let Some(time) = world.running_on() {
            self.used[time] += ticks;
        }
        world.system.pass(ticks);
    }

    /// Records the state before an event.
    pub(super) fn open(&mut self, world: &World) {
        self.before = Before::of(world);
    }

    /// Checks what the event has charged. `read` is the time that the event read, and reset, of a scheduling context.
    pub(super) fn close(&mut self, world: &World, read: Option<(usize, Ticks)>) {
        let entry = world.system.kernel.machine.time_in_kernel() - self.before.in_kernel;
        self.longest_entry = self.longest_entry.max(entry);
        let charges = self.charges(world, read);
        self.check_sum(world, charges.iter().sum());
        self.note_charges(world, &charges);
        self.check_used(world);
        for (history, limit) in self.histories.iter_mut().zip(&world.limits) {
            history.limit(world.system.kernel.processor.since, *limit);
        }
        check_domain(world);
    }

    /// Returns what was charged to each scheduling context, including time that was read and reset.
    fn charges(&self, world: &World, read: Option<(usize, Ticks)>) -> Vec<Ticks> {
        let mut charges = consumed(&world.system);
        if let Some((time, ticks)) = read {
            charges[time] += ticks;
        }
        for (thread, old) in world.system.threads().zip(&self.before.timeouts) {
            let state = &world.system.kernel.threads[thread.id()];
            if let (Some(Fault::Timeout { consumed_us, .. }), None) = (state.fault, old) {
                let time = state.sched_context.map(SchedContexts::index_of);
                charges[time.expect("a thread keeps its time after a timeout")] += consumed_us;
            }
        }
        charges.iter().zip(&self.before.consumed).map(|(after, before)| after - before).collect()
    }

    /// Every tick is charged once; none is charged while the processor idles.
    fn check_sum(&self, world: &World, sum: Ticks) {
        let passed = world.system.kernel.processor.since - self.before.since;
        let is_right = if self.before.is_idle {
            sum <= world.system.kernel.processor.since.saturating_sub(self.before.time)
        } else {
            sum == passed
        };
        if !is_right {
            world.system.fail(&format!("{sum} ticks were charged, but {passed} have passed"));
        }
    }

    fn note_charges(&mut self, world: &World, charges: &[Ticks]) {
        let since = world.system.kernel.processor.since;
        for (time, charge) in charges.iter().enumerate().filter(|(_, charge)| **charge > 0) {
            let start = if self.before.charged == Some(time) { self.before.since } else { since - charge };
            self.histories[time].charge(start, *charge);
        }
    }

    /// A scheduling context is charged for the time it was used, and otherwise only for time in the kernel.
    fn check_used(&self, world: &World) {
        let core = &world.system.kernel.processor;
        let machine = &world.system.kernel.machine;
        for (time, history) in self.histories.iter().enumerate() {
            let not_yet = if world.running_on() == Some(time) { machine.time() - core.since } else { 0 };
            let charged = history.total() + not_yet;
            let used = self.used[time];
            if charged < used || charged > used + machine.time_in_kernel() {
                world.system.fail(&format!("{used} ticks of {time} were used, but {charged} charged"));
            }
        }
    }

    /// No window contains more than its bound.
    pub(super) fn check_windows(&self, system: &System) {
        // The timer interrupt may have to wait for the end of another kernel entry.
        let bound = self.latest + 2 * self.longest_entry;
        for (time, history) in self.histories.iter().enumerate() {
            if let Err(excess) = history.check_windows(bound) {
                system.fail(&format!("scheduling context {time}: {excess}"));
            }
        }
    }
}

/// Slots end where the schedule says.
fn check_domain(world: &World) {
    let core = &world.system.kernel.processor;
    if core.slot_end != Ticks::MAX && world.domain_until(core.slot_end) != Some(u64::from(core.domain)) {
        world.system.fail("a slot does not end where the schedule says");
    }
}

fn consumed(system: &System) -> Vec<Ticks> {
    let all = (0..system.size.sched_contexts as u64).map(|index| SchedContext(index).id());
    all.map(|id: SchedContextId| system.kernel.consumed(id)).collect()
}
