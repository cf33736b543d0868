//! Static keys: who may hold them, when branches are patched, and which holds a stopped program releases.

use limen_abi::limits::KEY_HOLDS;
use limen_abi::{ErrorCode, Label};
use limen_core::machine::Context;
use proptest::prelude::*;

use crate::support::{Grant, PC, Plan, System, TestContext, Thread, random_config};

const ENABLE: u64 = Label::KeyEnable.as_raw();
const DISABLE: u64 = Label::KeyDisable.as_raw();
const INC: u64 = Label::KeyInc.as_raw();
const DEC: u64 = Label::KeyDec.as_raw();

/// A parent and its child that hold the same key and yield to each other.
struct Holders {
    system: System,
    parent: Thread,
    child: Thread,
    control: u64,
    slots: [u64; 2],
}

impl Holders {
    fn of(default: bool) -> Self {
        let mut plan = Plan::new();
        let [parent, child] = ["parent", "child"].map(|name| plan.thread(name, 50));
        let key = plan.key(default);
        let slots = [parent, child].map(|thread| plan.grant(thread, Grant::key(key)));
        let control = plan.grant(parent, child.control());
        Self { system: plan.boot(), parent, child, control, slots }
    }

    fn parent(&mut self, label: u64) -> Result<(), ErrorCode> {
        self.system.call(self.parent, self.slots[0], label, &[]);
        outcome(&self.system, self.parent)
    }

    /// The child invokes the key.
    fn child(&mut self, label: u64) -> Result<(), ErrorCode> {
        self.system.yield_slice(self.parent);
        self.system.call(self.child, self.slots[1], label, &[]);
        let outcome = outcome(&self.system, self.child);
        self.system.yield_slice(self.child);
        outcome
    }

    /// The same while the parent is in the middle of a change, which it then continues.
    fn child_meanwhile(&mut self, label: u64) -> Result<(), ErrorCode> {
        let left = *self.system.context(self.parent);
        let outcome = self.child(label);
        *self.system.context_mut(self.parent) = left;
        outcome
    }

    /// Whether the key is on, its count, and the parent's holds.
    fn read(&mut self) -> [u64; 3] {
        assert_eq!(self.parent(Label::KeyRead.as_raw()), Ok(()));
        core::array::from_fn(|at| self.system.message_word(self.parent, at))
    }

    /// Returns the changes of branches since the last call.
    fn flips(&mut self) -> Vec<bool> {
        let flips = std::mem::take(&mut self.system.kernel.machine.key_flips);
        flips.into_iter().map(|(_, state)| state).collect()
    }
}

fn outcome(system: &System, thread: Thread) -> Result<(), ErrorCode> {
    match ErrorCode::from_raw(system.context(thread).info().label()) {
        Some(ErrorCode::NoError) => Ok(()),
        Some(error) => Err(error),
        None => panic!("an unknown error code"),
    }
}

#[test]
fn the_first_and_the_last_hold_patch_branches() {
    let mut holders = Holders::of(false);
    assert_eq!((holders.parent(INC), holders.child(INC), holders.parent(INC)), (Ok(()), Ok(()), Ok(())));
    assert_eq!((holders.read(), holders.flips()), ([1, 3, 2], vec![true]));
    assert_eq!((holders.parent(DEC), holders.parent(DEC)), (Ok(()), Ok(())));
    assert_eq!((holders.read(), holders.flips()), ([1, 1, 0], vec![]));
    assert_eq!((holders.child(DEC), holders.flips()), (Ok(()), vec![false]));
    assert_eq!(holders.read(), [0, 0, 0]);
}

#[test]
fn a_program_cannot_release_the_hold_of_another() {
    let mut holders = Holders::of(false);
    assert_eq!(holders.parent(DEC), Err(ErrorCode::IllegalOperation));
    assert_eq!((holders.child(INC), holders.parent(DEC)), (Ok(()), Err(ErrorCode::IllegalOperation)));
    assert_eq!(holders.parent(DISABLE), Err(ErrorCode::IllegalOperation));
    assert_eq!((holders.read(), holders.flips()), ([1, 1, 0], vec![true]));
}

