//! Sends without a reply: blocking, non-blocking, and the send half of compound system calls.

use limen_abi::{Label, Syscall};
use limen_image::Rights;

use crate::support::{Arguments, Grant, Plan, REPLY, Service, X0};

/// An empty slot.
const EMPTY: u64 = 400;

#[test]
fn a_blocking_send_waits_until_it_is_received() {
    let service = Service::active(50);
    let mut system = service.plan.boot();
    system.send(service.client, service.call, 3, &[1, 2, 3, 4, 5]);
    system.assert_sending(service.client, service.endpoint);
    let waiting = *system.context(service.client);
    system.recv(service.server, service.receive);
    system.assert_running(service.client);
    system.assert_message(service.server, Service::BADGE, 3, &[1, 2, 3, 4, 5]);
    assert_eq!(*system.context(service.client), waiting, "a send changes nothing for the sender");
}

#[test]
fn a_blocking_send_to_a_waiting_receiver_does_not_wait() {
    let mut service = Service::active(50);
    let mut system = service.boot();
    system.send(service.client, service.call, 3, &[1]);
    system.assert_running(service.client);
    system.assert_message(service.server, Service::BADGE, 3, &[1]);
    system.assert_runnable(service.server);
}

#[test]
fn a_receiver_of_higher_priority_preempts_the_sender() {
    let mut service = Service::active(200);
    let mut system = service.boot();
    system.send(service.client, service.call, 3, &[1]);
    system.assert_running(service.server);
    system.assert_runnable(service.client);
}

#[test]
fn a_receiver_of_equal_priority_does_not_preempt_the_sender() {
    let mut service = Service::active(Service::CLIENT_PRIORITY);
    let mut system = service.boot();
    system.send(service.client, service.call, 3, &[1]);
    system.assert_running(service.client);
}

#[test]
fn a_sender_does_not_wait_for_a_reply() {
    let mut service = Service::active(200);
    let mut system = service.boot();
    system.send(service.client, service.call, 3, &[1]);
    system.reply_recv(service.server, service.receive, 9, &[9]);
    system.assert_running(service.client);
    assert_eq!(system.register(service.client, X0), service.call, "no badge was written");
}

#[test]
fn a_non_blocking_send_is_dropped_without_a_receiver() {
    let service = Service::active(50);
    let mut system = service.plan.boot();
    system.nb_send(service.client, service.call, 3, &[1]);
    system.assert_running(service.client);
    system.stop(service.client);
    system.nb_recv(service.server, service.receive);
    system.assert_signal(service.server, 0);
}

#[test]
fn a_non_blocking_send_is_delivered_to_a_waiting_receiver() {
    let mut service = Service::active(50);
    let mut system = service.boot();
    system.nb_send(service.client, service.call, 3, &[1]);
    system.assert_running(service.client);
    system.assert_message(service.server, Service::BADGE, 3, &[1]);
}

#[test]
fn a_non_blocking_send_does_not_queue_behind_others() {
    let mut service = Service::active(1);
    let (other, slot) = service.add_client("other", 50, 2);
    let mut system = service.plan.boot();
    system.send(service.client, service.call, 1, &[]);
    system.nb_send(other, slot, 2, &[]);
    system.assert_running(other);
    assert_eq!(system.kernel.endpoints[service.endpoint.id()].first(), Some(service.client.id()));
}

#[test]
fn senders_are_served_by_priority_and_then_in_order_of_arrival() {
    let mut service = Service::active(1);
    let (first, send_first) = service.add_client("first", 50, 1);
    let (second, send_second) = service.add_client("second", 50, 2);
    let (last, send_last) = service.add_client("last", 20, 3);
    let gate = service.plan.notification();
    let wait = service.plan.grant(service.client, gate.waiter());
    let open = service.plan.grant(last, gate.signaller(1));
    let mut system = service.plan.boot();
    system.wait(service.client, wait);
    system.send(first, send_first, 0, &[]);
    system.send(second, send_second, 0, &[]);
    system.signal(last, open);
    system.send(service.client, service.call, 0, &[]);
    system.send(last, send_last, 0, &[]);
    for (sender, badge) in [(service.client, Service::BADGE), (first, 1), (second, 2), (last, 3)] {
        system.recv(service.server, service.receive);
        system.assert_message(service.server, badge, 0, &[]);
        system.assert_running(sender);
        system.stop(sender);
    }
}

