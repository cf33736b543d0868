//! The trace: what events record, whichever path serves them, and what stays in the ring.

use std::sync::atomic::Ordering;

use limen_abi::trace::{EntryReason, HeaderWord, RecordWord, TraceKind, WaitedObject, what};
use limen_abi::{KernelKey, Syscall};
use limen_core::fault::{Access, Fault};
use limen_core::machine::{Context, Interrupt, Line};

use crate::support::{Plan, Service, System, Thread};

/// Slots of the rings here.
pub(crate) const SLOTS: usize = 64;
const ALL: u64 = KernelKey::TRACE;

/// The kind, thread, first and second value of a record.
pub(crate) type Record = (TraceKind, u64, u64, u64);

/// Gives a system an empty ring, and turns groups on.
pub(crate) fn start(system: &mut System, groups: u64) {
    system.kernel.machine.make_trace(SLOTS);
    system.kernel.machine.trace_groups = groups;
}

pub(crate) fn count(system: &System) -> usize {
    system.kernel.machine.trace[HeaderWord::COUNT].load(Ordering::Relaxed) as usize
}

/// The records that are still in the ring, from this number on.
pub(crate) fn records(system: &System, from: usize) -> Vec<Record> {
    let words: Vec<u64> =
        system.kernel.machine.trace.iter().map(|word| word.load(Ordering::Relaxed)).collect();
    let record = |number: usize| {
        let slot = &words[HeaderWord::LENGTH + number % SLOTS * RecordWord::LENGTH..];
        assert_eq!(slot[RecordWord::NUMBER], number as u64);
        let word = slot[RecordWord::WHAT];
        let kind = TraceKind::from_raw(word & 0xff).expect("a kind");
        let (thread, first) = (word >> 16 & 0xffff, word >> 32);
        assert_eq!(what(kind, thread, first), word);
        (kind, thread, first, slot[RecordWord::VALUE])
    };
    (from..count(system)).map(record).collect()
}

fn kinds(records: &[Record]) -> Vec<TraceKind> {
    records.iter().map(|record| record.0).collect()
}

fn number(thread: Thread) -> u64 {
    thread.0
}

/// A call and its reply record the same on the path of short messages and on that of long ones.
fn a_call_and_its_reply(make: impl Fn() -> Service) {
    for words in [&[1, 2][..], &[1; 20]] {
        let mut service = make();
        let mut system = service.boot();
        start(&mut system, ALL & !KernelKey::TraceMemory.option());
        let (server, client) = (number(service.server), number(service.client));
        // The first event also records which thread runs.
        system.call(service.client, service.call, 7, words);
        system.reply_recv(service.server, service.receive, 0, &[]);
        let from = count(&system);
        system.call(service.client, service.call, 7, words);
        system.reply_recv(service.server, service.receive, 0, &[]);
        let all = records(&system, from);
        let messages: Vec<Record> = all
            .iter()
            .copied()
            .filter(|record| matches!(record.0, TraceKind::Call | TraceKind::Reply))
            .collect();
        let second = Service::BADGE << 16 | words.len() as u64;
        assert_eq!(
            messages,
            [(TraceKind::Call, client, server, second), (TraceKind::Reply, server, client, 0)]
        );
        assert_eq!(
            kinds(&all),
            [
                TraceKind::Entry,
                TraceKind::Call,
                TraceKind::Block,
                TraceKind::Switch,
                TraceKind::Exit,
                TraceKind::Entry,
                TraceKind::Reply,
                TraceKind::Block,
                TraceKind::Switch,
                TraceKind::Exit,
            ]
        );
        assert_eq!((all[2].1, all[2].2), (client, WaitedObject::Reply as u64));
        assert_eq!((all[7].1, all[7].2), (server, WaitedObject::Endpoint as u64));
        assert_eq!(all[0].2, Syscall::Call.as_raw() as u64 & 0xffff_ffff);
        assert_eq!((all[8].1, all[8].2), (server, client));
    }
}

#[test]
fn a_call_to_a_passive_server_is_recorded_on_every_path() {
    a_call_and_its_reply(|| Service::passive(110));
}

#[test]
fn a_call_to_an_active_server_is_recorded_on_every_path() {
    a_call_and_its_reply(|| Service::active(110));
}

#[test]
fn a_sender_that_queues_is_recorded_when_it_calls_and_when_it_is_received() {
    let mut service = Service::active(50);
    let mut system = service.boot();
    start(&mut system, KernelKey::TraceMessages.option());
    let (other, client) = (number(service.server), number(service.client));
    system.call(service.client, service.call, 0, &[]);
    assert_eq!(records(&system, 0), [(TraceKind::Call, client, other, Service::BADGE << 16)]);
}

