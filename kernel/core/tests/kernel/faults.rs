//! Faults: each word of the message to the handler, and the state of the thread.

use limen_abi::register::AARCH64;
use limen_abi::{FaultLabel, MessageInfo, Syscall};
use limen_core::fault::{Access, Fault};

use crate::support::{Family, LR, PC, REPLY, SP, SPSR, X0, pattern};

/// An empty slot.
const EMPTY: u64 = 400;

#[test]
fn a_vm_fault_reports_pc_address_access_and_status() {
    for (access, prefetch) in [(Access::Data, 0), (Access::Instruction, 1)] {
        let mut family = Family::active(200);
        let mut system = family.boot();
        let pc = system.pc(family.child);
        system.fault(family.child, Fault::Vm { address: 0x1234, access, status: 0x8200_0007 });
        system.assert_running(family.parent);
        let label = FaultLabel::VmFault.as_raw();
        system.assert_message(family.parent, Family::BADGE, label, &[pc, 0x1234, prefetch, 0x8200_0007]);
        system.assert_calling(family.child);
    }
}

#[test]
fn a_user_exception_reports_registers_number_and_code() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    system.context_mut(family.child).registers[SPSR] = 0x6000_0000;
    let registers = system.context(family.child).registers;
    system.fault(family.child, Fault::UserException { number: 0xf200_0001, code: 7 });
    let words = [registers[PC], registers[SP], 0x6000_0000, 0xf200_0001, 7];
    assert_eq!(words.len(), AARCH64.user_exception.len());
    system.assert_message(family.parent, Family::BADGE, FaultLabel::UserException.as_raw(), &words);
}

#[test]
fn an_unknown_system_call_reports_registers_and_number() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    let number = -100;
    let registers = system.context(family.child).registers;
    system.trap(family.child, number, 0x55, MessageInfo::from_raw(0x66));
    let mut words = vec![0x55, 0x66];
    words.extend((2..7).map(|x| pattern(family.child, X0 + x)));
    words.push(number as u64);
    words.extend([registers[PC], registers[SP], registers[LR], registers[SPSR], number as u64]);
    assert_eq!(words.len(), AARCH64.unknown_syscall.len());
    system.assert_message(family.parent, Family::BADGE, FaultLabel::UnknownSyscall.as_raw(), &words);
}

#[test]
fn a_wrong_guard_is_reported_with_guard_and_sizes() {
    let cptr = 0x1000;
    for (syscall, receiving) in [(Syscall::Call, 0), (Syscall::Send, 0), (Syscall::Wait, 1)] {
        let mut family = Family::active(200);
        let mut system = family.boot();
        let pc = system.pc(family.child);
        system.receive(family.child, syscall, cptr, REPLY);
        let words = [pc, cptr, receiving, 4, 58, 0, 49];
        system.assert_message(family.parent, Family::BADGE, FaultLabel::CapFault.as_raw(), &words);
        assert_eq!(system.pc(family.child), pc, "the program counter is at the system call");
    }
}

#[test]
fn receiving_from_an_empty_slot_reports_a_missing_capability() {
    for syscall in [Syscall::Recv, Syscall::NbRecv, Syscall::Wait, Syscall::NbWait] {
        let mut family = Family::active(200);
        let mut system = family.boot();
        let pc = system.pc(family.child);
        system.receive(family.child, syscall, EMPTY, REPLY);
        let words = [pc, EMPTY, 1, 2, 0];
        system.assert_message(family.parent, Family::BADGE, FaultLabel::CapFault.as_raw(), &words);
    }
}

#[test]
fn receiving_without_a_reply_object_reports_the_reply_pointer() {
    for syscall in [Syscall::Recv, Syscall::NbRecv, Syscall::ReplyRecv] {
        let mut family = Family::active(200);
        let inbox = family.plan.endpoint();
        let from = family.plan.grant(family.child, inbox.receiver());
        for reply in [EMPTY, from] {
            let mut system = family.plan.boot();
            system.recv(family.parent, family.receive);
            let pc = system.pc(family.child);
            system.receive(family.child, syscall, from, reply);
            let words = [pc, reply, 1, 2, 0];
            system.assert_message(family.parent, Family::BADGE, FaultLabel::CapFault.as_raw(), &words);
        }
    }
}

#[test]
fn a_wrong_guard_in_the_reply_pointer_is_reported() {
    let mut family = Family::active(200);
    let inbox = family.plan.endpoint();
    let from = family.plan.grant(family.child, inbox.receiver());
    let mut system = family.boot();
    let pc = system.pc(family.child);
    system.receive(family.child, Syscall::Recv, from, 0x2_0000);
    let words = [pc, 0x2_0000, 1, 4, 58, 0, 49];
    system.assert_message(family.parent, Family::BADGE, FaultLabel::CapFault.as_raw(), &words);
}

#[test]
fn a_missing_receive_right_is_reported_before_a_missing_reply_object() {
    let mut family = Family::active(200);
    let inbox = family.plan.endpoint();
    let from = family.plan.grant(family.child, inbox.sender(1));
    let mut system = family.boot();
    let pc = system.pc(family.child);
    system.receive(family.child, Syscall::Recv, from, EMPTY);
    let words = [pc, from, 1, 2, 0];
    system.assert_message(family.parent, Family::BADGE, FaultLabel::CapFault.as_raw(), &words);
}