#[test]
fn a_plain_send_lends_no_time() {
    for syscall in [Syscall::Send, Syscall::NbSend] {
        let mut service = Service::passive(200);
        let own = service.plan.sched_context_of(service.client);
        let mut system = service.boot();
        let message = Arguments { label: 3, words: &[1], caps: &[] };
        system.syscall(service.client, syscall, service.call, &message);
        system.assert_running(service.client);
        system.assert_holds(service.client, Some(own));
        system.assert_message(service.server, Service::BADGE, 3, &[1]);
        system.assert_holds(service.server, None);
    }
}

#[test]
fn send_and_receive_sends_and_then_waits_with_the_reply_object() {
    let mut service = Service::active(50);
    let inbox = service.plan.endpoint();
    let from = service.plan.grant(service.client, inbox.receiver());
    let back = service.plan.grant(service.server, inbox.caller(7));
    let mut system = service.boot();
    system.nb_send_recv(service.client, service.call, from, 3, &[1, 2]);
    system.assert_running(service.server);
    system.assert_message(service.server, Service::BADGE, 3, &[1, 2]);
    system.assert_receiving(service.client, inbox);
    system.call(service.server, back, 4, &[]);
    system.assert_message(service.client, 7, 4, &[]);
    system.assert_calling(service.server);
}

#[test]
fn send_and_receive_drops_the_message_without_a_receiver() {
    let mut service = Service::active(50);
    let inbox = service.plan.endpoint();
    let from = service.plan.grant(service.client, inbox.receiver());
    let mut system = service.plan.boot();
    system.nb_send_recv(service.client, service.call, from, 3, &[1]);
    system.assert_receiving(service.client, inbox);
    system.nb_recv(service.server, service.receive);
    system.assert_signal(service.server, 0);
}

#[test]
fn send_and_receive_with_the_grant_right_donates_permanently() {
    let mut service = Service::passive(50);
    let own = service.plan.sched_context_of(service.client);
    let inbox = service.plan.endpoint();
    let from = service.plan.grant(service.client, inbox.receiver());
    let to = service.plan.grant(service.client, service.endpoint.with(3, Rights::SEND | Rights::GRANT));
    let mut system = service.boot();
    system.nb_send_recv(service.client, to, from, 3, &[]);
    system.assert_running(service.server);
    system.assert_holds(service.server, Some(own));
    system.assert_holds(service.client, None);
    system.reply_recv(service.server, service.receive, 0, &[]);
    system.assert_holds(service.server, Some(own));
    system.assert_idle();
}

/// Such a client could change the server's speed for all other clients from then on.
#[test]
fn a_client_of_a_passive_server_cannot_donate() {
    for call in [Syscall::NbSendRecv, Syscall::NbSendWait] {
        let mut service = Service::passive(50);
        let own = service.plan.sched_context_of(service.client);
        let inbox = service.plan.endpoint();
        let from = service.plan.grant(service.client, inbox.receiver());
        let mut system = service.boot();
        match call {
            Syscall::NbSendRecv => system.nb_send_recv(service.client, service.call, from, 3, &[]),
            _ => system.nb_send_wait(service.client, service.call, from, 3, &[]),
        }
        system.assert_receiving(service.client, inbox);
        system.assert_holds(service.client, Some(own));
        system.assert_holds(service.server, None);
    }
}

#[test]
fn send_and_wait_reads_its_destination_from_the_reply_register() {
    let mut service = Service::active(50);
    let notification = service.plan.notification();
    let wait = service.plan.grant(service.client, notification.waiter());
    let signal = service.plan.grant(service.server, notification.signaller(0x10));
    let mut system = service.boot();
    system.nb_send_wait(service.client, service.call, wait, 3, &[1]);
    system.assert_message(service.server, Service::BADGE, 3, &[1]);
    system.assert_waiting(service.client, notification);
    system.signal(service.server, signal);
    system.assert_running(service.client);
    system.assert_signal(service.client, 0x10);
}

#[test]
fn send_and_wait_receives_without_a_reply_object() {
    let mut service = Service::active(50);
    let inbox = service.plan.endpoint();
    let from = service.plan.grant(service.client, inbox.receiver());
    let back = service.plan.grant(service.server, inbox.caller(7));
    let mut system = service.boot();
    system.nb_send_wait(service.client, service.call, from, 3, &[]);
    system.call(service.server, back, 4, &[]);
    system.assert_message(service.client, 7, 4, &[]);
    system.assert_inactive(service.server);
}

