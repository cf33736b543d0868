//! A random system in which every thread holds a capability to every object: threads with slices, with shares and without time,
//! in one or two domains, whose faults and timeouts go to each other.

use core::ops::RangeInclusive;

use limen_abi::KernelKey;
use limen_abi::fpu::FpuOption;
use limen_abi::limits::SAMPLE_RINGS;
use limen_abi::slot;
use limen_core::machine::Ticks;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::bytes::Bytes;
use crate::support::{
    Endpoint, Grant, Interrupt, Notification, Plan, Probes, SchedContext, System, Thread, Wiring,
};

/// Slots of every thread: for objects of the same kind, the first of consecutive slots, one for each object.
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
pub(super) const MONITOR: u64 = 425;
pub(super) const PORTS: u64 = 430;
pub(super) const KERNEL_KEY: u64 = 440;

/// Static keys, scheduling contexts that are bound to no thread at the start, and notifications that never are.
pub(super) const KEYS: u64 = 3;
const SPARE_TIMES: u64 = 2;
const FREE_NOTIFICATIONS: u64 = 2;
/// Ranges of I/O ports, first and last: at the end of all ports, one, and a few.
pub(super) const PORT_RANGES: [(u64, u64); 3] = [(0xfffc, 0xffff), (0x80, 0x80), (0x3f8, 0x3fe)];
/// Keys of the kernel that threads may switch. With a ring, the last one is on at boot.
const KERNEL_KEYS: [KernelKey; 3] =
    [KernelKey::TraceThreads, KernelKey::TraceMessages, KernelKey::TracePrograms];
/// Steps until all branches on a key are patched.
const KEY_STEPS: u32 = 3;

const PRIORITIES: [u8; 5] = [40, 60, 60, 80, 100];
/// Rights to the endpoints of handlers; most often those that suffice.
const RIGHTS: [u64; 7] = [0b1001, 0b1001, 0b1001, 0b1001, 0b1000, 0b0001, 0b1111];

/// Objects that are for hardware: address spaces, and those of an instruction set. Besides, the keys of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Devices {
    /// None of them.
    None,
    /// The secure monitor.
    Arm {
        /// Whether there is a ring for the trace.
        has_ring: bool,
    },
    /// I/O ports.
    Ports,
}

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
    /// Whether samples of its probe go to a ring.
    has_ring: bool,
}

/// The random choices of a system.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    workers: Vec<Worker>,
    /// Turns of domains in ticks; fewer than two are no schedule.
    turns: Vec<(u64, Ticks)>,
    devices: Devices,
    has_probes: bool,
    /// Adds a thread of the lowest priority that never waits, and resumes threads that others have stopped.
    has_gardener: bool,
    /// The options that the processor needs with every policy of the floating-point unit.
    fpu_options: u64,
}

/// Random systems.
pub(super) fn shapes() -> impl Strategy<Value = Shape> {
    shapes_of(2..=6)
}

/// Random larger systems, of which half have probes.
pub(super) fn specified_shapes() -> impl Strategy<Value = Shape> {
    (shapes_of(2..=10), any::<bool>()).prop_map(|(shape, has_probes)| Shape { has_probes, ..shape })
}

fn shapes_of(threads: RangeInclusive<usize>) -> impl Strategy<Value = Shape> {
    let turns = prop_oneof![2 => Just(Vec::new()), 1 => vec((0..2u64, 30..400u64), 2..4)];
    let fpu_options = prop_oneof![3 => Just(0), 1 => 1..=FpuOption::ALL];
    let devices = prop::sample::select(vec![
        Devices::Ports,
        Devices::Arm { has_ring: false },
        Devices::Arm { has_ring: true },
        Devices::Arm { has_ring: true },
    ]);
    (vec(workers(), threads), turns, prop::bool::weighted(0.8), fpu_options, devices).prop_map(
        |(workers, turns, has_gardener, fpu_options, devices)| Shape {
            workers,
            turns,
            devices,
            has_probes: true,
            has_gardener,
            fpu_options,
        },
    )
}

