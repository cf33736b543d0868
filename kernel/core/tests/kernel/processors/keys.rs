//! Static keys and probes with several processors: one kernel writes the code that all execute.

use limen_abi::limits::KEY_HOLDS;
use limen_abi::{ErrorCode, Label, MessageInfo, Syscall};
use limen_core::event::Event;
use limen_core::machine::Context;
use limen_core::object::thread::State;

use super::recordings;
use crate::support::{Arguments, Grant, Plan, Processors, Thread};

const INC: u64 = Label::KeyInc.as_raw();
const DEC: u64 = Label::KeyDec.as_raw();
const READ: u64 = Label::KeyRead.as_raw();

/// A program on each of three processors, that hold the same key and may probe. A manager on processor 1 controls them.
struct Flippers {
    processors: Processors,
    programs: [Thread; 3],
    manager: Thread,
    key: u64,
    slots: [u64; 3],
    probes: [u64; 3],
    controls: [u64; 3],
}

impl Flippers {
    fn new() -> Self {
        Self::with(|_, _| {})
    }

    /// The same with a change of the plan.
    fn with(change: impl FnOnce(&mut Plan, [Thread; 3])) -> Self {
        let mut plan = Plan::new();
        let programs = ["first", "second", "third"].map(|name| plan.thread(name, 50));
        let manager = plan.thread("manager", 40);
        let beside = plan.thread("beside", 1);
        let key = plan.key(false);
        let slots = programs.map(|program| plan.grant(program, Grant::key(key)));
        let probes = programs.map(|program| plan.grant(program, Grant::probe()));
        let controls = programs.map(|program| plan.grant(manager, program.control()));
        (0..).zip(programs).for_each(|(number, program)| plan.set_processor(program, number));
        plan.set_processor(manager, 1);
        plan.set_processor(beside, 0);
        change(&mut plan, programs);
        Self { processors: plan.boot_processors(), programs, manager, key, slots, probes, controls }
    }

    /// A program invokes the key; its call is on its way afterwards.
    fn begin(&mut self, program: usize, label: u64) {
        let thread = self.programs[program];
        self.processors.of(thread).call(thread, self.slots[program], label, &[]);
    }

    /// The same, until the answer is there.
    fn invoke(&mut self, program: usize, label: u64) -> Result<(), ErrorCode> {
        self.begin(program, label);
        self.processors.settle();
        self.outcome(program)
    }

    fn outcome(&mut self, program: usize) -> Result<(), ErrorCode> {
        let thread = self.programs[program];
        let system = self.processors.of(thread);
        system.assert_running(thread);
        match ErrorCode::from_raw(system.context(thread).info().label()) {
            Some(ErrorCode::NoError) => Ok(()),
            Some(error) => Err(error),
            None => panic!("an unknown error code"),
        }
    }

    fn is_waiting(&mut self, program: usize) -> bool {
        let thread = self.programs[program];
        self.processors.of(thread).current() != Some(thread)
    }

    /// Whether the key is on, its count, and the program's holds.
    fn read(&mut self, program: usize) -> [u64; 3] {
        assert_eq!(self.invoke(program, READ), Ok(()));
        let thread = self.programs[program];
        core::array::from_fn(|at| self.processors.of(thread).message_word(thread, at))
    }

    fn flips(&mut self) -> Vec<bool> {
        let flips = std::mem::take(&mut self.processors.systems[0].kernel.machine.key_flips);
        flips.into_iter().map(|(_, state)| state).collect()
    }

    fn probing(&mut self) -> Vec<bool> {
        std::mem::take(&mut self.processors.systems[0].kernel.machine.probing)
    }

    /// A program starts its probe; its call is on its way afterwards.
    fn start_probe(&mut self, program: usize) {
        let thread = self.programs[program];
        self.processors.of(thread).call(thread, self.probes[program], Label::ProbeStart.as_raw(), &[]);
    }

    fn control(&mut self, program: usize, label: Label, words: &[u64]) {
        let manager = self.manager;
        self.processors.of(manager).call(manager, self.controls[program], label.as_raw(), words);
    }
}

