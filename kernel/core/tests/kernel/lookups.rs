//! Capability pointers that cannot be resolved, and capabilities of the wrong kind.

use limen_abi::{ErrorCode, Label, Syscall};

use crate::support::{Arguments, Family, REPLY, X0};

/// An empty slot.
const EMPTY: u64 = 400;
/// Pointers to empty root slots.
const ROOT_SLOTS: [u64; 3] = [1 << 58, 63 << 58, u64::MAX];
/// Pointers with bits set between the root slot and the program's own table.
const WRONG_GUARDS: [u64; 4] = [512, 1 << 20, 1 << 57, (1 << 58) - 1];

#[test]
fn calling_an_empty_slot_is_an_error() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    for slot in [0, EMPTY, 511].into_iter().chain(ROOT_SLOTS) {
        system.call(family.child, slot, 0, &[1, 2]);
        system.assert_refused(family.child, ErrorCode::InvalidCapability, &[0]);
    }
}

#[test]
fn calling_or_sending_with_a_wrong_guard_is_a_fault() {
    for syscall in [Syscall::Call, Syscall::Send] {
        for cptr in WRONG_GUARDS {
            let mut family = Family::active(200);
            let mut system = family.boot();
            system.syscall(family.child, syscall, cptr, &Arguments::default());
            system.assert_running(family.parent);
            assert_eq!(system.message_word(family.parent, 1), cptr);
            assert_eq!(system.message_word(family.parent, 2), 0, "the send phase");
        }
    }
}

#[test]
fn non_blocking_sends_ignore_lookup_failures() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    for cptr in WRONG_GUARDS.into_iter().chain(ROOT_SLOTS).chain([EMPTY]) {
        system.nb_send(family.child, cptr, 1, &[2]);
        system.assert_running(family.child);
        assert_eq!(system.register(family.child, X0), cptr);
    }
}

#[test]
fn sends_to_an_empty_slot_are_ignored() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    for cptr in [EMPTY].into_iter().chain(ROOT_SLOTS) {
        system.send(family.child, cptr, 1, &[2]);
        system.assert_running(family.child);
    }
}

#[test]
fn compound_system_calls_receive_even_if_the_send_lookup_fails() {
    for cptr in WRONG_GUARDS.into_iter().chain(ROOT_SLOTS).chain([EMPTY]) {
        let mut family = Family::active(50);
        let notification = family.plan.notification();
        let wait = family.plan.grant(family.child, notification.waiter());
        let plan = &family.plan;
        let mut system = plan.boot();
        system.nb_send_recv(family.child, cptr, wait, 0, &[]);
        system.assert_waiting(family.child, notification);
        let mut system = plan.boot();
        system.nb_send_wait(family.child, cptr, wait, 0, &[]);
        system.assert_waiting(family.child, notification);
        let mut system = plan.boot();
        system.reply_recv_with(family.child, cptr, wait, 0, &[]);
        system.assert_waiting(family.child, notification);
    }
}

#[test]
fn a_receive_lookup_failure_is_a_fault_in_every_receiving_system_call() {
    let receiving = [
        Syscall::Recv,
        Syscall::NbRecv,
        Syscall::Wait,
        Syscall::NbWait,
        Syscall::ReplyRecv,
        Syscall::NbSendRecv,
        Syscall::NbSendWait,
    ];
    for syscall in receiving {
        for cptr in [EMPTY, 600, 1 << 58] {
            let mut family = Family::active(200);
            let mut system = family.boot();
            let pc = system.pc(family.child);
            system.receive(family.child, syscall, cptr, REPLY);
            system.assert_running(family.parent);
            let words = [0, 1, 2].map(|word| system.message_word(family.parent, word));
            assert_eq!(words, [pc, cptr, 1]);
        }
    }
}

#[test]
fn receiving_from_an_object_without_messages_is_a_fault() {
    let mut family = Family::active(200);
    let time = family.plan.sched_context_of(family.child);
    let slots = [
        family.plan.grant(family.child, family.child.control()),
        family.plan.grant(family.child, time.control()),
        REPLY,
    ];
    for slot in slots {
        let mut system = family.plan.boot();
        system.recv(family.parent, family.receive);
        system.recv(family.child, slot);
        system.assert_running(family.parent);
        let words = [1, 2, 3, 4].map(|word| system.message_word(family.parent, word));
        assert_eq!(words, [slot, 1, 2, 0]);
    }
}

#[test]
fn a_send_takes_effect_even_if_the_receive_faults() {
    let mut family = Family::active(50);
    let notification = family.plan.notification();
    let signal = family.plan.grant(family.child, notification.signaller(2));
    let poll = family.plan.grant(family.parent, notification.waiter());
    let mut system = family.boot();
    system.nb_send_recv(family.child, signal, EMPTY, 0, &[]);
    system.assert_running(family.parent);
    system.nb_wait(family.parent, poll);
    system.assert_signal(family.parent, 2);
}

#[test]
fn a_capability_argument_with_a_wrong_guard_is_a_fault() {
    for syscall in [Syscall::Call, Syscall::Send] {
        let mut family = Family::active(200);
        let time = family.plan.sched_context(10);
        let time = family.plan.grant(family.child, time.control());
        let mut system = family.boot();
        let label = Label::SchedContextBind.as_raw();
        system.syscall(family.child, syscall, time, &Arguments { label, words: &[], caps: &[1 << 30] });
        system.assert_running(family.parent);
        let words = [1, 2, 3].map(|word| system.message_word(family.parent, word));
        assert_eq!(words, [1 << 30, 0, 4]);
    }
}

#[test]
fn a_capability_argument_with_a_wrong_guard_is_ignored_by_non_blocking_sends() {
    let mut family = Family::active(200);
    let time = family.plan.sched_context(10);
    let time = family.plan.grant(family.child, time.control());
    let mut system = family.boot();
    let label = Label::SchedContextBind.as_raw();
    system.syscall(family.child, Syscall::NbSend, time, &Arguments { label, words: &[], caps: &[1 << 30] });
    system.assert_running(family.child);
}
