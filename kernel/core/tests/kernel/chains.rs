//! Chains of passive servers: one scheduling context is lent along the calls and returns with the replies, whichever
//! thread is stopped in between.

use limen_abi::Label;

use crate::support::{Plan, SchedContext, System, Thread};

const SUSPEND: u64 = Label::TcbSuspend.as_raw();
const RESUME: u64 = Label::TcbResume.as_raw();

/// A client and three passive servers, each called by the one before. All calls have been made, so the last server
/// runs.
struct Chain {
    system: System,
    client: Thread,
    servers: [Thread; 3],
    receive: [u64; 3],
    time: SchedContext,
    /// The last server's slots for the client and for the first two servers.
    controls: [u64; 3],
    /// A notification: the last server's slot to wait, the client's slot to signal.
    gate: (u64, u64),
    /// The client's slots for an unused scheduling context and for the last server.
    spare: (u64, u64),
}

impl Chain {
    fn new() -> Self {
        let mut plan = Plan::new();
        let servers = ["first", "second", "third"].map(|name| plan.passive(name, 100));
        let client = plan.thread("client", 10);
        let time = plan.sched_context_of(client);
        let endpoints = servers.map(|_| plan.endpoint());
        let receive = [0, 1, 2].map(|i| plan.grant(servers[i], endpoints[i].receiver()));
        let callers = [client, servers[0], servers[1]];
        let calls = [0, 1, 2].map(|i| plan.grant(callers[i], endpoints[i].caller(i as u64)));
        let controls = callers.map(|thread| plan.grant(servers[2], thread.control()));
        let gate = plan.notification();
        let gate = (plan.grant(servers[2], gate.waiter()), plan.grant(client, gate.signaller(1)));
        let spare = plan.sched_context(500);
        let spare = (plan.grant(client, spare.control()), plan.grant(client, servers[2].control()));
        let mut system = plan.boot_serving(&[0, 1, 2].map(|i| (servers[i], receive[i])));
        for (index, call) in calls.into_iter().enumerate() {
            system.call(callers[index], call, 1, &[]);
            system.assert_running(servers[index]);
            system.assert_holds(servers[index], Some(time));
            system.assert_holds(callers[index], None);
        }
        Self { system, client, servers, receive, time, controls, gate, spare }
    }

    /// A server replies and waits for the next call.
    fn reply(&mut self, server: usize) {
        self.system.reply_recv(self.servers[server], self.receive[server], 2, &[]);
    }

    /// The last server invokes the client (0) or an earlier server.
    fn invoke(&mut self, label: u64, target: usize) {
        self.system.call(self.servers[2], self.controls[target], label, &[]);
    }
}

#[test]
fn time_returns_with_the_replies() {
    let mut chain = Chain::new();
    for (server, caller) in [(2, chain.servers[1]), (1, chain.servers[0]), (0, chain.client)] {
        chain.reply(server);
        chain.system.assert_running(caller);
        chain.system.assert_holds(caller, Some(chain.time));
    }
}

#[test]
fn a_cancelled_call_in_the_middle_is_skipped() {
    let mut chain = Chain::new();
    chain.invoke(SUSPEND, 1);
    chain.system.assert_inactive(chain.servers[0]);
    chain.reply(2);
    chain.system.assert_running(chain.servers[1]);
    chain.system.assert_holds(chain.servers[1], Some(chain.time));
    chain.system.assert_calling(chain.client);
}

#[test]
fn a_cancelled_newest_call_is_skipped() {
    let mut chain = Chain::new();
    chain.invoke(SUSPEND, 2);
    chain.reply(2);
    chain.system.assert_idle();
    chain.system.assert_calling(chain.client);
    chain.system.assert_calling(chain.servers[0]);
}

#[test]
fn time_returns_after_the_oldest_call_was_cancelled() {
    let mut chain = Chain::new();
    chain.invoke(SUSPEND, 0);
    chain.system.assert_inactive(chain.client);
    for (server, caller) in [(2, chain.servers[1]), (1, chain.servers[0])] {
        chain.reply(server);
        chain.system.assert_running(caller);
    }
    chain.reply(0);
    chain.system.assert_idle();
    chain.system.assert_holds(chain.client, Some(chain.time));
}

#[test]
fn a_later_reply_does_not_take_time_that_has_returned() {
    let mut chain = Chain::new();
    let (client, [_, second, third]) = (chain.client, chain.servers);
    chain.invoke(SUSPEND, 0);
    chain.invoke(RESUME, 0);
    chain.system.wait(third, chain.gate.0);
    chain.system.assert_running(client);
    chain.system.assert_holds(client, Some(chain.time));
    let (spare, control) = chain.spare;
    chain.system.call_with_caps(client, spare, Label::SchedContextBind.as_raw(), &[control]);
    chain.system.signal(client, chain.gate.1);
    chain.system.assert_running(third);
    chain.reply(2);
    chain.system.assert_running(client);
    chain.system.assert_holds(client, Some(chain.time));
    chain.system.assert_holds(second, None);
}

#[test]
fn time_returns_to_its_owner_also_if_a_borrower_is_cancelled_later() {
    let mut plan = Plan::new();
    let keeper = plan.thread("keeper", 250);
    let gate = plan.notification();
    let keeper_wait = plan.grant(keeper, gate.waiter());
    let (last, middle) = (plan.passive("last", 200), plan.passive("middle", 150));
    let client = plan.thread("client", 100);
    let (to_last, to_middle) = (plan.endpoint(), plan.endpoint());
    let last_receive = plan.grant(last, to_last.receiver());
    let middle_receive = plan.grant(middle, to_middle.receiver());
    let middle_call = plan.grant(middle, to_last.caller(1));
    let client_call = plan.grant(client, to_middle.caller(1));
    let wake_keeper = plan.grant(last, gate.signaller(1));
    let controls = [client, middle].map(|thread| plan.grant(keeper, thread.control()));
    let mut system = plan.boot_serving(&[(last, last_receive), (middle, middle_receive)]);
    system.wait(keeper, keeper_wait);
    system.call(client, client_call, 0, &[]);
    system.call(middle, middle_call, 0, &[]);
    system.signal(last, wake_keeper);
    for (control, entry) in controls.into_iter().zip([0x5000, 0x6000]) {
        system.call(keeper, control, Label::TcbWriteRegisters.as_raw(), &[1, 1, entry]);
    }
    system.wait(keeper, keeper_wait);
    system.recv(last, last_receive);
    system.assert_running(client);
}
