//! Checks one effect of every system call and every method. A new one does not compile until it has a line here.

use limen_abi::{ErrorCode, Label, Syscall};
use limen_core::machine::PortWidth;

use crate::support::{Arguments, Family, Grant, REPLY, Service, TLS_BASE, Wiring};

const MESSAGE: Arguments<'_> = Arguments { label: 3, words: &[4], caps: &[] };

#[test]
fn every_system_call_has_its_effect() {
    for (syscall, name, _) in Syscall::ALL {
        println!("{name}");
        check(*syscall);
    }
}

/// The client makes the system call while a lower-priority server waits for it.
fn check(syscall: Syscall) {
    let mut service = Service::active(50);
    service.plan.allow_printing();
    let (server, client) = (service.server, service.client);
    let notification = service.plan.notification();
    let wait = service.plan.grant(client, notification.waiter());
    let mut system = service.boot();
    let context = system.context_mut(client);
    context.set_reply_cptr(service.call);
    context.set_send_cptr(service.call);
    let first = match syscall {
        Syscall::Call | Syscall::Send | Syscall::NbSend => service.call,
        _ => wait,
    };
    system.syscall(client, syscall, first, &MESSAGE);
    match syscall {
        Syscall::Call => system.assert_calling(client),
        Syscall::ReplyRecv | Syscall::NbSendRecv | Syscall::NbSendWait | Syscall::Recv | Syscall::Wait => {
            system.assert_waiting(client, notification);
        }
        Syscall::Send | Syscall::NbSend => system.assert_running(client),
        Syscall::NbRecv | Syscall::NbWait => system.assert_signal(client, 0),
        Syscall::Yield | Syscall::Trace => system.assert_running(client),
        Syscall::DebugPutChar => assert_eq!(system.kernel.machine.console, [wait as u8]),
    }
    match syscall {
        Syscall::Call
        | Syscall::ReplyRecv
        | Syscall::NbSendRecv
        | Syscall::NbSendWait
        | Syscall::Send
        | Syscall::NbSend => system.assert_message(server, Service::BADGE, 3, &[4]),
        Syscall::Recv
        | Syscall::NbRecv
        | Syscall::Wait
        | Syscall::NbWait
        | Syscall::Yield
        | Syscall::Trace
        | Syscall::DebugPutChar => system.assert_receiving(server, service.endpoint),
    }
}

#[test]
fn every_method_has_its_effect() {
    for (label, name, _) in Label::ALL {
        println!("{name}");
        match port_width(*label) {
            Some(width) => check_port_method(*label, width),
            None => check_method(*label),
        }
    }
}

/// The access width of an I/O port method; `None` for other methods.
fn port_width(label: Label) -> Option<PortWidth> {
    match label {
        Label::X86IoPortIn8 | Label::X86IoPortOut8 => Some(PortWidth::Byte),
        Label::X86IoPortIn16 | Label::X86IoPortOut16 => Some(PortWidth::TwoBytes),
        Label::X86IoPortIn32 | Label::X86IoPortOut32 => Some(PortWidth::FourBytes),
        _ => None,
    }
}

/// A program reads and writes in a range of eight ports, and is refused outside it.
fn check_port_method(label: Label, width: PortWidth) {
    const FIRST: u64 = 0x3f8;
    let mut family = Family::active(200);
    family.plan.for_ports();
    let slot = family.plan.grant(family.parent, Grant::ports(FIRST, FIRST + 7));
    let parent = family.parent;
    let mut system = family.plan.boot();
    let is_read = matches!(label, Label::X86IoPortIn8 | Label::X86IoPortIn16 | Label::X86IoPortIn32);
    let arguments = Arguments { label: label.as_raw(), words: &[FIRST + 4, 0x1234_5678], caps: &[] };
    let short = Arguments { words: if is_read { &[] } else { &[FIRST + 4] }, ..arguments };
    system.syscall(parent, Syscall::Call, slot, &short);
    system.assert_refused(parent, ErrorCode::TruncatedMessage, &[]);
    system.syscall(parent, Syscall::Call, slot, &arguments);
    if is_read {
        system.assert_message(parent, 0, 0, &[(FIRST + 4) << 8 | width as u64]);
    } else {
        assert_eq!(system.kernel.machine.ports_written, [(0x3fc, width, 0x1234_5678)]);
    }
    let arguments = Arguments { words: &[FIRST + 8 - (width as u64 - 1), 0], ..arguments };
    let outside = Arguments { words: &[FIRST + 8, 0], ..arguments };
    for arguments in [outside, arguments].into_iter().take(if width == PortWidth::Byte { 1 } else { 2 }) {
        system.syscall(parent, Syscall::Call, slot, &arguments);
        system.assert_refused(parent, ErrorCode::IllegalOperation, &[]);
    }
}