#[test]
fn a_program_of_any_processor_switches_a_key_for_all() {
    for program in 0..3 {
        let mut flippers = Flippers::new();
        for (label, state) in [(INC, true), (DEC, false)] {
            assert_eq!((flippers.invoke(program, label), flippers.flips()), (Ok(()), vec![state]));
        }
        assert_eq!(flippers.invoke(program, DEC), Err(ErrorCode::IllegalOperation));
        assert_eq!(flippers.read((program + 1) % 3), [0, 0, 0]);
    }
}

#[test]
fn a_change_returns_when_every_processor_has_synchronised() {
    for order in [[1, 2], [2, 1]] {
        let mut flippers = Flippers::new();
        flippers.begin(0, INC);
        assert_eq!(flippers.processors.interrupted(), [0], "the letter");
        flippers.processors.take_interrupt(0);
        assert_eq!((flippers.flips(), flippers.processors.interrupted()), (vec![true], vec![1, 2]));
        for number in order {
            assert!(flippers.is_waiting(0));
            flippers.processors.take_interrupt(number);
            assert_eq!(flippers.processors.interrupted()[0], 0);
            flippers.processors.take_interrupt(0);
        }
        flippers.processors.settle();
        assert_eq!((flippers.outcome(0), flippers.read(0)), (Ok(()), [1, 1, 1]));
    }
}

#[test]
fn a_change_that_patches_nothing_interrupts_no_other_processor() {
    let mut flippers = Flippers::new();
    assert_eq!(flippers.invoke(0, INC), Ok(()));
    flippers.begin(0, INC);
    flippers.processors.take_interrupt(0);
    assert_eq!(flippers.processors.interrupted(), [0], "the answer");
    flippers.processors.settle();
    assert_eq!(flippers.read(2), [1, 2, 0]);
}

#[test]
fn changes_in_many_steps_take_turns() {
    let mut flippers = Flippers::new();
    flippers.processors.systems[0].kernel.machine.key_steps = 5;
    for program in 0..3 {
        flippers.begin(program, INC);
    }
    flippers.processors.settle();
    assert_eq!([0, 1, 2].map(|program| flippers.outcome(program)), [Ok(()); 3]);
    assert_eq!((flippers.flips(), flippers.read(0)), (vec![true], [1, 3, 1]));
}

#[test]
fn holds_are_limited_on_every_processor() {
    let mut flippers = Flippers::new();
    for _ in 0..KEY_HOLDS {
        assert_eq!(flippers.invoke(2, INC), Ok(()));
    }
    assert_eq!(flippers.invoke(2, INC), Err(ErrorCode::RangeError));
    let thread = flippers.programs[2];
    let words = [0, 1].map(|at| flippers.processors.of(thread).message_word(thread, at));
    assert_eq!(words, [0, u64::from(KEY_HOLDS)]);
}

#[test]
fn a_stopped_program_releases_its_holds_wherever_it_lives() {
    for (label, words) in [(Label::TcbSuspend, &[][..]), (Label::TcbWriteRegisters, &[1, 1, 0x4000])] {
        // The second program hides the manager, which has the same processor.
        for program in [0, 2] {
            let mut flippers = Flippers::new();
            assert_eq!(flippers.invoke(program, INC), Ok(()));
            let second = flippers.programs[1];
            let own = flippers.slots[1];
            flippers.processors.of(second).run_to_timer();
            flippers.processors.of(second).call(second, own, READ, &[]);
            let _ = flippers.flips();
            flippers.control(program, label, words);
            flippers.processors.settle();
            assert_eq!(flippers.flips(), [false]);
            assert_eq!(flippers.read(1), [0, 0, 0]);
            let thread = flippers.programs[program];
            let system = flippers.processors.of(thread);
            match label {
                Label::TcbSuspend => system.assert_inactive(thread),
                _ => system.assert_running(thread),
            }
        }
    }
}

