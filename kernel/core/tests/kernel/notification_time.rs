//! Scheduling contexts at notifications: lent to a passive thread that a signal wakes, and returned when it blocks.

use limen_abi::{Label, Syscall};

use crate::support::{Notification, Plan, REPLY, SchedContext, System, Thread};

/// A passive server with a bound notification that holds time, and a client that may signal and call.
struct Passive {
    plan: Plan,
    server: Thread,
    client: Thread,
    notification: Notification,
    time: SchedContext,
    client_time: SchedContext,
    receive: u64,
    wait: u64,
    signal: u64,
    call: u64,
    /// The client's slots: the scheduling context, the notification, the server.
    controls: [u64; 3],
}

impl Passive {
    const SIGNAL: u64 = 0x40;

    fn new(server_priority: u8, client_priority: u8) -> Self {
        let mut plan = Plan::new();
        let server = plan.passive("server", server_priority);
        let client = plan.thread("client", client_priority);
        let client_time = plan.sched_context_of(client);
        let notification = plan.bound_notification(server);
        let endpoint = plan.endpoint();
        let time = plan.sched_context(300);
        let receive = plan.grant(server, endpoint.receiver());
        let wait = plan.grant(server, notification.waiter());
        let signal = plan.grant(client, notification.signaller(Self::SIGNAL));
        let call = plan.grant(client, endpoint.caller(5));
        let controls = [
            plan.grant(client, time.control()),
            plan.grant(client, notification.waiter()),
            plan.grant(client, server.control()),
        ];
        Self { plan, server, client, notification, time, client_time, receive, wait, signal, call, controls }
    }

    /// Boots; the server waits on this slot, and the client has bound the scheduling context to the notification.
    fn boot(&mut self, from: u64) -> System {
        self.boot_with(from, &[])
    }

    /// The same with other threads that wait.
    fn boot_with(&mut self, from: u64, others: &[(Thread, u64)]) -> System {
        let serving: Vec<_> = others.iter().copied().chain([(self.server, from)]).collect();
        let mut system = self.plan.boot_serving(&serving);
        let [time, notification, _] = self.controls;
        system.call_with_caps(self.client, time, Label::SchedContextBind.as_raw(), &[notification]);
        system.assert_done(self.client);
        system
    }
}

#[test]
fn a_signal_lends_time_until_the_server_receives_again() {
    let mut passive = Passive::new(200, 100);
    let mut system = passive.boot(passive.receive);
    for _ in 0..3 {
        system.signal(passive.client, passive.signal);
        system.assert_running(passive.server);
        system.assert_signal(passive.server, Passive::SIGNAL);
        system.assert_holds(passive.server, Some(passive.time));
        system.recv(passive.server, passive.receive);
        system.assert_running(passive.client);
        system.assert_holds(passive.server, None);
    }
}

#[test]
fn a_signal_lends_time_until_the_server_waits_again() {
    let mut passive = Passive::new(200, 100);
    let mut system = passive.boot(passive.wait);
    system.signal(passive.client, passive.signal);
    system.assert_running(passive.server);
    system.wait(passive.server, passive.wait);
    system.assert_running(passive.client);
    system.assert_holds(passive.server, None);
}

#[test]
fn a_poll_does_not_return_the_time() {
    let mut passive = Passive::new(200, 100);
    let mut system = passive.boot(passive.receive);
    system.signal(passive.client, passive.signal);
    system.nb_recv(passive.server, passive.receive);
    system.nb_wait(passive.server, passive.wait);
    system.assert_running(passive.server);
    system.assert_holds(passive.server, Some(passive.time));
}

#[test]
fn a_server_with_time_borrows_none() {
    let mut passive = Passive::new(50, 100);
    let own = passive.plan.sched_context(100);
    passive.plan.record(passive.server).sched_context = own.0;
    let mut system = passive.boot(passive.receive);
    system.signal(passive.client, passive.signal);
    system.assert_holds(passive.server, Some(own));
    system.stop(passive.client);
    system.recv(passive.server, passive.receive);
    system.assert_holds(passive.server, Some(own));
}

