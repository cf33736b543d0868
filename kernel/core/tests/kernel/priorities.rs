//! Setting priorities.

use limen_abi::{ErrorCode, Label, Syscall};

use crate::support::{Arguments, Family, Plan, Service, System, Thread};

const SET: u64 = Label::TcbSetPriority.as_raw();
const SET_MAX: u64 = Label::TcbSetMcPriority.as_raw();

/// A manager of priority 50, and two workers below it.
struct Workers {
    manager: Thread,
    workers: [Thread; 2],
    /// The manager's slots for itself and the workers.
    own: u64,
    controls: [u64; 2],
    system: System,
}

impl Workers {
    fn boot() -> Self {
        let mut plan = Plan::new();
        let manager = plan.thread("manager", 50);
        let workers = [plan.thread("high", 40), plan.thread("low", 30)];
        let own = plan.grant(manager, manager.control());
        let controls = workers.map(|worker| plan.grant(manager, worker.control()));
        Self { manager, workers, own, controls, system: plan.boot() }
    }

    /// The manager sets the priority of a thread.
    fn set(&mut self, control: u64, priority: u64) {
        let arguments = Arguments { label: SET, words: &[priority], caps: &[self.own] };
        self.system.syscall(self.manager, Syscall::Call, control, &arguments);
    }
}

#[test]
fn a_ready_thread_moves_to_the_queue_of_its_priority() {
    let mut world = Workers::boot();
    let [high, low] = world.workers;
    world.set(world.controls[1], 45);
    world.system.assert_running(world.manager);
    world.system.stop(world.manager);
    world.system.assert_running(low);
    world.system.stop(low);
    world.system.assert_running(high);
}

#[test]
fn a_thread_that_lowers_its_priority_is_preempted() {
    let mut world = Workers::boot();
    let [high, low] = world.workers;
    world.set(world.own, 35);
    world.system.assert_running(high);
    world.system.stop(high);
    world.system.assert_running(world.manager);
    world.set(world.own, 30);
    world.system.assert_running(world.manager);
    world.system.stop(world.manager);
    world.system.assert_running(low);
}

#[test]
fn a_thread_whose_slice_is_over_goes_behind_the_threads_of_its_new_priority() {
    let mut world = Workers::boot();
    let [high, low] = world.workers;
    world.system.follow_specification();
    world.system.pass(1001);
    world.set(world.own, 30);
    world.system.assert_running(high);
    world.system.stop(high);
    world.system.assert_running(low);
}

/// The ready queues do not tell which thread is the highest where there are several domains.
#[test]
fn the_first_of_its_equals_preempts_also_where_there_are_several_domains() {
    let mut plan = Plan::new();
    let manager = plan.thread("manager", 50);
    let [first, second] = ["first", "second"].map(|name| plan.thread(name, 40));
    let other = plan.thread("other", 45);
    plan.set_domain(other, 1);
    plan.turn(0, 1000);
    plan.turn(1, 1000);
    let own = plan.grant(manager, manager.control());
    let mut system = plan.boot();
    let arguments = Arguments { label: SET, words: &[30], caps: &[own] };
    system.syscall(manager, Syscall::Call, own, &arguments);
    system.assert_running(first);
    system.stop(first);
    system.assert_running(second);
}

#[test]
fn the_maximum_priority_of_the_authority_limits_priorities() {
    let mut world = Workers::boot();
    world.set(world.controls[0], 51);
    world.system.assert_refused(world.manager, ErrorCode::RangeError, &[0, 50]);
    world.set(world.controls[0], 256);
    world.system.assert_refused(world.manager, ErrorCode::RangeError, &[0, 50]);
    world.set(world.own, 10);
    world.system.stop(world.workers[0]);
    world.system.stop(world.workers[1]);
    world.set(world.own, 50);
    world.system.assert_done(world.manager);
}

#[test]
fn a_raised_worker_runs_at_once_only_above_its_manager() {
    let mut world = Workers::boot();
    world.set(world.own, 45);
    world.set(world.controls[1], 45);
    world.system.assert_running(world.manager);
    world.set(world.controls[1], 46);
    world.system.assert_running(world.workers[1]);
}

#[test]
fn the_authority_must_be_a_thread_capability() {
    for label in [SET, SET_MAX] {
        let family = Family::active(200);
        let mut system = family.plan.boot();
        let refused = [
            (&[][..], &[family.control][..], ErrorCode::TruncatedMessage, &[][..]),
            (&[1], &[], ErrorCode::TruncatedMessage, &[]),
            (&[1], &[family.receive], ErrorCode::InvalidCapability, &[1]),
        ];
        for (words, caps, code, details) in refused {
            let arguments = Arguments { label, words, caps };
            system.syscall(family.parent, Syscall::Call, family.control, &arguments);
            system.assert_refused(family.parent, code, details);
        }
    }
}

#[test]
fn a_waiting_caller_moves_within_the_queue() {
    let mut service = Service::active(1);
    let clients: Vec<_> =
        (0..3).map(|i| service.add_client(&format!("client {i}"), 90 - i as u8, i)).collect();
    let control = service.plan.grant(service.server, clients[2].0.control());
    let authority = service.plan.grant(service.server, service.client.control());
    let mut system = service.plan.boot();
    system.call(service.client, service.call, 0, &[]);
    for (client, call) in &clients {
        system.call(*client, *call, 0, &[]);
    }
    let arguments = Arguments { label: SET, words: &[95], caps: &[authority] };
    system.syscall(service.server, Syscall::Call, control, &arguments);
    for badge in [Service::BADGE, 2, 0, 1] {
        system.nb_recv(service.server, service.receive);
        system.assert_signal(service.server, badge);
    }
}

#[test]
fn a_maximum_priority_can_be_given_but_not_exceeded() {
    let mut world = Workers::boot();
    let set_max = |world: &mut Workers, max: u64| {
        let arguments = Arguments { label: SET_MAX, words: &[max], caps: &[world.own] };
        world.system.syscall(world.manager, Syscall::Call, world.own, &arguments);
    };
    set_max(&mut world, 51);
    world.system.assert_refused(world.manager, ErrorCode::RangeError, &[0, 50]);
    set_max(&mut world, 20);
    world.system.assert_done(world.manager);
    world.set(world.controls[0], 21);
    world.system.assert_refused(world.manager, ErrorCode::RangeError, &[0, 20]);
}
