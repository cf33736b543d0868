//! Passive servers: calls lend time, and replies return it.

use limen_abi::Label;

use crate::support::{REPLY, Service, X0};

#[test]
fn a_passive_server_runs_on_its_clients_time() {
    let mut service = Service::passive(200);
    let time = service.plan.sched_context_of(service.client);
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[1]);
    system.assert_running(service.server);
    system.assert_message(service.server, Service::BADGE, 1, &[1]);
    system.assert_holds(service.server, Some(time));
    system.assert_holds(service.client, None);
    system.reply_recv(service.server, service.receive, 2, &[2]);
    system.assert_running(service.client);
    system.assert_message(service.client, 0, 2, &[2]);
    system.assert_holds(service.client, Some(time));
    system.assert_holds(service.server, None);
}

#[test]
fn an_active_server_runs_on_its_own_time() {
    let mut service = Service::active(200);
    let [client, server] = [service.client, service.server].map(|t| service.plan.sched_context_of(t));
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.assert_holds(service.client, Some(client));
    system.assert_holds(service.server, Some(server));
}

#[test]
fn a_donation_does_not_set_the_timer() {
    let mut service = Service::passive(200);
    let mut system = service.boot();
    let set = system.kernel.machine.deadlines_set;
    system.pass(100);
    system.call(service.client, service.call, 1, &[]);
    system.reply_recv(service.server, service.receive, 2, &[]);
    assert_eq!(system.kernel.machine.deadlines_set, set);
}

#[test]
fn a_passive_server_has_its_own_priority() {
    let mut service = Service::passive(20);
    let (bystander, _) = service.add_client("bystander", 50, 2);
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.assert_running(bystander);
    system.assert_runnable(service.server);
}

#[test]
fn a_busy_passive_server_borrows_from_the_next_client_when_it_receives_its_call() {
    let mut service = Service::passive(50);
    let (other, call) = service.add_client("other", 90, 2);
    let [first, second] = [service.client, other].map(|thread| service.plan.sched_context_of(thread));
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.call(other, call, 2, &[]);
    system.assert_running(service.server);
    system.reply_recv(service.server, service.receive, 3, &[]);
    system.assert_running(service.client);
    system.assert_holds(service.client, Some(first));
    system.assert_holds(service.server, Some(second));
    system.assert_holds(other, None);
    system.assert_message(service.server, 2, 2, &[]);
}

#[test]
fn a_reply_by_send_leaves_the_server_without_time() {
    let mut service = Service::passive(200);
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.send(service.server, REPLY, 2, &[]);
    system.assert_running(service.client);
    system.assert_runnable(service.server);
    system.assert_holds(service.server, None);
}

#[test]
fn a_caller_that_was_bound_to_other_time_keeps_it() {
    let mut service = Service::passive(200);
    let lent = service.plan.sched_context_of(service.client);
    let other = service.plan.sched_context(500);
    let other_slot = service.plan.grant(service.server, other.control());
    let client = service.plan.grant(service.server, service.client.control());
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.call_with_caps(service.server, other_slot, Label::SchedContextBind.as_raw(), &[client]);
    system.assert_done(service.server);
    system.reply_recv(service.server, service.receive, 2, &[]);
    system.assert_running(service.client);
    system.assert_holds(service.client, Some(other));
    system.assert_holds(service.server, Some(lent));
}

#[test]
fn time_of_a_stopped_caller_returns_when_the_server_blocks() {
    let mut service = Service::passive(200);
    let time = service.plan.sched_context_of(service.client);
    let control = service.plan.grant(service.server, service.client.control());
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.call(service.server, control, Label::TcbSuspend.as_raw(), &[]);
    system.assert_running(service.server);
    system.reply_recv(service.server, service.receive, 2, &[]);
    system.assert_idle();
    system.assert_holds(service.server, None);
    system.assert_holds(service.client, Some(time));
}

#[test]
fn time_of_a_caller_that_the_server_cancels_returns() {
    let mut service = Service::passive(200);
    let time = service.plan.sched_context_of(service.client);
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.recv(service.server, service.receive);
    system.assert_idle();
    system.assert_inactive(service.client);
    system.assert_holds(service.server, None);
    system.assert_holds(service.client, Some(time));
}

#[test]
fn a_stopped_server_keeps_its_clients_time_and_can_continue() {
    let mut service = Service::passive(50);
    let (parent, _) = service.add_client("parent", 60, 2);
    let control = service.plan.grant(parent, service.server.control());
    let time = service.plan.sched_context_of(service.client);
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.call(parent, control, Label::TcbSuspend.as_raw(), &[]);
    system.assert_inactive(service.server);
    system.assert_holds(service.server, Some(time));
    system.assert_calling(service.client);
    system.call(parent, control, Label::TcbResume.as_raw(), &[]);
    system.stop(parent);
    system.assert_running(service.server);
    system.reply_recv(service.server, service.receive, 2, &[]);
    system.assert_running(service.client);
    system.assert_holds(service.client, Some(time));
}

#[test]
fn a_caller_without_time_lends_nothing_when_its_queued_call_is_received() {
    let mut service = Service::active(50);
    let control = service.plan.sched_context_of(service.client);
    let control = service.plan.grant(service.server, control.control());
    let own = service.plan.sched_context_of(service.server);
    let mut system = service.plan.boot();
    system.call(service.client, service.call, 1, &[]);
    system.call(service.server, control, Label::SchedContextUnbind.as_raw(), &[]);
    system.recv(service.server, service.receive);
    system.assert_message(service.server, Service::BADGE, 1, &[]);
    system.reply_recv(service.server, service.receive, 7, &[]);
    system.assert_idle();
    system.assert_runnable(service.client);
    system.assert_message(service.client, 0, 7, &[]);
    system.assert_holds(service.server, Some(own));
    assert_eq!(system.register(service.client, X0), 0);
}

#[test]
fn unbound_time_does_not_return_with_replies() {
    let mut service = Service::passive(200);
    let (manager, _) = service.add_client("manager", 210, 2);
    let gate = service.plan.notification();
    let wait = service.plan.grant(manager, gate.waiter());
    let wake = service.plan.grant(service.server, gate.signaller(1));
    let lent = service.plan.sched_context_of(service.client);
    let lent = service.plan.grant(manager, lent.control());
    let spare = service.plan.sched_context(500);
    let spare_slot = service.plan.grant(manager, spare.control());
    let server = service.plan.grant(manager, service.server.control());
    let mut system = service.boot();
    system.wait(manager, wait);
    system.call(service.client, service.call, 1, &[]);
    system.signal(service.server, wake);
    system.call(manager, lent, Label::SchedContextUnbind.as_raw(), &[]);
    system.call_with_caps(manager, spare_slot, Label::SchedContextBind.as_raw(), &[server]);
    system.wait(manager, wait);
    system.reply_recv(service.server, service.receive, 2, &[]);
    system.assert_idle();
    system.assert_message(service.client, 0, 2, &[]);
    system.assert_holds(service.client, None);
    system.assert_holds(service.server, Some(spare));
}