#[test]
fn the_time_is_lent_to_one_thread_at_a_time() {
    let mut plan = Plan::new();
    let passives = ["first", "second"].map(|name| plan.passive(name, 50));
    let client = plan.thread("client", 100);
    let (notification, time) = (plan.notification(), plan.sched_context(100));
    let waits = passives.map(|thread| (thread, plan.grant(thread, notification.waiter())));
    let signal = plan.grant(client, notification.signaller(1));
    let time_slot = plan.grant(client, time.control());
    let at = plan.grant(client, notification.waiter());
    let mut system = plan.boot_serving(&waits);
    system.call_with_caps(client, time_slot, Label::SchedContextBind.as_raw(), &[at]);
    system.signal(client, signal);
    system.signal(client, signal);
    system.assert_holds(passives[0], Some(time));
    system.assert_holds(passives[1], None);
    system.assert_runnable(passives[1]);
}

#[test]
fn an_unbound_waiter_returns_the_notifications_time() {
    let mut plan = Plan::new();
    let server = plan.passive("server", 200);
    let client = plan.thread("client", 100);
    let (notification, time) = (plan.notification(), plan.sched_context(100));
    let wait = plan.grant(server, notification.waiter());
    let signal = plan.grant(client, notification.signaller(1));
    let time_slot = plan.grant(client, time.control());
    let at = plan.grant(client, notification.waiter());
    let mut system = plan.boot_serving(&[(server, wait)]);
    system.call_with_caps(client, time_slot, Label::SchedContextBind.as_raw(), &[at]);
    system.signal(client, signal);
    system.assert_running(server);
    system.assert_holds(server, Some(time));
    system.wait(server, wait);
    system.assert_running(client);
    system.assert_holds(server, None);
}

#[test]
fn waiting_for_another_notification_does_not_return_the_time() {
    let mut passive = Passive::new(200, 100);
    let other = passive.plan.notification();
    let other = passive.plan.grant(passive.server, other.waiter());
    let mut system = passive.boot(passive.receive);
    system.signal(passive.client, passive.signal);
    system.wait(passive.server, other);
    system.assert_running(passive.client);
    system.assert_holds(passive.server, Some(passive.time));
}

#[test]
fn a_client_lends_its_own_time_to_a_server_with_a_bound_notification() {
    let mut passive = Passive::new(200, 100);
    let mut system = passive.boot(passive.receive);
    system.call(passive.client, passive.call, 1, &[]);
    system.assert_holds(passive.server, Some(passive.client_time));
    system.reply_recv(passive.server, passive.receive, 2, &[]);
    system.assert_running(passive.client);
    system.assert_holds(passive.client, Some(passive.client_time));
}

#[test]
fn a_signal_during_a_call_is_served_on_the_notifications_time() {
    let mut passive = Passive::new(200, 100);
    let own = passive.plan.grant(passive.server, passive.notification.signaller(0x80));
    let mut system = passive.boot(passive.receive);
    system.call(passive.client, passive.call, 1, &[]);
    system.signal(passive.server, own);
    system.reply_recv(passive.server, passive.receive, 2, &[]);
    system.assert_running(passive.server);
    system.assert_signal(passive.server, 0x80);
    system.assert_holds(passive.server, Some(passive.time));
    system.assert_holds(passive.client, Some(passive.client_time));
    system.recv(passive.server, passive.receive);
    system.assert_running(passive.client);
    system.assert_message(passive.client, 0, 2, &[]);
}

#[test]
fn without_time_at_the_notification_a_passive_server_does_not_run() {
    let mut passive = Passive::new(200, 100);
    let mut system = passive.plan.boot_serving(&[(passive.server, passive.receive)]);
    system.signal(passive.client, passive.signal);
    system.assert_running(passive.client);
    system.assert_runnable(passive.server);
    let [time, _, server] = passive.controls;
    system.call_with_caps(passive.client, time, Label::SchedContextBind.as_raw(), &[server]);
    system.assert_running(passive.server);
    system.assert_signal(passive.server, Passive::SIGNAL);
}

#[test]
fn time_unbound_from_the_notification_stays_with_its_borrower() {
    let mut passive = Passive::new(50, 100);
    let mut system = passive.boot(passive.receive);
    let [time, notification, _] = passive.controls;
    system.signal(passive.client, passive.signal);
    let unbind = Label::SchedContextUnbindObject.as_raw();
    system.call_with_caps(passive.client, time, unbind, &[notification]);
    system.assert_done(passive.client);
    system.stop(passive.client);
    system.recv(passive.server, passive.receive);
    system.assert_holds(passive.server, Some(passive.time));
}

