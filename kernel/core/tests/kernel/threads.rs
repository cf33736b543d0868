//! Suspending and resuming threads in every state.

use limen_abi::{ErrorCode, Label, Syscall};
use limen_core::object::endpoint::Endpoint as EndpointState;
use limen_core::object::notification::Signals;
use limen_core::object::reply::Reply as ReplyState;

use crate::support::{
    Arguments, Endpoint, Family, Grant, Notification, Plan, REPLY, Service, System, TLS_BASE, Thread,
};

const SUSPEND: u64 = Label::TcbSuspend.as_raw();
const RESUME: u64 = Label::TcbResume.as_raw();

/// A worker that may use everything, a manager that controls it, and a peer with a priority between them.
struct World {
    plan: Plan,
    manager: Thread,
    worker: Thread,
    endpoint: Endpoint,
    notification: Notification,
    /// The manager's slots for the worker and to receive from the endpoint.
    control: u64,
    receive: u64,
    /// The worker's slots to call, receive and wait.
    call: u64,
    listen: u64,
    wait: u64,
}

impl World {
    fn new() -> Self {
        let mut plan = Plan::new();
        let worker = plan.thread("worker", 100);
        let manager = plan.thread("manager", 50);
        let (endpoint, notification) = (plan.endpoint(), plan.notification());
        let control = plan.grant(manager, worker.control());
        let receive = plan.grant(manager, endpoint.receiver());
        let call = plan.grant(worker, endpoint.caller(1));
        let listen = plan.grant(worker, endpoint.receiver());
        let wait = plan.grant(worker, notification.waiter());
        Self { plan, manager, worker, endpoint, notification, control, receive, call, listen, wait }
    }

    /// Suspends and resumes the worker, which waits in a system call made at `pc`.
    fn suspend_and_resume(&self, system: &mut System, pc: u64) {
        system.call(self.manager, self.control, SUSPEND, &[]);
        system.assert_done(self.manager);
        system.assert_inactive(self.worker);
        assert_eq!(system.kernel.endpoints[self.endpoint.id()], EndpointState::Idle);
        assert_eq!(system.kernel.notifications[self.notification.id()].state, Signals::Idle);
        system.call(self.manager, self.control, RESUME, &[]);
        system.assert_running(self.worker);
        assert_eq!(system.pc(self.worker), pc, "the program counter is at the system call");
    }
}

#[test]
fn a_waiting_thread_restarts_its_system_call() {
    for syscall in [Syscall::Call, Syscall::Send, Syscall::Recv, Syscall::Wait] {
        let world = World::new();
        let slot = match syscall {
            Syscall::Call | Syscall::Send => world.call,
            Syscall::Recv => world.listen,
            _ => world.wait,
        };
        let mut system = world.plan.boot();
        let pc = system.pc(world.worker);
        system.receive(world.worker, syscall, slot, REPLY);
        system.assert_running(world.manager);
        world.suspend_and_resume(&mut system, pc);
        system.receive(world.worker, syscall, slot, REPLY);
        system.assert_running(world.manager);
    }
}

#[test]
fn a_caller_that_waits_for_its_reply_restarts_its_call() {
    let world = World::new();
    let mut system = world.plan.boot();
    let pc = system.pc(world.worker);
    system.call(world.worker, world.call, 5, &[6]);
    system.recv(world.manager, world.receive);
    system.assert_calling(world.worker);
    world.suspend_and_resume(&mut system, pc);
    assert_eq!(system.kernel.replies[world.plan.reply_of(world.manager).id()], ReplyState::Free);
    system.call(world.worker, world.call, 5, &[6]);
    system.reply_recv(world.manager, world.receive, 1, &[]);
    system.assert_message(world.manager, 1, 5, &[6]);
}

#[test]
fn resuming_a_waiting_thread_restarts_its_system_call() {
    let world = World::new();
    let mut system = world.plan.boot();
    let pc = system.pc(world.worker);
    system.wait(world.worker, world.wait);
    system.call(world.manager, world.control, RESUME, &[]);
    system.assert_running(world.worker);
    assert_eq!(system.pc(world.worker), pc);
}