#[test]
fn a_fault_and_an_interrupt_are_recorded() {
    let mut plan = Plan::new();
    let thread = plan.thread("thread", 50);
    let mut system = plan.boot();
    start(&mut system, ALL);
    system.interrupt(Interrupt::Line(Line(77)));
    let all = records(&system, 0);
    assert_eq!(
        kinds(&all),
        [TraceKind::Switch, TraceKind::Entry, TraceKind::Interrupt, TraceKind::Exit],
        "{all:?}"
    );
    assert_eq!(all[1].2, EntryReason::Interrupt as u64);
    assert_eq!((all[2].1, all[2].2), (number(thread), 77));
    let from = count(&system);
    system.fault(thread, Fault::Vm { address: 0x1234, access: Access::Data, status: 0 });
    let all = records(&system, from);
    let fault = all.iter().find(|record| record.0 == TraceKind::Fault).expect("a fault");
    assert_eq!((fault.1, fault.3), (number(thread), 0x1234));
    let block = all.iter().find(|record| record.0 == TraceKind::Block).expect("the thread stops");
    assert_eq!((block.1, block.2), (number(thread), WaitedObject::Stopped as u64));
}

/// The records show how a limited budget is used and refilled; the spinner has none.
#[test]
fn what_is_left_of_a_budget_is_recorded_when_its_use_begins_and_ends() {
    let mut plan = Plan::new();
    let (share, spinner) = (plan.thread("share", 50), plan.thread("spinner", 1));
    plan.share(share, 100, 400);
    let mut system = plan.boot();
    start(&mut system, KernelKey::TraceTime.option());
    let left = |from: usize, system: &System| -> Vec<(u64, u64)> {
        let all = records(system, from).into_iter();
        all.filter(|record| record.0 == TraceKind::Left).map(|record| (record.2, record.3)).collect()
    };
    let share = number(share);
    system.pass(60);
    system.yield_slice(Thread(share));
    system.assert_running(spinner);
    assert_eq!(left(0, &system), [(share, 0)], "a yield gives up the rest");
    let from = count(&system);
    // The timer still fires where the budget would have ended.
    system.run_to_timer();
    system.run_to_timer();
    assert_eq!((system.kernel.machine.now, left(from, &system)), (400, vec![(share, 100)]));
    let from = count(&system);
    system.run_to_timer();
    let all = records(&system, from);
    assert_eq!(all, [(TraceKind::Budget, share, share, 0), (TraceKind::Left, number(spinner), share, 0)]);
}

/// A program asks for a record with these words.
fn write(system: &mut System, thread: Thread, word: u64, value: u64) {
    let number = Syscall::Trace.as_raw();
    system.trap(thread, number, word, limen_abi::MessageInfo::from_raw(value));
}

#[test]
fn programs_write_nothing_while_only_other_groups_are_on() {
    let mut plan = Plan::new();
    let thread = plan.thread("program", 10);
    let mut system = plan.boot();
    start(&mut system, ALL & !KernelKey::TracePrograms.option());
    write(&mut system, thread, TraceKind::Event as u64, 1);
    assert_eq!(count(&system), 0);
}

#[test]
fn programs_write_only_their_own_kinds_under_their_own_number() {
    let mut plan = Plan::new();
    plan.thread("first", 10);
    let thread = plan.thread("second", 50);
    let mut system = plan.boot();
    start(&mut system, KernelKey::TracePrograms.option());
    write(&mut system, thread, TraceKind::Counter as u64 | 5 << 32, 9);
    write(&mut system, thread, u64::MAX, 1);
    write(&mut system, thread, TraceKind::Switch as u64 | 0xff << 16, 2);
    let own = number(thread);
    let expected = [
        (TraceKind::Counter, own, 5, 9),
        (TraceKind::Event, own, 0xffff_ffff, 1),
        (TraceKind::Event, own, 0, 2),
    ];
    assert_eq!(records(&system, 0), expected);
    system.kernel.machine.trace_groups = 0;
    write(&mut system, thread, TraceKind::Event as u64, 3);
    assert_eq!(count(&system), 3);
    let context = system.context(thread);
    assert_eq!((context.cptr(), context.info().as_raw()), (TraceKind::Event as u64, 3));
}

#[test]
fn the_oldest_records_are_overwritten() {
    let mut plan = Plan::new();
    let thread = plan.thread("thread", 50);
    let mut system = plan.boot();
    start(&mut system, KernelKey::TracePrograms.option());
    for value in 0..2 * SLOTS as u64 + 3 {
        write(&mut system, thread, TraceKind::Event as u64, value);
    }
    let kept = records(&system, SLOTS + 3);
    let values: Vec<u64> = kept.iter().map(|record| record.3).collect();
    assert_eq!(values, (SLOTS as u64 + 3..2 * SLOTS as u64 + 3).collect::<Vec<_>>());
}
