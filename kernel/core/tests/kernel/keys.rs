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
fn all_keys_are_patched_before_a_program_restarts() {
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
    system.kernel.machine.key_steps = 2;
    system.kernel.machine.key_places.extend([(keys[0], 2), (keys[1], 0)]);
    let restart = Label::TcbWriteRegisters.as_raw();
    for flips in [&[][..], &[(keys[0], false)]] {
        system.call(parent, control, restart, &[1, 1, 0x4000]);
        system.assert_inactive(child);
        assert_eq!(system.kernel.machine.key_flips, flips);
    }
    system.call(parent, control, restart, &[1, 1, 0x4000]);
    system.assert_runnable(child);
    assert_eq!(system.kernel.machine.key_flips, [(keys[0], false), (keys[1], true)]);
    assert_eq!(system.register(child, PC), 0x4000);
}

/// A parent that holds a group, and its child that holds two keys of it, of which the second is on by default, and the
/// group itself. Another key is in no group.
struct Group {
    system: System,
    parent: Thread,
    child: Thread,
    control: u64,
    group: u64,
    keys: [u64; 2],
    group_slot: u64,
    slots: [u64; 3],
}

impl Group {
    fn new() -> Self {
        let mut plan = Plan::new();
        let [parent, child] = ["parent", "child"].map(|name| plan.thread(name, 50));
        let (group, _other) = (plan.key(false), plan.key(false));
        let keys = [false, true].map(|default| plan.key_of_group(default, group));
        let group_slot = plan.grant(parent, Grant::key(group));
        let slots = [keys[0], keys[1], group].map(|key| plan.grant(child, Grant::key(key)));
        let control = plan.grant(parent, child.control());
        Self { system: plan.boot(), parent, child, control, group, keys, group_slot, slots }
    }

    fn group(&mut self, label: u64) -> Result<(), ErrorCode> {
        self.system.call(self.parent, self.group_slot, label, &[]);
        outcome(&self.system, self.parent)
    }

    /// The child invokes one of the group's keys, or as the third one the group.
    fn key(&mut self, key: usize, label: u64) -> Result<(), ErrorCode> {
        self.system.yield_slice(self.parent);
        self.system.call(self.child, self.slots[key], label, &[]);
        let outcome = outcome(&self.system, self.child);
        self.system.yield_slice(self.child);
        outcome
    }

    /// Whether a key of the group is on, its count, and the child's holds.
    fn read(&mut self, key: usize) -> [u64; 3] {
        assert_eq!(self.key(key, Label::KeyRead.as_raw()), Ok(()));
        core::array::from_fn(|at| self.system.message_word(self.child, at))
    }

    fn flips(&mut self) -> Vec<(u64, bool)> {
        std::mem::take(&mut self.system.kernel.machine.key_flips)
    }
}

#[test]
fn one_hold_on_a_group_turns_on_its_keys() {
    let mut group = Group::new();
    let (whole, [first, _]) = (group.group, group.keys);
    assert_eq!((group.group(INC), group.flips()), (Ok(()), vec![(whole, true), (first, true)]));
    // The counts of the keys are their own.
    assert_eq!((group.read(0), group.read(1)), ([1, 0, 0], [1, 1, 0]));
    assert_eq!((group.group(INC), group.group(DEC), group.flips()), (Ok(()), Ok(()), vec![]));
    assert_eq!((group.group(DEC), group.flips()), (Ok(()), vec![(whole, false), (first, false)]));
    assert_eq!((group.read(0), group.read(1)), ([0, 0, 0], [1, 1, 0]));
}

#[test]
fn a_key_is_on_while_it_or_its_group_is_held() {
    let mut group = Group::new();
    let (whole, [first, second]) = (group.group, group.keys);
    assert_eq!((group.key(0, INC), group.flips()), (Ok(()), vec![(first, true)]));
    assert_eq!((group.group(ENABLE), group.flips()), (Ok(()), vec![(whole, true)]));
    assert_eq!((group.key(0, DEC), group.key(1, DEC), group.flips()), (Ok(()), Ok(()), vec![]));
    assert_eq!((group.read(0), group.read(1)), ([1, 0, 0], [1, 0, 0]));
    let off = vec![(whole, false), (first, false), (second, false)];
    assert_eq!((group.group(DISABLE), group.flips()), (Ok(()), off));
}

#[test]
fn a_stopped_program_releases_its_group() {
    let mut group = Group::new();
    let (whole, [first, _]) = (group.group, group.keys);
    assert_eq!((group.key(2, INC), group.key(0, INC)), (Ok(()), Ok(())));
    assert_eq!(group.flips(), [(whole, true), (first, true)]);
    group.system.call(group.parent, group.control, Label::TcbSuspend.as_raw(), &[]);
    assert_eq!(group.flips(), [(whole, false), (first, false)]);
}

