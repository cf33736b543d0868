//! Several processors: what threads of one see when they use objects of another.

mod domains;
mod interference;
mod keys;
mod random;
mod recordings;
mod resets;
mod trace;

use limen_abi::message::BufferWord;
use limen_abi::{ErrorCode, FaultLabel, Label, Syscall, slot};
use limen_core::fault::{Access, Fault};
use limen_core::machine::{self, Context, Machine};
use limen_image::Rights;

use crate::support::{
    Arguments, Grant, Interrupt, Notification, PC, Plan, Processors, SPSR, SYSCALL_BYTES, Thread, Wiring, X0,
};

const LABEL: u64 = 0x77;
const BADGE: u64 = 0x42;

/// A client on processor 0 that calls a server on processor 1, and a thread of lower priority beside each.
struct Pair {
    plan: Plan,
    client: Thread,
    server: Thread,
    beside_client: Thread,
    beside_server: Thread,
    call: u64,
    receive: u64,
}

impl Pair {
    fn new(is_active: bool) -> Self {
        let mut plan = Plan::new();
        let client = plan.thread("client", 100);
        let server = if is_active { plan.thread("server", 200) } else { plan.passive("server", 200) };
        let beside_client = plan.thread("beside client", 10);
        let beside_server = plan.thread("beside server", 10);
        let endpoint = plan.endpoint();
        let call = plan.grant(client, endpoint.caller(BADGE));
        let receive = plan.grant(server, endpoint.receiver());
        plan.set_processor(server, 1);
        plan.set_processor(beside_server, 1);
        Self { plan, client, server, beside_client, beside_server, call, receive }
    }

    /// Boots, and lets an active server wait.
    fn boot(&self) -> Processors {
        let mut processors = self.plan.boot_processors();
        if processors.of(self.server).current() == Some(self.server) {
            processors.of(self.server).recv(self.server, self.receive);
        }
        processors
    }
}

fn words(length: usize) -> Vec<u64> {
    (0..length as u64).map(|word| 0x1000 + word).collect()
}

#[test]
fn a_call_reaches_an_active_server_on_another_processor_and_its_reply_comes_back() {
    for length in [0, 1, 4, 5, 64, 120] {
        let pair = Pair::new(true);
        let Pair { client, server, receive, .. } = pair;
        let mut processors = pair.boot();
        processors.of(client).call(client, pair.call, LABEL, &words(length));
        processors.of(client).assert_running(pair.beside_client);
        assert_eq!(processors.interrupted(), [1]);
        processors.take_interrupt(1);
        processors.of(server).assert_running(server);
        // A long message of a visitor lies in its buffer, and arrives in the server's.
        processors.of(server).assert_message(server, BADGE, LABEL, &words(length));
        processors.of(server).reply_recv(server, receive, LABEL + 1, &words(length));
        processors.of(server).assert_running(pair.beside_server);
        assert_eq!(processors.interrupted(), [0]);
        processors.take_interrupt(0);
        processors.of(client).assert_running(client);
        processors.of(client).assert_message(client, 0, LABEL + 1, &words(length));
        assert_eq!(processors.interrupted(), []);
    }
}

#[test]
fn a_caller_waits_until_the_server_on_another_processor_receives() {
    let pair = Pair::new(true);
    let Pair { client, server, receive, .. } = pair;
    let mut processors = pair.plan.boot_processors();
    processors.of(client).call(client, pair.call, LABEL, &[1, 2]);
    processors.take_interrupt(1);
    processors.of(server).assert_running(server);
    processors.of(server).recv(server, receive);
    processors.of(server).assert_message(server, BADGE, LABEL, &[1, 2]);
    processors.of(server).reply_recv(server, receive, 3, &[4]);
    processors.settle();
    processors.of(client).assert_message(client, 0, 3, &[4]);
}

