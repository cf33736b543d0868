//! The trace of several processors: a message has a record where it is sent, and one where a thread receives it.

use limen_abi::trace::{EntryReason, MESSAGE_LINE, NO_THREAD, TraceKind, WaitedObject, elsewhere};
use limen_abi::{KernelKey, Syscall};
use limen_core::fault::{Access, Fault};

use super::Pair;
use crate::support::{Plan, Processors};
use crate::trace::{Record, count, records, start};

const MESSAGES: u64 = KernelKey::TraceThreads.option() | KernelKey::TraceMessages.option();

fn start_all(processors: &mut Processors, groups: u64) {
    processors.systems.iter_mut().for_each(|system| start(system, groups));
}

/// The records that are still in the ring of a processor.
fn all(processors: &Processors, number: usize) -> Vec<Record> {
    records(&processors.systems[number], 0)
}

/// Without the switch that the first event records.
fn after_the_first(processors: &Processors, number: usize) -> Vec<Record> {
    let records = all(processors, number);
    assert_eq!((records[0].0, records[0].1), (TraceKind::Switch, NO_THREAD));
    records[1..].to_vec()
}

#[test]
fn a_call_is_recorded_where_it_is_made_and_where_it_is_received() {
    let pair = Pair::new(true);
    let Pair { client, server, beside_client, beside_server, receive, .. } = pair;
    let mut processors = pair.boot();
    start_all(&mut processors, MESSAGES);
    let [client_number, server_number] = [client.0, server.0];
    processors.of(client).call(client, pair.call, 7, &[1, 2]);
    assert_eq!(count(&processors.systems[1]), 0);
    let second = elsewhere(0, 1, super::BADGE);
    let away = WaitedObject::Processor as u64;
    let sent = [
        (TraceKind::CallElsewhere, client_number, NO_THREAD, second),
        (TraceKind::Block, client_number, away, 1),
        (TraceKind::Switch, client_number, beside_client.0, 10),
    ];
    assert_eq!(after_the_first(&processors, 0), sent);
    processors.take_interrupt(1);
    processors.of(server).reply_recv(server, receive, 0, &[]);
    let received = [
        (TraceKind::Call, client_number, server_number, 0),
        (TraceKind::Switch, beside_server.0, server_number, 200),
        (TraceKind::Reply, server_number, client_number, 0),
        (TraceKind::Block, server_number, WaitedObject::Endpoint as u64, 0),
        (TraceKind::Switch, server_number, beside_server.0, 10),
    ];
    assert_eq!(after_the_first(&processors, 1), received);
    processors.take_interrupt(0);
    let answered = [
        (TraceKind::Wake, beside_client.0, client_number, 0),
        (TraceKind::Switch, beside_client.0, client_number, 100),
    ];
    assert_eq!(after_the_first(&processors, 0)[3..], answered);
}

#[test]
fn a_call_that_queues_is_recorded_again_when_it_is_received() {
    let pair = Pair::new(true);
    let Pair { client, server, receive, .. } = pair;
    let mut processors = pair.plan.boot_processors();
    start_all(&mut processors, MESSAGES);
    processors.of(client).call(client, pair.call, 7, &[]);
    processors.take_interrupt(1);
    processors.of(server).recv(server, receive);
    assert_eq!(after_the_first(&processors, 1), [(TraceKind::Call, client.0, server.0, 0)]);
}

#[test]
fn a_signal_is_recorded_with_the_notification_that_it_wakes_a_thread_with() {
    let mut plan = Plan::new();
    let (sender, waiter) = (plan.thread("sender", 100), plan.thread("waiter", 200));
    let beside = plan.thread("beside the waiter", 10);
    plan.notification();
    let notification = plan.bound_notification(waiter);
    let signal = plan.grant(sender, notification.signaller(4));
    let wait = plan.grant(waiter, notification.waiter());
    [waiter, beside].into_iter().for_each(|thread| plan.set_processor(thread, 1));
    let mut processors = plan.boot_processors();
    processors.of(waiter).wait(waiter, wait);
    start_all(&mut processors, MESSAGES | KernelKey::TraceInterrupts.option());
    processors.of(sender).signal(sender, signal);
    let second = elsewhere(notification.0, 1, 4);
    assert_eq!(after_the_first(&processors, 0), [(TraceKind::SignalElsewhere, sender.0, NO_THREAD, second)]);
    processors.take_interrupt(1);
    assert_eq!(
        after_the_first(&processors, 1),
        [
            (TraceKind::Interrupt, beside.0, MESSAGE_LINE, 0),
            (TraceKind::Wake, beside.0, waiter.0, 1 + notification.0),
            (TraceKind::Switch, beside.0, waiter.0, 200),
        ]
    );
}

#[test]
fn a_fault_is_received_as_a_call_by_its_handler_elsewhere() {
    let mut plan = Plan::new();
    let (client, server) = (plan.thread("client", 100), plan.thread("server", 200));
    let endpoint = plan.endpoint();
    plan.handle_faults(client, endpoint.caller(9));
    let receive = plan.grant(server, endpoint.receiver());
    plan.set_processor(server, 1);
    let mut processors = plan.boot_processors();
    processors.of(server).recv(server, receive);
    start_all(&mut processors, MESSAGES);
    processors.of(client).fault(client, Fault::Vm { address: 0xdead, access: Access::Data, status: 0 });
    let faulted = after_the_first(&processors, 0);
    assert_eq!((faulted[0].0, faulted[0].1, faulted[0].3), (TraceKind::Fault, client.0, 0xdead));
    assert_eq!((faulted[1].0, faulted[1].2), (TraceKind::Block, WaitedObject::Processor as u64));
    processors.take_interrupt(1);
    assert_eq!(after_the_first(&processors, 1)[0], (TraceKind::Call, client.0, server.0, 0));
}

#[test]
fn an_idle_processor_begins_with_a_switch_to_no_thread() {
    let mut plan = Plan::new();
    let (sender, waiter) = (plan.thread("sender", 100), plan.thread("waiter", 200));
    let notification = plan.bound_notification(waiter);
    let signal = plan.grant(sender, notification.signaller(4));
    let wait = plan.grant(waiter, notification.waiter());
    plan.set_processor(waiter, 1);
    let mut processors = plan.boot_processors();
    processors.of(waiter).wait(waiter, wait);
    start_all(&mut processors, MESSAGES | KernelKey::TraceEntries.option());
    processors.of(sender).signal(sender, signal);
    processors.take_interrupt(1);
    let records = all(&processors, 1);
    assert_eq!(records[0], (TraceKind::Switch, NO_THREAD, NO_THREAD, 0));
    assert_eq!(records[1], (TraceKind::Entry, NO_THREAD, EntryReason::Interrupt as u64, 0));
    assert_eq!(all(&processors, 0)[1].2, Syscall::Send.as_raw() as u64 & 0xffff_ffff);
}
