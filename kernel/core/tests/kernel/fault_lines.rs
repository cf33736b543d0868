//! The console's lines about faults.

use limen_abi::slot::{Badge, FAULT_OBSERVER};
use limen_abi::{MessageInfo, Syscall};
use limen_core::fault::{Access, Fault};

use crate::support::{Family, LR, PC, REPLY, SP, System, Thread};

const FAULT: Fault = Fault::Vm { address: 0x1234, access: Access::Data, status: 0x9200_0046 };

fn family() -> Family {
    let mut family = Family::active(200);
    family.plan.allow_printing();
    family
}

fn lines(system: &System) -> Vec<String> {
    let text = String::from_utf8_lossy(&system.kernel.machine.console);
    text.lines().map(str::to_owned).collect()
}

/// The start of a line about the child, whose fault goes to its parent.
fn start(family: &Family, system: &System) -> String {
    let registers = system.context(family.child).registers;
    let index = limen_core::kernel::PerThread::<u8>::index_of(family.child.id());
    let (pc, sp, lr) = (registers[PC], registers[SP], registers[LR]);
    format!("LIMEN|FAULT program={index} pc={pc:#x} sp={sp:#x} lr={lr:#x}")
}

#[test]
fn a_fault_that_a_waiting_handler_gets_is_printed_once() {
    let mut family = family();
    let mut system = family.boot();
    let start = start(&family, &system);
    system.fault(family.child, FAULT);
    system.assert_running(family.parent);
    let rest = "vm address=0x1234 fetch=0 status=0x92000046 end";
    let [line] = &lines(&system)[..] else { panic!("{:?}", lines(&system)) };
    assert!(line.starts_with(&start) && line.ends_with(rest), "{line}");
}

#[test]
fn faults_in_system_calls_are_printed() {
    let mut family = family();
    let mut system = family.boot();
    system.trap(family.child, -100, 0, MessageInfo::default());
    let [line] = &lines(&system)[..] else { panic!("{:?}", lines(&system)) };
    assert!(line.ends_with(" syscall number=-100 end"), "{line}");
    let mut family = self::family();
    let mut system = family.boot();
    system.receive(family.child, Syscall::Wait, 0x1000, REPLY);
    let [line] = &lines(&system)[..] else { panic!("{:?}", lines(&system)) };
    assert!(line.ends_with(" cap cptr=0x1000 receive=1 outside=1 end"), "{line}");
}

#[test]
fn only_the_first_faults_of_a_program_are_printed() {
    let mut family = family();
    let mut system = family.boot();
    for _ in 0..20 {
        system.fault(family.child, FAULT);
        system.reply_recv(family.parent, family.receive, 0, &[]);
    }
    let lines = lines(&system);
    assert_eq!(lines.len(), 8);
    assert!(lines[7].ends_with(" last end") && !lines[6].contains(" last"), "{lines:?}");
}

#[test]
fn nothing_is_printed_if_printing_is_off() {
    let mut family = Family::active(200);
    let mut system = family.boot();
    system.fault(family.child, FAULT);
    assert!(lines(&system).is_empty());
}

/// A thread above the parent, with an endpoint and a notification that a fault of the child signals.
fn observed() -> (Family, Thread, u64) {
    let mut family = family();
    let observer = family.plan.thread("observer", 254);
    let (endpoint, notification) = (family.plan.endpoint(), family.plan.bound_notification(observer));
    let receive = family.plan.grant(observer, endpoint.receiver());
    family.plan.place(family.child, FAULT_OBSERVER, notification.with(Badge::PRINTED_FAULT | 2, 0));
    (family, observer, receive)
}

#[test]
fn the_observer_runs_before_the_handler_and_delays_nothing_else() {
    let (mut family, observer, receive) = observed();
    let mut system = family.plan.boot_serving(&[(observer, receive), (family.parent, family.receive)]);
    system.fault(family.child, FAULT);
    system.assert_running(observer);
    system.assert_signal(observer, Badge::PRINTED_FAULT | 2);
    system.assert_calling(family.child);
    system.recv(observer, receive);
    system.assert_running(family.parent);
    system.assert_signal(family.parent, Family::BADGE);
    system.reply_recv(family.parent, family.receive, 0, &[]);
    system.assert_running(family.child);
}

#[test]
fn a_program_cannot_signal_its_observer() {
    let (mut family, observer, receive) = observed();
    let mut system = family.plan.boot_serving(&[(observer, receive), (family.parent, family.receive)]);
    system.signal(family.child, FAULT_OBSERVER);
    system.assert_running(family.child);
}

#[test]
fn faults_that_are_not_printed_do_not_wake_the_observer() {
    let (mut family, observer, receive) = observed();
    let mut system = family.plan.boot_serving(&[(observer, receive), (family.parent, family.receive)]);
    for _ in 0..8 {
        system.fault(family.child, FAULT);
        system.recv(observer, receive);
        system.reply_recv(family.parent, family.receive, 0, &[]);
    }
    system.fault(family.child, FAULT);
    system.assert_running(family.parent);
}
