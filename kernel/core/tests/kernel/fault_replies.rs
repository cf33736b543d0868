//! Replies to faults: registers that the fault allows to set, resuming or stopping the thread, and restarting a child.

use limen_abi::{FaultLabel, Label, MessageInfo};
use limen_core::fault::Fault;
use limen_core::machine::Context;

use crate::support::{Family, LR, PC, REPLY, SP, SPSR, System, Thread, X0};

/// The label of a reply that stops the thread.
const STOP: u64 = 1;

/// The registers of a thread before it faulted, and the system after the reply.
fn answered(fault: Fault, label: u64, words: &[u64]) -> (Family, System, [u64; 36]) {
    let mut family = Family::active(200);
    let mut system = family.boot();
    let before = system.context(family.child).registers;
    system.fault(family.child, fault);
    system.context_mut(family.parent).set_words([0xbad; 4], 4);
    system.reply_recv(family.parent, family.receive, label, words);
    (family, system, before)
}

/// These registers with some changed.
fn with<const N: usize>(mut registers: [u64; 36], changes: [(usize, u64); N]) -> [u64; 36] {
    for (position, value) in changes {
        registers[position] = value;
    }
    registers
}

#[test]
fn an_empty_reply_restarts_the_instruction() {
    for fault in [Family::VM_FAULT, Family::EXCEPTION] {
        let (family, system, before) = answered(fault, 0, &[]);
        system.assert_running(family.child);
        assert_eq!(system.context(family.child).registers, before);
    }
}

#[test]
fn a_reply_to_an_exception_may_set_pc_stack_pointer_and_flags() {
    let (family, system, before) = answered(Family::EXCEPTION, 0, &[0x1111, 0x2222, 0x8000_0000]);
    system.assert_running(family.child);
    let expected = with(before, [(PC, 0x1111), (SP, 0x2222), (SPSR, 0x8000_0000)]);
    assert_eq!(system.context(family.child).registers, expected);
}

#[test]
fn a_reply_to_an_exception_sets_as_many_registers_as_it_has_words() {
    let (family, system, before) = answered(Family::EXCEPTION, 0, &[0x1111]);
    assert_eq!(system.context(family.child).registers, with(before, [(PC, 0x1111)]));
}

#[test]
fn number_and_code_in_a_reply_to_an_exception_are_ignored() {
    let (family, system, before) = answered(Family::EXCEPTION, 0, &[1, 2, 0, 4, 5, 6, 7]);
    assert_eq!(system.context(family.child).registers, with(before, [(PC, 1), (SP, 2), (SPSR, 0)]));
}

#[test]
fn flags_in_a_reply_are_limited_to_those_of_user_mode() {
    let (family, system, _) = answered(Family::EXCEPTION, 0, &[1, 2, u64::MAX]);
    assert_eq!(system.register(family.child, SPSR), 0xf000_1000);
}

#[test]
fn another_label_sets_registers_and_stops_the_thread() {
    let (family, system, before) = answered(Family::EXCEPTION, STOP, &[0x1111]);
    system.assert_inactive(family.child);
    system.assert_idle();
    assert_eq!(system.context(family.child).registers, with(before, [(PC, 0x1111)]));
}

#[test]
fn a_reply_to_a_vm_fault_always_restarts_and_sets_nothing() {
    for label in [0, STOP] {
        let (family, system, before) = answered(Family::VM_FAULT, label, &[1, 2, 3, 4, 5]);
        system.assert_running(family.child);
        assert_eq!(system.context(family.child).registers, before);
    }
}

#[test]
fn a_reply_to_a_capability_fault_restarts_the_system_call() {
    for label in [0, STOP] {
        let mut family = Family::active(200);
        let mut system = family.boot();
        let pc = system.pc(family.child);
        system.wait(family.child, 0x1000);
        system.reply_recv(family.parent, family.receive, label, &[1, 2, 3]);
        system.assert_running(family.child);
        assert_eq!(system.pc(family.child), pc);
        system.wait(family.child, 0x1000);
        system.assert_signal(family.parent, Family::BADGE);
    }
}

#[test]
fn a_reply_to_an_unknown_system_call_may_set_its_registers() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    let before = system.context(family.child).registers;
    system.trap(family.child, -99, 1, MessageInfo::default());
    let words: Vec<u64> = (0..13).map(|word| 0x100 + word).collect();
    system.reply_recv(family.parent, family.receive, 0, &words);
    system.assert_running(family.child);
    let mut expected = with(before, [(PC, 0x108), (SP, 0x109), (LR, 0x10a), (SPSR, 0)]);
    for x in 0..8 {
        expected[X0 + x] = 0x100 + x as u64;
    }
    assert_eq!(system.context(family.child).registers, expected);
}