fn workers() -> impl Strategy<Value = Worker> {
    let priority = prop::sample::select(PRIORITIES.to_vec());
    let source =
        prop_oneof![3 => Just(Source::Own), 2 => Just(Source::Notification), 1 => Just(Source::Callers)];
    let handler = || option::weighted(0.7, (0..6u64, rights()));
    let flags = (prop::bool::weighted(0.2), prop::bool::weighted(0.8), prop::bool::weighted(0.3));
    (priority, source, limits(), 0..2u64, handler(), handler(), flags).prop_map(
        |(priority, source, limit, domain, faults, timeouts, (wipes, may_use_fpu, has_ring))| Worker {
            priority,
            source,
            limit,
            domain,
            faults,
            timeouts,
            wipes,
            may_use_fpu,
            has_ring,
        },
    )
}

fn rights() -> impl Strategy<Value = u64> {
    prop_oneof![4 => Just(0b1001), 1 => 0..16u64]
}

/// Budgets and periods.
pub(super) fn limits() -> impl Strategy<Value = (u64, u64)> {
    // In long periods, the list is charged once for all use within a window.
    let rest = prop_oneof![2 => Just(0), 3 => 1..300u64, 1 => 300..8000u64];
    (20..60u64, rest).prop_map(|(budget, rest)| (budget, budget + rest))
}

impl Worker {
    /// A thread with a slice, from bytes.
    fn of(bytes: &mut Bytes<'_>) -> Self {
        let slice = slice(bytes);
        let mut handler = || (bytes.below(4) != 0).then(|| (bytes.below(6), bytes.pick(&RIGHTS)));
        let (faults, timeouts) = (handler(), handler());
        Self {
            priority: bytes.pick(&PRIORITIES),
            source: bytes.pick(&[Source::Own, Source::Notification, Source::Callers]),
            limit: slice,
            domain: bytes.below(2),
            faults,
            timeouts,
            wipes: bytes.below(5) == 1,
            may_use_fpu: bytes.below(5) != 1,
            has_ring: false,
        }
    }
}

/// A budget that is all of its period, from bytes.
pub(super) fn slice(bytes: &mut Bytes<'_>) -> (u64, u64) {
    let budget = 20 + bytes.below(40);
    (budget, budget)
}

/// A running system.
pub(super) struct World {
    pub(super) system: System,
    pub(super) workers: u64,
    pub(super) times: u64,
    pub(super) notifications: u64,
    pub(super) gardener: Option<Thread>,
    pub(super) has_probes: bool,
    pub(super) has_devices: bool,
    /// The first slot of the objects whose methods were called for hardware, and the labels of the answers; none if the call
    /// restarts.
    pub(super) outcomes: Vec<(u64, Option<u64>)>,
}

impl World {
    /// How many objects have slots from this one on.
    pub(super) fn count(&self, first: u64) -> u64 {
        match first {
            RECEIVE | CALL | GRANT | THREAD | SPACE => self.workers,
            NOTIFICATION => self.notifications,
            TIME => self.times,
            KEY => KEYS,
            KERNEL_KEY => KERNEL_KEYS.len() as u64,
            PORTS => PORT_RANGES.len() as u64,
            INTERRUPT => Wiring::ALL.len() as u64,
            SERVICE => 3,
            _ => 1,
        }
    }
}

/// The objects that every thread gets capabilities to.
struct Objects {
    threads: Vec<Thread>,
    endpoints: Vec<Endpoint>,
    notifications: Vec<Notification>,
    times: Vec<SchedContext>,
    interrupts: Vec<Interrupt>,
    keys: Vec<u64>,
    kernel_keys: Vec<u64>,
}

