//! Recordings of several processors. Each replays alone: all that its kernel gets from others is in it.

use std::cell::Cell;

use limen_abi::{Label, slot};
use limen_core::machine;
use limen_replay::replay::Ending;
use proptest::collection::vec;
use proptest::prelude::*;

use super::random::{Action, CASES, DOMAINS, STEPS, Step, ThreadShape, boot, shapes, step, steps};
use super::{BADGE, LABEL, Pair, sender_and_waiter, with_manager};
use crate::support::{Interrupt, Processors, Thread, check_random, replay_damaged};

pub(super) fn start(processors: &mut Processors) {
    processors.systems.iter_mut().for_each(|system| system.start_recording());
}

/// Records random processors. Reading the clock takes so many ticks.
fn record(processors: u64, shapes: &[ThreadShape], steps: &[Step], ticks_per_read: u64) -> Processors {
    let mut processors = boot(processors, shapes, DOMAINS);
    start(&mut processors);
    for system in &mut processors.systems {
        system.kernel.machine.slow_clock(ticks_per_read);
    }
    // Ports report no unknown system call as a fault.
    let is_of_port = |step: &&Step| !matches!(step.action, Action::Fault(kind) if kind % 3 == 2);
    steps.iter().filter(is_of_port).for_each(|at| step(&mut processors, at));
    processors
}

pub(super) fn assert_replay(processors: &Processors) -> u64 {
    let mut events = 0;
    for (number, system) in processors.systems.iter().enumerate() {
        match system.replay() {
            Ok(replayed) => events += replayed.events,
            Err(ending) => panic!("processor {number}: {ending}"),
        }
    }
    events
}

#[test]
fn recordings_of_several_processors_replay() {
    let events = Cell::new(0);
    for ticks_per_read in [0, 7] {
        check_random(CASES, (shapes(DOMAINS), vec(steps(), 1..STEPS)), |((processors, shapes), steps)| {
            let processors = record(processors, &shapes, &steps, ticks_per_read);
            events.update(|events| events + assert_replay(&processors));
        });
    }
    println!("{} events replayed", events.get());
    assert!(events.get() > 0);
}

/// One word of a recording is changed, or its end is missing. A changed time is at most 2^24 ticks off, or years: the core goes
/// through all slots of the domains between two events.
#[test]
fn a_damaged_recording_of_one_processor_is_reported() {
    let found = [const { Cell::new(0) }; 3];
    let damage = (any::<prop::sample::Index>(), prop_oneof![0..24_u32, 56..64_u32], any::<bool>());
    let values = (shapes(DOMAINS), vec(steps(), 8..STEPS), damage);
    check_random(CASES, values, |((processors, shapes), steps, (place, bit, is_cut))| {
        let mut processors = record(processors, &shapes, &steps, 1);
        for system in &mut processors.systems {
            let kind = replay_damaged(system, place, bit, is_cut);
            found[kind].update(|count| count + 1);
        }
    });
    let [unnoticed, damaged, differs] = found.map(|count| count.get());
    println!("{unnoticed} changes without an effect, {damaged} damaged recordings, {differs} differences");
    assert!(damaged > 0 && differs > 0, "{damaged} {differs}");
}

/// A pair whose client is stopped by a manager beside it, and the recording of both processors.
struct Recalled {
    pair: Pair,
    processors: Processors,
    manager: Thread,
    interrupt: Interrupt,
    control: u64,
}

impl Recalled {
    fn new(mut pair: Pair) -> Self {
        let (manager, interrupt, control) = with_manager(&mut pair);
        let mut processors = pair.plan.boot_processors();
        start(&mut processors);
        processors.of(manager).recv(manager, slot::INPUT);
        Self { pair, processors, manager, interrupt, control }
    }

    /// The client calls, and its letter arrives.
    fn call(&mut self) {
        let Pair { client, call, .. } = self.pair;
        self.processors.of(client).call(client, call, LABEL, &[]);
        self.processors.settle();
    }

