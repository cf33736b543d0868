//! Invocations of scheduling contexts: binding, unbinding, and the consumed time.

use limen_abi::{ErrorCode, Label};
use limen_core::machine::{Interrupt, Line};

use crate::support::{Notification, Plan, REPLY, SchedContext, Service, System, Thread};

const BIND: u64 = Label::SchedContextBind.as_raw();
const UNBIND: u64 = Label::SchedContextUnbind.as_raw();
const UNBIND_OBJECT: u64 = Label::SchedContextUnbindObject.as_raw();
const CONSUMED: u64 = Label::SchedContextConsumed.as_raw();

/// A manager with capabilities to everything, a thread with time, one without, free time, and two notifications.
struct World {
    plan: Plan,
    manager: Thread,
    active: Thread,
    passive: Thread,
    free: SchedContext,
    slots: Slots,
    notification: Notification,
}

/// The manager's slots.
struct Slots {
    own_time: u64,
    own: u64,
    active: u64,
    active_time: u64,
    passive: u64,
    free: u64,
    spare: u64,
    notification: u64,
    signal: u64,
    other_notification: u64,
    endpoint: u64,
}

impl World {
    /// Threads other than the manager have this priority.
    fn new(priority: u8) -> Self {
        let mut plan = Plan::new();
        let manager = plan.thread("manager", 100);
        let active = plan.thread("active", priority);
        let passive = plan.passive("passive", priority);
        let (free, spare) = (plan.sched_context(700), plan.sched_context(800));
        let [notification, other] = [plan.notification(), plan.notification()];
        let [own_time, active_time] = [manager, active].map(|thread| plan.sched_context_of(thread));
        let endpoint = plan.endpoint();
        let mut grant = |cap| plan.grant(manager, cap);
        let slots = Slots {
            own_time: grant(own_time.control()),
            own: grant(manager.control()),
            active: grant(active.control()),
            active_time: grant(active_time.control()),
            passive: grant(passive.control()),
            free: grant(free.control()),
            spare: grant(spare.control()),
            notification: grant(notification.waiter()),
            signal: grant(notification.signaller(1)),
            other_notification: grant(other.waiter()),
            endpoint: grant(endpoint.caller(1)),
        };
        Self { plan, manager, active, passive, free, slots, notification }
    }

    fn boot(&self) -> System {
        let system = self.plan.boot();
        system.assert_running(self.manager);
        system
    }
}

#[test]
fn a_thread_runs_once_it_is_bound() {
    let world = World::new(50);
    let mut system = world.boot();
    system.call_with_caps(world.manager, world.slots.free, BIND, &[world.slots.passive]);
    system.assert_done(world.manager);
    system.assert_holds(world.passive, Some(world.free));
    system.call_with_caps(world.manager, world.slots.active_time, UNBIND, &[]);
    system.stop(world.manager);
    system.assert_running(world.passive);
}

#[test]
fn a_thread_of_higher_priority_runs_at_once_when_bound() {
    let mut world = World::new(50);
    world.plan.record(world.passive).priority = 200;
    let mut system = world.boot();
    system.call_with_caps(world.manager, world.slots.free, BIND, &[world.slots.passive]);
    system.assert_running(world.passive);
    system.assert_done(world.manager);
}

#[test]
fn a_stopped_thread_can_be_bound() {
    let world = World::new(50);
    let mut system = world.boot();
    system.call(world.manager, world.slots.passive, Label::TcbSuspend.as_raw(), &[]);
    system.call_with_caps(world.manager, world.slots.free, BIND, &[world.slots.passive]);
    system.assert_inactive(world.passive);
    system.call(world.manager, world.slots.passive, Label::TcbResume.as_raw(), &[]);
    system.assert_holds(world.passive, Some(world.free));
}

#[test]
fn threads_and_scheduling_contexts_bind_one_to_one() {
    let world = World::new(50);
    let mut system = world.boot();
    for (time, thread) in [
        (world.slots.free, world.slots.active),
        (world.slots.active_time, world.slots.passive),
        (world.slots.own_time, world.slots.passive),
        (world.slots.free, world.slots.own),
    ] {
        system.call_with_caps(world.manager, time, BIND, &[thread]);
        system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
    }
}

