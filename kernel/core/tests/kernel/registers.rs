//! Reading and writing the registers of other threads.

use limen_abi::{ErrorCode, Label, Syscall};

use crate::support::{Family, PC, Plan, REPLY, SPSR, System, Thread};

const READ: u64 = Label::TcbReadRegisters.as_raw();
const WRITE: u64 = Label::TcbWriteRegisters.as_raw();
const COUNT: u64 = 36;

/// A running debugger, and a program that is ready.
fn debugger() -> (System, Thread, Thread, u64) {
    let mut plan = Plan::new();
    let [debugger, program] = [("debugger", 200), ("program", 100)].map(|(n, p)| plan.thread(n, p));
    let control = plan.grant(debugger, program.control());
    (plan.boot(), debugger, program, control)
}

#[test]
fn registers_are_read_in_order() {
    for count in [1, 3, 4, 5, 20, COUNT] {
        let (mut system, debugger, program, control) = debugger();
        let registers = system.context(program).registers;
        system.call(debugger, control, READ, &[0, count]);
        system.assert_running(debugger);
        system.assert_message(debugger, 0, 0, &registers[..count as usize]);
        assert_eq!(system.context(program).registers, registers);
        system.assert_runnable(program);
    }
}

#[test]
fn reading_can_suspend_first() {
    let (mut system, debugger, program, control) = debugger();
    system.call(debugger, control, READ, &[1, 1]);
    system.assert_inactive(program);
    system.assert_message(debugger, 0, 0, &[system.pc(program)]);
}

#[test]
fn undefined_flag_bits_are_ignored() {
    let (mut system, debugger, program, control) = debugger();
    system.call(debugger, control, READ, &[0xff02, 1]);
    system.assert_runnable(program);
}

#[test]
fn a_thread_in_a_system_call_reads_as_at_its_instruction() {
    let mut family = Family::active(50);
    let notification = family.plan.notification();
    let wait = family.plan.grant(family.child, notification.waiter());
    let mut system = family.plan.boot();
    let pc = system.pc(family.child);
    system.wait(family.child, wait);
    system.call(family.parent, family.control, READ, &[0, 1]);
    system.assert_message(family.parent, 0, 0, &[pc]);
    system.assert_waiting(family.child, notification);
    system.call(family.parent, family.control, READ, &[1, 1]);
    system.assert_message(family.parent, 0, 0, &[pc]);
    system.assert_inactive(family.child);
}

#[test]
fn a_faulted_thread_reads_as_at_its_instruction() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    let pc = system.pc(family.child);
    system.fault(family.child, Family::VM_FAULT);
    system.call(family.parent, family.control, READ, &[0, 1]);
    system.assert_message(family.parent, 0, 0, &[pc]);
    system.assert_calling(family.child);
}

#[test]
fn the_number_of_registers_to_read_is_limited() {
    let (mut system, debugger, _, control) = debugger();
    for count in [0, COUNT + 1, u64::MAX] {
        system.call(debugger, control, READ, &[0, count]);
        system.assert_refused(debugger, ErrorCode::RangeError, &[1, COUNT]);
    }
}

#[test]
fn reading_and_writing_need_two_words() {
    let (mut system, debugger, _, control) = debugger();
    for label in [READ, WRITE] {
        for words in [&[][..], &[0][..]] {
            system.call(debugger, control, label, words);
            system.assert_refused(debugger, ErrorCode::TruncatedMessage, &[]);
        }
    }
}

#[test]
fn a_thread_cannot_read_or_write_its_own_registers() {
    let mut plan = Plan::new();
    let thread = plan.thread("thread", 1);
    let own = plan.grant(thread, thread.control());
    let mut system = plan.boot();
    system.call(thread, own, READ, &[0, 1]);
    system.assert_refused(thread, ErrorCode::IllegalOperation, &[]);
    system.call(thread, own, WRITE, &[1, 1, 0x1000]);
    system.assert_refused(thread, ErrorCode::IllegalOperation, &[]);
    assert_eq!(system.pc(thread), 0x20_0000 + 8);
}

#[test]
fn errors_are_checked_in_order() {
    let mut plan = Plan::new();
    let thread = plan.thread("thread", 1);
    let own = plan.grant(thread, thread.control());
    let mut system = plan.boot();
    system.call(thread, own, READ, &[0]);
    system.assert_refused(thread, ErrorCode::TruncatedMessage, &[]);
    system.call(thread, own, READ, &[0, 0]);
    system.assert_refused(thread, ErrorCode::RangeError, &[1, COUNT]);
    system.call(thread, own, WRITE, &[0, 2, 7]);
    system.assert_refused(thread, ErrorCode::TruncatedMessage, &[]);
}

#[test]
fn registers_are_written_in_order() {
    for count in [0, 1, 2, 3, 20, COUNT] {
        let (mut system, debugger, program, control) = debugger();
        let mut expected = system.context(program).registers;
        let mut words = vec![0, count];
        for (position, register) in expected.iter_mut().enumerate().take(count as usize) {
            *register = if position == SPSR { 0x9000_0000 } else { 0x4000 + position as u64 };
            words.push(*register);
        }
        system.call(debugger, control, WRITE, &words);
        system.assert_running(debugger);
        system.assert_done(debugger);
        assert_eq!(system.context(program).registers, expected);
    }
}

