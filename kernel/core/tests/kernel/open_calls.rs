//! Open calls: whatever event comes before the reply must find the same state as after a call on the slow path.
//!
//! Each script runs on two equal systems, one of them on the slow path only, and the systems are compared after each
//! step. The comparison flushes open calls, so for each step the system starts anew and keeps calls open until then.

use limen_abi::{Label, slot};
use limen_core::fault::{Access, Fault};

use crate::support::{OpenCalls, Paths, Service, System, assert_twins};

/// One step of a script.
type Step<'a> = &'a dyn Fn(&mut System);

fn compare(boot: impl Fn() -> System, steps: &[Step<'_>]) {
    for end in 1..=steps.len() {
        let (mut short, mut general) = (boot(), boot());
        general.paths = Paths::SlowOnly;
        short.open_calls = OpenCalls::Keep;
        for (index, step) in steps[..end].iter().enumerate() {
            if index + 1 == end {
                short.open_calls = OpenCalls::Flush;
            }
            step(&mut short);
            step(&mut general);
        }
        assert_twins(&short, &general);
    }
}

/// Creates services with a passive and with an active server.
const KINDS: [fn(u8) -> Service; 2] = [Service::passive, Service::active];
/// The priority of the server.
const PRIORITY: u8 = 200;

/// A plain call and its reply, twice: the second call finds the server in the same state as the first.
#[test]
fn an_immediate_reply_changes_only_message_registers() {
    for kind in KINDS {
        let Service { client, call, server, receive, .. } = kind(PRIORITY);
        let asks = |system: &mut System| system.call(client, call, 1, &[2, 3]);
        let answers = |system: &mut System| system.reply_recv(server, receive, 4, &[5]);
        compare(|| kind(PRIORITY).boot(), &[&asks, &answers, &asks, &answers]);
    }
}

#[test]
fn every_event_other_than_the_reply_flushes_an_open_call() {
    for kind in KINDS {
        let make = || {
            let mut service = kind(PRIORITY);
            let notification = service.plan.notification();
            let signal = service.plan.grant(service.server, notification.signaller(1));
            let wait = service.plan.grant(service.server, notification.waiter());
            let stop = service.plan.grant(service.server, service.client.control());
            let own = service.plan.bound_notification(service.server);
            let signal_self = service.plan.grant(service.server, own.signaller(2));
            (service, [signal, signal_self, wait, stop])
        };
        let (Service { client, call, server, receive, .. }, [signal, signal_self, wait, stop]) = make();
        let asks = |system: &mut System| system.call(client, call, 1, &[]);
        let answers_if_it_runs = |system: &mut System| {
            if system.current() == Some(server) {
                system.reply_recv(server, receive, 0, &[1, 2, 3, 4, 5]);
            }
        };
        let others: [Step<'_>; 10] = [
            &|system| system.signal(server, signal),
            &|system| system.signal(server, signal_self),
            &|system| system.run_to_timer(),
            &|system| system.nb_send(server, signal, 0, &[]),
            &|system| system.yield_slice(server),
            &|system| system.call(server, stop, Label::TcbSuspend.as_raw(), &[]),
            &|system| system.recv(server, receive),
            &|system| system.wait(server, wait),
            &|system| system.nb_recv(server, receive),
            &|system| system.fault(server, Fault::Vm { address: 0, access: Access::Data, status: 0 }),
        ];
        for other in others {
            compare(|| make().0.boot(), &[&asks, other, &answers_if_it_runs]);
        }
    }
}

#[test]
fn a_server_may_call_another_one_or_fault_with_a_call_open() {
    for kind in KINDS {
        let make = || {
            let mut service = kind(PRIORITY);
            let second = service.plan.passive("second", PRIORITY + 20);
            let endpoint = service.plan.endpoint();
            service.plan.place(second, slot::INPUT, endpoint.receiver());
            let forward = service.plan.grant(service.server, endpoint.caller(7));
            service.plan.handle_faults(service.server, endpoint.caller(8));
            (service, second, forward)
        };
        let (Service { client, call, server, receive, .. }, second, forward) = make();
        let steps: [Step<'_>; 4] = [
            &|system| system.call(client, call, 1, &[1]),
            &|system| system.call(server, forward, 2, &[]),
            &|system| system.reply_recv(second, receive, 0, &[]),
            &|system| system.reply_recv(server, receive, 4, &[]),
        ];
        let fault = Fault::Vm { address: 0, access: Access::Data, status: 0 };
        let with_fault: [Step<'_>; 4] = [steps[0], &|system| system.fault(server, fault), steps[2], steps[3]];
        for steps in [steps, with_fault] {
            compare(|| make().0.plan.boot_serving(&[(server, receive), (second, receive)]), &steps);
        }
    }
}

#[test]
fn ready_equals_of_the_caller_run_as_after_the_slow_path() {
    for kind in KINDS {
        let make = || {
            let mut service = kind(PRIORITY);
            service.plan.thread("equal", Service::CLIENT_PRIORITY);
            service
        };
        let Service { client, call, server, receive, .. } = make();
        let asks = |system: &mut System| system.call(client, call, 1, &[]);
        let answers = |system: &mut System| system.reply_recv(server, receive, 0, &[]);
        compare(|| make().boot(), &[&asks, &answers]);
    }
}

/// The signal was pending before the server was bound to the notification, and the server is waiting.
#[test]
fn a_signal_that_was_pending_when_bound_is_received_first() {
    for kind in KINDS {
        let make = || {
            let mut service = kind(PRIORITY);
            let notification = service.plan.notification();
            let given = service.plan.grant(service.client, notification.with(2, 0b0011));
            let control = service.plan.grant(service.client, service.server.control());
            (service, given, control)
        };
        let (Service { client, call, server, receive, .. }, given, control) = make();
        let bind = Label::TcbBindNotification.as_raw();
        let steps: [Step<'_>; 4] = [
            &|system| system.signal(client, given),
            &|system| system.call_with_caps(client, control, bind, &[given]),
            &|system| system.call(client, call, 1, &[]),
            &|system| system.reply_recv(server, receive, 0, &[]),
        ];
        compare(|| make().0.boot(), &steps);
    }
}

/// A written program counter is where it resumes, until it has waited again.
#[test]
fn writing_the_servers_program_counter_has_the_effect_of_the_slow_path() {
    for kind in KINDS {
        let make = || {
            let mut service = kind(PRIORITY);
            let control = service.plan.grant(service.client, service.server.control());
            (service, control)
        };
        let (Service { client, call, server, receive, .. }, control) = make();
        let write = Label::TcbWriteRegisters.as_raw();
        let steps: [Step<'_>; 5] = [
            &|system| system.call(client, control, write, &[0, 1, 0x1234]),
            &|system| system.call(client, call, 1, &[]),
            &|system| system.reply_recv(server, receive, 0, &[]),
            &|system| system.call(client, control, Label::TcbSuspend.as_raw(), &[]),
            &|system| system.call(client, control, Label::TcbResume.as_raw(), &[]),
        ];
        compare(|| make().0.boot(), &steps);
    }
}

#[test]
fn a_fault_is_flushed_as_a_fault() {
    for kind in KINDS {
        let make = || {
            let mut service = kind(PRIORITY);
            service.plan.handle_faults(service.client, service.endpoint.caller(9));
            let notification = service.plan.notification();
            let signal = service.plan.grant(service.server, notification.signaller(1));
            (service, signal)
        };
        let (Service { client, server, receive, .. }, signal) = make();
        let faults: [Step<'_>; 2] = [
            &|system| system.fault(client, Fault::Vm { address: 8, access: Access::Data, status: 1 }),
            &|system| system.fault(client, Fault::UserException { number: 1, code: 2 }),
        ];
        let answers = |system: &mut System| system.reply_recv(server, receive, 0, &[0x4000, 0x5000]);
        let stops = |system: &mut System| system.reply_recv(server, receive, 1, &[]);
        for fault in faults {
            compare(|| make().0.boot(), &[fault, &answers]);
            compare(|| make().0.boot(), &[fault, &stops]);
            compare(|| make().0.boot(), &[fault, &|system| system.signal(server, signal), &answers]);
        }
    }
}
