//! Exhaustive search of the states that three threads can reach with one endpoint and one notification.
//!
//! A breadth-first search: in each new state, the running thread tries every operation of a small alphabet. States
//! that differ only in registers and the time of day count as one, so the search ends. Every state is checked for all
//! invariants. After each operation the kernel is as the specification says. Open calls stay open.

mod key;
mod operation;
mod processors;

use std::collections::HashSet;

use limen_core::object::reply::Reply;
use limen_core::object::thread::State;
use limen_image::Rights;

use crate::support::{
    Checking, Endpoint, Grant, Notification, OpenCalls, Paths, Plan, Probes, SchedContext, Snapshot, System,
    Thread, Wiring, assert_documented,
};
use key::{domains, fpu, key, probes, works};
use operation::{
    CONTROL, DOMAINS, ENDPOINT, FIRST_INTERRUPT, FIRST_THREAD, FPU_COUNTERS, FPU_POLICY, GROUP_KEY, KEY,
    KEYS, MESSAGES, NOTIFICATION, Operation, POLICIES, PROBE, PROBES, SECOND_NOTIFICATION, SERVICE, SHARES,
    SIGNALS, SPARE_TIME, TIME, WIPES, WORKS,
};

/// The threads of the model. A monitor that only starts them comes after them.
const THREADS: usize = 3;
/// The number of states at which a search takes too long for a test.
const MAX_STATES: usize = 150_000;

/// A system to search, and the operations of its threads.
struct Model {
    plan: Plan,
    threads: [Thread; THREADS],
    endpoint: Endpoint,
    notification: Notification,
    spare: Option<SchedContext>,
    operations: &'static [Operation],
    /// The part of a state that only some models distinguish.
    further_key: fn(&mut System) -> Vec<u16>,
}

impl Model {
    /// Threads with time and these priorities. Their faults go to the endpoint.
    fn active(priorities: [u8; THREADS]) -> Self {
        Self::new(priorities, Plan::thread)
    }

    /// The first thread has no time, and the notification is bound to it.
    fn passive(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::new(priorities, Plan::passive);
        model.plan.record(model.threads[0]).notification = 0;
        model
    }

    /// As [`Model::passive`], with a spare scheduling context that every thread may bind to threads or the
    /// notification.
    fn with_spare_time(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::passive(priorities);
        let spare = model.plan.sched_context(1000);
        for thread in model.threads {
            model.plan.place(thread, SPARE_TIME, spare.control());
        }
        model.spare = Some(spare);
        model.operations = TIME;
        model
    }

    /// The first thread is a passive server and handles the ends of the second thread's share. The third has short slices.
    fn with_shares(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::passive(priorities);
        let [server, second, third] = model.threads;
        model.plan.share(second, 40, 60);
        model.plan.slice(third, 20);
        model.plan.handle_timeouts(second, model.endpoint.caller(9));
        let time = model.plan.sched_context_of(second);
        for thread in [server, second, third] {
            model.plan.place(thread, CONTROL, Grant::sched_control());
            model.plan.place(thread, SPARE_TIME, time.control());
        }
        model.operations = SHARES;
        model
    }

    /// Each thread has a bit of its own in the notification, and there is a second one. The first thread is passive.
    fn with_two_notifications(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::passive(priorities);
        let second = model.plan.notification();
        for cap in model.plan.writer.caps.iter_mut().filter(|cap| cap.slot == NOTIFICATION) {
            cap.badge = 1 << cap.table;
        }
        for thread in model.threads {
            model.plan.place(thread, SECOND_NOTIFICATION, second.with(8, Rights::ALL));
        }
        model.operations = SIGNALS;
        model
    }

    /// Every thread may change a key and the key of its group, which is on by default.
    fn with_keys(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::active(priorities);
        let group = model.plan.key(true);
        let key = model.plan.key_of_group(false, group);
        for thread in model.threads {
            model.plan.place(thread, GROUP_KEY, Grant::key(group));
            model.plan.place(thread, KEY, Grant::key(key));
        }
        model.operations = KEYS;
        model
    }

    /// Every thread may set the policy of the floating-point unit. The last one may not use it.
    fn with_policies(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::active(priorities);
        model.plan.deny_fpu(model.threads[2]);
        for thread in model.threads {
            model.plan.place(thread, FPU_POLICY, Grant::fpu_policy());
            model.plan.place(thread, FPU_COUNTERS, Grant::fpu_counters());
        }
        model.operations = POLICIES;
        model.further_key = |system| fpu(system);
        model
    }

    /// The first thread may probe itself. Its faults go to the endpoint, from where the others can reply.
    fn with_probes(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::active(priorities);
        model.plan.place(model.threads[0], PROBE, Grant::probe());
        model.operations = PROBES;
        model.further_key = |system| probes(system);
        model
    }

