//! Calls: what the server receives, what the client keeps, and which thread runs.

use limen_abi::message::BufferWord;
use limen_abi::{ErrorCode, MessageInfo, Syscall};
use limen_core::machine::{Context, Machine};
use limen_image::Rights;

use crate::support::{Arguments, PC, Plan, Service, X0};

const LABEL: u64 = 0x77;

/// Message words for a message of this length.
fn words(length: usize) -> Vec<u64> {
    (0..length as u64).map(|word| 0x1000 + word).collect()
}

#[test]
fn the_server_receives_badge_label_and_words_of_any_length() {
    for length in [0, 1, 2, 3, 4, 5, 6, 64, 119, 120] {
        let mut service = Service::active(200);
        let mut system = service.boot();
        system.call(service.client, service.call, LABEL, &words(length));
        system.assert_running(service.server);
        system.assert_message(service.server, Service::BADGE, LABEL, &words(length));
        system.assert_calling(service.client);
    }
}

#[test]
fn a_message_is_cut_to_120_words() {
    for claimed in 121..=127 {
        let mut service = Service::active(200);
        let mut system = service.boot();
        system.put_message(service.client, &Arguments { label: LABEL, words: &words(120), caps: &[] });
        let info = MessageInfo::from_raw(LABEL << MessageInfo::LABEL_SHIFT | claimed);
        let buffer = &system.kernel.machine.buffers()[service.server.id()];
        buffer.set_word(BufferWord::USER_DATA, 0x5afe);
        system.trap(service.client, Syscall::Call.as_raw(), service.call, info);
        system.assert_message(service.server, Service::BADGE, LABEL, &words(120));
        let buffer = &system.kernel.machine.buffers()[service.server.id()];
        assert_eq!(buffer.word(BufferWord::USER_DATA), 0x5afe, "the word after the message");
    }
}

#[test]
fn a_label_has_52_bits() {
    let label = (1 << 52) - 1;
    let mut service = Service::active(200);
    let mut system = service.boot();
    system.call(service.client, service.call, label, &[1]);
    system.assert_message(service.server, Service::BADGE, label, &[1]);
}

#[test]
fn registers_beyond_the_length_keep_their_values() {
    for length in 0..4 {
        let mut service = Service::active(200);
        let mut system = service.boot();
        let before = *system.context(service.server);
        system.call(service.client, service.call, LABEL, &words(length));
        let after = system.context(service.server);
        for word in length..4 {
            assert_eq!(after.words()[word], before.words()[word], "word {word} of a message of {length}");
        }
    }
}

#[test]
fn buffer_words_beyond_the_length_keep_their_values() {
    let mut service = Service::active(200);
    let mut system = service.boot();
    let buffers = system.kernel.machine.buffers();
    for offset in 0..BufferWord::COUNT {
        buffers[service.server.id()].set_word(offset, 0xb0 + offset as u64);
    }
    system.call(service.client, service.call, LABEL, &words(6));
    let buffer = &system.kernel.machine.buffers()[service.server.id()];
    let written = BufferWord::MESSAGE + 4..BufferWord::MESSAGE + 6;
    for offset in (0..BufferWord::COUNT).filter(|offset| !written.contains(offset)) {
        assert_eq!(buffer.word(offset), 0xb0 + offset as u64, "word {offset} of the buffer");
    }
}

#[test]
fn a_message_changes_message_registers_only() {
    let mut service = Service::active(200);
    let mut system = service.boot();
    let before = system.context(service.server).registers;
    system.call(service.client, service.call, LABEL, &words(120));
    let after = system.context(service.server).registers;
    for position in (0..before.len()).filter(|position| !(X0..X0 + 6).contains(position)) {
        assert_eq!(after[position], before[position], "register {position}");
    }
}

#[test]
fn the_caller_keeps_its_registers_while_it_waits() {
    let mut service = Service::active(200);
    let mut system = service.boot();
    system.call(service.client, service.call, LABEL, &[1, 2, 3, 4]);
    let waiting = *system.context(service.client);
    system.reply_recv(service.server, service.receive, 0, &[9]);
    system.assert_message(service.client, 0, 0, &[9]);
    let after = *system.context(service.client);
    assert_eq!(after.words(), [9, 2, 3, 4], "words beyond the reply");
    assert_eq!(after.registers[PC], waiting.registers[PC], "the call is not repeated");
    assert_eq!(after.registers[X0 + 6..], waiting.registers[X0 + 6..]);
}

#[test]
fn extra_capabilities_are_not_delivered() {
    for length in [0, 1, 4, 5, 120] {
        let mut service = Service::active(200);
        let mut system = service.boot();
        system.syscall(
            service.client,
            Syscall::Call,
            service.call,
            &Arguments { label: LABEL, words: &words(length), caps: &[service.call; 3] },
        );
        system.assert_calling(service.client);
        assert_eq!(system.context(service.server).info(), MessageInfo::new(LABEL, length));
    }
}

#[test]
fn calls_nest() {
    let mut plan = Plan::new();
    let [c, b, a] = [("c", 30), ("b", 20), ("a", 10)].map(|(name, priority)| plan.thread(name, priority));
    let [to_b, to_c] = [plan.endpoint(), plan.endpoint()];
    let (from_a, from_b) = (plan.grant(b, to_b.receiver()), plan.grant(c, to_c.receiver()));
    let (call_b, call_c) = (plan.grant(a, to_b.caller(0xa)), plan.grant(b, to_c.caller(0xb)));
    let mut system = plan.boot();
    system.recv(c, from_b);
    system.recv(b, from_a);
    system.call(a, call_b, 1, &[1]);
    system.call(b, call_c, 2, &[2]);
    system.assert_message(c, 0xb, 2, &[2]);
    system.reply_recv(c, from_b, 3, &[3]);
    system.assert_running(b);
    system.assert_message(b, 0, 3, &[3]);
    system.reply_recv(b, from_a, 4, &[4]);
    system.assert_running(a);
    system.assert_message(a, 0, 4, &[4]);
}