impl Objects {
    /// Adds the objects of these threads to the plan. Their scheduling contexts exist already.
    fn add(plan: &mut Plan, threads: Vec<Thread>, mut times: Vec<SchedContext>, devices: Devices) -> Self {
        let endpoints = threads.iter().map(|_| plan.endpoint()).collect();
        let mut notifications: Vec<_> =
            threads.iter().map(|thread| plan.bound_notification(*thread)).collect();
        notifications.extend((0..FREE_NOTIFICATIONS).map(|_| plan.notification()));
        let interrupts = Wiring::ALL.into_iter().zip(&notifications);
        let interrupts =
            interrupts.map(|(wiring, notification)| plan.interrupt(wiring, *notification, 1 << 40)).collect();
        times.extend((0..SPARE_TIMES).map(|_| plan.sched_context(25)));
        let group = plan.key(true);
        let keys = vec![group, plan.key_of_group(false, group), plan.key(false)];
        let mut kernel_keys = Vec::new();
        if devices != Devices::None {
            let has_ring = devices == Devices::Arm { has_ring: true };
            let is_on = |key| has_ring && key == KernelKey::TracePrograms;
            kernel_keys.extend(KERNEL_KEYS.map(|key| plan.kernel_key(is_on(key), key)));
            if has_ring {
                plan.trace();
            }
        }
        Self { threads, endpoints, notifications, times, interrupts, keys, kernel_keys }
    }

    /// Gives a thread a capability to each object.
    fn grant_all(&self, plan: &mut Plan, holder: Thread, shape: &Shape) {
        let mut place = |first: u64, grants: Vec<Grant>| {
            (first..).zip(grants).for_each(|(slot, grant)| plan.place(holder, slot, grant));
        };
        place(RECEIVE, self.endpoints.iter().map(|endpoint| endpoint.receiver()).collect());
        place(CALL, self.endpoints.iter().map(|endpoint| endpoint.caller(holder.0)).collect());
        place(GRANT, self.endpoints.iter().map(|endpoint| endpoint.with(holder.0, 0b0111)).collect());
        place(NOTIFICATION, self.notifications.iter().map(|to| to.with(1 << holder.0, 0b1111)).collect());
        place(THREAD, self.threads.iter().map(|thread| thread.control()).collect());
        place(TIME, self.times.iter().map(|time| time.control()).collect());
        place(INTERRUPT, self.interrupts.iter().map(|interrupt| interrupt.control()).collect());
        place(CONTROL, vec![Grant::sched_control()]);
        place(KEY, self.keys.iter().map(|key| Grant::key(*key)).collect());
        place(FPU_POLICY, vec![Grant::fpu_policy(), Grant::fpu_counters()]);
        place(KERNEL_KEY, self.kernel_keys.iter().map(|key| Grant::key(*key)).collect());
        if shape.devices != Devices::None {
            place(SPACE, self.threads.iter().map(|thread| Grant::vspace(*thread)).collect());
        }
        match shape.devices {
            Devices::None => {}
            Devices::Arm { .. } => place(MONITOR, vec![Grant::secure_monitor()]),
            Devices::Ports => {
                place(PORTS, PORT_RANGES.map(|(first, last)| Grant::ports(first, last)).to_vec());
            }
        }
        if shape.has_probes {
            place(PROBE, vec![Grant::probe()]);
        }
    }

    /// Gives each thread its endpoint to receive on, a second reply object and its services.
    fn grant_own(&self, plan: &mut Plan) {
        let next = self.threads.iter().cycle().skip(1);
        for ((holder, endpoint), next) in self.threads.iter().zip(&self.endpoints).zip(next) {
            plan.place(*holder, slot::INPUT, endpoint.receiver());
            let second = plan.reply();
            plan.place(*holder, SECOND_REPLY, second.control());
            let served = (holder.0 == 1).then_some(self.interrupts[1]);
            let seal = plan.seal(*holder, served);
            let services = [plan.digest(*holder), plan.reset(*holder, *next), seal];
            (SERVICE..).zip(services).for_each(|(slot, service)| {
                plan.place(*holder, slot, Grant::service(service));
            });
        }
    }

