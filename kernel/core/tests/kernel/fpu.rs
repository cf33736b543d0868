//! Floating point: permission to use the unit, when registers are saved and loaded, and the rights to change the
//! policy.

use limen_abi::error::ErrorCode;
use limen_abi::fpu::{FpuOption, ThreadFlag};
use limen_abi::{FaultLabel, FpuPolicy, Label, Syscall};
use limen_core::event::Event;
use limen_core::fault::Fault;

use crate::support::{Arguments, Family, Grant, Plan, SP, SPSR, System, Thread};

const SET_FLAGS: u64 = Label::TcbSetFlags.as_raw();
const DISABLED: u64 = ThreadFlag::FPU_DISABLED;
/// The fault that a port reports for a disabled unit.
const UNIT_OFF: Fault = Fault::UserException { number: 0x1fe0_0000, code: 0 };

/// Threads of equal priority that yield to each other; the first one has all rights.
struct Turns {
    plan: Plan,
    threads: [Thread; 3],
    controls: [u64; 3],
    counters: u64,
    policy: u64,
}

impl Turns {
    fn new() -> Self {
        let mut plan = Plan::new();
        let threads = ["first", "second", "third"].map(|name| plan.thread(name, 50));
        let controls = threads.map(|thread| plan.grant(threads[0], thread.control()));
        let counters = plan.grant(threads[0], Grant::fpu_counters());
        let policy = plan.grant(threads[0], Grant::fpu_policy());
        Self { plan, threads, controls, counters, policy }
    }

    fn with_fpu_of(users: [bool; 3]) -> Self {
        let mut turns = Self::new();
        for (thread, _) in turns.threads.into_iter().zip(users).filter(|(_, user)| !user) {
            turns.plan.deny_fpu(thread);
        }
        turns
    }

    /// Every thread runs once, then the first one runs again.
    fn round(&self, system: &mut System) {
        self.threads.iter().for_each(|thread| system.yield_slice(*thread));
    }

    /// Saves, loads, enables, disables, faults since boot.
    fn counts(&self, system: &mut System) -> [u64; 5] {
        system.call(self.threads[0], self.counters, Label::FpuReadCounters.as_raw(), &[]);
        core::array::from_fn(|at| system.message_word(self.threads[0], at))
    }

    fn counts_of_round(&self, system: &mut System) -> [u64; 5] {
        let before = self.counts(system);
        self.round(system);
        let after = self.counts(system);
        core::array::from_fn(|at| after[at] - before[at])
    }

    fn set_policy(&self, system: &mut System, policy: FpuPolicy, options: u64) {
        let words = [policy.as_raw(), options];
        system.call(self.threads[0], self.policy, Label::FpuSetPolicy.as_raw(), &words);
        system.assert_message(self.threads[0], 0, 0, &[]);
    }
}

fn is_on_for(system: &System, thread: Thread) -> bool {
    let fpu = system.kernel.machine.fpu;
    fpu.is_on && fpu.holds == Some(thread.id())
}

#[test]
fn registers_stay_in_the_unit_while_threads_without_it_run() {
    let turns = Turns::with_fpu_of([true, false, false]);
    let mut system = turns.plan.boot();
    assert!(is_on_for(&system, turns.threads[0]));
    assert_eq!(turns.counts_of_round(&mut system), [0, 0, 1, 1, 0]);
    system.yield_slice(turns.threads[0]);
    assert!(!system.kernel.machine.fpu.is_on);
}

#[test]
fn a_system_without_floating_point_never_touches_the_unit() {
    let turns = Turns::with_fpu_of([false; 3]);
    let mut system = turns.plan.boot();
    turns.round(&mut system);
    assert_eq!(turns.counts(&mut system), [0; 5]);
}

#[test]
fn a_switch_between_users_is_one_save_and_one_load() {
    let turns = Turns::new();
    let mut system = turns.plan.boot();
    assert_eq!(turns.counts(&mut system), [0, 1, 1, 0, 0]);
    assert_eq!(turns.counts_of_round(&mut system), [3, 3, 0, 0, 0]);
}

#[test]
fn each_policy_saves_and_loads_as_specified() {
    let turns = Turns::with_fpu_of([true, true, false]);
    let mut system = turns.plan.boot();
    for (policy, expected) in [
        (FpuPolicy::SemiLazy, [2, 2, 1, 1, 0]),
        (FpuPolicy::Eager, [3, 3, 1, 1, 0]),
        (FpuPolicy::FaultLazy, [0, 0, 1, 1, 0]),
        (FpuPolicy::EarlySave, [2, 2, 1, 1, 0]),
    ] {
        turns.set_policy(&mut system, policy, 0);
        if policy == FpuPolicy::FaultLazy {
            system.event(Event::FpuUse(UNIT_OFF));
        }
        assert_eq!(turns.counts_of_round(&mut system), expected, "{policy:?}");
    }
}

