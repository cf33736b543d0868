//! Replays of recordings in which programs do what those of random systems do not.

use limen_abi::message::BufferWord;
use limen_abi::probe::{ProbeEvent, ProbeOption, ProbeWord};
use limen_abi::recording::{Part, StateWord, head};
use limen_abi::{KernelKey, Label};
use limen_core::fault::{Access, Fault};
use limen_core::machine::{Interrupt, Machine};
use limen_replay::reader::Damage;
use limen_replay::replay::Ending;

use crate::support::{Grant, PC, Plan, Probes, STAMP, System, Thread, Wiring, X0};

/// The address at which the events of armed probes end.
const LAST: u64 = 0x40_0000;

/// Registers that a thread's parent writes: those of the state and the first two others, of which the second describes a message.
const WRITTEN: usize = X0 + 2;

/// The keys of a large group with the group itself.
const LARGE: usize = 21;

/// A group of more keys than one event can patch.
fn large_group(plan: &mut Plan) -> u64 {
    let group = plan.key(false);
    (1..LARGE).for_each(|_| {
        plan.key_of_group(false, group);
    });
    group
}

fn assert_replay(system: &System) {
    if let Err(ending) = system.replay() {
        panic!("{ending}");
    }
}

#[test]
fn words_that_a_program_has_left_in_its_buffer_are_taken_from_the_recording() {
    let mut plan = Plan::new();
    let (child, parent) = (plan.thread("child", 20), plan.thread("parent", 10));
    let notification = plan.notification();
    let wait = plan.grant(child, notification.waiter());
    let control = plan.grant(parent, child.control());
    plan.is_recorded = true;
    let mut system = plan.boot();
    system.kernel.machine.buffers()[child.id()].set_word(BufferWord::MESSAGE + 5, 7);
    system.wait(child, wait);
    // The child is resumed with a message of eight words, of which it has sent none.
    let mut values = [0; WRITTEN];
    values[X0 + 1] = 8;
    let words = [&[1, WRITTEN as u64][..], &values].concat();
    system.call(parent, control, Label::TcbWriteRegisters.as_raw(), &words);
    system.expect_current(child);
    assert_replay(&system);
}

#[test]
fn a_recording_whose_time_jumps_by_more_than_a_day_is_damaged() {
    let mut plan = Plan::new();
    let thread = plan.thread("alone", 10);
    plan.is_recorded = true;
    let mut system = plan.boot();
    let day = 24 * 60 * 60 * system.kernel.machine.frequency();
    system.pass(day);
    system.yield_slice(thread);
    assert!(system.replay().is_ok());
    system.pass(day + 1);
    system.yield_slice(thread);
    assert_eq!(system.replay(), Err(Ending::Damaged { damage: Damage::Contents, events: 1 }));
}

/// The core would go through all slots in between.
#[test]
fn a_recording_that_leaves_out_too_many_slots_is_damaged() {
    let mut plan = Plan::new();
    let thread = plan.thread("alone", 10);
    plan.clock_starts_at(12_345);
    [30, 40].into_iter().for_each(|ticks| plan.turn(0, ticks));
    plan.is_recorded = true;
    let mut system = plan.boot();
    system.pass(5);
    system.yield_slice(thread);
    assert!(system.replay().is_ok());
    let since = system.kernel.state_words()[StateWord::SINCE];
    let found = system.recorded.iter().rposition(|word| *word == since).expect("the time of the charge");
    system.recorded[found] += 30 << 25;
    assert_eq!(system.replay(), Err(Ending::Damaged { damage: Damage::Contents, events: 0 }));
}