#[test]
fn a_server_becomes_passive_though_the_monitor_elsewhere_starts_later() {
    let mut plan = Plan::new();
    let monitor = plan.thread("monitor", 255);
    let server = plan.thread("server", 100);
    let endpoint = plan.endpoint();
    let ready = plan.grant(server, endpoint.caller(BADGE));
    let receive = plan.grant(monitor, endpoint.receiver());
    let notification = plan.bound_notification(server);
    let time = plan.sched_context_of(server);
    let control = plan.grant(monitor, time.control());
    let binding = plan.grant(monitor, notification.waiter());
    let input = plan.endpoint();
    let wait = plan.grant(server, input.receiver());
    plan.set_processor(server, 1);
    let mut processors = plan.boot_processors();
    processors.of(server).send(server, ready, 0, &[]);
    // The message waits for the monitor, and the answer to it is on its way when the monitor invokes the method.
    processors.take_interrupt(0);
    processors.of(monitor).recv(monitor, receive);
    processors.of(monitor).call_with_caps(monitor, control, Label::SchedContextBind.as_raw(), &[binding]);
    processors.settle();
    processors.of(monitor).assert_done(monitor);
    processors.of(server).assert_running(server);
    processors.of(server).recv(server, wait);
    processors.of(server).assert_holds(server, None);
}

#[test]
fn a_passive_server_on_another_processor_runs_on_the_time_of_its_caller() {
    let mut pair = Pair::new(false);
    let Pair { client, server, receive, .. } = pair;
    pair.plan.slice(client, 500);
    // The server waits before the client's processor does anything.
    let start = pair.plan.sched_context(1000);
    pair.plan.record(server).sched_context = start.0;
    pair.plan.set_processor(server, 1);
    let control = pair.plan.grant(pair.beside_server, start.control());
    let mut processors = pair.boot();
    processors.of(server).assert_running(pair.beside_server);
    processors.of(server).call(pair.beside_server, control, Label::SchedContextUnbind.as_raw(), &[]);
    processors.pass(100);
    processors.of(client).call(client, pair.call, LABEL, &[7]);
    processors.settle();
    processors.of(server).assert_running(server);
    let time = pair.plan.sched_context_of(client);
    processors.of(server).assert_has_time(server);
    processors.of(client).assert_holds(client, None);
    processors.pass(150);
    processors.of(server).reply_recv(server, receive, 8, &[9]);
    processors.of(server).assert_running(pair.beside_server);
    processors.of(server).assert_holds(server, None);
    processors.settle();
    processors.of(client).assert_running(client);
    processors.of(client).assert_message(client, 0, 8, &[9]);
    processors.of(client).assert_holds(client, Some(time));
    let rest = processors.of(client).kernel.sched_contexts[time.id()].remaining;
    assert_eq!(rest, 500 - 100 - 150, "time is charged on both processors");
}

/// Passive servers on two processors in turn, each of which calls the next.
struct Chain {
    processors: Processors,
    client: Thread,
    servers: Vec<Thread>,
    calls: Vec<u64>,
    receive: Vec<u64>,
}