/// It left the queue of postponed threads, and then, with its place in that, the ready queue.
#[test]
fn a_postponed_program_with_a_key_leaves_one_queue_when_it_is_stopped() {
    let mut flippers = Flippers::with(|plan, programs| {
        let earlier = plan.thread("earlier", 60);
        plan.set_processor(earlier, 2);
        plan.share(earlier, 100, 1000);
        plan.share(programs[2], 100, 1000);
    });
    let [_, second, third] = flippers.programs;
    flippers.processors.of(third).run_to_timer();
    assert_eq!(flippers.invoke(2, INC), Ok(()));
    flippers.processors.of(third).run_to_timer();
    assert_eq!(flippers.processors.of(third).state(third), State::Postponed);
    for (label, outcome) in [(Label::TcbSuspend, State::Inactive), (Label::TcbResume, State::Postponed)] {
        flippers.processors.of(second).run_to_timer();
        flippers.begin(1, READ);
        flippers.control(2, label, &[]);
        flippers.processors.settle();
        assert_eq!(flippers.processors.of(third).state(third), outcome);
    }
    flippers.processors.of(third).run_to_timer();
    flippers.processors.of(third).run_to_timer();
    flippers.processors.of(third).assert_running(third);
}

#[test]
fn a_program_runs_again_when_the_branches_of_its_keys_follow() {
    let mut flippers = Flippers::new();
    assert_eq!(flippers.invoke(2, INC), Ok(()));
    flippers.begin(1, READ);
    flippers.control(2, Label::TcbWriteRegisters, &[1, 1, 0x4000]);
    flippers.processors.take_interrupt(2);
    let third = flippers.programs[2];
    flippers.processors.of(third).assert_runnable(third);
    assert!(flippers.is_waiting(2), "its time is away");
    flippers.processors.settle();
    flippers.processors.of(third).assert_running(third);
    assert_eq!(flippers.read(2), [0, 0, 0]);
}

#[test]
fn a_change_completes_though_its_program_is_stopped() {
    for turns in 0..3 {
        let mut flippers = Flippers::new();
        flippers.processors.systems[0].kernel.machine.key_steps = 2;
        flippers.begin(2, INC);
        flippers.begin(1, READ);
        for _ in 0..turns {
            flippers.processors.take_interrupt(0);
        }
        flippers.control(2, Label::TcbSuspend, &[]);
        flippers.processors.settle();
        assert_eq!(flippers.read(0), [0, 0, 0]);
        let places = &flippers.processors.systems[0].kernel.machine.key_places;
        assert_eq!(places.get(&flippers.key).copied().unwrap_or(0), 0, "all branches are off after {turns}");
        let third = flippers.programs[2];
        flippers.processors.of(third).assert_inactive(third);
    }
}

/// The letter of the stopped program waits for its turn. A replay that carried it out would patch the traps.
#[test]
fn a_recall_at_the_keeper_replays() {
    let mut flippers = Flippers::new();
    recordings::start(&mut flippers.processors);
    let [_, second, third] = flippers.programs;
    flippers.begin(2, INC);
    flippers.start_probe(1);
    flippers.processors.take_interrupt(0);
    let keeper = flippers.processors.systems[0].kernel.keeper;
    assert_eq!(keeper.writer.map(|(writer, _)| writer), Some(third.id()));
    assert!(keeper.has_letter(second.id()));
    flippers.processors.take_interrupt(1);
    flippers.control(1, Label::TcbSuspend, &[]);
    [0, 2, 0].into_iter().for_each(|number| flippers.processors.take_interrupt(number));
    flippers.processors.settle();
    flippers.processors.of(second).assert_inactive(second);
    assert_eq!(flippers.probing(), []);
    recordings::assert_replay(&flippers.processors);
}

#[test]
fn a_resume_does_not_repeat_a_change_that_is_under_way() {
    let mut flippers = Flippers::new();
    flippers.begin(2, INC);
    flippers.begin(1, READ);
    flippers.processors.take_interrupt(0);
    flippers.control(2, Label::TcbResume, &[]);
    flippers.processors.settle();
    assert_eq!((flippers.outcome(2), flippers.read(2)), (Ok(()), [1, 1, 1]));
}

