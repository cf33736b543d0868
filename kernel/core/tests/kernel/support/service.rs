//! Systems after their initialisation: servers wait for messages, and the first client runs.

use limen_abi::{Label, slot};

use super::plan::{Endpoint, Plan, SLICE_US, Thread};
use super::system::System;

/// The priority of the thread that starts the others; no other thread in these systems has it.
const MONITOR_PRIORITY: u8 = 255;

impl Plan {
    /// Boots, and lets each server receive on its slot before any other thread runs. Passive servers get time for that
    /// which is taken from them again, as Microkit's monitor does. In the end the monitor is stopped.
    pub(crate) fn boot_serving(&mut self, servers: &[(Thread, u64)]) -> System {
        let others: Vec<Thread> = (0..self.writer.threads.len() as u64).map(Thread).collect();
        let monitor = self.thread("monitor", MONITOR_PRIORITY);
        let started = self.notification();
        let wait = self.grant(monitor, started.waiter());
        let signals: Vec<u64> =
            servers.iter().map(|(server, _)| self.grant(*server, started.signaller(1))).collect();
        let spare = self.sched_context(SLICE_US);
        let spare = self.grant(monitor, spare.control());
        let controls: Vec<u64> = others.iter().map(|thread| self.grant(monitor, thread.control())).collect();
        let own = self.grant(monitor, monitor.control());

        let mut system = self.boot();
        for control in &controls {
            system.call(monitor, *control, Label::TcbSuspend.as_raw(), &[]);
        }
        for ((server, from), signal) in servers.iter().zip(signals) {
            let control = controls[server.0 as usize];
            let is_passive = system.kernel.threads[server.id()].sched_context.is_none();
            system.call(monitor, control, Label::TcbResume.as_raw(), &[]);
            if is_passive {
                system.call_with_caps(monitor, spare, Label::SchedContextBind.as_raw(), &[control]);
            }
            system.wait(monitor, wait);
            system.nb_send_recv(*server, signal, *from, 0, &[]);
            if is_passive {
                system.call_with_caps(monitor, spare, Label::SchedContextUnbindObject.as_raw(), &[control]);
            }
        }
        for (thread, control) in others.iter().zip(controls) {
            if !servers.iter().any(|(server, _)| server == thread) {
                system.call(monitor, control, Label::TcbResume.as_raw(), &[]);
            }
        }
        system.call(monitor, own, Label::TcbSuspend.as_raw(), &[]);
        system
    }
}

/// A server that waits on its endpoint, and a client that may call it.
#[derive(Debug)]
pub(crate) struct Service {
    /// The plan; may be changed until [`Service::boot`].
    pub(crate) plan: Plan,
    /// The server.
    pub(crate) server: Thread,
    /// The client.
    pub(crate) client: Thread,
    /// The endpoint between them.
    pub(crate) endpoint: Endpoint,
    /// The server's slot for the endpoint.
    pub(crate) receive: u64,
    /// The client's slot for the endpoint, with badge [`Service::BADGE`].
    pub(crate) call: u64,
}

impl Service {
    /// The client's badge.
    pub(crate) const BADGE: u64 = 0xbad;
    /// The priority of the client.
    pub(crate) const CLIENT_PRIORITY: u8 = 100;

    /// A server with its own time.
    pub(crate) fn active(priority: u8) -> Self {
        Self::new(priority, Plan::thread)
    }

    /// A server that runs on its clients' time.
    pub(crate) fn passive(priority: u8) -> Self {
        Self::new(priority, Plan::passive)
    }

    fn new(priority: u8, make_server: impl Fn(&mut Plan, &str, u8) -> Thread) -> Self {
        let mut plan = Plan::new();
        let server = make_server(&mut plan, "server", priority);
        let client = plan.thread("client", Self::CLIENT_PRIORITY);
        let endpoint = plan.endpoint();
        let receive = slot::INPUT;
        plan.place(server, receive, endpoint.receiver());
        let call = plan.grant(client, endpoint.caller(Self::BADGE));
        Self { plan, server, client, endpoint, receive, call }
    }

    /// Adds another client. Returns it with its slot to call the server.
    pub(crate) fn add_client(&mut self, name: &str, priority: u8, badge: u64) -> (Thread, u64) {
        let client = self.plan.thread(name, priority);
        let call = self.plan.grant(client, self.endpoint.caller(badge));
        (client, call)
    }

    /// Boots; the server waits and the client of the highest priority runs.
    pub(crate) fn boot(&mut self) -> System {
        let system = self.plan.boot_serving(&[(self.server, self.receive)]);
        system.assert_receiving(self.server, self.endpoint);
        system
    }
}