#[test]
fn a_thread_that_stopped_in_its_call_restarts_it() {
    let mut service = Service::active(200);
    let slot = service.plan.grant(service.client, service.endpoint.sender(3));
    let control = service.plan.grant(service.server, service.client.control());
    let mut system = service.boot();
    let pc = system.pc(service.client);
    system.call(service.client, slot, 1, &[]);
    system.assert_inactive(service.client);
    system.call(service.server, control, RESUME, &[]);
    system.assert_runnable(service.client);
    assert_eq!(system.pc(service.client), pc);
}

#[test]
fn a_ready_thread_continues_where_it_was() {
    let mut plan = Plan::new();
    let [manager, worker] = ["manager", "worker"].map(|name| plan.thread(name, 50));
    let control = plan.grant(manager, worker.control());
    let mut system = plan.boot();
    let before = *system.context(worker);
    system.call(manager, control, SUSPEND, &[]);
    system.yield_slice(manager);
    system.assert_running(manager);
    system.call(manager, control, RESUME, &[]);
    system.yield_slice(manager);
    system.assert_running(worker);
    assert_eq!(*system.context(worker), before);
}

#[test]
fn suspend_and_resume_are_idempotent() {
    let world = World::new();
    let mut system = world.plan.boot();
    let pc = system.pc(world.worker);
    system.wait(world.worker, world.wait);
    system.call(world.manager, world.control, SUSPEND, &[]);
    world.suspend_and_resume(&mut system, pc);
    let mut plan = Plan::new();
    let [manager, worker] = ["manager", "worker"].map(|name| plan.thread(name, 50));
    let control = plan.grant(manager, worker.control());
    let mut system = plan.boot();
    let before = *system.context(worker);
    system.call(manager, control, RESUME, &[]);
    system.assert_running(manager);
    assert_eq!(*system.context(worker), before);
}

#[test]
fn a_thread_may_stop_itself() {
    let mut world = World::new();
    let own = world.plan.grant(world.worker, world.worker.control());
    let mut system = world.plan.boot();
    system.call(world.worker, own, SUSPEND, &[]);
    system.assert_inactive(world.worker);
    system.assert_running(world.manager);
    system.call(world.manager, world.control, RESUME, &[]);
    system.assert_running(world.worker);
}

#[test]
fn resuming_a_thread_of_lower_priority_does_not_switch() {
    let family = Family::active(200);
    let mut system = family.plan.boot();
    system.call(family.parent, family.control, SUSPEND, &[]);
    system.call(family.parent, family.control, RESUME, &[]);
    system.assert_running(family.parent);
    system.assert_runnable(family.child);
}

#[test]
fn a_stopped_thread_is_not_resumed_by_a_message() {
    let world = World::new();
    let mut system = world.plan.boot();
    system.wait(world.worker, world.wait);
    system.call(world.manager, world.control, SUSPEND, &[]);
    let mut world = World::new();
    let signal = world.plan.grant(world.manager, world.notification.signaller(1));
    let mut system = world.plan.boot();
    system.wait(world.worker, world.wait);
    system.call(world.manager, world.control, SUSPEND, &[]);
    system.signal(world.manager, signal);
    system.assert_inactive(world.worker);
    system.assert_running(world.manager);
}

#[test]
fn suspending_a_thread_in_a_queue_keeps_the_others_queued() {
    let mut service = Service::active(1);
    let clients: Vec<_> =
        (0..3).map(|i| service.add_client(&format!("client {i}"), 90 - i as u8, i)).collect();
    let control = service.plan.grant(service.server, clients[1].0.control());
    let mut system = service.plan.boot();
    system.call(service.client, service.call, 0, &[]);
    for (client, call) in &clients {
        system.call(*client, *call, 0, &[]);
    }
    system.call(service.server, control, SUSPEND, &[]);
    for badge in [Service::BADGE, 0, 2] {
        system.nb_recv(service.server, service.receive);
        system.assert_signal(service.server, badge);
    }
    system.nb_recv(service.server, service.receive);
    system.assert_running(service.server);
}