#[test]
fn the_fault_lazy_policy_is_transparent_to_threads() {
    let turns = Turns::new();
    let mut system = turns.plan.boot();
    turns.set_policy(&mut system, FpuPolicy::FaultLazy, 0);
    let before = *system.context(turns.threads[0]);
    assert!(!system.kernel.machine.fpu.is_on);
    system.event(Event::FpuUse(UNIT_OFF));
    system.assert_running(turns.threads[0]);
    assert!(is_on_for(&system, turns.threads[0]));
    assert_eq!(*system.context(turns.threads[0]), before);
}

#[test]
fn a_thread_that_may_not_use_the_unit_faults_under_every_policy() {
    for (policy, ..) in FpuPolicy::ALL {
        let turns = Turns::with_fpu_of([true, false, true]);
        let mut system = turns.plan.boot();
        turns.set_policy(&mut system, *policy, 0);
        system.yield_slice(turns.threads[0]);
        assert!(!system.kernel.machine.fpu.is_on);
        system.event(Event::FpuUse(UNIT_OFF));
        system.assert_inactive(turns.threads[1]);
    }
}

#[test]
fn a_parent_receives_the_fault_and_may_permit_the_unit() {
    let mut family = Family::active(200);
    family.plan.deny_fpu(family.child);
    let mut system = family.boot();
    let pc = system.pc(family.child);
    system.event(Event::FpuUse(UNIT_OFF));
    let (sp, flags) = (system.register(family.child, SP), system.register(family.child, SPSR));
    let words = [pc, sp, flags, 0x1fe0_0000, 0];
    system.assert_message(family.parent, Family::BADGE, FaultLabel::UserException.as_raw(), &words);
    set_flags(&mut system, family.parent, family.control, DISABLED, 0, 0);
    system.reply_recv(family.parent, family.receive, 0, &[]);
    system.assert_running(family.child);
    assert!(is_on_for(&system, family.child));
    assert_eq!(system.pc(family.child), pc);
}

#[test]
fn a_granted_unit_outlasts_a_domain_switch() {
    let mut family = Family::active(200);
    let other = family.plan.thread("other", 50);
    family.plan.deny_fpu(family.child);
    family.plan.set_domain(other, 1);
    family.plan.turn(0, 500);
    family.plan.turn(1, 500);
    let mut system = family.boot();
    system.event(Event::FpuUse(UNIT_OFF));
    set_flags(&mut system, family.parent, family.control, DISABLED, 0, 0);
    system.reply_recv(family.parent, family.receive, 0, &[]);
    let before = *system.kernel.processor.fpu.counters();
    system.run_to_timer();
    system.assert_running(other);
    system.run_to_timer();
    system.assert_running(family.child);
    assert!(is_on_for(&system, family.child));
    let after = system.kernel.processor.fpu.counters();
    assert_eq!(after.faults(), before.faults());
    // The child's at the end of its slot, the other thread's at the end of the other slot.
    assert_eq!(after.saves() - before.saves(), 2);
    assert_eq!(after.loads() - before.loads(), 2);
}

/// Sets flags and expects these as the result.
fn set_flags(system: &mut System, thread: Thread, cptr: u64, clear: u64, set: u64, flags: u64) {
    system.call(thread, cptr, SET_FLAGS, &[clear, set]);
    system.assert_message(thread, 0, 0, &[flags]);
}

#[test]
fn flags_are_cleared_then_set_and_unknown_ones_ignored() {
    let turns = Turns::new();
    let mut system = turns.plan.boot();
    let [own, other, _] = turns.controls;
    for control in [own, other] {
        let mut set = |clear, set, flags| {
            set_flags(&mut system, turns.threads[0], control, clear, set, flags);
        };
        set(0, 0, 0);
        set(0, u64::MAX, DISABLED);
        set(u64::MAX - 1, 0, DISABLED);
        set(u64::MAX, 0, 0);
        set(DISABLED, DISABLED, DISABLED);
        set(DISABLED, 0, 0);
        set(0, 2, 0);
    }
}

#[test]
fn a_callers_own_flag_takes_effect_at_once() {
    let turns = Turns::new();
    let mut system = turns.plan.boot();
    let [first, ..] = turns.threads;
    set_flags(&mut system, first, turns.controls[0], 0, DISABLED, DISABLED);
    assert!(!system.kernel.machine.fpu.is_on);
    assert_eq!(system.kernel.processor.fpu.owner(), None);
    set_flags(&mut system, first, turns.controls[0], DISABLED, 0, 0);
    assert!(is_on_for(&system, first));
}