#[test]
fn the_send_half_can_signal() {
    let mut plan = Plan::new();
    let [waiter, sender] = [("waiter", 50), ("sender", 20)].map(|(name, p)| plan.thread(name, p));
    let [to, from] = [plan.notification(), plan.notification()];
    let wait = plan.grant(waiter, to.waiter());
    let (signal, own) = (plan.grant(sender, to.signaller(4)), plan.grant(sender, from.waiter()));
    let mut system = plan.boot();
    system.wait(waiter, wait);
    system.nb_send_recv(sender, signal, own, 0, &[]);
    system.assert_signal(waiter, 4);
    system.assert_waiting(sender, from);
    system.wait(waiter, wait);
    system.assert_idle();
}

#[test]
fn the_send_half_can_reply() {
    let mut service = Service::active(200);
    let second = service.plan.reply();
    let second = service.plan.grant(service.server, second.control());
    let mut system = service.plan.boot();
    system.receive(service.server, Syscall::Recv, service.receive, second);
    system.call(service.client, service.call, 1, &[]);
    system.nb_send_recv(service.server, second, service.receive, 5, &[6]);
    system.assert_running(service.client);
    system.assert_message(service.client, 0, 5, &[6]);
}

#[test]
fn the_send_half_does_not_invoke_threads_and_scheduling_contexts() {
    let mut service = Service::active(200);
    let sched_context = service.plan.sched_context_of(service.client);
    let notification = service.plan.notification();
    let slots = [
        (service.plan.grant(service.server, service.client.control()), Label::TcbSuspend),
        (service.plan.grant(service.server, sched_context.control()), Label::SchedContextUnbind),
    ];
    let wait = service.plan.grant(service.server, notification.waiter());
    for (slot, label) in slots {
        let mut system = service.plan.boot();
        system.nb_send_recv(service.server, slot, wait, label.as_raw(), &[]);
        system.assert_running(service.client);
        let mut system = service.plan.boot();
        system.nb_send_wait(service.server, slot, wait, label.as_raw(), &[]);
        system.assert_running(service.client);
        let mut system = service.plan.boot();
        system.reply_recv_with(service.server, slot, wait, label.as_raw(), &[]);
        system.assert_running(service.client);
    }
}

#[test]
fn an_invocation_by_send_takes_effect_without_a_result() {
    for syscall in [Syscall::Send, Syscall::NbSend] {
        let mut service = Service::active(50);
        let control = service.plan.grant(service.client, service.server.control());
        let mut system = service.plan.boot();
        let message = Arguments { label: Label::TcbSuspend.as_raw(), words: &[], caps: &[] };
        system.syscall(service.client, syscall, control, &message);
        system.assert_inactive(service.server);
        assert_eq!(system.register(service.client, X0), control, "no result was written");
    }
}

#[test]
fn an_invocation_by_send_writes_no_result_words() {
    let mut service = Service::active(50);
    let control = service.plan.grant(service.client, service.server.control());
    let time = service.plan.sched_context_of(service.server);
    let time = service.plan.grant(service.client, time.control());
    let mut system = service.plan.boot();
    for (slot, label) in [(control, Label::TcbReadRegisters), (time, Label::SchedContextConsumed)] {
        system.send(service.client, slot, label.as_raw(), &[0, 8]);
        assert_eq!(system.message_word(service.client, 0), 0);
        assert_eq!(system.message_word(service.client, 1), 8);
        assert_eq!(system.message_word(service.client, 6), 0, "the buffer");
    }
}

#[test]
fn an_invalid_send_is_ignored() {
    let mut service = Service::active(200);
    let slots = [
        EMPTY,
        service.plan.grant(service.client, service.endpoint.receiver()),
        service.plan.grant(service.client, Grant::vspace(service.client)),
        REPLY,
    ];
    let mut system = service.boot();
    for slot in slots {
        let before = system.context(service.client).registers[X0 + 2..].to_vec();
        for syscall in [Syscall::Send, Syscall::NbSend] {
            system.syscall(service.client, syscall, slot, &Arguments::default());
            system.assert_running(service.client);
            assert_eq!(system.register(service.client, X0), slot);
        }
        let after = &system.context(service.client).registers[X0 + 2..];
        assert_eq!(before[..5], after[..5], "message registers");
    }
}