impl Chain {
    fn new() -> Self {
        let mut plan = Plan::new();
        let client = plan.thread("client", 50);
        plan.slice(client, 1000);
        let servers = ["first", "second", "third", "fourth"].map(|name| plan.thread(name, 100));
        // They take the time of the servers.
        let starters = [0, 1].map(|_| plan.thread("starter", 60));
        let (mut calls, mut receive, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for (position, server) in servers.into_iter().enumerate() {
            let caller = if position == 0 { client } else { servers[position - 1] };
            let endpoint = plan.endpoint();
            calls.push(plan.grant(caller, endpoint.caller(BADGE)));
            receive.push(plan.grant(server, endpoint.receiver()));
            let (starter, time) = (starters[(position + 1) % 2], plan.sched_context_of(server));
            times.push((starter, plan.grant(starter, time.control())));
        }
        let waits = starters.map(|starter| {
            let notification = plan.notification();
            plan.grant(starter, notification.waiter())
        });
        [servers[0], servers[2], starters[1]].into_iter().for_each(|thread| plan.set_processor(thread, 1));
        let mut processors = plan.boot_processors();
        for (server, receive) in servers.into_iter().zip(&receive) {
            processors.of(server).recv(server, *receive);
        }
        for (starter, time) in times {
            processors.of(starter).call(starter, time, Label::SchedContextUnbind.as_raw(), &[]);
        }
        for (starter, wait) in starters.into_iter().zip(waits) {
            processors.of(starter).wait(starter, wait);
        }
        Self { processors, client, servers: servers.to_vec(), calls, receive }
    }

    /// Calls from the client to the last server; `ticks` pass before each call.
    fn call_through(&mut self, ticks: u64) {
        let mut caller = self.client;
        for (server, call) in self.servers.clone().into_iter().zip(self.calls.clone()) {
            self.processors.of(caller).assert_running(caller);
            self.processors.of(caller).pass(ticks);
            self.processors.of(caller).call(caller, call, LABEL, &[7]);
            self.processors.settle();
            self.processors.of(server).assert_running(server);
            caller = server;
        }
    }

    fn answer(&mut self, position: usize) {
        let (server, receive) = (self.servers[position], self.receive[position]);
        self.processors.of(server).reply_recv(server, receive, 8, &[9]);
        self.processors.settle();
        self.processors.of(server).assert_holds(server, None);
    }
}

#[test]
fn time_comes_back_through_a_chain_that_visits_each_processor_twice() {
    let mut chain = Chain::new();
    for round in 1..=3 {
        chain.call_through(10);
        for position in [3, 2, 1, 0] {
            chain.answer(position);
        }
        let client = chain.client;
        let system = chain.processors.of(client);
        system.assert_running(client);
        system.assert_message(client, 0, 8, &[9]);
        let time = system.kernel.threads[client.id()].sched_context.unwrap();
        assert_eq!(system.kernel.sched_contexts[time].remaining, 1000 - 40 * round);
    }
    chain.processors.verify_settled_time();
}

#[test]
fn a_share_is_charged_wherever_it_is_used() {
    let mut pair = Pair::new(false);
    let Pair { client, server, receive, .. } = pair;
    pair.plan.share(client, 300, 1000);
    let start = pair.plan.sched_context(1000);
    pair.plan.record(server).sched_context = start.0;
    pair.plan.set_processor(server, 1);
    let control = pair.plan.grant(pair.beside_server, start.control());
    let mut processors = pair.boot();
    processors.of(server).call(pair.beside_server, control, Label::SchedContextUnbind.as_raw(), &[]);
    processors.pass(100);
    processors.of(client).call(client, pair.call, LABEL, &[]);
    processors.settle();
    processors.of(server).assert_running(server);
    processors.pass(150);
    processors.of(server).reply_recv(server, receive, 0, &[]);
    processors.settle();
    processors.of(client).assert_running(client);
    processors.pass(60);
    processors.of(client).run_to_timer();
    processors.of(client).assert_running(pair.beside_client);
    let time = pair.plan.sched_context_of(client).id();
    let refills: u64 =
        processors.of(client).kernel.sporadic_servers[time].refills().map(|refill| refill.amount).sum();
    assert_eq!(refills, 300);
}

#[test]
fn a_thread_whose_time_is_away_gets_no_other() {
    let mut pair = Pair::new(true);
    let spare = pair.plan.sched_context(40);
    // No processor has more of them than threads.
    pair.plan.passive("without time", 1);
    let spare = pair.plan.grant(pair.beside_client, spare.control());
    let control = pair.plan.grant(pair.beside_client, pair.client.control());
    let Pair { client, server, beside_client, receive, .. } = pair;
    let mut processors = pair.boot();
    let time = processors.of(client).kernel.threads[client.id()].sched_context;
    processors.of(client).call(client, pair.call, LABEL, &[]);
    let bind = Label::SchedContextBind.as_raw();
    processors.of(client).call_with_caps(beside_client, spare, bind, &[control]);
    processors.of(client).assert_refused(beside_client, ErrorCode::IllegalOperation, &[]);
    processors.take_interrupt(1);
    processors.of(server).reply_recv(server, receive, LABEL, &[]);
    processors.take_interrupt(0);
    processors.of(client).assert_running(client);
    assert_eq!(processors.of(client).kernel.threads[client.id()].sched_context, time);
}

#[test]
fn signals_reach_another_processor() {
    let mut plan = Plan::new();
    let sender = plan.thread("sender", 10);
    let waiter = plan.thread("waiter", 10);
    let notification = plan.bound_notification(waiter);
    let signal = plan.grant(sender, notification.signaller(0b101));
    let signal_other = plan.grant(sender, notification.signaller(0b1000));
    let wait = plan.grant(waiter, notification.waiter());
    plan.set_processor(waiter, 1);
    let mut processors = plan.boot_processors();
    processors.of(sender).signal(sender, signal);
    processors.of(sender).assert_running(sender);
    processors.of(sender).signal(sender, signal_other);
    assert_eq!(processors.interrupted(), [1]);
    processors.settle();
    processors.of(waiter).wait(waiter, wait);
    processors.of(waiter).assert_signal(waiter, 0b1101);
    processors.of(waiter).wait(waiter, wait);
    processors.of(waiter).assert_idle();
    processors.of(sender).signal(sender, signal);
    processors.settle();
    processors.of(waiter).assert_running(waiter);
    processors.of(waiter).assert_signal(waiter, 0b101);
}

#[test]
fn a_deferred_signal_reaches_another_processor() {
    let (mut plan, sender, waiter, notification) = sender_and_waiter();
    let own = plan.bound_notification(sender);
    let signal = plan.grant(sender, notification.signaller(1));
    let receive = plan.grant(sender, own.waiter());
    let wait = plan.grant(waiter, notification.waiter());
    let mut processors = plan.boot_processors();
    processors.of(waiter).wait(waiter, wait);
    processors.of(sender).nb_send_recv(sender, signal, receive, 0, &[]);
    processors.of(sender).assert_idle();
    processors.settle();
    processors.of(waiter).assert_signal(waiter, 1);
}

fn sender_and_waiter() -> (Plan, Thread, Thread, Notification) {
    let mut plan = Plan::new();
    let sender = plan.thread("sender", 10);
    let waiter = plan.thread("waiter", 10);
    let notification = plan.bound_notification(waiter);
    plan.set_processor(waiter, 1);
    (plan, sender, waiter, notification)
}

/// A child on processor 1 whose parent on processor 0 handles its faults and controls it.
struct Family {
    plan: Plan,
    parent: Thread,
    child: Thread,
    receive: u64,
    control: u64,
}

impl Family {
    fn new() -> Self {
        let mut plan = Plan::new();
        let parent = plan.thread("parent", 100);
        let child = plan.thread("child", 50);
        let beside = plan.thread("beside child", 10);
        let endpoint = plan.endpoint();
        let receive = plan.grant(parent, endpoint.receiver());
        let control = plan.grant(parent, child.control());
        plan.handle_faults(child, endpoint.with(BADGE, Rights::SEND | Rights::GRANT_REPLY));
        plan.set_processor(child, 1);
        plan.set_processor(beside, 1);
        Self { plan, parent, child, receive, control }
    }
}

#[test]
fn a_fault_reaches_a_parent_on_another_processor_and_its_reply_resumes_the_child() {
    for (fault, length) in [
        (Fault::Vm { address: 0x123, access: Access::Data, status: 5 }, 4),
        (Fault::UserException { number: 3, code: 4 }, 5),
        (Fault::UnknownSyscall { number: 77 }, 13),
    ] {
        let Family { plan, parent, child, receive, .. } = Family::new();
        let mut processors = plan.boot_processors();
        processors.of(parent).recv(parent, receive);
        let pc = processors.of(child).pc(child);
        processors.of(child).fault(child, fault);
        processors.settle();
        processors.of(parent).assert_running(parent);
        assert_eq!(processors.of(parent).context(parent).registers[X0], BADGE);
        assert_eq!(
            processors.of(parent).kernel.threads[parent.id()].context.registers[X0 + 1] & 0x7f,
            length
        );
        processors.of(parent).reply_recv(parent, receive, 0, &[]);
        processors.settle();
        processors.of(child).assert_running(child);
        assert_eq!(processors.of(child).pc(child), pc, "{fault:?}");
    }
}

#[test]
fn a_parent_stops_and_restarts_a_running_child_on_another_processor() {
    let Family { plan, parent, child, control, .. } = Family::new();
    let mut processors = plan.boot_processors();
    processors.of(child).assert_running(child);
    processors.of(parent).call(parent, control, Label::TcbSuspend.as_raw(), &[]);
    processors.settle();
    processors.of(parent).assert_running(parent);
    processors.of(parent).assert_done(parent);
    processors.of(child).assert_inactive(child);
    let entry = 0x77_0000;
    for _ in 0..2 {
        // The second time, the child runs.
        processors.of(parent).call(parent, control, Label::TcbWriteRegisters.as_raw(), &[1, 1, entry]);
        processors.settle();
        processors.of(parent).assert_done(parent);
        processors.of(child).assert_running(child);
        assert_eq!(processors.of(child).context(child).registers[PC], entry);
    }
}

#[test]
fn registers_of_a_running_thread_are_read_after_it_was_switched_away() {
    let Family { plan, parent, child, control, .. } = Family::new();
    let mut processors = plan.boot_processors();
    processors.of(parent).call(parent, control, Label::TcbReadRegisters.as_raw(), &[0, 1]);
    processors.take_interrupt(1);
    processors.systems[1].assert_idle();
    assert_eq!(processors.interrupted(), [1], "it interrupts itself");
    processors.settle();
    processors.of(child).assert_running(child);
    let pc = processors.of(child).pc(child);
    processors.of(parent).assert_message(parent, 0, 0, &[pc]);
}

#[test]
fn registers_are_written_after_a_thread_that_was_stopped_is_switched_away() {
    let Family { mut plan, parent, child, control, .. } = Family::new();
    let other = plan.thread("other", 100);
    let other_control = plan.grant(other, child.control());
    plan.set_processor(other, 2);
    let mut processors = plan.boot_processors();
    let mut words = vec![0, SAVED_LATE as u64 + 1];
    words.resize(2 + SAVED_LATE + 1, 7);
    processors.of(parent).call(parent, control, Label::TcbSuspend.as_raw(), &[]);
    processors.of(other).call(other, other_control, Label::TcbWriteRegisters.as_raw(), &words);
    processors.take_interrupt(1);
    // The switch at the end of this kernel entry saves the register.
    processors.of(child).kernel.threads[child.id()].context.registers[SAVED_LATE] = 0x5eed;
    processors.settle();
    processors.of(other).assert_done(other);
    assert_eq!(processors.of(child).context(child).registers[SAVED_LATE], 7);
}

#[test]
fn an_error_of_a_method_comes_back() {
    let Family { plan, parent, control, .. } = Family::new();
    let mut processors = plan.boot_processors();
    processors.of(parent).call(parent, control, Label::TcbReadRegisters.as_raw(), &[0, 1000]);
    processors.settle();
    processors.of(parent).assert_message(parent, 0, ErrorCode::RangeError.as_raw(), &[1, 36]);
}

/// A manager that an interrupt wakes, beside the client of a pair.
fn with_manager(pair: &mut Pair) -> (Thread, Interrupt, u64) {
    let manager = pair.plan.thread("manager", 250);
    let wake = pair.plan.bound_notification(manager);
    let interrupt = pair.plan.interrupt(Wiring::EdgeKept, wake, 1);
    let control = pair.plan.grant(manager, pair.client.control());
    pair.plan.place(manager, slot::INPUT, wake.waiter());
    (manager, interrupt, control)
}

#[test]
fn a_stopped_caller_is_recalled_and_repeats_its_call_when_it_is_resumed() {
    let mut pair = Pair::new(true);
    let (manager, interrupt, control) = with_manager(&mut pair);
    let Pair { client, server, receive, call, .. } = pair;
    let mut processors = pair.boot();
    processors.of(manager).recv(manager, slot::INPUT);
    let pc = processors.of(client).pc(client);
    processors.of(client).call(client, call, LABEL, &[]);
    processors.settle();
    processors.of(server).assert_running(server);
    let line = interrupt.line();
    processors.of(manager).interrupt(machine::Interrupt::Line(line));
    processors.of(manager).assert_running(manager);
    processors.of(manager).call(manager, control, Label::TcbSuspend.as_raw(), &[]);
    processors.of(manager).assert_done(manager);
    processors.of(client).assert_inactive(client);
    processors.settle();
    assert_eq!(processors.of(server).kernel.processor.visiting, 0);
    // The caller of the reply has gone.
    processors.of(server).reply_recv(server, receive, 1, &[]);
    processors.of(server).assert_running(pair.beside_server);
    assert_eq!(processors.interrupted(), []);
    processors.of(manager).call(manager, control, Label::TcbResume.as_raw(), &[]);
    processors.of(manager).recv(manager, slot::INPUT);
    processors.of(client).assert_running(client);
    assert_eq!(processors.of(client).pc(client), pc, "at its system call again");
    processors.of(client).call(client, call, LABEL, &[5]);
    processors.settle();
    processors.of(server).assert_message(server, BADGE, LABEL, &[5]);
}

#[test]
fn a_call_waits_while_the_letter_of_an_earlier_one_is_out() {
    let mut pair = Pair::new(true);
    let (manager, interrupt, control) = with_manager(&mut pair);
    let Pair { client, server, call, .. } = pair;
    let mut processors = pair.boot();
    processors.of(manager).recv(manager, slot::INPUT);
    let pc = processors.of(client).pc(client);
    processors.of(client).call(client, call, LABEL, &[]);
    let line = interrupt.line();
    processors.of(manager).interrupt(machine::Interrupt::Line(line));
    processors.of(manager).call(manager, control, Label::TcbSuspend.as_raw(), &[]);
    processors.of(manager).call(manager, control, Label::TcbResume.as_raw(), &[]);
    processors.of(manager).recv(manager, slot::INPUT);
    // The time of the client is with its first letter.
    processors.of(client).assert_running(pair.beside_client);
    processors.take_interrupt(1);
    assert_eq!(processors.of(server).kernel.processor.visiting, 0, "recalled in the same entry");
    processors.settle();
    processors.of(client).assert_running(client);
    assert_eq!(processors.of(client).pc(client), pc);
    processors.of(client).call(client, call, LABEL, &[6]);
    processors.settle();
    processors.of(server).assert_running(server);
}

#[test]
fn words_past_the_registers_of_a_method_reach_the_other_processor() {
    let Family { plan, parent, child, control, .. } = Family::new();
    let mut processors = plan.boot_processors();
    processors.of(parent).call(parent, control, Label::TcbSuspend.as_raw(), &[]);
    processors.settle();
    let mut words = vec![0, 10];
    words.extend((0..10).map(|register| 0x100 + register));
    processors.of(parent).call(parent, control, Label::TcbWriteRegisters.as_raw(), &words);
    processors.settle();
    processors.of(parent).assert_done(parent);
    let context = *processors.of(child).context(child);
    assert_eq!(context.registers[PC], 0x100);
    let buffer = &processors.of(parent).kernel.machine.buffers()[parent.id()];
    assert_eq!(buffer.word(BufferWord::MESSAGE + 4), 0x102);
}

#[test]
fn priorities_are_set_with_the_authority_of_a_thread_of_either_processor() {
    let mut family = Family::new();
    let stranger = family.plan.thread("stranger", 200);
    let Family { ref mut plan, parent, child, control, .. } = family;
    let own = plan.grant(parent, parent.control());
    let other = plan.grant(parent, stranger.control());
    plan.set_processor(stranger, 2);
    let mut processors = plan.boot_processors();
    let mut set = |authority: u64, priority: u64| {
        let arguments =
            Arguments { label: Label::TcbSetPriority.as_raw(), words: &[priority], caps: &[authority] };
        processors.of(parent).syscall(parent, Syscall::Call, control, &arguments);
        processors.settle();
        let info = processors.of(parent).context(parent).info();
        (info.label(), processors.of(child).kernel.threads[child.id()].priority)
    };
    let [done, range, invalid] =
        [ErrorCode::NoError, ErrorCode::RangeError, ErrorCode::InvalidCapability].map(ErrorCode::as_raw);
    assert_eq!(set(own, 100), (done, 100), "the highest that the parent may set");
    assert_eq!(set(own, 101), (range, 100), "the processor of the parent checks it");
    assert_eq!(set(control, 50), (done, 50));
    assert_eq!(set(control, 51), (range, 50), "the processor of the child checks it");
    assert_eq!(set(other, 10), (invalid, 50), "neither knows what the stranger may set");
}

#[test]
fn a_resume_from_elsewhere_does_not_preempt_an_equal() {
    let mut plan = Plan::new();
    let parent = plan.thread("parent", 50);
    let child = plan.thread("child", 20);
    let worker = plan.thread("worker", 20);
    let control = plan.grant(parent, child.control());
    plan.set_processor(child, 1);
    plan.set_processor(worker, 1);
    let mut processors = plan.boot_processors();
    processors.of(child).assert_running(child);
    for label in [Label::TcbSuspend, Label::TcbResume] {
        processors.of(parent).call(parent, control, label.as_raw(), &[]);
        processors.settle();
        processors.of(parent).assert_done(parent);
        processors.of(worker).assert_running(worker);
    }
    assert!(processors.of(child).kernel.threads[child.id()].is_schedulable());
}

#[test]
fn a_stopped_caller_does_not_run_before_its_letter_is_back() {
    let mut pair = Pair::new(true);
    let (manager, interrupt, control) = with_manager(&mut pair);
    let Pair { client, server, call, receive, .. } = pair;
    // Time that the client could borrow from its notification.
    let spare = pair.plan.sched_context(1000);
    pair.plan.passive("without time", 1);
    let notification = pair.plan.bound_notification(client);
    let bind = pair.plan.grant(manager, spare.control());
    let wait = pair.plan.grant(manager, notification.waiter());
    let mut processors = pair.boot();
    processors.of(manager).call_with_caps(manager, bind, Label::SchedContextBind.as_raw(), &[wait]);
    processors.of(manager).assert_done(manager);
    processors.of(manager).recv(manager, slot::INPUT);
    processors.of(client).call(client, call, LABEL, &words(64));
    processors.settle();
    let line = interrupt.line();
    processors.of(manager).interrupt(machine::Interrupt::Line(line));
    processors.of(manager).call(manager, control, Label::TcbSuspend.as_raw(), &[]);
    processors.of(manager).call(manager, control, Label::TcbResume.as_raw(), &[]);
    processors.of(manager).recv(manager, slot::INPUT);
    processors.of(client).assert_running(pair.beside_client);
    // The server writes its reply into the buffer of the client, which must not use it yet.
    processors.of(server).reply_recv(server, receive, 1, &words(64));
    processors.settle();
    processors.of(client).assert_running(client);
}

/// A call elsewhere, whose caller a manager has stopped while the reply is on its way.
struct Replied {
    processors: Processors,
    client: Thread,
    manager: Thread,
    control: u64,
    /// The manager's slot to reset the client.
    reset: u64,
    /// The program counter after the system call.
    end: u64,
}

impl Replied {
    fn new() -> Self {
        let mut pair = Pair::new(true);
        let (manager, interrupt, control) = with_manager(&mut pair);
        let reset = pair.plan.reset(manager, pair.client);
        let reset = pair.plan.grant(manager, Grant::service(reset));
        let Pair { client, server, call, receive, .. } = pair;
        let mut processors = pair.boot();
        processors.of(manager).recv(manager, slot::INPUT);
        let before = processors.of(client).pc(client);
        processors.of(client).call(client, call, LABEL, &words(64));
        processors.take_interrupt(1);
        // The words past the registers replace those of the call in the buffer of the client.
        processors.of(server).reply_recv(server, receive, 1, &words(64));
        let line = interrupt.line();
        processors.of(manager).interrupt(machine::Interrupt::Line(line));
        processors.of(manager).call(manager, control, Label::TcbSuspend.as_raw(), &[]);
        processors.of(manager).assert_done(manager);
        Self { processors, client, manager, control, reset, end: before + SYSCALL_BYTES }
    }