#[test]
fn a_plain_send_does_not_leave_a_passive_server_without_time() {
    let mut passive = Passive::new(200, 100);
    let mut system = passive.boot(passive.receive);
    system.nb_send(passive.client, passive.call, 7, &[]);
    system.assert_running(passive.server);
    system.assert_holds(passive.server, Some(passive.time));
    system.recv(passive.server, passive.receive);
    system.assert_running(passive.client);
    system.assert_holds(passive.server, None);
    system.call(passive.client, passive.call, 1, &[]);
    system.assert_running(passive.server);
    system.assert_holds(passive.server, Some(passive.client_time));
}

/// Budget and period of the time at the notification, in ticks.
const SHARE: (u64, u64) = (100, 1000);

/// The server has used up what its notification keeps for it, and serves a call on the client's time.
fn serving_without_own_time(passive: &mut Passive) -> System {
    let index = passive.time.0 as usize;
    (
        passive.plan.writer.sched_contexts[index].budget_us,
        passive.plan.writer.sched_contexts[index].period_us,
    ) = SHARE;
    let mut system = passive.boot(passive.receive);
    system.signal(passive.client, passive.signal);
    system.pass(SHARE.0);
    system.recv(passive.server, passive.receive);
    system.call(passive.client, passive.call, 1, &[]);
    system.assert_holds(passive.server, Some(passive.client_time));
    system
}

#[test]
fn an_answer_that_is_sent_before_a_receive_does_not_postpone_the_server() {
    for number in [Syscall::NbSendRecv, Syscall::NbSendWait] {
        let mut passive = Passive::new(200, 100);
        let mut system = serving_without_own_time(&mut passive);
        match number {
            Syscall::NbSendRecv => system.nb_send_recv(passive.server, REPLY, passive.receive, 2, &[]),
            _ => system.nb_send_wait(passive.server, REPLY, passive.receive, 2, &[]),
        }
        system.assert_running(passive.client);
        system.assert_message(passive.client, 0, 2, &[]);
        system.assert_holds(passive.server, None);
        system.run_for(2 * SHARE.1);
        system.signal(passive.client, passive.signal);
        system.assert_running(passive.server);
        system.assert_signal(passive.server, Passive::SIGNAL);
    }
}

/// A thread above all others, which the server can wake, and its slots for time and thread of the client.
struct Manager {
    thread: Thread,
    wait: u64,
    wake: u64,
    client_time: u64,
    client: u64,
}

impl Manager {
    fn add(passive: &mut Passive) -> Self {
        let thread = passive.plan.thread("manager", 210);
        let gate = passive.plan.notification();
        let wait = passive.plan.grant(thread, gate.waiter());
        let wake = passive.plan.grant(passive.server, gate.signaller(1));
        let client_time = passive.plan.grant(thread, passive.client_time.control());
        let client = passive.plan.grant(thread, passive.client.control());
        Self { thread, wait, wake, client_time, client }
    }

    /// Unbinds the client's scheduling context from the thread that has it, and waits.
    fn take_time(&self, system: &mut System) {
        system.call(self.thread, self.client_time, Label::SchedContextUnbind.as_raw(), &[]);
        system.assert_done(self.thread);
        system.wait(self.thread, self.wait);
    }
}

#[test]
fn a_server_that_loses_its_clients_time_goes_on_on_its_own() {
    let mut passive = Passive::new(200, 100);
    let manager = Manager::add(&mut passive);
    let mut system = passive.boot_with(passive.receive, &[(manager.thread, manager.wait)]);
    system.call(passive.client, passive.call, 1, &[]);
    system.signal(passive.server, manager.wake);
    manager.take_time(&mut system);
    system.assert_running(passive.server);
    system.assert_holds(passive.server, Some(passive.time));
    system.reply_recv(passive.server, passive.receive, 2, &[]);
    system.assert_message(passive.client, 0, 2, &[]);
    system.assert_holds(passive.client, None);
    system.assert_holds(passive.server, None);
}

#[test]
fn a_server_without_time_of_its_own_stops_where_it_loses_its_clients_time() {
    let mut passive = Passive::new(200, 100);
    let manager = Manager::add(&mut passive);
    let own = passive.plan.grant(manager.thread, passive.time.control());
    let mut system = passive.boot_with(passive.receive, &[(manager.thread, manager.wait)]);
    system.call(passive.client, passive.call, 1, &[]);
    system.signal(passive.server, manager.wake);
    system.call(manager.thread, own, Label::SchedContextUnbind.as_raw(), &[]);
    manager.take_time(&mut system);
    system.assert_idle();
    system.assert_runnable(passive.server);
    system.assert_holds(passive.server, None);
}

