//! A random system in which every thread holds a capability to every object: threads with slices, with shares and without time,
//! in one or two domains, whose faults and timeouts go to each other.

use limen_abi::slot;
use limen_core::machine::Ticks;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::support::{Grant, Interrupt, Plan, SchedContext, System, Thread, Wiring};

/// Slots of every thread. Those of the same kind follow each other, one for each object.
pub(super) const RECEIVE: u64 = 300;
pub(super) const CALL: u64 = 310;
pub(super) const GRANT: u64 = 320;
pub(super) const NOTIFICATION: u64 = 330;
pub(super) const THREAD: u64 = 350;
pub(super) const TIME: u64 = 360;
pub(super) const SPACE: u64 = 380;
pub(super) const KEY: u64 = 390;
pub(super) const INTERRUPT: u64 = 400;
pub(super) const SERVICE: u64 = 410;
pub(super) const CONTROL: u64 = 420;
pub(super) const FPU_POLICY: u64 = 421;
pub(super) const FPU_COUNTERS: u64 = 422;
pub(super) const PROBE: u64 = 423;
pub(super) const SECOND_REPLY: u64 = 424;

/// Static keys, scheduling contexts without a thread at the start, and notifications that are bound to no thread.
pub(super) const KEYS: u64 = 2;
const SPARE_TIMES: u64 = 2;
const FREE_NOTIFICATIONS: u64 = 2;
/// Steps until all branches on a key follow.
const KEY_STEPS: u32 = 3;

/// The source of a thread's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// Its own scheduling context.
    Own,
    /// Its callers, and what its notification keeps.
    Notification,
    /// Its callers.
    Callers,
}

/// A thread.
#[derive(Clone, Debug)]
struct Worker {
    priority: u8,
    source: Source,
    /// Microseconds.
    limit: (u64, u64),
    domain: u64,
    /// The owners of the endpoints that its faults and timeouts go to, with these rights.
    faults: Option<(u64, u64)>,
    timeouts: Option<(u64, u64)>,
    wipes: bool,
    may_use_fpu: bool,
}

/// The random choices of a system.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    workers: Vec<Worker>,
    /// Turns of domains in ticks; fewer than two are no schedule.
    turns: Vec<(u64, Ticks)>,
    /// A thread of the lowest priority that never waits, and repairs what the others do.
    has_gardener: bool,
}

/// Random systems.
pub(super) fn shapes() -> impl Strategy<Value = Shape> {
    let turns = prop_oneof![2 => Just(Vec::new()), 1 => vec((0..2u64, 30..400u64), 2..4)];
    (vec(workers(), 2..=6), turns, prop::bool::weighted(0.8))
        .prop_map(|(workers, turns, has_gardener)| Shape { workers, turns, has_gardener })
}

fn workers() -> impl Strategy<Value = Worker> {
    let priority = prop::sample::select(vec![40, 60, 60, 80, 100]);
    let source =
        prop_oneof![3 => Just(Source::Own), 2 => Just(Source::Notification), 1 => Just(Source::Callers)];
    let handler = || option::weighted(0.7, (0..6u64, rights()));
    let flags = (prop::bool::weighted(0.2), prop::bool::weighted(0.8));
    (priority, source, limits(), 0..2u64, handler(), handler(), flags).prop_map(
        |(priority, source, limit, domain, faults, timeouts, (wipes, may_use_fpu))| Worker {
            priority,
            source,
            limit,
            domain,
            faults,
            timeouts,
            wipes,
            may_use_fpu,
        },
    )
}

fn rights() -> impl Strategy<Value = u64> {
    prop_oneof![4 => Just(0b1001), 1 => 0..16u64]
}

/// Budgets and periods.
pub(super) fn limits() -> impl Strategy<Value = (u64, u64)> {
    let rest = prop_oneof![1 => Just(0), 2 => 1..300u64];
    (20..60u64, rest).prop_map(|(budget, rest)| (budget, budget + rest))
}

/// A running system.
pub(super) struct World {
    pub(super) system: System,
    pub(super) workers: u64,
    pub(super) times: u64,
    pub(super) notifications: u64,
    pub(super) gardener: Option<Thread>,
}

impl World {
    /// How many objects have slots from this one on.
    pub(super) fn count(&self, first: u64) -> u64 {
        match first {
            RECEIVE | CALL | GRANT | THREAD | SPACE => self.workers,
            NOTIFICATION => self.notifications,
            TIME => self.times,
            KEY => KEYS,
            INTERRUPT => Wiring::ALL.len() as u64,
            SERVICE => 2,
            _ => 1,
        }
    }
}

