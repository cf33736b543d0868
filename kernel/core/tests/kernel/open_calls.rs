//! Open calls: whatever event comes before the reply must find the same state as after a call on the slow path.
//!
//! Each script runs on two equal systems, one of them on the slow path only, and the systems are compared after each
//! step. The comparison flushes open calls, so for each step the system starts anew and keeps calls open until then.

use limen_abi::{Label, slot};
use limen_core::fault::{Access, Fault};

use crate::support::{Endpoint, OpenCalls, Paths, Plan, Service, System, Thread, assert_twins};

/// One step of a script.
type Step<'a> = &'a dyn Fn(&mut System);
/// A step that owns what it uses.
type OwnStep = Box<dyn Fn(&mut System)>;

fn compare(boot: impl Fn() -> System, steps: &[Step<'_>]) {
    compare_at(boot, steps, &(1..=steps.len()).collect::<Vec<_>>());
}

/// Compares only after these numbers of steps.
fn compare_at(boot: impl Fn() -> System, steps: &[Step<'_>], ends: &[usize]) {
    for &end in ends {
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
        short.kernel.flush_open_call();
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

/// Servers that call each other, the first one called by the client, and what the last of them can do in between.
struct Chain {
    plan: Plan,
    client: Thread,
    servers: Vec<Thread>,
    /// The slot with which the client, and then each server, calls the next one.
    calls: Vec<u64>,
    /// The slots of the last server: a signal that wakes `above`, one to the first server, a call of the first server, and
    /// control of the first server.
    last: [u64; 4],
    /// A thread of a higher priority, which waits for signals in an event loop.
    above: Thread,
}

impl Chain {
    /// Server `n` has priority `lowest + n`, and is passive if bit `n` of `passive` is set.
    fn new(lowest: u8, length: u8, passive: u8) -> Self {
        let mut plan = Plan::new();
        let servers: Vec<Thread> = (0..length)
            .map(|index| {
                let make = if passive & (1 << index) == 0 { Plan::thread } else { Plan::passive };
                make(&mut plan, &format!("server {index}"), lowest + index)
            })
            .collect();
        let client = plan.thread("client", Service::CLIENT_PRIORITY);
        let above = plan.thread("above", PRIORITY + 30);
        let notification = plan.notification();
        plan.place(above, slot::INPUT, notification.waiter());
        let endpoints: Vec<Endpoint> = servers
            .iter()
            .map(|server| {
                let endpoint = plan.endpoint();
                plan.place(*server, slot::INPUT, endpoint.receiver());
                endpoint
            })
            .collect();
        let callers = core::iter::once(&client).chain(&servers);
        let calls = callers.zip(&endpoints).map(|(caller, endpoint)| plan.grant(*caller, endpoint.caller(7)));
        let calls = calls.collect();
        let (first, last) = (servers[0], servers[servers.len() - 1]);
        let own = plan.bound_notification(first);
        let last = [notification.signaller(1), own.signaller(2), endpoints[0].caller(9), first.control()]
            .map(|grant| plan.grant(last, grant));
        Self { plan, client, servers, calls, last, above }
    }

    fn boot(mut self) -> System {
        let servers: Vec<(Thread, u64)> = self.servers.iter().map(|server| (*server, slot::INPUT)).collect();
        let mut system = self.plan.boot_serving(&servers);
        system.recv(self.above, slot::INPUT);
        system
    }
}

#[test]
fn chains_of_calls_end_as_on_the_slow_path() {
    let shapes = (1..=6).flat_map(|length| (0..1 << length).map(move |passive| (length, passive)));
    for (length, passive) in shapes {
        for lowest in [PRIORITY, Service::CLIENT_PRIORITY - 50] {
            let chain = Chain::new(lowest, length, passive);
            let above = chain.above;
            let last = chain.servers[chain.servers.len() - 1];
            let [wake, signal_first, call_first, control] = chain.last;
            let others: [Step<'_>; 7] = [
                &|_| {},
                &|system| {
                    system.signal(last, wake);
                    system.reply_recv(above, slot::INPUT, 1, &[]);
                },
                &|system| system.signal(last, signal_first),
                &|system| system.call(last, call_first, 3, &[]),
                &|system| system.call(last, control, Label::TcbSuspend.as_raw(), &[]),
                &|system| system.run_to_timer(),
                &|system| system.reply_recv(last, slot::INPUT, 1, &[1, 2, 3, 4, 5]),
            ];
            let callers: Vec<Thread> = core::iter::once(chain.client).chain(chain.servers.clone()).collect();
            let calls: Vec<OwnStep> = callers
                .iter()
                .zip(&chain.calls)
                .map(|(caller, slot)| -> OwnStep {
                    let (caller, slot) = (*caller, *slot);
                    Box::new(move |system| system.call(caller, slot, 1, &[2]))
                })
                .collect();
            let answers: Vec<OwnStep> = chain
                .servers
                .iter()
                .rev()
                .map(|server| -> OwnStep {
                    let server = *server;
                    Box::new(move |system| {
                        if system.current() == Some(server) {
                            system.reply_recv(server, slot::INPUT, 4, &[5]);
                        }
                    })
                })
                .collect();
            for other in others {
                let steps: Vec<Step<'_>> = calls
                    .iter()
                    .map(|step| &**step)
                    .chain([other])
                    .chain(answers.iter().map(|step| &**step))
                    .collect();
                compare_at(
                    || Chain::new(lowest, length, passive).boot(),
                    &steps,
                    &[steps.len(), usize::from(length) + 1],
                );
            }
        }
    }
}
