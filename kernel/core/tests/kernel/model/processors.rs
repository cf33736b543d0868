//! Exhaustive search of the states that three threads on two processors can reach, in every order of what can happen.
//!
//! In each state, the running thread of each processor tries every operation of its alphabet, and each processor that was
//! interrupted takes the interrupt. After each step, all kernels together satisfy the rules of [`Processors::verify`], and
//! each its own invariants.

use std::collections::HashSet;

use limen_abi::Label;
use limen_core::kernel::{Kernel, Keys};
use limen_core::machine::Patching;
use limen_core::object::thread::State;
use limen_core::processors::keeper::Keeper;
use limen_core::processors::mailbox::bit;
use limen_core::processors::outbox::{Awaited, Outbox};
use limen_image::Rights;

use super::key::key;
use super::operation::{ENDPOINT, FIRST_THREAD, KEY, NEXT_ENDPOINT, NOTIFICATION, Operation, PROBE, SERVICE};
use crate::support::{Checking, Grant, HostMachine, OpenCalls, Plan, Processors, ProcessorsSnapshot, Thread};

/// The number of states at which a search takes too long for a test.
const MAX_STATES: usize = 200_000;

/// Operations of a server.
const SERVER: &[Operation] = {
    use Operation::*;
    &[Recv, ReplyRecv, SignalRecv, EndSlice]
};

/// Operations of a server that calls the next one.
const MIDDLE: &[Operation] = {
    use Operation::*;
    &[Recv, ReplyRecv, CallNext]
};

/// Operations of the last server of a chain.
const LAST: &[Operation] = {
    use Operation::*;
    &[ReplyRecv, Wait]
};

/// Operations of a client.
const CLIENT: &[Operation] = {
    use Operation::*;
    &[Call, Send, NbSend, Signal, Fault, EndSlice]
};

/// Operations of a thread that controls the client.
const MANAGER: &[Operation] = {
    use Operation::*;
    &[Call, Suspend(1), Resume(1), Restart(1)]
};

/// Operations of a thread that controls the client and the first server of a chain.
const CHAIN_MANAGER: &[Operation] = {
    use Operation::*;
    &[Call, Suspend(0), Resume(0), Restart(0), Suspend(1), Restart(1)]
};

/// Operations of a thread that switches a static key.
const FLIPPER: &[Operation] = {
    use Operation::*;
    &[Enable, Disable]
};

/// The same, with its probe.
const PROBER: &[Operation] = {
    use Operation::*;
    &[Enable, Disable, StartProbe, StopProbe]
};

/// Operations of a thread that controls the second one.
const CONTROLLER: &[Operation] = {
    use Operation::*;
    &[Suspend(1), Resume(1), Restart(1), Disable]
};

/// Operations of a parent that resets its child.
const PARENT: &[Operation] = {
    use Operation::*;
    &[Work, Suspend(1), Resume(1), Recv, ReplyRecv]
};

/// Operations of the child.
const CHILD: &[Operation] = {
    use Operation::*;
    &[Call, Fault, EndSlice]
};

/// Operations of a thread that controls both.
const GRANDPARENT: &[Operation] = {
    use Operation::*;
    &[Suspend(0), Resume(0), Restart(0), Suspend(1), Resume(1)]
};

/// Operations of a thread at work.
const WORKER: &[Operation] = {
    use Operation::*;
    &[FinishWork, EndSlice]
};

/// A step of the system.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A processor takes the interrupt of others.
    Message(usize),
    /// The running thread of a processor performs an operation.
    Operation(usize, Operation),
}

/// A server on processor 1, a client of it on processor 0, and a manager of the client; or threads that switch static keys.
struct Model {
    plan: Plan,
    roles: Vec<(Thread, &'static [Operation])>,
}

impl Model {
    fn new(manager_at: u64) -> Self {
        let mut plan = Plan::new();
        let server = plan.thread("server", 60);
        let client = plan.thread("client", 50);
        let manager = plan.thread("manager", 40);
        let (endpoint, notification) = (plan.endpoint(), plan.bound_notification(server));
        plan.place(server, ENDPOINT, endpoint.receiver());
        for thread in [client, manager] {
            plan.place(thread, ENDPOINT, endpoint.with(thread.0, Rights::SEND | Rights::GRANT_REPLY));
            plan.place(thread, NOTIFICATION, notification.signaller(1));
        }
        plan.place(server, NOTIFICATION, notification.signaller(1));
        plan.place(manager, FIRST_THREAD + 1, client.control());
        plan.handle_faults(client, endpoint.with(9, Rights::SEND | Rights::GRANT_REPLY));
        plan.set_processor(server, 1);
        plan.set_processor(manager, manager_at);
        Self { plan, roles: vec![(server, SERVER), (client, CLIENT), (manager, MANAGER)] }
    }