impl Shape {
    /// Boots it. Passive servers wait for calls.
    pub(super) fn boot(&self) -> World {
        let mut plan = Plan::new();
        let (threads, mut times): (Vec<_>, Vec<_>) =
            self.workers.iter().map(|worker| self.add(&mut plan, worker)).unzip();
        let gardener = self.has_gardener.then(|| plan.thread("gardener", 0));
        let endpoints: Vec<_> = threads.iter().map(|_| plan.endpoint()).collect();
        let mut notifications: Vec<_> =
            threads.iter().map(|thread| plan.bound_notification(*thread)).collect();
        notifications.extend((0..FREE_NOTIFICATIONS).map(|_| plan.notification()));
        let interrupts: Vec<_> = Wiring::ALL
            .into_iter()
            .zip(&notifications)
            .map(|(wiring, notification)| plan.interrupt(wiring, *notification, 1 << 40))
            .collect();
        for (worker, thread) in self.workers.iter().zip(&threads) {
            let to = |(endpoint, rights): (u64, u64)| {
                endpoints[endpoint as usize % endpoints.len()].with(1 << 62 | thread.0, rights)
            };
            worker.faults.into_iter().for_each(|handler| plan.handle_faults(*thread, to(handler)));
            worker.timeouts.into_iter().for_each(|handler| plan.handle_timeouts(*thread, to(handler)));
        }
        times.extend((0..SPARE_TIMES).map(|_| plan.sched_context(25)));
        let keys: Vec<_> = (0..KEYS).map(|key| plan.key(key == 0)).collect();
        let all: Vec<_> = threads.iter().copied().chain(gardener).collect();
        for holder in &all {
            let mut place = |first: u64, grants: Vec<Grant>| {
                (first..).zip(grants).for_each(|(slot, grant)| plan.place(*holder, slot, grant));
            };
            place(RECEIVE, endpoints.iter().map(|endpoint| endpoint.receiver()).collect());
            place(CALL, endpoints.iter().map(|endpoint| endpoint.caller(holder.0)).collect());
            place(GRANT, endpoints.iter().map(|endpoint| endpoint.with(holder.0, 0b0111)).collect());
            place(NOTIFICATION, notifications.iter().map(|to| to.with(1 << holder.0, 0b1111)).collect());
            place(THREAD, threads.iter().map(|thread| thread.control()).collect());
            place(TIME, times.iter().map(|time| time.control()).collect());
            place(SPACE, threads.iter().map(|thread| Grant::vspace(*thread)).collect());
            place(KEY, keys.iter().map(|key| Grant::key(*key)).collect());
            place(INTERRUPT, interrupts.iter().map(|interrupt| interrupt.control()).collect());
            place(
                CONTROL,
                vec![Grant::sched_control(), Grant::fpu_policy(), Grant::fpu_counters(), Grant::probe()],
            );
        }
        for (index, holder) in threads.iter().enumerate() {
            plan.place(*holder, slot::INPUT, endpoints[index].receiver());
            let second = plan.reply();
            plan.place(*holder, SECOND_REPLY, second.control());
            let services = [plan.digest(*holder), plan.reset(*holder, threads[(index + 1) % threads.len()])];
            (SERVICE..).zip(services).for_each(|(slot, service)| {
                plan.place(*holder, slot, Grant::service(service));
            });
        }
        for (worker, thread) in self.workers.iter().zip(&threads).filter(|(worker, _)| worker.wipes) {
            plan.wipe_by_fault(*thread);
            if worker.may_use_fpu && thread.0 == 0 {
                plan.wipe_by_interrupt(*thread, interrupts[0]);
            }
        }
        if self.has_domains() {
            self.turns.iter().for_each(|(domain, ticks)| plan.turn(*domain, *ticks));
        }
        let waits = self.workers.iter().zip(&threads).filter(|(worker, _)| worker.source != Source::Own);
        let serving: Vec<_> = waits.map(|(_, thread)| (*thread, slot::INPUT)).collect();
        let mut system = plan.boot_serving(&serving);
        for (index, worker) in
            self.workers.iter().enumerate().filter(|(_, worker)| worker.source != Source::Own)
        {
            self.settle(&mut system, threads[index], times[index], worker);
        }
        system.kernel.machine.key_steps = KEY_STEPS;
        let counts = (threads.len() as u64, times.len() as u64, notifications.len() as u64);
        let (workers, times, notifications) = counts;
        World { system, workers, times, notifications, gardener }
    }

    /// A passive server, which waits now, gets the domain that it belongs to, and its notification what it keeps.
    fn settle(&self, system: &mut System, server: Thread, time: SchedContext, worker: &Worker) {
        let kernel = &mut system.kernel;
        kernel.threads[server.id()].domain = self.domain(worker.domain) as u8;
        if worker.source == Source::Notification
            && let Some(notification) = kernel.threads[server.id()].notification
        {
            kernel.sched_contexts[time.id()].notification = Some(notification);
            kernel.notifications[notification].sched_context = Some(time.id());
        }
    }

    fn add(&self, plan: &mut Plan, worker: &Worker) -> (Thread, SchedContext) {
        let name = format!("worker {}", plan.writer.threads.len());
        let thread = plan.passive(&name, worker.priority);
        let (budget, period) = worker.limit;
        let time = plan.sched_context(period);
        plan.writer.sched_contexts[time.0 as usize].budget_us = budget;
        if worker.source == Source::Own {
            plan.record(thread).sched_context = time.0;
            plan.set_domain(thread, self.domain(worker.domain));
        }
        if !worker.may_use_fpu {
            plan.deny_fpu(thread);
        }
        (thread, time)
    }

    /// Boot needs domain 0, and both must have a turn.
    fn has_domains(&self) -> bool {
        let first_is_zero = self.turns.first().is_some_and(|(domain, _)| *domain == 0);
        first_is_zero && self.turns.iter().any(|(domain, _)| *domain == 1)
    }

    fn domain(&self, domain: u64) -> u64 {
        if self.has_domains() { domain } else { 0 }
    }
}

/// An interrupt of the system.
pub(super) fn interrupt(selector: u16) -> Interrupt {
    Interrupt(u64::from(selector) % Wiring::ALL.len() as u64)
}