#[test]
fn a_server_of_equal_priority_runs_at_once() {
    let mut service = Service::active(Service::CLIENT_PRIORITY);
    let (bystander, _) = service.add_client("bystander", Service::CLIENT_PRIORITY, 2);
    let mut system = service.boot();
    system.call(service.client, service.call, LABEL, &[]);
    system.assert_running(service.server);
    system.reply_recv(service.server, service.receive, 0, &[]);
    system.assert_running(service.client);
    system.assert_runnable(bystander);
}

#[test]
fn a_server_of_low_priority_waits_for_the_processor() {
    let mut service = Service::active(10);
    let (bystander, _) = service.add_client("bystander", 50, 2);
    let mut system = service.boot();
    system.call(service.client, service.call, LABEL, &[5]);
    system.assert_running(bystander);
    system.assert_message(service.server, Service::BADGE, LABEL, &[5]);
    system.assert_calling(service.client);
}

#[test]
fn callers_are_served_by_priority_and_then_in_order_of_arrival() {
    let mut service = Service::active(1);
    let (first, call_first) = service.add_client("first", 50, 1);
    let (second, call_second) = service.add_client("second", 50, 2);
    let (last, call_last) = service.add_client("last", 20, 3);
    let waker = service.plan.thread("waker", 10);
    let gate = service.plan.notification();
    let [wait, wait_second] = [service.client, second].map(|t| service.plan.grant(t, gate.waiter()));
    let open = service.plan.grant(waker, gate.signaller(1));
    let never = service.plan.notification();
    let sleep = service.plan.grant(waker, never.waiter());
    let mut system = service.plan.boot();
    system.wait(service.client, wait);
    system.call(first, call_first, 0, &[]);
    system.wait(second, wait_second);
    system.call(last, call_last, 0, &[]);
    system.signal(waker, open);
    system.call(service.client, service.call, 0, &[]);
    system.signal(waker, open);
    system.call(second, call_second, 0, &[]);
    system.wait(waker, sleep);
    system.recv(service.server, service.receive);
    for badge in [Service::BADGE, 1, 2, 3] {
        system.assert_message(service.server, badge, 0, &[]);
        system.recv(service.server, service.receive);
    }
}

#[test]
fn a_caller_without_the_grant_reply_right_stops() {
    let mut service = Service::active(200);
    let slot = service.plan.grant(service.client, service.endpoint.sender(3));
    let mut system = service.boot();
    system.call(service.client, slot, LABEL, &[1]);
    system.assert_message(service.server, 3, LABEL, &[1]);
    system.assert_inactive(service.client);
}

#[test]
fn the_grant_right_includes_grant_reply() {
    let mut service = Service::active(200);
    let slot = service.plan.grant(service.client, service.endpoint.with(3, Rights::SEND | Rights::GRANT));
    let mut system = service.boot();
    system.call(service.client, slot, LABEL, &[1]);
    system.reply_recv(service.server, service.receive, 8, &[]);
    system.assert_running(service.client);
    system.assert_message(service.client, 0, 8, &[]);
}

#[test]
fn a_queued_caller_without_the_grant_reply_right_stops_when_its_call_is_received() {
    let mut service = Service::active(10);
    let slot = service.plan.grant(service.client, service.endpoint.sender(3));
    let mut system = service.plan.boot();
    system.call(service.client, slot, LABEL, &[1]);
    system.assert_sending(service.client, service.endpoint);
    system.recv(service.server, service.receive);
    system.assert_message(service.server, 3, LABEL, &[1]);
    system.assert_inactive(service.client);
}

#[test]
fn a_caller_stops_when_the_receiver_has_no_reply_object() {
    let service = Service::active(200);
    let mut system = service.plan.boot();
    system.wait(service.server, service.receive);
    system.call(service.client, service.call, LABEL, &[1]);
    system.assert_message(service.server, Service::BADGE, LABEL, &[1]);
    system.assert_inactive(service.client);
}

#[test]
fn a_call_without_the_right_to_send_is_an_error() {
    for rights in [Rights::RECEIVE, Rights::GRANT, Rights::GRANT_REPLY, Rights::ALL & !Rights::SEND] {
        let mut service = Service::active(200);
        let slot = service.plan.grant(service.client, service.endpoint.with(3, rights));
        let mut system = service.boot();
        system.call(service.client, slot, LABEL, &[1]);
        system.assert_refused(service.client, ErrorCode::InvalidCapability, &[0]);
        system.assert_receiving(service.server, service.endpoint);
    }
}

#[test]
fn a_call_goes_to_the_waiting_server_of_the_highest_priority() {
    let mut service = Service::active(150);
    let helper = service.plan.thread("helper", 200);
    let from = service.plan.grant(helper, service.endpoint.receiver());
    let (other, call_other) = service.add_client("other", 90, 2);
    let mut system = service.plan.boot_serving(&[(service.server, service.receive), (helper, from)]);
    system.call(service.client, service.call, 1, &[]);
    system.assert_running(helper);
    system.assert_message(helper, Service::BADGE, 1, &[]);
    system.call(helper, from, 0, &[]);
    system.assert_refused(helper, ErrorCode::InvalidCapability, &[0]);
    system.receive(helper, Syscall::Wait, from, 0);
    system.call(other, call_other, 2, &[]);
    system.assert_message(helper, 2, 2, &[]);
    system.assert_receiving(service.server, service.endpoint);
}