#[test]
fn a_thread_without_a_handler_stops_at_the_faulting_instruction() {
    let mut family = Family::active(200);
    family.plan.record(family.child).fault_slot = limen_image::NONE;
    let mut system = family.boot();
    let before = *system.context(family.child);
    system.fault(family.child, Family::VM_FAULT);
    system.assert_inactive(family.child);
    system.assert_idle();
    assert_eq!(*system.context(family.child), before);
}

#[test]
fn an_empty_handler_slot_means_no_handler() {
    let mut family = Family::active(200);
    family.plan.record(family.child).fault_slot = EMPTY;
    let mut system = family.boot();
    system.fault(family.child, Family::VM_FAULT);
    system.assert_inactive(family.child);
    system.assert_receiving(family.parent, family.endpoint);
}

#[test]
fn a_handler_capability_without_the_send_right_means_no_handler() {
    let mut family = Family::active(200);
    family.plan.handle_faults(family.child, family.endpoint.receiver());
    let mut system = family.boot();
    system.fault(family.child, Family::VM_FAULT);
    system.assert_inactive(family.child);
    system.assert_receiving(family.parent, family.endpoint);
}

#[test]
fn a_fault_waits_while_the_handler_is_busy() {
    let family = Family::active(50);
    let mut system = family.plan.boot();
    let pc = system.pc(family.child);
    system.fault(family.child, Family::VM_FAULT);
    system.assert_sending(family.child, family.endpoint);
    system.recv(family.parent, family.receive);
    let words = [pc, 0xdead_b000, 0, 0x9200_0046];
    system.assert_message(family.parent, Family::BADGE, FaultLabel::VmFault.as_raw(), &words);
    system.assert_calling(family.child);
}

#[test]
fn faults_queue_by_priority() {
    let mut family = Family::active(10);
    let low = family.add_child("low", 20, 1);
    let mut system = family.plan.boot();
    system.fault(family.child, Family::EXCEPTION);
    system.fault(low, Family::VM_FAULT);
    system.recv(family.parent, family.receive);
    system.assert_signal(family.parent, Family::BADGE);
    system.reply_recv(family.parent, family.receive, 1, &[]);
    system.assert_signal(family.parent, 1);
    system.assert_inactive(family.child);
}

#[test]
fn a_fault_stops_the_thread_if_its_handler_cannot_reply() {
    let family = Family::active(200);
    let mut system = family.plan.boot();
    system.wait(family.parent, family.receive);
    let before = *system.context(family.child);
    system.fault(family.child, Family::VM_FAULT);
    system.assert_running(family.parent);
    system.assert_signal(family.parent, Family::BADGE);
    system.assert_inactive(family.child);
    assert_eq!(*system.context(family.child), before);
}

#[test]
fn a_fault_to_a_passive_parent_lends_the_childs_time() {
    let mut family = Family::passive(200);
    let time = family.plan.sched_context_of(family.child);
    let mut system = family.boot();
    system.fault(family.child, Family::VM_FAULT);
    system.assert_running(family.parent);
    system.assert_holds(family.parent, Some(time));
    system.assert_holds(family.child, None);
    system.reply_recv(family.parent, family.receive, 0, &[]);
    system.assert_running(family.child);
    system.assert_holds(family.child, Some(time));
}

#[test]
fn a_fault_of_a_passive_server_reaches_its_parent_on_the_clients_time() {
    let mut family = Family::passive(200);
    let server = family.plan.passive("server", 150);
    let endpoint = family.plan.endpoint();
    let from = family.plan.grant(server, endpoint.receiver());
    let call = family.plan.grant(family.child, endpoint.caller(9));
    family.plan.handle_faults(server, family.endpoint.caller(4));
    let time = family.plan.sched_context_of(family.child);
    let mut system = family.plan.boot_serving(&[(family.parent, family.receive), (server, from)]);
    system.call(family.child, call, 1, &[]);
    system.fault(server, Family::EXCEPTION);
    system.assert_running(family.parent);
    system.assert_signal(family.parent, 4);
    system.assert_holds(family.parent, Some(time));
    system.reply_recv(family.parent, family.receive, 0, &[]);
    system.assert_running(server);
    system.reply_recv(server, from, 7, &[]);
    system.assert_running(family.child);
    system.assert_holds(family.child, Some(time));
}

#[test]
fn a_fault_of_a_server_that_its_handler_has_called_waits_forever() {
    let mut family = Family::active(50);
    let endpoint = family.plan.endpoint();
    let from = family.plan.grant(family.child, endpoint.receiver());
    let call = family.plan.grant(family.parent, endpoint.caller(2));
    let mut system = family.plan.boot_serving(&[(family.child, from)]);
    system.call(family.parent, call, 1, &[]);
    system.assert_running(family.child);
    system.fault(family.child, Family::VM_FAULT);
    system.assert_sending(family.child, family.endpoint);
    system.assert_calling(family.parent);
    system.assert_idle();
}

#[test]
fn a_fault_of_a_thread_that_is_its_own_handler_waits_forever() {
    let mut family = Family::active(10);
    let own = family.plan.endpoint();
    family.plan.handle_faults(family.child, own.caller(1));
    let mut system = family.plan.boot();
    system.fault(family.child, Family::VM_FAULT);
    system.assert_running(family.parent);
    system.assert_sending(family.child, own);
}