    fn manage(&mut self, label: Label, words: &[u64]) {
        self.processors.of(self.manager).call(self.manager, self.control, label.as_raw(), words);
        self.processors.of(self.manager).assert_done(self.manager);
    }

    /// The manager waits, and everything arrives.
    fn settle(&mut self) {
        if self.processors.of(self.manager).current() == Some(self.manager) {
            self.processors.of(self.manager).recv(self.manager, slot::INPUT);
        }
        self.processors.settle();
    }
}

#[test]
fn a_caller_that_is_stopped_after_the_reply_was_sent_continues_after_its_call() {
    // Resumed before the reply arrives, or after it.
    for resumes_first in [true, false] {
        let mut case = Replied::new();
        if resumes_first {
            case.manage(Label::TcbResume, &[]);
        } else {
            case.processors.settle();
            case.processors.of(case.client).assert_inactive(case.client);
            case.manage(Label::TcbResume, &[]);
        }
        case.settle();
        case.processors.of(case.client).assert_running(case.client);
        assert_eq!(case.processors.of(case.client).pc(case.client), case.end);
        case.processors.of(case.client).assert_message(case.client, 0, 1, &words(64));
    }
}

#[test]
fn a_caller_whose_registers_are_written_does_not_get_the_reply_that_was_sent() {
    let mut case = Replied::new();
    let entry = 0x77_0000;
    case.manage(Label::TcbWriteRegisters, &[1, 1, entry]);
    case.settle();
    case.processors.of(case.client).assert_running(case.client);
    assert_eq!(case.processors.of(case.client).pc(case.client), entry);
    let info = case.processors.of(case.client).context(case.client).info();
    assert_eq!(info.label(), LABEL, "the registers of the call");
}

#[test]
fn a_caller_that_is_reset_does_not_get_the_reply_that_was_sent() {
    let mut case = Replied::new();
    case.processors.of(case.manager).run_service(case.manager, case.reset);
    case.processors.of(case.manager).finish_work(case.manager, [0; _]);
    let first = case.processors.of(case.client).context(case.client).registers;
    case.manage(Label::TcbResume, &[]);
    case.settle();
    case.processors.of(case.client).assert_running(case.client);
    assert_eq!(case.processors.of(case.client).context(case.client).registers, first);
}

#[test]
fn a_timeout_handler_elsewhere_gives_the_thread_more_time() {
    let mut plan = Plan::new();
    let worker = plan.thread("worker", 50);
    plan.share(worker, 30, 1000);
    let handler = plan.thread("handler", 100);
    plan.thread("beside worker", 10);
    let endpoint = plan.endpoint();
    let receive = plan.grant(handler, endpoint.receiver());
    let control = plan.grant(handler, Grant::sched_control());
    let time = plan.sched_context_of(worker);
    let time_slot = plan.grant(handler, time.control());
    plan.handle_timeouts(worker, endpoint.caller(BADGE));
    plan.set_processor(handler, 1);
    let mut processors = plan.boot_processors();
    processors.of(handler).recv(handler, receive);
    processors.pass(30);
    processors.of(worker).run_to_timer();
    processors.settle();
    processors.of(handler).assert_running(handler);
    let info = processors.of(handler).context(handler).info();
    assert_eq!(info.label(), FaultLabel::Timeout.as_raw());
    let arguments = Arguments {
        label: Label::SchedControlConfigureFlags.as_raw(),
        words: &[500, 1000, 0, 0, 0],
        caps: &[time_slot],
    };
    processors.of(handler).syscall(handler, Syscall::Call, control, &arguments);
    processors.settle();
    processors.of(handler).assert_done(handler);
    processors.of(handler).reply_recv(handler, receive, 0, &[]);
    processors.settle();
    assert_eq!(processors.of(worker).kernel.slices[time.id()].budget, 500);
    // A change grants no time twice: the new budget comes a period later.
    processors.pass(1000);
    processors.of(worker).run_to_timer();
    processors.of(worker).assert_running(worker);
}

/// A register that only a thread switch saves.
const SAVED_LATE: usize = X0 + 20;
/// A flag that only the thread itself may set.
const OWN_FLAG: u64 = 1 << 21;

#[test]
fn a_reply_to_a_fault_elsewhere_sets_only_the_registers_that_it_lists() {
    for (fault, set) in [
        (Fault::Vm { address: 0x123, access: Access::Data, status: 5 }, 0),
        (Fault::UserException { number: 3, code: 4 }, 2),
        (Fault::UnknownSyscall { number: 77 }, 9),
    ] {
        let Family { plan, parent, child, receive, .. } = Family::new();
        let mut processors = plan.boot_processors();
        processors.of(parent).recv(parent, receive);
        processors.of(child).kernel.threads[child.id()].context.registers[SPSR] |= OWN_FLAG;
        processors.of(child).fault(child, fault);
        // The switch to the next thread saves the register after the kernel has sent the report.
        processors.of(child).kernel.threads[child.id()].context.registers[SAVED_LATE] = 0x5eed;
        processors.settle();
        processors.of(parent).reply_recv(parent, receive, 0, &words(set));
        processors.settle();
        processors.of(child).assert_running(child);
        let registers = processors.of(child).context(child).registers;
        assert_eq!(registers[SAVED_LATE], 0x5eed, "{fault:?}");
        if set != 0 {
            let first = if set == 2 { PC } else { X0 };
            assert_eq!(registers[first], 0x1000, "{fault:?}");
            // The program has set a flag that others may not set.
            assert_eq!(registers[SPSR] & OWN_FLAG, OWN_FLAG, "{fault:?}");
        }
    }
}

#[test]
fn a_reply_to_a_timeout_elsewhere_sets_as_many_registers_as_it_has_words() {
    for set in [0, 2, 34] {
        let mut plan = Plan::new();
        let worker = plan.thread("worker", 50);
        plan.share(worker, 30, 1000);
        let handler = plan.thread("handler", 100);
        plan.thread("beside worker", 10);
        let endpoint = plan.endpoint();
        let receive = plan.grant(handler, endpoint.receiver());
        plan.handle_timeouts(worker, endpoint.caller(BADGE));
        plan.set_processor(handler, 1);
        let mut processors = plan.boot_processors();
        processors.of(handler).recv(handler, receive);
        processors.pass(30);
        processors.of(worker).run_to_timer();
        let before = processors.of(worker).pc(worker);
        processors.of(worker).kernel.threads[worker.id()].context.registers[SAVED_LATE] = 0x5eed;
        processors.settle();
        processors.of(handler).assert_running(handler);
        processors.of(handler).reply_recv(handler, receive, 0, &words(set));
        processors.settle();
        let registers = processors.of(worker).context(worker).registers;
        assert_eq!(registers[PC], if set == 0 { before } else { 0x1000 });
        assert_eq!(registers[SAVED_LATE] == 0x5eed, set < 34, "{set} registers");
    }
}
