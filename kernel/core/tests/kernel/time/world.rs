//! A random system: shares, slices and passive servers in one or two domains, with capabilities to one another.

use limen_core::kernel::SchedContexts;
use limen_core::machine::Ticks;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{Grant, Plan, SchedContext, System, Thread};

/// Each thread's slots for the objects of the worker with this index: its endpoint, to call; its notification, to
/// signal; its scheduling context; the thread.
pub(super) const CALL: u64 = 300;
pub(super) const SIGNAL: u64 = 320;
pub(super) const TIME: u64 = 340;
pub(super) const THREAD: u64 = 360;
/// Each thread's slots for its own endpoint and notification.
pub(super) const RECEIVE: u64 = 380;
pub(super) const WAIT: u64 = 381;
/// Each thread's slot for scheduling control.
pub(super) const CONTROL: u64 = 382;
/// Each worker's slot for a digest.
pub(super) const SERVICE: u64 = 383;

#[derive(Clone, Debug)]
struct Worker {
    priority: u8,
    /// Whether it runs on its callers' time; its own is bound to its notification.
    is_passive: bool,
    /// Microseconds.
    budget: u64,
    /// Microseconds; equal to the budget for slices.
    period: u64,
    domain: u64,
    has_timeout_handler: bool,
}

/// The shape of a system.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    workers: Vec<Worker>,
    /// The domain schedule in ticks; fewer than two entries mean no schedule.
    turns: Vec<(u64, Ticks)>,
    /// How long reading the clock takes.
    ticks_per_read: Ticks,
    /// The maximum lateness of the timer interrupt.
    pub(super) latest: Ticks,
}

/// Random systems.
pub(super) fn shapes() -> impl Strategy<Value = Shape> {
    let turns = prop_oneof![2 => Just(Vec::new()), 1 => vec((0..2u64, 30..900u64), 2..5)];
    (vec(workers(), 2..=7), turns, 0..3u64, 0..40u64)
        .prop_map(|(workers, turns, ticks_per_read, latest)| Shape { workers, turns, ticks_per_read, latest })
}

fn workers() -> impl Strategy<Value = Worker> {
    let priority = prop::sample::select(vec![40, 60, 60, 80, 100]);
    (priority, prop::bool::weighted(0.3), budgets(), 0..2u64, any::<bool>()).prop_map(
        |(priority, is_passive, (budget, period), domain, has_timeout_handler)| Worker {
            priority,
            is_passive,
            budget,
            period,
            domain,
            has_timeout_handler,
        },
    )
}

/// Budgets and periods.
pub(super) fn budgets() -> impl Strategy<Value = (u64, u64)> {
    let rest = prop_oneof![1 => Just(0), 3 => 1..900u64];
    (20..300u64, rest).prop_map(|(budget, rest)| (budget, budget + rest))
}

/// A running system.
pub(super) struct World {
    pub(super) system: System,
    pub(super) latest: Ticks,
    /// The number of workers; supervisors and the fault handler follow them.
    pub(super) workers: u64,
    /// The thread that replies to faults.
    pub(super) handler: Thread,
    /// Budget and period of each scheduling context that has a limit.
    pub(super) limits: Vec<Option<(Ticks, Ticks)>>,
    /// The scheduling context of each worker, by index.
    pub(super) times: Vec<SchedContext>,
    turns: Vec<(u64, Ticks)>,
}