    /// Sets the destinations of a thread's faults and timeouts, and whether they and an interrupt wipe.
    fn add_handlers(&self, plan: &mut Plan, thread: Thread, worker: &Worker) {
        let to = |(endpoint, rights): (u64, u64)| {
            self.endpoints[endpoint as usize % self.endpoints.len()].with(1 << 62 | thread.0, rights)
        };
        worker.faults.into_iter().for_each(|handler| plan.handle_faults(thread, to(handler)));
        worker.timeouts.into_iter().for_each(|handler| plan.handle_timeouts(thread, to(handler)));
        if worker.wipes {
            plan.wipe_by_fault(thread);
            if worker.may_use_fpu && thread.0 == 0 {
                plan.wipe_by_interrupt(thread, self.interrupts[0]);
            }
        }
    }
}

impl Shape {
    /// A system with slices only, without probes and devices, from bytes.
    pub(super) fn of(bytes: &mut Bytes<'_>) -> Self {
        Self {
            devices: Devices::None,
            has_probes: false,
            fpu_options: 0,
            has_gardener: bytes.below(4) != 1,
            turns: (0..bytes.below(4)).map(|_| (bytes.below(2), 30 + bytes.below(256))).collect(),
            workers: (0..2 + bytes.below(5)).map(|_| Worker::of(bytes)).collect(),
        }
    }

    /// Boots the system. Passive servers wait for calls.
    pub(super) fn boot(&self) -> World {
        self.boot_plan(Plan::new())
    }

    /// Boots the system, which records every event. It has no devices, and each thread has its own time: a replay starts from the
    /// image alone.
    pub(super) fn boot_recording(mut self) -> World {
        (self.devices, self.fpu_options) = (Devices::None, 0);
        self.workers.iter_mut().for_each(|worker| worker.source = Source::Own);
        let mut plan = Plan::new();
        plan.is_recorded = true;
        self.boot_plan(plan)
    }

    fn boot_plan(&self, mut plan: Plan) -> World {
        if self.devices == Devices::Ports {
            plan.for_ports();
        }
        let (threads, times) = self.workers.iter().map(|worker| self.add(&mut plan, worker)).unzip();
        let gardener = self.has_gardener.then(|| plan.thread("gardener", 0));
        let objects = Objects::add(&mut plan, threads, times, self.devices);
        for holder in objects.threads.iter().copied().chain(gardener) {
            objects.grant_all(&mut plan, holder, self);
        }
        objects.grant_own(&mut plan);
        for (worker, thread) in self.workers.iter().zip(&objects.threads) {
            objects.add_handlers(&mut plan, *thread, worker);
            if worker.has_ring && self.has_probes && plan.writer.rings.len() < SAMPLE_RINGS {
                plan.sample_ring(*thread);
            }
        }
        if self.has_domains() {
            self.turns.iter().for_each(|(domain, ticks)| plan.turn(*domain, *ticks));
        }
        let servers: Vec<_> =
            (0..self.workers.len()).filter(|index| self.workers[*index].source != Source::Own).collect();
        let serving: Vec<_> = servers.iter().map(|index| (objects.threads[*index], slot::INPUT)).collect();
        let mut system = plan.boot_serving(&serving);
        for index in servers {
            self.place(&mut system, objects.threads[index], objects.times[index], &self.workers[index]);
        }
        system.probes = Probes::OnTheWay;
        system.kernel.machine.key_steps = KEY_STEPS;
        system.kernel.machine.fpu_options = self.fpu_options;
        World {
            system,
            workers: objects.threads.len() as u64,
            times: objects.times.len() as u64,
            notifications: objects.notifications.len() as u64,
            gardener,
            has_probes: self.has_probes,
            has_devices: self.devices != Devices::None,
            outcomes: Vec::new(),
        }
    }

    /// Moves a waiting passive server into its domain, and gives its notification the scheduling context that it keeps.
    fn place(&self, system: &mut System, server: Thread, time: SchedContext, worker: &Worker) {
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

    /// Returns whether there is a schedule: boot needs domain 0 first, and both domains must have a turn.
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