#[test]
fn time_that_is_taken_from_a_thread_is_not_lent_to_it_again() {
    let mut passive = Passive::new(200, 100);
    let [time, _, server] = passive.controls;
    let mut system = passive.boot(passive.receive);
    let low = system.kernel.threads[passive.client.id()].priority;
    system.kernel.threads[passive.server.id()].priority = low;
    system.signal(passive.client, passive.signal);
    system.assert_holds(passive.server, Some(passive.time));
    system.call_with_caps(passive.client, time, Label::SchedContextUnbindObject.as_raw(), &[server]);
    system.assert_running(passive.client);
    system.assert_holds(passive.server, None);
    system.assert_runnable(passive.server);
}

#[test]
fn a_server_that_loses_time_while_it_calls_goes_on_on_its_own_when_it_is_answered() {
    let mut passive = Passive::new(200, 100);
    let manager = Manager::add(&mut passive);
    let active = passive.plan.thread("active", 150);
    let endpoint = passive.plan.endpoint();
    let receive = passive.plan.grant(active, endpoint.receiver());
    let call = passive.plan.grant(passive.server, endpoint.caller(1));
    let wake = passive.plan.grant(active, Notification(1).signaller(1));
    let waiting = [(manager.thread, manager.wait), (active, receive)];
    let mut system = passive.boot_with(passive.receive, &waiting);
    system.call(passive.client, passive.call, 1, &[]);
    system.call(passive.server, call, 1, &[]);
    system.signal(active, wake);
    manager.take_time(&mut system);
    system.reply_recv(active, receive, 2, &[]);
    system.assert_running(passive.server);
    system.assert_holds(passive.server, Some(passive.time));
}

#[test]
fn a_server_goes_on_on_its_own_when_the_time_it_runs_on_is_answered_away() {
    let mut passive = Passive::new(200, 100);
    let manager = Manager::add(&mut passive);
    let front = passive.plan.thread("front", 90);
    let front_time = passive.plan.sched_context_of(front);
    let endpoint = passive.plan.endpoint();
    let receive = passive.plan.grant(passive.client, endpoint.receiver());
    let call = passive.plan.grant(front, endpoint.caller(1));
    let mut system = passive.boot_with(passive.receive, &[(manager.thread, manager.wait)]);
    // The client is passive while it serves a call, and calls the server.
    system.recv(passive.client, receive);
    system.kernel.threads[passive.client.id()].sched_context = None;
    system.kernel.sched_contexts[passive.client_time.id()].thread = None;
    system.call(front, call, 1, &[]);
    system.call(passive.client, passive.call, 1, &[]);
    system.assert_holds(passive.server, Some(front_time));
    system.signal(passive.server, manager.wake);
    // It is started over above the server and with time of its own, and answers before its server does.
    let client = manager.client;
    system.call(manager.thread, client, Label::TcbSuspend.as_raw(), &[]);
    system.kernel.threads[passive.client.id()].priority = 205;
    system.call_with_caps(manager.thread, manager.client_time, Label::SchedContextBind.as_raw(), &[client]);
    system.call(manager.thread, client, Label::TcbResume.as_raw(), &[]);
    system.wait(manager.thread, manager.wait);
    system.send(passive.client, REPLY, 2, &[]);
    system.assert_holds(front, Some(front_time));
    system.assert_holds(passive.server, Some(passive.time));
    system.stop(passive.client);
    system.assert_running(passive.server);
}

#[test]
fn time_returns_to_its_lender_when_it_is_bound_while_the_borrower_waits() {
    let mut passive = Passive::new(200, 100);
    let manager = passive.plan.thread("manager", 50);
    let other = passive.plan.notification();
    let lent = passive.plan.grant(manager, passive.client_time.control());
    let other = passive.plan.grant(manager, other.waiter());
    let client = passive.plan.grant(manager, passive.client.control());
    let mut system = passive.plan.boot_serving(&[(passive.server, passive.receive)]);
    system.follow_specification();
    system.call(passive.client, passive.call, 0, &[]);
    system.wait(passive.server, passive.wait);
    for label in [Label::TcbSuspend, Label::TcbResume] {
        system.call(manager, client, label.as_raw(), &[]);
    }
    system.assert_holds(passive.server, Some(passive.client_time));
    system.call_with_caps(manager, lent, Label::SchedContextBind.as_raw(), &[other]);
    system.assert_running(passive.client);
    system.assert_holds(passive.client, Some(passive.client_time));
    system.assert_holds(passive.server, None);
}