#[test]
fn one_program_may_release_the_default_hold() {
    let mut holders = Holders::of(true);
    assert_eq!((holders.read(), holders.parent(DEC)), ([1, 1, 0], Ok(())));
    assert_eq!((holders.read(), holders.flips()), ([0, 0, 0], vec![false]));
    assert_eq!(holders.child(DEC), Err(ErrorCode::IllegalOperation));
    assert_eq!((holders.parent(INC), holders.read(), holders.flips()), (Ok(()), [1, 1, 0], vec![true]));
}

#[test]
fn enable_and_disable_are_refused_if_a_key_is_held_more_than_once() {
    let mut holders = Holders::of(false);
    for (label, state, flips) in
        [(DISABLE, 0, vec![]), (ENABLE, 1, vec![true]), (ENABLE, 1, vec![]), (DISABLE, 0, vec![false])]
    {
        assert_eq!((holders.parent(label), holders.read()[0], holders.flips()), (Ok(()), state, flips));
    }
    assert_eq!((holders.parent(INC), holders.parent(INC)), (Ok(()), Ok(())));
    for label in [ENABLE, DISABLE] {
        assert_eq!(holders.parent(label), Err(ErrorCode::IllegalOperation));
    }
}

#[test]
fn the_number_of_holds_of_a_program_is_limited() {
    let mut holders = Holders::of(false);
    for _ in 0..KEY_HOLDS {
        assert_eq!(holders.parent(INC), Ok(()));
    }
    assert_eq!(holders.parent(INC), Err(ErrorCode::RangeError));
    let words = [0, 1].map(|at| holders.system.message_word(holders.parent, at));
    assert_eq!(words, [0, u64::from(KEY_HOLDS)]);
    assert_eq!(holders.child(INC), Ok(()));
}

#[test]
fn a_stopped_program_releases_its_holds() {
    for label in [Label::TcbSuspend.as_raw(), Label::TcbWriteRegisters.as_raw()] {
        let mut holders = Holders::of(false);
        assert_eq!((holders.child(INC), holders.child(INC), holders.flips()), (Ok(()), Ok(()), vec![true]));
        // For a write, the first bit means to restart.
        holders.system.call(holders.parent, holders.control, label, &[1, 1, 0x4000]);
        assert_eq!((holders.read(), holders.flips()), ([0, 0, 0], vec![false]));
    }
}

#[test]
fn stopping_a_program_restores_the_default_hold() {
    let mut holders = Holders::of(true);
    assert_eq!((holders.child(DEC), holders.flips()), (Ok(()), vec![false]));
    holders.system.call(holders.parent, holders.control, Label::TcbSuspend.as_raw(), &[]);
    assert_eq!((holders.read(), holders.flips()), ([1, 1, 0], vec![true]));
}

/// Continues the system call that changes a key, with the registers it left.
fn continue_change(system: &mut System, thread: Thread) {
    assert_eq!(system.context(thread).info().label(), Label::KeyFollow.as_raw());
    system.call_again(thread);
}

#[test]
fn a_change_restarts_until_all_branches_are_patched() {
    let mut holders = Holders::of(false);
    holders.system.kernel.machine.key_steps = 3;
    let start = holders.system.register(holders.parent, PC);
    holders.system.call(holders.parent, holders.slots[0], INC, &[]);
    for _ in 0..2 {
        assert_eq!((holders.system.register(holders.parent, PC), holders.flips()), (start, vec![]));
        continue_change(&mut holders.system, holders.parent);
    }
    assert_eq!((outcome(&holders.system, holders.parent), holders.flips()), (Ok(()), vec![true]));
    assert_ne!(holders.system.register(holders.parent, PC), start);
    holders.system.kernel.machine.key_steps = 1;
    assert_eq!(holders.read(), [1, 1, 1]);
}

#[test]
fn a_key_is_not_on_before_all_branches_are_patched() {
    let mut holders = Holders::of(false);
    holders.system.kernel.machine.key_steps = 2;
    holders.system.call(holders.parent, holders.slots[0], INC, &[]);
    holders.system.yield_slice(holders.parent);
    holders.system.call(holders.child, holders.slots[1], Label::KeyRead.as_raw(), &[]);
    holders.system.assert_message(holders.child, 0, 0, &[0, 1, 0]);
}