#[test]
fn notifications_and_scheduling_contexts_bind_one_to_one() {
    let world = World::new(50);
    let mut system = world.boot();
    let Slots { free, spare, notification, other_notification, .. } = world.slots;
    system.call_with_caps(world.manager, free, BIND, &[notification]);
    system.assert_done(world.manager);
    for (time, at) in [(free, notification), (free, other_notification), (spare, notification)] {
        system.call_with_caps(world.manager, time, BIND, &[at]);
        system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
    }
    system.call_with_caps(world.manager, spare, BIND, &[other_notification]);
    system.assert_done(world.manager);
}

#[test]
fn a_scheduling_context_can_be_bound_to_a_thread_and_a_notification() {
    let world = World::new(50);
    let mut system = world.boot();
    system.call_with_caps(world.manager, world.slots.active_time, BIND, &[world.slots.notification]);
    system.assert_done(world.manager);
    let time = system.kernel.notifications[world.notification.id()].sched_context;
    assert_eq!(time, Some(SchedContext(1).id()));
    system.assert_holds(world.active, Some(SchedContext(1)));
}

/// A client with time to bind could keep a passive server from starting, by taking the place of the monitor's time.
#[test]
fn binding_to_a_notification_needs_the_receive_right() {
    let world = World::new(50);
    let mut system = world.plan.boot();
    system.call_with_caps(world.manager, world.slots.free, BIND, &[world.slots.signal]);
    system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
    system.call_with_caps(world.manager, world.slots.free, BIND, &[world.slots.notification]);
    system.assert_done(world.manager);
}

#[test]
fn binding_needs_a_thread_or_a_notification() {
    let world = World::new(50);
    let mut system = world.boot();
    for label in [BIND, UNBIND_OBJECT] {
        system.call_with_caps(world.manager, world.slots.free, label, &[]);
        system.assert_refused(world.manager, ErrorCode::TruncatedMessage, &[]);
        for wrong in [world.slots.endpoint, world.slots.spare, 400, REPLY] {
            system.call_with_caps(world.manager, world.slots.free, label, &[wrong]);
            system.assert_refused(world.manager, ErrorCode::InvalidCapability, &[1]);
        }
    }
}

#[test]
fn an_unbound_thread_does_not_run() {
    for label in [UNBIND, UNBIND_OBJECT] {
        let world = World::new(50);
        let mut system = world.boot();
        system.call_with_caps(world.manager, world.slots.active_time, label, &[world.slots.active]);
        system.assert_done(world.manager);
        system.assert_holds(world.active, None);
        system.assert_runnable(world.active);
        system.stop(world.manager);
        system.assert_idle();
    }
}

#[test]
fn a_thread_cannot_unbind_the_time_it_runs_on() {
    let world = World::new(50);
    let mut system = world.boot();
    system.call(world.manager, world.slots.own_time, UNBIND, &[]);
    system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
    system.call_with_caps(world.manager, world.slots.own_time, UNBIND_OBJECT, &[world.slots.own]);
    system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
}

#[test]
fn unbinding_from_an_object_that_is_not_bound_is_an_error() {
    let world = World::new(50);
    let mut system = world.boot();
    for holder in [world.slots.active, world.slots.passive, world.slots.notification] {
        system.call_with_caps(world.manager, world.slots.free, UNBIND_OBJECT, &[holder]);
        system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
    }
}

#[test]
fn unbinding_unbound_time_is_no_error() {
    let world = World::new(50);
    let mut system = world.boot();
    system.call(world.manager, world.slots.free, UNBIND, &[]);
    system.assert_done(world.manager);
}

#[test]
fn unbind_applies_to_thread_and_notification() {
    let world = World::new(50);
    let mut system = world.boot();
    system.call_with_caps(world.manager, world.slots.active_time, BIND, &[world.slots.notification]);
    system.call(world.manager, world.slots.active_time, UNBIND, &[]);
    system.assert_holds(world.active, None);
    assert_eq!(system.kernel.notifications[world.notification.id()].sched_context, None);
}