    /// Threads of the same priority on these processors that hold the same key and may probe.
    fn with_key(roles: &[(u64, &'static [Operation])]) -> Self {
        let mut plan = Plan::new();
        let key = plan.key(false);
        let threads: Vec<_> = (0..roles.len()).map(|_| plan.thread("flipper", 50)).collect();
        for (thread, (processor, _)) in threads.iter().zip(roles) {
            plan.place(*thread, KEY, Grant::key(key));
            plan.place(*thread, PROBE, Grant::probe());
            plan.place(*thread, FIRST_THREAD + 1, threads[1].control());
            plan.set_processor(*thread, *processor);
        }
        let beside = plan.thread("beside", 1);
        plan.set_processor(beside, 1);
        let roles = threads.into_iter().zip(roles).map(|(thread, (_, operations))| (thread, *operations));
        Self { roles: roles.collect(), plan }
    }

    /// A parent on processor 0 that resets its child on processor 1 and handles its faults, and a thread that controls both.
    fn with_reset(grandparent_at: u64) -> Self {
        let mut plan = Plan::new();
        let parent = plan.thread("parent", 50);
        let child = plan.thread("child", 50);
        let grandparent = plan.thread("grandparent", 40);
        let endpoint = plan.endpoint();
        let reset = plan.reset(parent, child);
        plan.place(parent, ENDPOINT, endpoint.receiver());
        plan.place(parent, SERVICE, Grant::service(reset));
        plan.place(child, ENDPOINT, endpoint.with(1, Rights::SEND | Rights::GRANT_REPLY));
        plan.handle_faults(child, endpoint.with(9, Rights::SEND | Rights::GRANT_REPLY));
        for thread in [parent, grandparent] {
            plan.place(thread, FIRST_THREAD + 1, child.control());
        }
        plan.place(grandparent, FIRST_THREAD, parent.control());
        plan.set_processor(child, 1);
        plan.set_processor(grandparent, grandparent_at);
        Self { plan, roles: vec![(parent, PARENT), (child, CHILD), (grandparent, GRANDPARENT)] }
    }

    /// Searches a model with a key that takes this many steps to patch.
    fn search_flips(&self, steps: u32) -> usize {
        let mut processors = self.plan.boot_processors();
        processors.systems[0].kernel.machine.key_steps = steps;
        self.search(processors)
    }

    /// A client on processor 0 with its manager, a server of it on processor 1, and a server of that one on processor 0.
    fn with_chain() -> Self {
        let mut plan = Plan::new();
        let client = plan.thread("client", 50);
        let middle = plan.thread("middle", 60);
        let last = plan.thread("last", 60);
        let manager = plan.thread("manager", 40);
        let (first, second) = (plan.endpoint(), plan.endpoint());
        plan.place(middle, ENDPOINT, first.receiver());
        plan.place(middle, NEXT_ENDPOINT, second.with(1, Rights::SEND | Rights::GRANT_REPLY));
        plan.place(last, ENDPOINT, second.receiver());
        for thread in [client, manager] {
            plan.place(thread, ENDPOINT, first.with(thread.0, Rights::SEND | Rights::GRANT_REPLY));
        }
        for thread in [client, middle] {
            plan.place(manager, FIRST_THREAD + thread.0, thread.control());
        }
        plan.set_processor(middle, 1);
        Self {
            plan,
            roles: vec![
                (client, &[Operation::Call]),
                (middle, MIDDLE),
                (last, LAST),
                (manager, CHAIN_MANAGER),
            ],
        }
    }

    /// Boots, lets these servers wait, and takes their time from them.
    fn boot_passive(&mut self, servers: &[Thread]) -> Processors {
        let starters: Vec<_> = servers.iter().map(|server| self.add_starter(*server)).collect();
        let mut processors = self.plan.boot_processors();
        servers.iter().for_each(|server| processors.of(*server).recv(*server, ENDPOINT));
        for (starter, time, own) in starters {
            let system = processors.of(starter);
            system.call(starter, time, Label::SchedContextUnbind.as_raw(), &[]);
            system.call(starter, own, Label::TcbSuspend.as_raw(), &[]);
        }
        processors
    }

    /// Adds a thread that takes the time of a server on its processor and then stops itself, and returns it with its slots for both.
    fn add_starter(&mut self, server: Thread) -> (Thread, u64, u64) {
        let starter = self.plan.thread("starter", 55);
        let processor = self.plan.record(server).processor;
        self.plan.set_processor(starter, processor);
        let time = self.plan.sched_context_of(server);
        (starter, self.plan.grant(starter, time.control()), self.plan.grant(starter, starter.control()))
    }

    /// Searches from the state after boot and returns the number of states.
    fn search(&self, mut processors: Processors) -> usize {
        for system in &mut processors.systems {
            (system.checking, system.open_calls) = (Checking::EachEvent, OpenCalls::Flush);
        }
        let mut found = HashSet::from([self.key(&mut processors)]);
        let mut layer: Vec<(ProcessorsSnapshot, Vec<Step>)> = vec![(processors.snapshot(), Vec::new())];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for (state, path) in &layer {
                processors.restore(state);
                for step in self.steps(&processors) {
                    processors.restore(state);
                    let mut trail = Trail(path.clone());
                    trail.0.push(step);
                    let awaited = processors.writer();
                    self.perform(&mut processors, step);
                    processors.verify("a step");
                    processors.verify_answer(awaited);
                    if found.insert(self.key(&mut processors)) {
                        next.push((processors.snapshot(), trail.0.clone()));
                        self.check_progress(&mut processors);
                    }
                }
            }
            assert!(found.len() < MAX_STATES, "the model is too large for a test");
            layer = next;
        }
        found.len()
    }

    /// The steps that are possible now.
    fn steps(&self, processors: &Processors) -> Vec<Step> {
        let mut steps: Vec<_> = processors.interrupted().into_iter().map(Step::Message).collect();
        for (number, system) in processors.systems.iter().enumerate() {
            let role = self.roles.iter().find(|(thread, _)| system.current() == Some(*thread));
            let operations = role.map_or(&[] as &[_], |(_, operations)| operations);
            let operations = if system.kernel.is_at_work() { WORKER } else { operations };
            steps.extend(operations.iter().map(|operation| Step::Operation(number, *operation)));
        }
        steps
    }

    fn perform(&self, processors: &mut Processors, step: Step) {
        match step {
            Step::Message(number) => processors.take_interrupt(number),
            Step::Operation(number, operation) => {
                let system = &mut processors.systems[number];
                let actor = system.current().expect("a thread runs");
                operation.perform(system, actor);
            }
        }
    }

    /// When all messages have arrived, no thread waits for an answer that nothing will send, and no time is lost.
    fn check_progress(&self, processors: &mut Processors) {
        processors.settle();
        processors.verify_settled_time();
        processors.verify_settled_keys();
        for (thread, _) in &self.roles {
            let home = processors.home(*thread);
            let id = thread.id();
            if !matches!(processors.systems[home].state(*thread), State::Away { .. }) {
                continue;
            }
            let visited =
                processors.systems.iter().find(|system| system.kernel.processor.visiting & bit(id) != 0);
            let Some(system) = visited else { panic!("{id:?} is away, and visits no processor") };
            let waits_for_time = system.kernel.visitors[id].is_ending();
            let others = self.roles.iter().filter(|(other, _)| other != thread);
            let is_lent_further =
                others.into_iter().any(|(other, _)| system.kernel.outboxes[other.id()] != Outbox::Home);
            assert!(!waits_for_time || is_lent_further, "{id:?} waits for time that is nowhere");
        }
    }

    /// Returns the parts of the state that the search distinguishes.
    fn key(&self, processors: &mut Processors) -> Vec<u16> {
        let mut all = Vec::new();
        for number in 0..processors.systems.len() {
            let system = &mut processors.systems[number];
            all.extend(key(system));
            let kernel = &system.kernel;
            for (thread, _) in self.roles.iter().copied() {
                let outbox = match kernel.outboxes[thread.id()] {
                    Outbox::Home => 0,
                    Outbox::Out { at, awaited, .. } => {
                        let awaited = match awaited {
                            Awaited::Yes => 0,
                            Awaited::No => 1,
                            Awaited::Recalled { end } => 2 + u16::from(end.is_some()),
                        };
                        1 + u16::from(at) * 4 + awaited
                    }
                };
                let visitor = &kernel.visitors[thread.id()];
                all.extend([outbox, u16::from(visitor.is_ending()), u16::from(visitor.lends_time())]);
                all.push(u16::from(kernel.works[thread.id()].is_some()));
            }
            let boxes = &kernel.machine.shared.mailboxes;
            let (mail, waiting) = (kernel.processor.mail, boxes.look(number as u8));
            all.extend(
                [mail.letters, mail.recalls, mail.signals, kernel.processor.visiting].map(|bits| bits as u16),
            );
            all.extend([waiting.letters, waiting.recalls, waiting.signals].map(|bits| bits as u16));
            all.extend([kernel.sched_contexts_away, kernel.machine.interrupted].map(|bits| bits as u16));
            all.extend(
                [kernel.holders.holding, kernel.holders.releasing, kernel.holders.asking]
                    .map(|bits| bits as u16),
            );
            all.extend([boxes.look_for_code(number as u8) as u16, kernel.probing as u16]);
            let code = &kernel.machine.shared.code;
            all.push(u16::from(code.seen[number] == code.written));
            if number == 0 {
                all.extend(keeper(kernel, &self.roles));
                all.extend(
                    self.roles
                        .iter()
                        .flat_map(|(thread, _)| boxes.summary(thread.id()).map(|word| word as u16)),
                );
            }
        }
        all
    }
}

/// The part of a state that is the keeper's.
fn keeper(kernel: &Kernel<HostMachine>, roles: &[(Thread, &'static [Operation])]) -> Vec<u16> {
    let Keeper { waiting, writer, round, unpatched, probing, last, .. } = kernel.keeper;
    let mut all: Vec<_> = [waiting, round, unpatched, probing, bit(last)].map(|bits| bits as u16).to_vec();
    all.push(
        writer.map_or(0, |(thread, patching)| bit(thread) as u16 * 2 + u16::from(patching == Patching::More)),
    );
    for (id, key) in kernel.keys.iter().take(kernel.key_count) {
        let place = kernel.machine.key_places.get(&(Keys::index_of(id) as u64)).copied();
        all.push(place.unwrap_or(0) as u16);
        all.extend(roles.iter().map(|(thread, _)| u16::from(key.holds(thread.id()))));
    }
    all
}

/// How a state was reached; printed if a check fails.
struct Trail(Vec<Step>);

impl Drop for Trail {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("steps from the start: {:?}", self.0);
        }
    }
}

#[test]
fn a_client_and_its_manager_beside_each_other_reach_only_valid_states() {
    let model = Model::new(0);
    println!("{} states", model.search(model.plan.boot_processors()));
}

#[test]
fn a_manager_beside_the_server_reaches_only_valid_states() {
    let model = Model::new(1);
    println!("{} states", model.search(model.plan.boot_processors()));
}

#[test]
fn a_passive_server_elsewhere_reaches_only_valid_states() {
    let mut model = Model::new(0);
    let processors = model.boot_passive(&[model.roles[0].0]);
    println!("{} states", model.search(processors));
}

#[test]
fn a_chain_of_passive_servers_that_comes_back_reaches_only_valid_states() {
    let mut model = Model::with_chain();
    let processors = model.boot_passive(&[model.roles[1].0, model.roles[2].0]);
    println!("{} states", model.search(processors));
}

#[test]
fn resets_of_a_child_elsewhere_reach_only_valid_states() {
    for grandparent_at in [0, 1, 2] {
        let model = Model::with_reset(grandparent_at);
        println!("{} states", model.search(model.plan.boot_processors()));
    }
}

#[test]
fn two_processors_that_switch_a_key_reach_only_valid_states() {
    for steps in [1, 2] {
        let model = Model::with_key(&[(0, PROBER), (1, PROBER)]);
        println!("{} states", model.search_flips(steps));
    }
}

#[test]
fn three_processors_that_switch_a_key_reach_only_valid_states() {
    for steps in [1, 2] {
        let model = Model::with_key(&[(0, FLIPPER), (1, FLIPPER), (2, FLIPPER)]);
        println!("{} states", model.search_flips(steps));
    }
}

#[test]
fn programs_that_are_stopped_while_a_key_changes_reach_only_valid_states() {
    for (second, manager) in [(1, 0), (0, 1), (0, 0), (1, 1)] {
        let model = Model::with_key(&[(0, FLIPPER), (second, PROBER), (manager, CONTROLLER)]);
        println!("{} states", model.search_flips(2));
    }
}

#[test]
fn a_program_that_is_stopped_from_a_third_processor_reaches_only_valid_states() {
    let model = Model::with_key(&[(0, FLIPPER), (1, FLIPPER), (2, CONTROLLER)]);
    println!("{} states", model.search_flips(1));
}