    /// The manager stops the client; the recall is on its way afterwards.
    fn recall_client(&mut self) {
        let Self { processors, manager, interrupt, control, .. } = self;
        let system = processors.of(*manager);
        system.interrupt(machine::Interrupt::Line(interrupt.line()));
        system.call(*manager, *control, Label::TcbSuspend.as_raw(), &[]);
    }

    /// The same, and the recall arrives: the letter has come without the number of the recalled request.
    fn stop_client(&mut self) {
        self.recall_client();
        let Self { processors, .. } = self;
        processors.settle();
        let server = processors.of(self.pair.server);
        assert_eq!(server.kernel.processor.visiting, 0, "the recall has ended the visit");
    }
}

#[test]
fn a_recall_that_takes_a_passive_servers_time_replays() {
    let mut pair = Pair::new(false);
    let Pair { server, beside_server, receive, .. } = pair;
    // The server waits on time of its own before another thread takes that.
    let own = pair.plan.sched_context(1000);
    pair.plan.record(server).sched_context = own.0;
    pair.plan.set_processor(server, 1);
    let control = pair.plan.grant(beside_server, own.control());
    let mut case = Recalled::new(pair);
    case.processors.of(server).recv(server, receive);
    let unbind = Label::SchedContextUnbind.as_raw();
    case.processors.of(server).call(beside_server, control, unbind, &[]);
    case.call();
    case.processors.of(server).assert_running(server);
    case.stop_client();
    case.processors.of(server).assert_running(beside_server);
    assert_replay(&case.processors);
}

#[test]
fn a_recall_of_a_call_that_no_server_has_received_replays() {
    let mut case = Recalled::new(Pair::new(true));
    let Pair { server, beside_server, receive, .. } = case.pair;
    case.call();
    case.stop_client();
    case.processors.of(server).recv(server, receive);
    case.processors.of(server).assert_running(beside_server);
    assert_replay(&case.processors);
}

/// The recall of a call that is answered already arrives with the next call, and does not end that one.
#[test]
fn a_recall_of_an_earlier_call_replays() {
    let mut case = Recalled::new(Pair::new(true));
    let Pair { client, server, receive, call, .. } = case.pair;
    case.processors.of(server).recv(server, receive);
    case.call();
    case.processors.of(server).reply_recv(server, receive, LABEL + 1, &[]);
    case.recall_client();
    case.processors.take_interrupt(0);
    let resume = Label::TcbResume.as_raw();
    case.processors.of(case.manager).call(case.manager, case.control, resume, &[]);
    case.processors.of(case.manager).recv(case.manager, slot::INPUT);
    case.processors.of(client).call(client, call, LABEL + 2, &[]);
    case.processors.take_interrupt(1);
    let system = case.processors.of(server);
    assert_ne!(system.kernel.processor.visiting, 0, "the recall has not ended the visit");
    system.assert_message(server, BADGE, LABEL + 2, &[]);
    assert_replay(&case.processors);
}

#[test]
fn signals_that_are_only_in_the_recording_are_reported() {
    let (mut plan, sender, waiter, notification) = sender_and_waiter();
    let signal = plan.grant(sender, notification.signaller(1));
    let mut processors = plan.boot_processors();
    start(&mut processors);
    processors.of(sender).signal(sender, signal);
    processors.settle();
    assert_replay(&processors);
    // No letters, no recalls, one notification, and nothing about code.
    let system = processors.of(waiter);
    let mail = [0, 0, 1 << notification.0, 0];
    let place = system.recorded.windows(mail.len()).position(|words| words == mail);
    system.recorded[place.expect("the mail is recorded") + 2] = 0;
    let Err(Ending::Differs(report)) = system.replay() else { panic!("the replay does not differ") };
    assert!(report.contains("the target takes signals that the core leaves"), "{report}");
}