/// No room is left for the branches of the last keys of the group, so the kernel does not ask the machine to patch them.
#[test]
fn a_change_of_more_keys_than_one_event_can_patch_replays() {
    let mut plan = Plan::new();
    let thread = plan.thread("alone", 10);
    let group = large_group(&mut plan);
    let slot = plan.grant(thread, Grant::key(group));
    plan.is_recorded = true;
    let mut system = plan.boot();
    system.call(thread, slot, Label::KeyInc.as_raw(), &[]);
    assert!(system.kernel.machine.key_flips.len() < LARGE, "the change takes several events");
    while system.kernel.machine.key_flips.len() < LARGE {
        system.call_again(thread);
    }
    assert_replay(&system);
}

/// The kernel does not ask the machine to patch the last keys, but turns the probe off behind them.
#[test]
fn the_stop_of_a_program_that_probes_and_holds_many_keys_replays() {
    let mut plan = Plan::new();
    let (child, parent) = (plan.thread("child", 20), plan.thread("parent", 10));
    let group = large_group(&mut plan);
    let (key, probe) = (plan.grant(child, Grant::key(group)), plan.grant(child, Grant::probe()));
    let notification = plan.notification();
    let wait = plan.grant(child, notification.waiter());
    let control = plan.grant(parent, child.control());
    plan.is_recorded = true;
    let mut system = plan.boot();
    system.call(child, probe, Label::ProbeStart.as_raw(), &[]);
    system.call(child, key, Label::KeyInc.as_raw(), &[]);
    while system.kernel.machine.key_flips.len() < LARGE {
        system.call_again(child);
    }
    system.wait(child, wait);
    system.call(parent, control, Label::TcbSuspend.as_raw(), &[]);
    assert!(system.kernel.machine.key_flips.len() < 2 * LARGE, "the release takes several events");
    assert_eq!(system.kernel.machine.probing, [true, false]);
    while system.kernel.machine.key_flips.len() < 2 * LARGE {
        system.call_again(parent);
    }
    assert_replay(&system);
}

#[test]
fn a_program_that_makes_the_kernel_print_replays() {
    let mut plan = Plan::new();
    let thread = plan.thread("alone", 10);
    let key = plan.kernel_key(false, KernelKey::Printing);
    let slot = plan.grant(thread, Grant::key(key));
    plan.is_recorded = true;
    let mut system = plan.boot();
    for label in [Label::KeyInc, Label::KeyDec] {
        system.call(thread, slot, label.as_raw(), &[]);
        assert_eq!(system.kernel.machine.is_printing, label == Label::KeyInc);
    }
    assert_replay(&system);
}

#[test]
fn a_line_that_no_controller_has_is_damage() {
    let mut plan = Plan::new();
    let thread = plan.thread("driver", 10);
    let notification = plan.notification();
    let device = plan.interrupt(Wiring::Level, notification, 1);
    let wait = plan.grant(thread, notification.waiter());
    plan.is_recorded = true;
    let mut system = plan.boot();
    system.wait(thread, wait);
    system.interrupt(Interrupt::Line(device.line()));
    assert!(system.replay().is_ok());
    let is_line = |word: &u64| *word == u64::from(device.line().0);
    let place = system.recorded.iter().rposition(is_line).expect("the line is recorded");
    system.recorded[place] |= 1 << 32;
    assert_eq!(system.replay(), Err(Ending::Damaged { damage: Damage::Contents, events: 1 }));
}

/// A thread that probes itself, and the slot of its probe.
fn probing() -> (System, Thread, u64) {
    let mut plan = Plan::new();
    let thread = plan.thread("alone", 10);
    let slot = plan.grant(thread, Grant::probe());
    plan.is_recorded = true;
    let mut system = plan.boot();
    system.probes = Probes::OnTheWay;
    system.call(thread, slot, Label::ProbeStart.as_raw(), &[]);
    (system, thread, slot)
}

/// Arms a probe for an event in the code that ends at `LAST`, where the thread continues.
fn arm(system: &mut System, thread: Thread, slot: u64, event: ProbeEvent) {
    let words = [event.as_raw(), 0, LAST, ProbeOption::EXIT];
    system.call(thread, slot, Label::ProbeArm.as_raw(), &words);
    system.context_mut(thread).registers[PC] = LAST - 4;
}