#[test]
fn other_methods_are_illegal() {
    let world = World::new();
    let mut system = world.plan.boot();
    system.wait(world.worker, world.wait);
    for label in [0, 1, 4, 5, 8, 27, 34, 39, 0x1000, (1 << 52) - 1] {
        let arguments = Arguments { label, words: &[0, 1, 2], caps: &[] };
        system.syscall(world.manager, Syscall::Call, world.control, &arguments);
        system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
    }
}

#[test]
fn thread_methods_of_address_spaces_are_illegal() {
    let mut world = World::new();
    let slot = world.plan.grant(world.worker, Grant::vspace(world.worker));
    let mut system = world.plan.boot();
    system.call(world.worker, slot, Label::TcbSuspend.as_raw(), &[]);
    system.assert_refused(world.worker, ErrorCode::IllegalOperation, &[]);
}

#[test]
fn a_bound_notification_wakes_a_receiver_until_it_is_unbound() {
    let mut world = World::new();
    let listen = world.plan.grant(world.manager, world.notification.waiter());
    let signal = world.plan.grant(world.manager, world.notification.signaller(8));
    let mut system = world.plan.boot();
    system.recv(world.worker, world.listen);
    system.call_with_caps(world.manager, world.control, Label::TcbBindNotification.as_raw(), &[listen]);
    system.assert_done(world.manager);
    system.signal(world.manager, signal);
    system.assert_signal(world.worker, 8);
    system.recv(world.worker, world.listen);
    system.call(world.manager, world.control, Label::TcbUnbindNotification.as_raw(), &[]);
    system.assert_done(world.manager);
    system.signal(world.manager, signal);
    system.assert_receiving(world.worker, world.endpoint);
    system.call(world.manager, world.control, Label::TcbUnbindNotification.as_raw(), &[]);
    system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
}

#[test]
fn a_notification_is_bound_once_and_only_without_waiters() {
    let bind = Label::TcbBindNotification.as_raw();
    let mut world = World::new();
    let bound = world.plan.bound_notification(world.manager);
    let own = world.plan.grant(world.manager, world.manager.control());
    let [bound_slot, waited, signal] =
        [bound.waiter(), world.notification.waiter(), world.notification.signaller(1)]
            .map(|grant| world.plan.grant(world.manager, grant));
    let mut system = world.plan.boot();
    system.wait(world.worker, world.wait);
    let refused = [
        (world.control, waited, ErrorCode::IllegalOperation, &[][..]),
        (world.control, bound_slot, ErrorCode::IllegalOperation, &[]),
        (world.control, signal, ErrorCode::IllegalOperation, &[]),
        (own, bound_slot, ErrorCode::IllegalOperation, &[]),
        (world.control, own, ErrorCode::InvalidCapability, &[1]),
    ];
    for (thread, cap, code, words) in refused {
        system.call_with_caps(world.manager, thread, bind, &[cap]);
        system.assert_refused(world.manager, code, words);
    }
    system.call(world.manager, world.control, bind, &[]);
    system.assert_refused(world.manager, ErrorCode::TruncatedMessage, &[]);
}

#[test]
fn setting_ones_own_tls_base_is_illegal() {
    let set = Label::TcbSetTlsBase.as_raw();
    let mut world = World::new();
    let own = world.plan.grant(world.manager, world.manager.control());
    let mut system = world.plan.boot();
    system.wait(world.worker, world.wait);
    system.call(world.manager, world.control, set, &[0x9000]);
    assert_eq!(system.register(world.worker, TLS_BASE), 0x9000);
    system.call(world.manager, own, set, &[0x9000]);
    system.assert_refused(world.manager, ErrorCode::IllegalOperation, &[]);
    system.call(world.manager, own, set, &[]);
    system.assert_refused(world.manager, ErrorCode::TruncatedMessage, &[]);
}