#[test]
fn unbinding_one_object_leaves_the_other_bound() {
    let world = World::new(50);
    let mut system = world.boot();
    let time = world.slots.active_time;
    system.call_with_caps(world.manager, time, BIND, &[world.slots.notification]);
    system.call_with_caps(world.manager, time, UNBIND_OBJECT, &[world.slots.active]);
    system.assert_holds(world.active, None);
    let at = system.kernel.notifications[world.notification.id()].sched_context;
    assert_eq!(at, Some(SchedContext(1).id()));
    system.call_with_caps(world.manager, time, UNBIND_OBJECT, &[world.slots.notification]);
    assert_eq!(system.kernel.notifications[world.notification.id()].sched_context, None);
}

#[test]
fn consumed_time_is_reported_once() {
    let mut world = World::new(50);
    world.plan.ticks_per_us(10);
    let mut system = world.boot();
    system.pass(1234);
    system.call(world.manager, world.slots.own_time, CONSUMED, &[]);
    system.assert_message(world.manager, 0, 0, &[123]);
    system.call(world.manager, world.slots.own_time, CONSUMED, &[]);
    system.assert_message(world.manager, 0, 0, &[0]);
    system.call(world.manager, world.slots.free, CONSUMED, &[]);
    system.assert_message(world.manager, 0, 0, &[0]);
}

#[test]
fn time_is_charged_to_the_thread_that_ran() {
    let mut world = World::new(100);
    world.plan.ticks_per_us(10);
    let mut system = world.boot();
    system.pass(300);
    system.yield_slice(world.manager);
    system.assert_running(world.active);
    system.pass(500);
    system.yield_slice(world.active);
    system.pass(70);
    system.interrupt(Interrupt::Line(Line(1000)));
    system.call(world.manager, world.slots.active_time, CONSUMED, &[]);
    system.assert_message(world.manager, 0, 0, &[50]);
    system.call(world.manager, world.slots.own_time, CONSUMED, &[]);
    system.assert_message(world.manager, 0, 0, &[37]);
}

#[test]
fn reading_by_send_resets_the_count() {
    let world = World::new(50);
    let mut system = world.boot();
    system.pass(55);
    system.send(world.manager, world.slots.own_time, CONSUMED, &[]);
    system.call(world.manager, world.slots.own_time, CONSUMED, &[]);
    system.assert_message(world.manager, 0, 0, &[0]);
}

#[test]
fn other_methods_are_illegal() {
    let world = World::new(50);
    let mut system = world.boot();
    for label in [0, 1, 12, 33, 38, 0x1000, (1 << 52) - 1] {
        system.call(world.manager, world.slots.free, label, &[]);
        system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
    }
}

#[test]
fn rebound_time_does_not_return_to_an_earlier_lender() {
    let mut service = Service::passive(200);
    let (manager, _) = service.add_client("manager", 210, 2);
    let holder = service.plan.passive("new holder", 50);
    let gate = service.plan.notification();
    let wait = service.plan.grant(manager, gate.waiter());
    let wake = service.plan.grant(service.server, gate.signaller(1));
    let own_wait = service.plan.grant(holder, gate.waiter());
    let time = service.plan.sched_context_of(service.client);
    let slots = [time.control(), service.client.control(), service.server.control(), holder.control()];
    let [time_slot, client, server, new_holder] = slots.map(|cap| service.plan.grant(manager, cap));
    let mut system = service.boot();
    system.wait(manager, wait);
    system.call(service.client, service.call, 1, &[]);
    system.signal(service.server, wake);
    system.call(manager, client, Label::TcbSuspend.as_raw(), &[]);
    system.call_with_caps(manager, time_slot, UNBIND_OBJECT, &[server]);
    system.call_with_caps(manager, time_slot, BIND, &[new_holder]);
    system.wait(manager, wait);
    system.assert_running(holder);
    system.wait(holder, own_wait);
    system.assert_holds(holder, Some(time));
    system.assert_holds(service.client, None);
}