#[test]
fn samples_replay() {
    let (mut system, thread, slot) = probing();
    let faults = [
        (ProbeEvent::PageFault, Fault::Vm { address: 8, access: Access::Data, status: 2 }),
        (ProbeEvent::Undefined, Fault::UserException { number: 1, code: 0 }),
    ];
    for (event, fault) in faults {
        arm(&mut system, thread, slot, event);
        system.context_mut(thread).registers[STAMP] = 7;
        system.fault(thread, fault);
        assert_eq!(system.pc(thread), LAST, "the fault is sampled");
        system.pass(5);
        system.call(thread, slot, Label::ProbeRead.as_raw(), &[]);
        let words = [ProbeWord::VALID, ProbeWord::EVENT, ProbeWord::USER];
        assert_eq!(words.map(|word| system.message_word(thread, word)), [1, event.as_raw(), 7]);
    }
    arm(&mut system, thread, slot, ProbeEvent::Interrupt);
    // An entry that lets work go on leads to no event.
    system.kernel.record_entry(None, 1);
    system.yield_slice(thread);
    system.interrupt(Interrupt::Timer);
    assert_eq!(system.pc(thread), LAST, "the interrupt is sampled");
    system.call(thread, slot, Label::ProbeRead.as_raw(), &[]);
    assert_replay(&system);
}

/// Changes a word of the recorded entry of this event.
fn change_entry(system: &mut System, event: ProbeEvent, place: usize, value: u64) {
    let mut entries = system.recorded.windows(3);
    let head = head(Part::Entry, 4);
    let found = entries.position(|words| words[0] == head && words[2] == event.as_raw());
    system.recorded[found.expect("the entry is recorded") + 2 + place] = value;
}

fn assert_differs(system: &System, problem: &str) {
    match system.replay() {
        Err(Ending::Differs(report)) => assert!(report.contains(problem), "{report}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn samples_that_the_target_does_not_take_are_differences() {
    let sampled = || {
        let (mut system, thread, slot) = probing();
        arm(&mut system, thread, slot, ProbeEvent::PageFault);
        system.fault(thread, Fault::Vm { address: 8, access: Access::Data, status: 2 });
        system.call(thread, slot, Label::ProbeRead.as_raw(), &[]);
        system
    };
    assert_replay(&sampled());
    for (place, value, problem) in [
        (0, ProbeEvent::Undefined.as_raw(), "the target's probe samples a fault that the core's does not"),
        (1, 1, "x5 of alone is"),
        (2, LAST + 4, "the target's probe samples a fault that the core's does not"),
    ] {
        let mut system = sampled();
        change_entry(&mut system, ProbeEvent::PageFault, place, value);
        assert_differs(&system, problem);
    }
    // The target's fault is behind the code that is armed.
    let (mut system, thread, slot) = probing();
    arm(&mut system, thread, slot, ProbeEvent::PageFault);
    system.context_mut(thread).registers[PC] = LAST + 4;
    system.fault(thread, Fault::Vm { address: 8, access: Access::Data, status: 2 });
    assert_replay(&system);
    change_entry(&mut system, ProbeEvent::PageFault, 2, LAST);
    assert_differs(&system, "the core's probe samples a fault that the target's does not");
}

/// With these, sums of times overflow.
#[test]
fn an_impossible_frequency_or_time_is_damage() {
    let mut plan = Plan::new();
    plan.thread("alone", 10);
    plan.clock_starts_at(12_345);
    plan.is_recorded = true;
    for place in 0..2 {
        let mut system = plan.boot();
        let clock = [system.kernel.machine.frequency(), system.kernel.state_words()[StateWord::SINCE]][place];
        let found = system.recorded.iter().rposition(|word| *word == clock).expect("a word of the boot");
        system.recorded[found] |= 1 << 63;
        assert_eq!(system.replay(), Err(Ending::Damaged { damage: Damage::Contents, events: 0 }));
    }
}