    /// The first thread resets the second, whose faults wipe and which seals, as the first interrupt does. The third has a
    /// digest, and the other interrupt wipes its memory.
    fn with_wipes(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::passive(priorities);
        let ([first, second, third], notification) = (model.threads, model.notification);
        let interrupts =
            [Wiring::EdgeKept, Wiring::Message].map(|wiring| model.plan.interrupt(wiring, notification, 1));
        model.plan.wipe_by_fault(second);
        model.plan.wipe_by_interrupt(third, interrupts[1]);
        let reset = model.plan.reset(first, second);
        let seal = model.plan.seal(second, Some(interrupts[0]));
        let digest = model.plan.digest(third);
        for (thread, service) in model.threads.into_iter().zip([reset, seal, digest]) {
            model.plan.place(thread, SERVICE, Grant::service(service));
            for (slot, interrupt) in (FIRST_INTERRUPT..).zip(interrupts) {
                model.plan.place(thread, slot, interrupt.control());
            }
        }
        model.operations = WIPES;
        model.further_key = |system| works(system);
        model
    }

    /// The first thread handles the faults of the second and the ends of its share, also during its digests, and resets it.
    /// The second's faults wipe. The third has short slices.
    fn with_works(priorities: [u8; THREADS]) -> Self {
        let mut model = Self::active(priorities);
        let [server, second, third] = model.threads;
        model.plan.share(second, 40, 60);
        model.plan.slice(third, 20);
        model.plan.handle_timeouts(second, model.endpoint.caller(9));
        model.plan.wipe_by_fault(second);
        let reset = model.plan.reset(server, second);
        let digest = model.plan.digest(second);
        model.plan.place(server, SERVICE, Grant::service(reset));
        model.plan.place(second, SERVICE, Grant::service(digest));
        model.operations = WORKS;
        model.further_key = |system| works(system);
        model
    }

    /// The third thread is in another domain than the others. These are the lengths of their turns.
    fn with_domains(priorities: [u8; THREADS], turns: [u64; 2]) -> Self {
        let mut model = Self::passive(priorities);
        let [_, second, third] = model.threads;
        model.plan.slice(second, 20);
        model.plan.slice(third, 20);
        model.plan.set_domain(third, 1);
        (0..).zip(turns).for_each(|(domain, ticks)| model.plan.turn(domain, ticks));
        (model.operations, model.further_key) = (DOMAINS, domains);
        model
    }

    fn new([a, b, c]: [u8; THREADS], make_first: impl Fn(&mut Plan, &str, u8) -> Thread) -> Self {
        let mut plan = Plan::new();
        let threads = [make_first(&mut plan, "a", a), plan.thread("b", b), plan.thread("c", c)];
        let (endpoint, notification) = (plan.endpoint(), plan.notification());
        for thread in threads {
            plan.place(thread, ENDPOINT, endpoint.with(thread.0, Rights::ALL));
            plan.place(thread, NOTIFICATION, notification.with(1, Rights::ALL));
            for (slot, other) in (FIRST_THREAD..).zip(threads) {
                plan.place(thread, slot, other.control());
            }
            plan.handle_faults(thread, endpoint.caller(thread.0));
        }
        let (spare, further_key) = (None, |_: &mut System| Vec::new());
        Self { plan, threads, endpoint, notification, spare, operations: MESSAGES, further_key }
    }

    /// Searches from the state of `system`. The chapter of the specification has the numbers of states and events in this row.
    fn search(&self, mut system: System, row: &str) {
        (system.checking, system.open_calls) = (Checking::ByHand, OpenCalls::Keep);
        let mut events = 0;
        let mut found = HashSet::from([self.key(&mut system)]);
        let mut layer = vec![(Snapshot::of(&system), Vec::new())];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for (state, path) in &layer {
                for operation in self.operations {
                    state.restore(&mut system);
                    system.kernel.machine.served.clear();
                    system.follow_specification();
                    let trail = Trail { path, operation: *operation };
                    if !operation.try_perform(&mut system) {
                        continue;
                    }
                    events += system.compared()[0];
                    if found.insert(self.key(&mut system)) {
                        next.push((Snapshot::of(&system), trail.extended()));
                        system.kernel.flush_open_call();
                        system.verify(operation);
                        self.check_state(&system);
                    }
                }
            }
            assert!(found.len() < MAX_STATES, "the model is too large for a test");
            layer = next;
        }
        assert_documented(row, &[found.len() as u64, events]);
    }

    fn key(&self, system: &mut System) -> Vec<u16> {
        let mut key = key(system);
        key.extend((self.further_key)(system));
        key
    }

    /// A calling thread has an owed reply object, and no time is lost.
    fn check_state(&self, system: &System) {
        for thread in self.threads {
            if let State::Calling { reply, .. } = system.state(thread) {
                let owed = system.kernel.replies[reply];
                let is_owed = matches!(owed, Reply::Owed { caller, .. } if caller == thread.id());
                system.equal(thread, "ownership of its reply object", is_owed, true);
            }
        }
        for (id, time) in system.kernel.sched_contexts.iter().take(THREADS) {
            let is_spare = self.spare.is_some_and(|spare| spare.id() == id);
            if !is_spare && time.thread.is_none() && system.kernel.slices[id].budget != 0 {
                system.fail(&format!("scheduling context {id:?} is lost"));
            }
        }
    }
}

