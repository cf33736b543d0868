//! Replies: which caller receives which reply, and what happens to cancelled callers.

use limen_abi::{Label, MessageInfo, Syscall};
use limen_core::machine::Context;

use crate::support::{Arguments, OpenCalls, PC, REPLY, Service};

#[test]
fn a_reply_has_no_badge_and_any_length() {
    for length in [0, 1, 4, 5, 64, 120] {
        let words: Vec<u64> = (0..length).map(|word| 0x2000 + word).collect();
        let mut service = Service::active(200);
        let mut system = service.boot();
        system.call(service.client, service.call, 1, &[1, 2, 3]);
        system.reply_recv(service.server, service.receive, 0x99, &words);
        system.assert_running(service.client);
        system.assert_message(service.client, 0, 0x99, &words);
        system.assert_receiving(service.server, service.endpoint);
    }
}

#[test]
fn a_reply_delivers_no_capabilities() {
    let cases = [0, 1, 4, 5, 120].map(|length| [(length, OpenCalls::Flush), (length, OpenCalls::Keep)]);
    for (length, open_calls) in cases.into_iter().flatten() {
        let words: Vec<u64> = (0..length as u64).collect();
        let mut service = Service::active(200);
        let mut system = service.boot();
        system.open_calls = open_calls;
        system.call(service.client, service.call, 1, &[]);
        system.context_mut(service.server).set_reply_cptr(REPLY);
        let reply = Arguments { label: 0x99, words: &words, caps: &[service.receive; 3] };
        system.syscall(service.server, Syscall::ReplyRecv, service.receive, &reply);
        system.assert_running(service.client);
        assert_eq!(system.context(service.client).info(), MessageInfo::new(0x99, length));
    }
}

#[test]
fn a_caller_receives_one_reply() {
    let mut service = Service::active(200);
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.nb_send(service.server, REPLY, 5, &[5]);
    system.nb_send(service.server, REPLY, 6, &[6]);
    system.reply_recv(service.server, service.receive, 7, &[7]);
    system.assert_message(service.client, 0, 5, &[5]);
}

#[test]
fn reply_and_receive_without_a_caller_only_receives() {
    let service = Service::active(200);
    let mut system = service.plan.boot();
    system.reply_recv(service.server, service.receive, 7, &[7]);
    system.assert_receiving(service.server, service.endpoint);
    system.call(service.client, service.call, 1, &[1]);
    system.assert_message(service.server, Service::BADGE, 1, &[1]);
}

#[test]
fn reply_and_receive_receives_the_next_call_at_once() {
    let mut service = Service::active(50);
    let (other, call) = service.add_client("other", 90, 2);
    let mut system = service.plan.boot();
    system.call(service.client, service.call, 1, &[1]);
    system.call(other, call, 2, &[2]);
    system.recv(service.server, service.receive);
    system.assert_message(service.server, Service::BADGE, 1, &[1]);
    system.reply_recv(service.server, service.receive, 3, &[3]);
    system.assert_running(service.client);
    system.assert_message(service.client, 0, 3, &[3]);
    system.assert_runnable(service.server);
    system.assert_message(service.server, 2, 2, &[2]);
    system.assert_calling(other);
}

#[test]
fn a_server_may_reply_in_any_order() {
    let mut service = Service::active(200);
    let (other, call) = service.add_client("other", 90, 2);
    let second = service.plan.reply();
    let second = service.plan.grant(service.server, second.control());
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.receive(service.server, Syscall::Recv, service.receive, second);
    system.call(other, call, 2, &[]);
    system.nb_send(service.server, second, 22, &[]);
    system.nb_send(service.server, REPLY, 11, &[]);
    system.recv(service.server, service.receive);
    system.assert_message(service.client, 0, 11, &[]);
    system.assert_message(other, 0, 22, &[]);
}

#[test]
fn every_kind_of_send_can_reply() {
    for syscall in [Syscall::Send, Syscall::NbSend, Syscall::Call] {
        let mut service = Service::active(200);
        let mut system = service.boot();
        system.call(service.client, service.call, 1, &[]);
        let answer = Arguments { label: 4, words: &[44], caps: &[] };
        system.syscall(service.server, syscall, REPLY, &answer);
        system.assert_running(service.server);
        system.assert_runnable(service.client);
        system.assert_message(service.client, 0, 4, &[44]);
        if syscall == Syscall::Call {
            system.assert_done(service.server);
        }
    }
}

#[test]
fn receiving_with_an_owed_reply_object_cancels_the_old_caller() {
    for syscall in [Syscall::Recv, Syscall::NbRecv] {
        let mut service = Service::active(200);
        let mut system = service.boot();
        let at_call = system.pc(service.client);
        system.call(service.client, service.call, 1, &[]);
        system.receive(service.server, syscall, service.receive, REPLY);
        system.assert_inactive(service.client);
        assert_eq!(system.pc(service.client), at_call, "its program counter is at the call");
    }
}

#[test]
fn receiving_from_a_notification_ignores_the_reply_object() {
    for syscall in [Syscall::Recv, Syscall::NbRecv] {
        let mut service = Service::active(200);
        let notification = service.plan.notification();
        let wait = service.plan.grant(service.server, notification.waiter());
        let signal = service.plan.grant(service.server, notification.signaller(1));
        let mut system = service.boot();
        system.call(service.client, service.call, 1, &[]);
        system.signal(service.server, signal);
        system.receive(service.server, syscall, wait, REPLY);
        system.assert_calling(service.client);
        system.reply_recv(service.server, service.receive, 2, &[]);
        system.assert_message(service.client, 0, 2, &[]);
    }
}

#[test]
fn a_receive_that_faults_does_not_cancel_the_old_caller() {
    let mut service = Service::active(200);
    let send_only = service.plan.grant(service.server, service.endpoint.caller(5));
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.recv(service.server, send_only);
    system.assert_inactive(service.server);
    system.assert_calling(service.client);
}

#[test]
fn a_reply_to_a_stopped_caller_is_dropped() {
    let mut service = Service::active(200);
    let control = service.plan.grant(service.server, service.client.control());
    let mut system = service.boot();
    let at_call = system.pc(service.client);
    system.call(service.client, service.call, 1, &[]);
    system.call(service.server, control, Label::TcbSuspend.as_raw(), &[]);
    let stopped = *system.context(service.client);
    system.reply_recv(service.server, service.receive, 2, &[2]);
    system.assert_idle();
    assert_eq!(*system.context(service.client), stopped);
    assert_eq!(stopped.registers[PC], at_call);
}

#[test]
fn a_server_of_higher_priority_than_its_caller_continues_after_its_reply() {
    let mut service = Service::active(200);
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.send(service.server, REPLY, 2, &[]);
    system.assert_running(service.server);
    system.recv(service.server, service.receive);
    system.assert_running(service.client);
}

#[test]
fn a_caller_of_higher_priority_runs_at_once_after_the_reply() {
    let mut service = Service::active(50);
    let mut system = service.boot();
    system.call(service.client, service.call, 1, &[]);
    system.send(service.server, REPLY, 2, &[]);
    system.assert_running(service.client);
    system.assert_runnable(service.server);
}