#[test]
fn a_reply_to_an_unknown_system_call_may_skip_it() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    system.trap(family.child, 5, 1, MessageInfo::default());
    let mut words: Vec<u64> = (0..13).map(|word| system.message_word(family.parent, word)).collect();
    let (before, at_call) = (*system.context(family.child), system.pc(family.child));
    words[8] += 4;
    system.reply_recv(family.parent, family.receive, 0, &words);
    let expected = with(before.registers, [(PC, at_call + 4)]);
    assert_eq!(system.context(family.child).registers, expected);
}

#[test]
fn a_handler_may_reply_by_send() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    system.fault(family.child, Family::EXCEPTION);
    system.send(family.parent, REPLY, 0, &[0x77]);
    system.assert_runnable(family.child);
    assert_eq!(system.pc(family.child), 0x77);
    system.recv(family.parent, family.receive);
    system.assert_running(family.child);
}

#[test]
fn consecutive_faults_are_reported_separately() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    for _ in 0..3 {
        system.fault(family.child, Family::EXCEPTION);
        assert_eq!(system.message_word(family.parent, 3), 0x0200_0000);
        system.reply_recv(family.parent, family.receive, 0, &[]);
        system.fault(family.child, Family::VM_FAULT);
        assert_eq!(system.message_word(family.parent, 1), 0xdead_b000);
        system.reply_recv(family.parent, family.receive, 0, &[]);
    }
    system.assert_running(family.child);
}

/// Restarts a child as Microkit does: writes the program counter and resumes.
fn restart(system: &mut System, family: &Family, thread: Thread, entry: u64) {
    system.expect_current(thread);
    system.call(thread, family.control, Label::TcbWriteRegisters.as_raw(), &[1, 1, entry]);
    system.assert_done(thread);
}

#[test]
fn a_faulted_child_is_restarted_at_its_entry() {
    for fault in [Family::VM_FAULT, Family::EXCEPTION] {
        let mut family = Family::active(200);
        let mut system = family.boot();
        let before = system.context(family.child).registers;
        system.fault(family.child, fault);
        restart(&mut system, &family, family.parent, 0x5000);
        system.recv(family.parent, family.receive);
        system.assert_running(family.child);
        assert_eq!(system.context(family.child).registers, with(before, [(PC, 0x5000)]));
        system.fault(family.child, fault);
        system.assert_signal(family.parent, Family::BADGE);
    }
}

#[test]
fn a_child_restarted_by_a_passive_parent_gets_its_time_back() {
    let mut family = Family::passive(200);
    let time = family.plan.sched_context_of(family.child);
    let mut system = family.boot();
    for _ in 0..2 {
        system.fault(family.child, Family::EXCEPTION);
        restart(&mut system, &family, family.parent, 0x5000);
        system.assert_running(family.parent);
        system.assert_holds(family.parent, Some(time));
        system.recv(family.parent, family.receive);
        system.assert_running(family.child);
        system.assert_holds(family.parent, None);
        system.assert_holds(family.child, Some(time));
    }
}

#[test]
fn a_child_that_a_passive_parent_leaves_stopped_gets_its_time_back() {
    let mut family = Family::passive(200);
    let time = family.plan.sched_context_of(family.child);
    let mut system = family.boot();
    system.fault(family.child, Family::EXCEPTION);
    system.recv(family.parent, family.receive);
    system.assert_inactive(family.child);
    system.assert_holds(family.child, Some(time));
    system.assert_idle();
}

#[test]
fn a_reply_after_a_restart_does_nothing() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    system.fault(family.child, Family::EXCEPTION);
    restart(&mut system, &family, family.parent, 0x5000);
    system.reply_recv(family.parent, family.receive, STOP, &[0x6000]);
    system.assert_running(family.child);
    assert_eq!(system.pc(family.child), 0x5000);
}

#[test]
fn restarting_a_child_drops_its_queued_fault() {
    let family = Family::active(50);
    let mut system = family.plan.boot();
    system.fault(family.child, Family::EXCEPTION);
    restart(&mut system, &family, family.parent, 0x5000);
    system.assert_running(family.child);
    assert_eq!(system.pc(family.child), 0x5000);
    system.wait(family.child, 400);
    system.nb_recv(family.parent, family.receive);
    system.assert_message(
        family.parent,
        Family::BADGE,
        FaultLabel::CapFault.as_raw(),
        &[0x5000, 400, 1, 2, 0],
    );
}

#[test]
fn a_stopped_child_is_resumed_at_the_faulting_instruction() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    let before = *system.context(family.child);
    system.fault(family.child, Family::VM_FAULT);
    system.call(family.parent, family.control, Label::TcbSuspend.as_raw(), &[]);
    system.assert_inactive(family.child);
    system.call(family.parent, family.control, Label::TcbResume.as_raw(), &[]);
    system.recv(family.parent, family.receive);
    system.assert_running(family.child);
    assert_eq!(*system.context(family.child), before);
}