#[test]
fn disabling_the_unit_for_an_owner_that_is_not_running_saves_its_registers() {
    let turns = Turns::with_fpu_of([false, true, true]);
    let mut system = turns.plan.boot();
    turns.round(&mut system);
    let [first, _, third] = turns.threads;
    assert_eq!(system.kernel.processor.fpu.owner(), Some(third.id()));
    set_flags(&mut system, first, turns.controls[2], 0, DISABLED, DISABLED);
    assert_eq!(system.kernel.processor.fpu.owner(), None);
    assert!(!system.kernel.machine.fpu.is_on);
    assert_eq!(turns.counts_of_round(&mut system), [0, 1, 1, 1, 0]);
}

#[test]
fn flags_of_stopped_and_waiting_threads_apply_when_they_run() {
    let mut family = Family::active(200);
    let own = family.plan.grant(family.child, family.child.control());
    let mut system = family.boot();
    system.call(family.child, own, Label::TcbSuspend.as_raw(), &[]);
    assert!(system.current().is_none());
    let mut family = Family::active(200);
    let wake = family.plan.grant(family.child, family.endpoint.sender(1));
    let parent = family.plan.grant(family.child, family.parent.control());
    let mut system = family.boot();
    set_flags(&mut system, family.child, parent, 0, DISABLED, DISABLED);
    assert!(is_on_for(&system, family.child));
    system.send(family.child, wake, 0, &[]);
    system.assert_running(family.parent);
    assert!(!system.kernel.machine.fpu.is_on);
}

#[test]
fn a_plain_send_takes_effect_and_a_short_message_does_not() {
    let turns = Turns::new();
    let mut system = turns.plan.boot();
    let [first, ..] = turns.threads;
    let words = [0, DISABLED];
    let send = Arguments { label: SET_FLAGS, words: &words, caps: &[] };
    system.syscall(first, Syscall::Send, turns.controls[0], &send);
    assert!(!system.kernel.machine.fpu.is_on);
    system.call(first, turns.controls[0], SET_FLAGS, &words[..1]);
    system.assert_refused(first, ErrorCode::TruncatedMessage, &[]);
    assert!(!system.kernel.machine.fpu.is_on);
}

#[test]
fn options_that_the_processor_needs_apply_to_every_policy() {
    let turns = Turns::with_fpu_of([true, false, false]);
    let mut system = turns.plan.boot();
    system.kernel.machine.fpu_options = FpuOption::ISOLATE;
    turns.set_policy(&mut system, FpuPolicy::SemiLazy, 0);
    system.yield_slice(turns.threads[0]);
    assert_eq!(system.kernel.machine.fpu.holds, None);
}

#[test]
fn unknown_policies_and_options_are_refused() {
    let turns = Turns::new();
    let mut system = turns.plan.boot();
    let [first, ..] = turns.threads;
    let set = Label::FpuSetPolicy.as_raw();
    system.call(first, turns.policy, set, &[4, 0]);
    system.assert_refused(first, ErrorCode::RangeError, &[0, 3]);
    system.call(first, turns.policy, set, &[0, FpuOption::ALL + 1]);
    system.assert_refused(first, ErrorCode::RangeError, &[0, FpuOption::ALL]);
    system.call(first, turns.policy, set, &[0]);
    system.assert_refused(first, ErrorCode::TruncatedMessage, &[]);
    for (cptr, label) in [(turns.policy, Label::FpuReadCounters), (turns.counters, Label::FpuSetPolicy)] {
        system.call(first, cptr, label.as_raw(), &[0, 0]);
        system.assert_refused(first, ErrorCode::IllegalOperation, &[]);
    }
}

/// Two domains with one thread each. The first thread has used the unit when its slot ends.
fn after_a_domain(options: u64) -> [u64; 2] {
    let mut plan = Plan::new();
    let [first, second] = ["first", "second"].map(|name| plan.thread(name, 50));
    plan.deny_fpu(second);
    plan.set_domain(second, 1);
    plan.turn(0, 500);
    plan.turn(1, 500);
    let policy = plan.grant(first, Grant::fpu_policy());
    let mut system = plan.boot();
    system.call(first, policy, Label::FpuSetPolicy.as_raw(), &[FpuPolicy::SemiLazy.as_raw(), options]);
    let before = *system.kernel.processor.fpu.counters();
    system.run_to_timer();
    system.assert_running(second);
    assert_eq!(system.kernel.processor.fpu.owner(), None);
    let counters = system.kernel.processor.fpu.counters();
    let saves = counters.saves() - before.saves();
    system.run_to_timer();
    system.assert_running(first);
    assert!(is_on_for(&system, first));
    [saves, system.kernel.processor.fpu.counters().saves() - before.saves()]
}

#[test]
fn a_domain_leaves_no_owner_behind() {
    assert_eq!(after_a_domain(0), [1, 1]);
    assert_eq!(after_a_domain(FpuOption::CONSTANT_EXIT), [1, 2]);
}