/// A parent invokes a child that is ready, or the child's scheduling context, and so on for the other methods.
fn check_method(label: Label) {
    let mut family = Family::active(200);
    let time = family.plan.sched_context_of(family.child);
    let time_slot = family.plan.grant(family.parent, time.control());
    let free = family.plan.sched_context(10);
    let free_slot = family.plan.grant(family.parent, free.control());
    let passive = family.plan.passive("passive", 1);
    let passive_slot = family.plan.grant(family.parent, passive.control());
    let sched_control = family.plan.grant(family.parent, Grant::sched_control());
    let signalled = family.plan.notification();
    let interrupt = family.plan.interrupt(Wiring::Level, signalled, 1);
    let interrupt_slot = family.plan.grant(family.parent, interrupt.control());
    let unbound = family.plan.notification();
    let unbound_slot = family.plan.grant(family.parent, unbound.waiter());
    let bound = family.plan.thread("bound", 2);
    let notification = family.plan.bound_notification(bound);
    let bound_slot = family.plan.grant(family.parent, bound.control());
    let monitor_slot = family.plan.grant(family.parent, Grant::secure_monitor());
    let space_slot = family.plan.grant(family.parent, Grant::vspace(family.child));
    let fpu_counters = family.plan.grant(family.parent, Grant::fpu_counters());
    let fpu_policy = family.plan.grant(family.parent, Grant::fpu_policy());
    let key = family.plan.key(true);
    let key_slot = family.plan.grant(family.parent, Grant::key(key));
    let probe = family.plan.grant(family.parent, Grant::probe());
    let digest = family.plan.digest(family.parent);
    let service_slot = family.plan.grant(family.parent, Grant::service(digest));
    let (parent, child) = (family.parent, family.child);
    let mut system = family.plan.boot();
    if matches!(label, Label::ProbeStop | Label::ProbeArm | Label::ProbeRead) {
        system.call(parent, probe, Label::ProbeStart.as_raw(), &[]);
    }
    system.set_asserted(interrupt, true);
    system.take_interrupts();
    let slot = match label {
        Label::SchedControlConfigureFlags => sched_control,
        Label::FpuReadCounters => fpu_counters,
        Label::FpuSetPolicy => fpu_policy,
        Label::KeyEnable
        | Label::KeyDisable
        | Label::KeyInc
        | Label::KeyDec
        | Label::KeyFollow
        | Label::KeyRead => key_slot,
        Label::ProbeStart | Label::ProbeStop | Label::ProbeArm | Label::ProbeRead => probe,
        Label::ServiceRun => service_slot,
        Label::IrqHandlerAck => interrupt_slot,
        Label::TcbSetPriority
        | Label::TcbSetMcPriority
        | Label::TcbBindNotification
        | Label::TcbSetTlsBase => family.control,
        Label::TcbUnbindNotification => bound_slot,
        Label::ArmSmcCall => monitor_slot,
        Label::ArmVspaceCleanData
        | Label::ArmVspaceInvalidateData
        | Label::ArmVspaceCleanInvalidateData
        | Label::ArmVspaceUnifyInstruction => space_slot,
        Label::TcbReadRegisters
        | Label::TcbWriteRegisters
        | Label::TcbSuspend
        | Label::TcbResume
        | Label::TcbSetFlags => family.control,
        Label::SchedContextUnbind | Label::SchedContextUnbindObject | Label::SchedContextConsumed => {
            time_slot
        }
        Label::SchedContextBind => free_slot,
        _ => unreachable!("checked above"),
    };
    let caps = [match label {
        Label::SchedContextBind => passive_slot,
        Label::TcbBindNotification => unbound_slot,
        Label::SchedControlConfigureFlags => time_slot,
        _ => family.control,
    }];
    let words: &[u64] = match label {
        Label::SchedControlConfigureFlags => &[30, 500, 0, 7, 0],
        Label::TcbSetPriority | Label::TcbSetMcPriority => &[7],
        Label::TcbSetTlsBase => &[0x7000],
        Label::ProbeArm => &[0, 0x1234, 0x1238, 1],
        Label::ArmSmcCall => &[10, 20, 30, 40, 50, 60, 70, 80],
        _ => &[0, 1, 0x1234],
    };
    let arguments = Arguments { label: label.as_raw(), words, caps: &caps };
    system.syscall(parent, Syscall::Call, slot, &arguments);
    match label {
        Label::TcbReadRegisters => system.assert_message(parent, 0, 0, &[system.pc(child)]),
        Label::TcbWriteRegisters => assert_eq!(system.pc(child), 0x1234),
        Label::TcbSetPriority => assert_eq!(system.kernel.threads[child.id()].priority, 7),
        Label::TcbSetMcPriority => assert_eq!(system.kernel.threads[child.id()].max_priority, 7),
        Label::TcbBindNotification => {
            assert_eq!(system.kernel.threads[child.id()].notification, Some(unbound.id()));
        }
        Label::TcbUnbindNotification => {
            assert_eq!(system.kernel.notifications[notification.id()].thread, None);
        }
        Label::TcbSetTlsBase => assert_eq!(system.register(child, TLS_BASE), 0x7000),
        Label::ArmVspaceCleanData
        | Label::ArmVspaceInvalidateData
        | Label::ArmVspaceCleanInvalidateData
        | Label::ArmVspaceUnifyInstruction => {
            assert_eq!(system.kernel.machine.caches_maintained.len(), 1, "the range is one chunk");
        }
        Label::ArmSmcCall => {
            system.assert_message(parent, 0, 0, &[11, 21, 31, 41, 51, 61, 71, 81]);
        }
        Label::TcbSuspend => system.assert_inactive(child),
        Label::TcbResume => system.assert_runnable(child),
        Label::TcbSetFlags => system.assert_message(parent, 0, 0, &[1]),
        Label::FpuReadCounters => system.assert_message(parent, 0, 0, &[0, 1, 1, 0, 0]),
        Label::FpuSetPolicy => system.assert_message(parent, 0, 0, &[]),
        Label::KeyEnable | Label::KeyInc => assert_eq!(system.kernel.machine.key_flips, []),
        Label::KeyDisable | Label::KeyDec => {
            assert_eq!(system.kernel.machine.key_flips, [(key, false)]);
        }
        Label::KeyFollow => system.assert_message(parent, 0, 0, &[]),
        Label::KeyRead => system.assert_message(parent, 0, 0, &[1, 1, 0]),
        Label::ProbeStart => assert_eq!(system.kernel.machine.probing, [true]),
        Label::ProbeStop => assert_eq!(system.kernel.machine.probing, [true, false]),
        Label::ProbeArm => system.assert_message(parent, 0, 0, &[]),
        Label::ProbeRead => system.assert_message(parent, 0, 0, &[0, 0, 0, 0, 0, 0, 1, 0]),
        Label::ServiceRun => system.assert_at_work(parent),
        Label::SchedContextBind => system.assert_holds(passive, Some(free)),
        Label::SchedContextUnbind | Label::SchedContextUnbindObject => system.assert_holds(child, None),
        Label::SchedControlConfigureFlags => {
            system.assert_message(parent, 0, 0, &[]);
            assert!(system.kernel.sporadic_servers[time.id()].is_limited());
        }
        Label::SchedContextConsumed => system.assert_message(parent, 0, 0, &[0]),
        Label::IrqHandlerAck => assert_eq!(system.take_interrupts(), 1),
        _ => unreachable!("checked above"),
    }
    assert_ne!(slot, REPLY);
}
