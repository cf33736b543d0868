//! Calls that are not written down: whatever comes before the answer finds them as if they were.
//!
//! Each script runs on two equal systems, one of them on the general path only, and they are compared after each of its
//! steps; what is compared settles, so for each step the system starts anew and leaves calls open until then.

use limen_abi::{Label, slot};
use limen_core::fault::{Access, Fault};

use crate::support::{OpenCalls, Service, System, Ways, assert_twins};

/// What happens next.
type Step<'a> = &'a dyn Fn(&mut System);

fn compare(boot: impl Fn() -> System, steps: &[Step<'_>]) {
    for end in 1..=steps.len() {
        let (mut short, mut general) = (boot(), boot());
        general.ways = Ways::General;
        short.open_calls = OpenCalls::AreLeft;
        for (index, step) in steps[..end].iter().enumerate() {
            if index + 1 == end {
                short.open_calls = OpenCalls::AreSettled;
            }
            step(&mut short);
            step(&mut general);
        }
        assert_twins(&short, &general);
    }
}

/// Services with a passive and with an active server.
const KINDS: [fn(u8) -> Service; 2] = [Service::passive, Service::active];
/// Priority of the server.
const PRIORITY: u8 = 200;

/// A plain call and its answer, twice: the second call finds the server as the first one did.
#[test]
fn an_answer_at_once_changes_nothing_but_the_messages() {
    for kind in KINDS {
        let Service { client, call, server, receive, .. } = kind(PRIORITY);
        let asks = |system: &mut System| system.call(client, call, 1, &[2, 3]);
        let answers = |system: &mut System| system.reply_recv(server, receive, 4, &[5]);
        compare(|| kind(PRIORITY).boot(), &[&asks, &answers, &asks, &answers]);
    }
}

#[test]
fn an_open_call_is_settled_by_every_other_event() {
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
fn equals_that_are_ready_run_in_turn_with_the_caller() {
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

/// The signal was there before the server was bound to it, and it waits all the same.
#[test]
fn a_signal_that_came_with_its_notification_goes_first() {
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

/// Where it starts again is what was written, until it has waited anew.
#[test]
fn a_server_whose_program_counter_was_written_is_as_after_the_general_path() {
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
fn a_fault_is_settled_as_a_fault() {
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