#[test]
fn probes_of_all_processors_share_one_switch() {
    let mut flippers = Flippers::new();
    let [start, stop, read] =
        [Label::ProbeStart, Label::ProbeStop, Label::ProbeRead].map(|label| label.as_raw());
    let mut probe = |program: usize, label: u64| {
        let thread = flippers.programs[program];
        let slot = flippers.probes[program];
        flippers.processors.of(thread).call(thread, slot, label, &[]);
        flippers.processors.settle();
        (flippers.outcome(program), flippers.probing())
    };
    let refused = Err(ErrorCode::IllegalOperation);
    assert_eq!(probe(2, stop), (refused, vec![]));
    assert_eq!(probe(2, start), (Ok(()), vec![true]));
    assert_eq!(probe(2, start), (refused, vec![]));
    assert_eq!(probe(0, start), (Ok(()), vec![]));
    assert_eq!(probe(2, read), (Ok(()), vec![]));
    assert_eq!(probe(2, stop), (Ok(()), vec![]));
    assert_eq!(probe(0, stop), (Ok(()), vec![false]));
    assert_eq!(probe(1, start), (Ok(()), vec![true]));
}

#[test]
fn a_stopped_program_ends_its_probe() {
    let mut flippers = Flippers::new();
    flippers.start_probe(2);
    flippers.processors.settle();
    flippers.begin(1, READ);
    flippers.control(2, Label::TcbSuspend, &[]);
    flippers.processors.settle();
    assert_eq!(flippers.probing(), [true, false]);
}

#[test]
fn a_stopped_program_ends_its_probe_and_releases_its_key() {
    let mut flippers = Flippers::new();
    flippers.start_probe(2);
    flippers.processors.settle();
    assert_eq!(flippers.invoke(2, INC), Ok(()));
    flippers.begin(1, READ);
    flippers.control(2, Label::TcbSuspend, &[]);
    flippers.processors.settle();
    assert_eq!((flippers.flips(), flippers.probing()), (vec![true, false], vec![true, false]));
}

/// The turn of the call to the probe patches the last branches of the other program's change.
#[test]
fn a_probe_is_on_when_its_call_returns_beside_a_change() {
    let mut flippers = Flippers::new();
    flippers.processors.systems[0].kernel.machine.key_steps = 2;
    flippers.begin(1, INC);
    flippers.processors.take_interrupt(0);
    flippers.start_probe(2);
    for _ in 0..100 {
        if !flippers.is_waiting(2) {
            break;
        }
        let interrupted = flippers.processors.interrupted();
        interrupted.iter().for_each(|number| flippers.processors.take_interrupt(*number));
    }
    assert_eq!((flippers.outcome(2), flippers.probing()), (Ok(()), vec![true]));
    assert_eq!(flippers.processors.systems[0].kernel.keeper.round, 0, "every processor has synchronised");
}

/// The sending half of a system call that also receives starts a probe, as with one processor, and ignores keys.
#[test]
fn a_probe_may_be_started_before_a_receive() {
    let (mut input, mut output) = (0, 0);
    let mut flippers = Flippers::with(|plan, [_, _, third]| {
        let notification = plan.notification();
        input = plan.grant(third, notification.waiter());
        output = plan.grant(third, notification.signaller(1));
    });
    let third = flippers.programs[2];
    let (start, stop) = (Label::ProbeStart.as_raw(), Label::ProbeStop.as_raw());
    let requests = [(flippers.slots[2], INC), (flippers.probes[2], start), (flippers.probes[2], stop)];
    for (slot, label) in requests {
        let system = flippers.processors.of(third);
        // So the receive does not wait.
        system.call(third, output, 0, &[]);
        let context = system.context_mut(third);
        context.set_send_cptr(slot);
        context.trap(Syscall::NbSendRecv.as_raw(), input, MessageInfo::new(label, 0));
        system.event(Event::Syscall(Syscall::NbSendRecv.as_raw()));
        system.assert_running(third);
        flippers.processors.settle();
    }
    assert_eq!((flippers.flips(), flippers.probing()), (vec![], vec![true, false]));
}

#[test]
fn a_key_may_be_switched_without_waiting() {
    let mut flippers = Flippers::new();
    let (third, slot) = (flippers.programs[2], flippers.slots[2]);
    let arguments = Arguments { label: INC, words: &[], caps: &[] };
    flippers.processors.of(third).syscall(third, Syscall::NbSend, slot, &arguments);
    flippers.processors.of(third).assert_running(third);
    flippers.processors.settle();
    assert_eq!((flippers.flips(), flippers.read(2)), (vec![true], [1, 1, 1]));
}