#[test]
fn a_group_is_on_when_all_branches_of_its_keys_follow() {
    let mut group = Group::new();
    let (whole, [first, _]) = (group.group, group.keys);
    group.system.kernel.machine.key_steps = 2;
    group.system.kernel.machine.key_places.insert(group.keys[1], 2);
    group.system.call(group.parent, group.group_slot, INC, &[]);
    let begun = *group.system.context(group.parent);
    // A holder of one key continues with that key only, and sees it on when it is done.
    assert_eq!((group.read(0), group.flips()), ([0, 0, 0], vec![]));
    group.system.yield_slice(group.parent);
    group.system.call(group.child, group.slots[0], ENABLE, &[]);
    continue_change(&mut group.system, group.child);
    group.system.yield_slice(group.child);
    assert_eq!(group.flips(), [(first, true)]);
    assert_eq!(group.read(0), [1, 1, 1]);
    *group.system.context_mut(group.parent) = begun;
    continue_change(&mut group.system, group.parent);
    assert_eq!((outcome(&group.system, group.parent), group.flips()), (Ok(()), vec![(whole, true)]));
    assert_eq!(group.group(Label::KeyRead.as_raw()), Ok(()));
    group.system.assert_message(group.parent, 0, 0, &[1, 1, 1]);
}

#[test]
fn a_large_group_is_patched_in_batches() {
    const KEYS: u64 = 40;
    let mut plan = Plan::new();
    let program = plan.thread("program", 50);
    let group = plan.key(false);
    for _ in 0..KEYS {
        plan.key_of_group(false, group);
    }
    let slot = plan.grant(program, Grant::key(group));
    let mut system = plan.boot();
    system.call(program, slot, INC, &[]);
    let mut batches = vec![system.kernel.machine.key_flips.len()];
    while system.context(program).info().label() == Label::KeyFollow.as_raw() {
        continue_change(&mut system, program);
        batches.push(system.kernel.machine.key_flips.len());
    }
    assert_eq!(batches, [16, 32, 41]);
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

    /// However changes of a group and of its keys interleave, in the end every key is on while it or its group is held.
    #[test]
    fn keys_follow_their_group_in_the_end(
        key_steps in 1..4u32,
        turns in prop::collection::vec((0..3usize, 0..5usize, any::<bool>()), 0..40),
    ) {
        let mut group = Group::new();
        group.system.kernel.machine.key_steps = key_steps;
        let mut holds = [0u32, 0, 1];
        for (key, label, goes_on) in turns {
            let stops = label == 4;
            let label = [ENABLE, DISABLE, INC, DEC, DEC][label];
            let programs = [group.parent, group.child];
            let (is_child, slot) = match key {
                0 => (0, group.group_slot),
                key => (1, group.slots[key - 1]),
            };
            if is_child == 1 {
                group.system.yield_slice(group.parent);
            }
            group.system.call(programs[is_child], slot, label, &[]);
            // A program that is preempted for good leaves the rest to the next change.
            while goes_on && group.system.context(programs[is_child]).info().label() == Label::KeyFollow.as_raw() {
                continue_change(&mut group.system, programs[is_child]);
            }
            match label {
                // Refused.
                ENABLE | DISABLE if holds[key] > 1 => {}
                DEC if holds[key] == 0 => {}
                ENABLE => holds[key] = 1,
                DISABLE => holds[key] = 0,
                INC => holds[key] += 1,
                _ => holds[key] -= 1,
            }
            if is_child == 1 {
                group.system.yield_slice(group.child);
            }
            if stops {
                let start = group.system.register(group.parent, PC);
                while group.system.register(group.parent, PC) == start {
                    group.system.call(group.parent, group.control, Label::TcbSuspend.as_raw(), &[]);
                }
                group.system.call(group.parent, group.control, Label::TcbResume.as_raw(), &[]);
                (holds[1], holds[2]) = (0, 1);
            }
        }
        for key in 0..2 {
            group.system.yield_slice(group.parent);
            group.system.call(group.child, group.slots[key], Label::KeyFollow.as_raw(), &[]);
            while group.system.context(group.child).info().label() == Label::KeyFollow.as_raw() {
                continue_change(&mut group.system, group.child);
            }
            group.system.yield_slice(group.child);
            let expected = holds[0] > 0 || holds[key + 1] > 0;
            let [is_on, count, _] = group.read(key);
            prop_assert_eq!((is_on != 0, count), (expected, u64::from(holds[key + 1])));
            let end = if expected { key_steps } else { 0 };
            let default = if key == 1 { key_steps } else { 0 };
            let place = group.system.kernel.machine.key_places.get(&group.keys[key]).copied();
            prop_assert_eq!(place.unwrap_or(default), end);
        }
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