/// How a state was reached; printed if a check fails.
struct Trail<'a> {
    path: &'a [Operation],
    operation: Operation,
}

impl Trail<'_> {
    fn extended(&self) -> Vec<Operation> {
        let mut path = self.path.to_vec();
        path.push(self.operation);
        path
    }
}

impl Drop for Trail<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("operations, from the start: {:?}", self.extended());
        }
    }
}

#[test]
fn the_slow_path_alone_is_as_specified() {
    let mut model = Model::passive([60, 60, 50]);
    let mut system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    system.paths = Paths::SlowOnly;
    model.search(system, "the same | slow only");
}

#[test]
fn threads_of_equal_priority_reach_only_valid_states() {
    let model = Model::active([50, 50, 50]);
    model.search(model.plan.boot(), "priorities 50, 50, 50 | fast and slow");
}

#[test]
fn threads_of_different_priorities_reach_only_valid_states() {
    let model = Model::active([70, 60, 50]);
    model.search(model.plan.boot(), "priorities 70, 60, 50 | fast and slow");
}

#[test]
fn a_passive_server_reaches_only_valid_states() {
    let mut model = Model::passive([60, 60, 50]);
    let system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    model.search(system, "priorities 60, 60, 50, the first thread passive | fast and slow");
}

#[test]
fn binding_spare_time_reaches_only_valid_states() {
    let mut model = Model::with_spare_time([60, 60, 50]);
    let system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    model.search(system, "the same with a spare scheduling context | fast and slow");
}

#[test]
fn shares_reach_only_valid_states() {
    let mut model = Model::with_shares([70, 60, 60]);
    let system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    model.search(
        system,
        "priorities 70, 60, 60, the first thread passive, the second with a share | fast and slow",
    );
}

#[test]
fn signals_of_different_bits_reach_only_valid_states() {
    let mut model = Model::with_two_notifications([60, 60, 50]);
    let system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    model
        .search(system, "priorities 60, 60, 50, the first thread passive, two notifications | fast and slow");
}

#[test]
fn static_keys_reach_only_valid_states() {
    let model = Model::with_keys([60, 60, 50]);
    let mut system = model.plan.boot();
    system.kernel.machine.key_steps = 2;
    model.search(system, "priorities 60, 60, 50, two static keys | fast and slow");
}

#[test]
fn policies_of_the_floating_point_unit_reach_only_valid_states() {
    let model = Model::with_policies([60, 60, 50]);
    model.search(model.plan.boot(), "priorities 60, 60, 50, all policies | fast and slow");
}

#[test]
fn probes_reach_only_valid_states() {
    let model = Model::with_probes([60, 60, 50]);
    let mut system = model.plan.boot();
    system.probes = Probes::OnTheWay;
    model.search(system, "priorities 60, 60, 50, a probe | fast and slow");
}

#[test]
fn wipes_and_work_reach_only_valid_states() {
    let mut model = Model::with_wipes([60, 60, 50]);
    let system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    model.search(system, "priorities 60, 60, 50, the first thread passive, wipes and work | fast and slow");
}

#[test]
fn work_beyond_the_end_of_a_share_reaches_only_valid_states() {
    let mut model = Model::with_works([70, 60, 60]);
    let system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    model.search(system, "priorities 70, 60, 60, the second with a share, wipes and work | fast and slow");
}

#[test]
fn two_domains_reach_only_valid_states() {
    let mut model = Model::with_domains([60, 60, 60], [40, 20]);
    let system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    model.search(
        system,
        "priorities 60, 60, 60, the first thread passive, the third in another domain, turns of 40 and 20 | fast and slow",
    );
}

#[test]
fn two_domains_whose_turns_end_late_reach_only_valid_states() {
    let mut model = Model::with_domains([60, 50, 60], [50, 30]);
    let system = model.plan.boot_serving(&[(model.threads[0], ENDPOINT)]);
    model.search(system, "priorities 60, 50, 60, the same with turns of 50 and 30 | fast and slow");
}