impl Shape {
    /// Boots it. Passive servers wait for calls.
    pub(super) fn boot(&self) -> World {
        let mut plan = Plan::new();
        let (threads, times): (Vec<_>, Vec<_>) =
            self.workers.iter().map(|worker| self.add_worker(&mut plan, worker)).unzip();
        let supervisors = [plan.thread("supervisor 0", 250), plan.thread("supervisor 1", 250)];
        let handler = plan.thread("handler", 251);
        let faults = plan.endpoint();
        plan.place(handler, RECEIVE, faults.receiver());
        for (domain, supervisor) in supervisors.into_iter().enumerate() {
            plan.share(supervisor, 20, 210);
            plan.set_domain(supervisor, self.domain(domain as u64));
        }
        connect(&mut plan, &threads, &times, &supervisors);
        for (thread, worker) in threads.iter().zip(&self.workers) {
            plan.handle_faults(*thread, faults.caller(thread.0));
            if worker.has_timeout_handler {
                plan.handle_timeouts(*thread, faults.caller(100 + thread.0));
            }
        }
        if self.has_domains() {
            self.turns.iter().for_each(|(domain, ticks)| plan.turn(*domain, *ticks));
        }
        let passive = threads.iter().zip(&self.workers).filter(|(_, worker)| worker.is_passive);
        let mut serving: Vec<_> = passive.map(|(thread, _)| (*thread, RECEIVE)).collect();
        serving.push((handler, RECEIVE));
        let mut system = plan.boot_serving(&serving);
        for ((thread, time), worker) in threads.iter().zip(&times).zip(&self.workers) {
            if worker.is_passive {
                self.place_passive(&mut system, *thread, *time, worker);
            }
        }
        system.kernel.machine.slow_clock(self.ticks_per_read);
        let limits = plan.writer.sched_contexts.iter().map(|time| limit(time.budget_us, time.period_us));
        World {
            system,
            latest: self.latest,
            workers: threads.len() as u64,
            handler,
            limits: limits.collect(),
            times,
            turns: if self.has_domains() { self.turns.clone() } else { Vec::new() },
        }
    }

    /// Binds a passive server's time to its notification and puts the server into its domain, once it waits.
    fn place_passive(&self, system: &mut System, server: Thread, time: SchedContext, worker: &Worker) {
        let kernel = &mut system.kernel;
        kernel.threads[server.id()].domain = self.domain(worker.domain) as u8;
        let notification = kernel.threads[server.id()].notification;
        kernel.sched_contexts[time.id()].notification = notification;
        if let Some(notification) = notification {
            kernel.notifications[notification].sched_context = Some(time.id());
        }
    }

    fn add_worker(&self, plan: &mut Plan, worker: &Worker) -> (Thread, SchedContext) {
        let name = format!("worker {}", plan.writer.threads.len());
        let thread = plan.passive(&name, worker.priority);
        let time = plan.sched_context(worker.period);
        plan.writer.sched_contexts[time.0 as usize].budget_us = worker.budget;
        if !worker.is_passive {
            plan.record(thread).sched_context = time.0;
            plan.set_domain(thread, self.domain(worker.domain));
        }
        (thread, time)
    }

    /// Boot needs domain 0, and both domains must have a slot.
    fn has_domains(&self) -> bool {
        let first_is_zero = self.turns.first().is_some_and(|(domain, _)| *domain == 0);
        first_is_zero && self.turns.iter().any(|(domain, _)| *domain == 1)
    }

    fn domain(&self, domain: u64) -> u64 {
        if self.has_domains() { domain } else { 0 }
    }
}

/// Gives all threads capabilities to all workers.
fn connect(plan: &mut Plan, threads: &[Thread], times: &[SchedContext], supervisors: &[Thread]) {
    for (index, (worker, time)) in (0..).zip(threads.iter().zip(times)) {
        let endpoint = plan.endpoint();
        let notification = plan.bound_notification(*worker);
        plan.place(*worker, RECEIVE, endpoint.receiver());
        plan.place(*worker, WAIT, notification.waiter());
        let digest = plan.digest(*worker);
        plan.place(*worker, SERVICE, Grant::service(digest));
        for thread in threads.iter().chain(supervisors) {
            plan.place(*thread, CALL + index, endpoint.caller(thread.0));
            plan.place(*thread, SIGNAL + index, notification.signaller(1));
            plan.place(*thread, TIME + index, time.control());
            plan.place(*thread, THREAD + index, worker.control());
        }
    }
    for thread in threads.iter().chain(supervisors) {
        plan.place(*thread, CONTROL, Grant::sched_control());
    }
}

/// Returns budget and period if that is a limit.
pub(super) fn limit(budget: u64, period: u64) -> Option<(Ticks, Ticks)> {
    (budget < period).then_some((budget, period))
}

impl World {
    /// Returns the scheduling context of the current thread, by index.
    pub(super) fn running_on(&self) -> Option<usize> {
        self.system.kernel.processor.sched_context.map(SchedContexts::index_of)
    }

    /// Returns the domain whose slot ends at `end` by the schedule alone; `None` if no slot ends then.
    pub(super) fn domain_until(&self, end: Ticks) -> Option<u64> {
        let mut time = 0;
        self.turns.iter().cycle().find_map(|(domain, ticks)| {
            time += ticks;
            (time >= end).then_some((time == end).then_some(*domain))
        })?
    }
}