#[test]
fn a_second_change_in_the_meantime_finishes_the_patching() {
    let mut holders = Holders::of(false);
    holders.system.kernel.machine.key_steps = 2;
    holders.system.call(holders.parent, holders.slots[0], INC, &[]);
    assert_eq!((holders.child_meanwhile(INC), holders.flips()), (Ok(()), vec![true]));
    continue_change(&mut holders.system, holders.parent);
    assert_eq!((outcome(&holders.system, holders.parent), holders.flips()), (Ok(()), vec![]));
    assert_eq!(holders.read(), [1, 2, 1]);
}

#[test]
fn undoing_a_change_in_the_meantime_turns_branches_back() {
    let mut holders = Holders::of(true);
    holders.system.kernel.machine.key_steps = 3;
    holders.system.call(holders.parent, holders.slots[0], DEC, &[]);
    assert_eq!((holders.child_meanwhile(INC), holders.flips()), (Ok(()), vec![true]));
    continue_change(&mut holders.system, holders.parent);
    assert_eq!((holders.read(), holders.flips()), ([1, 1, 0], vec![]));
}

#[test]
fn stopping_a_program_finishes_its_patching() {
    for label in [Label::TcbSuspend.as_raw(), Label::TcbReadRegisters.as_raw()] {
        let mut holders = Holders::of(false);
        holders.system.kernel.machine.key_steps = 3;
        holders.system.yield_slice(holders.parent);
        holders.system.call(holders.child, holders.slots[1], INC, &[]);
        continue_change(&mut holders.system, holders.child);
        holders.system.yield_slice(holders.child);
        let start = holders.system.register(holders.parent, PC);
        for flips in [vec![], vec![false]] {
            assert_eq!(holders.system.register(holders.parent, PC), start);
            holders.system.call(holders.parent, holders.control, label, &[1, 1]);
            holders.system.assert_inactive(holders.child);
            assert_eq!(holders.flips(), flips);
        }
        assert_ne!(holders.system.register(holders.parent, PC), start);
    }
}

#[test]
fn a_program_that_stops_itself_runs_until_branches_are_patched() {
    let mut plan = Plan::new();
    let program = plan.thread("program", 50);
    let key = plan.key(false);
    let (slot, control) = (plan.grant(program, Grant::key(key)), plan.grant(program, program.control()));
    let mut system = plan.boot();
    system.call(program, slot, INC, &[]);
    system.kernel.machine.key_steps = 2;
    system.kernel.machine.key_places.insert(key, 2);
    system.call(program, control, Label::TcbSuspend.as_raw(), &[]);
    system.assert_runnable(program);
    system.call(program, control, Label::TcbSuspend.as_raw(), &[]);
    system.assert_inactive(program);
    assert_eq!(system.kernel.machine.key_flips, [(key, true), (key, false)]);
}

#[test]
fn keys_are_patched_one_by_one_before_a_program_restarts() {
    let mut plan = Plan::new();
    let [parent, child] = ["parent", "child"].map(|name| plan.thread(name, 50));
    let keys = [plan.key(false), plan.key(true)];
    let slots = keys.map(|key| plan.grant(child, Grant::key(key)));
    let control = plan.grant(parent, child.control());
    let mut system = plan.boot();
    system.yield_slice(parent);
    system.call(child, slots[0], INC, &[]);
    system.call(child, slots[1], DEC, &[]);
    system.yield_slice(child);
    system.kernel.machine.key_flips.clear();
    let restart = Label::TcbWriteRegisters.as_raw();
    system.call(parent, control, restart, &[1, 1, 0x4000]);
    system.assert_inactive(child);
    assert_eq!(system.kernel.machine.key_flips, [(keys[0], false)]);
    system.call(parent, control, restart, &[1, 1, 0x4000]);
    system.assert_runnable(child);
    assert_eq!(system.kernel.machine.key_flips, [(keys[0], false), (keys[1], true)]);
    assert_eq!(system.register(child, PC), 0x4000);
}

#[test]
fn a_send_that_also_receives_does_not_change_keys() {
    let mut holders = Holders::of(false);
    let parent = holders.parent;
    holders.system.nb_send_recv(parent, holders.slots[0], holders.slots[0], INC, &[]);
    assert_eq!(holders.flips(), []);
}