#[test]
fn more_values_than_registers_are_ignored() {
    let (mut system, debugger, program, control) = debugger();
    let words: Vec<u64> = [0, 118].into_iter().chain((0..118).map(|word| 0x4000 + word)).collect();
    system.call(debugger, control, WRITE, &words);
    system.assert_done(debugger);
    assert_eq!(system.context(program).registers[35], 0x4000 + 35);
}

#[test]
fn a_count_beyond_the_message_is_an_error() {
    let (mut system, debugger, program, control) = debugger();
    let before = *system.context(program);
    for count in [2, 3, u64::MAX] {
        system.call(debugger, control, WRITE, &[0, count, 0x1000]);
        system.assert_refused(debugger, ErrorCode::TruncatedMessage, &[]);
    }
    assert_eq!(*system.context(program), before);
}

#[test]
fn written_flags_are_limited_to_those_of_user_mode() {
    let (mut system, debugger, program, control) = debugger();
    system.call(debugger, control, WRITE, &[0, 3, 1, 2, u64::MAX]);
    assert_eq!(system.register(program, SPSR), 0xf000_1000);
}

#[test]
fn writing_resumes_only_on_request() {
    for resume in [0, 1] {
        let (mut system, debugger, program, control) = debugger();
        system.call(debugger, control, Label::TcbSuspend.as_raw(), &[]);
        system.call(debugger, control, WRITE, &[resume, 1, 0x7000]);
        assert_eq!(system.pc(program), 0x7000);
        match resume {
            0 => system.assert_inactive(program),
            _ => system.assert_runnable(program),
        }
    }
}

#[test]
fn writing_with_resume_cancels_any_wait() {
    for syscall in [Syscall::Recv, Syscall::Call, Syscall::Send] {
        let mut family = Family::active(50);
        let meeting = family.plan.endpoint();
        let slot = family.plan.grant(family.child, meeting.with(1, limen_image::Rights::ALL));
        let mut system = family.plan.boot();
        system.receive(family.child, syscall, slot, REPLY);
        system.assert_running(family.parent);
        system.call(family.parent, family.control, WRITE, &[1, 1, 0x7000]);
        system.assert_running(family.child);
        assert_eq!(system.register(family.child, PC), 0x7000);
        assert!(system.kernel.endpoints[meeting.id()].first().is_none());
    }
}

#[test]
fn resuming_a_waiting_thread_without_values_restarts_its_system_call() {
    let mut family = Family::active(50);
    let notification = family.plan.notification();
    let wait = family.plan.grant(family.child, notification.waiter());
    let mut system = family.plan.boot();
    let pc = system.pc(family.child);
    system.wait(family.child, wait);
    system.call(family.parent, family.control, WRITE, &[1, 0]);
    system.assert_running(family.child);
    assert_eq!(system.pc(family.child), pc);
}

/// A child that waits in a system call while its parent writes its program counter, and the slots of child and parent
/// for the endpoint of the call.
fn written_while_it_waits(syscall: Syscall) -> (System, Family, [u64; 2]) {
    let mut family = Family::active(50);
    let meeting = family.plan.endpoint();
    let slot = family.plan.grant(family.child, meeting.with(1, limen_image::Rights::ALL));
    let other_side = family.plan.grant(family.parent, meeting.with(2, limen_image::Rights::ALL));
    let mut system = family.plan.boot();
    system.receive(family.child, syscall, slot, REPLY);
    system.call(family.parent, family.control, WRITE, &[0, 1, 0x7000]);
    system.call(family.parent, family.control, READ, &[0, 1]);
    system.assert_message(family.parent, 0, 0, &[0x7000]);
    (system, family, [slot, other_side])
}

const WAITS: [Syscall; 3] = [Syscall::Recv, Syscall::Call, Syscall::Send];

#[test]
fn a_program_counter_written_during_a_system_call_is_where_the_thread_resumes() {
    for syscall in WAITS {
        let (mut system, family, _) = written_while_it_waits(syscall);
        system.call(family.parent, family.control, Label::TcbResume.as_raw(), &[]);
        system.assert_running(family.child);
        assert_eq!(system.pc(family.child), 0x7000);
    }
}

#[test]
fn a_program_counter_written_during_a_system_call_is_where_the_thread_continues() {
    for syscall in WAITS {
        let (mut system, family, [_, other_side]) = written_while_it_waits(syscall);
        match syscall {
            Syscall::Recv => system.send(family.parent, other_side, 0, &[]),
            _ => system.recv(family.parent, other_side),
        }
        if syscall == Syscall::Call {
            system.assert_calling(family.child);
            system.call(family.parent, family.control, Label::TcbResume.as_raw(), &[]);
        }
        system.assert_running(family.child);
        assert_eq!(system.pc(family.child), 0x7000);
    }
}

#[test]
fn a_written_program_counter_applies_to_one_wait_only() {
    let (mut system, family, [slot, other_side]) = written_while_it_waits(Syscall::Recv);
    system.send(family.parent, other_side, 0, &[]);
    system.recv(family.child, slot);
    assert_ne!(system.pc(family.child), 0x7000);
    system.call(family.parent, family.control, Label::TcbResume.as_raw(), &[]);
    system.assert_running(family.child);
    assert_eq!(system.pc(family.child), 0x7000);
}
