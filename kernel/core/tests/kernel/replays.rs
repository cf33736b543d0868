//! Replays of recordings in which programs do what those of random systems do not.

use limen_abi::Label;
use limen_abi::message::BufferWord;
use limen_core::machine::{Interrupt, Machine};
use limen_replay::reader::Damage;
use limen_replay::replay::Ending;

use crate::support::{Grant, Plan, System, Wiring, X0};

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