#[test]
fn other_requests_are_refused() {
    let mut holders = Holders::of(false);
    for label in [Label::TcbSuspend.as_raw(), 0, Label::KeyFollow.as_raw() + 1] {
        assert_eq!(holders.parent(label), Err(ErrorCode::IllegalOperation));
    }
}

/// Two programs whose changes interleave.
struct Turns {
    holders: Holders,
    is_child: bool,
    /// The registers of the parent and the child if they are in the middle of a change.
    left: [Option<TestContext>; 2],
}

impl Turns {
    fn of(default: bool, key_steps: u32) -> Self {
        let mut holders = Holders::of(default);
        holders.system.kernel.machine.key_steps = key_steps;
        Self { holders, is_child: false, left: [None; 2] }
    }

    /// A program begins a change or continues the one it has begun.
    fn turn(&mut self, is_child: bool, label: u64) {
        let Holders { system, parent, child, slots, .. } = &mut self.holders;
        let programs = [*parent, *child];
        if is_child != self.is_child {
            system.yield_slice(programs[usize::from(self.is_child)]);
            self.is_child = is_child;
        }
        let index = usize::from(is_child);
        let start = match self.left[index].take() {
            Some(left) => {
                *system.context_mut(programs[index]) = left;
                continue_change(system, programs[index]);
                left.registers[PC]
            }
            None => {
                let start = system.register(programs[index], PC);
                system.call(programs[index], slots[index], label, &[]);
                start
            }
        };
        let context = *system.context(programs[index]);
        self.left[index] = (context.registers[PC] == start).then_some(context);
    }

    /// The parent stops the child and lets it begin another change.
    fn stop_child(&mut self) {
        while self.left[0].is_some() || self.is_child {
            self.turn(false, INC);
        }
        let Holders { system, parent, control, .. } = &mut self.holders;
        let start = system.register(*parent, PC);
        while system.register(*parent, PC) == start {
            system.call(*parent, *control, Label::TcbSuspend.as_raw(), &[]);
        }
        system.call(*parent, *control, Label::TcbResume.as_raw(), &[]);
        self.left[1] = None;
    }
}

proptest! {
    #![proptest_config(random_config(200))]

    /// However multi-step changes interleave, in the end the branches match the count.
    #[test]
    fn branches_match_the_count_in_the_end(
        default in any::<bool>(),
        key_steps in 1..5u32,
        turns in prop::collection::vec((any::<bool>(), 0..9usize), 0..40),
    ) {
        let mut both = Turns::of(default, key_steps);
        for (is_child, label) in turns {
            match [ENABLE, DISABLE, INC, DEC].get(label / 2) {
                Some(label) => both.turn(is_child, *label),
                None => both.stop_child(),
            }
        }
        while let Some(program) = both.left.iter().position(Option::is_some) {
            both.turn(program == 1, INC);
        }
        both.turn(false, Label::KeyRead.as_raw());
        let [is_on, count] = [0, 1].map(|at| both.holders.system.message_word(both.holders.parent, at));
        prop_assert_eq!(is_on != 0, count != 0);
        let place = both.holders.system.kernel.machine.key_places.get(&0).copied();
        let expected = if count == 0 { 0 } else { key_steps };
        prop_assert_eq!(place.unwrap_or(if default { key_steps } else { 0 }), expected);
    }

    /// Whatever two programs do, branches match the count, and stopping the child undoes its changes only.
    #[test]
    fn stopping_a_program_undoes_only_its_changes(
        default in any::<bool>(),
        steps in prop::collection::vec((any::<bool>(), 0..4usize), 0..30),
    ) {
        let mut both = Holders::of(default);
        let mut alone = Holders::of(default);
        let mut state = default;
        for (is_child, label) in steps {
            let label = [ENABLE, DISABLE, INC, DEC][label];
            // Use only requests whose outcome does not depend on the other program.
            let own = [INC, DEC].contains(&label);
            if is_child {
                let _ = both.child(label);
            } else if own && !default {
                prop_assert_eq!(both.parent(label), alone.parent(label));
            }
            for flip in both.flips() {
                prop_assert_ne!(flip, state);
                state = flip;
            }
            prop_assert_eq!(both.read()[0], u64::from(state));
        }
        both.system.call(both.parent, both.control, Label::TcbSuspend.as_raw(), &[]);
        prop_assert_eq!(both.read(), alone.read());
    }
}
