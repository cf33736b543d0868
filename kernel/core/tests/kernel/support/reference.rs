//! The specification beside a kernel, which must agree with it after every event.

use core::cell::Cell;
use core::fmt;
use std::env;

use limen_core::event::Event;
use limen_core::machine;
use limen_replay::abstraction::{View, abstraction, fault_of, registers_of};
use limen_replay::reference::Reference;
use limen_spec::probe::Entry;
use limen_spec::registers::InstructionSet;

use super::document::assert_documented;
use super::machine::PRESERVED;
use super::system::System;

/// The events of several systems.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    compared: Cell<u64>,
    skipped: Cell<u64>,
}

impl Counts {
    /// Adds those of a system.
    pub(crate) fn add(&self, system: &System) {
        let [compared, skipped] = system.compared();
        self.compared.update(|count| count + compared);
        self.skipped.update(|count| count + skipped);
    }

    /// Returns whether the environment selects no other systems.
    pub(crate) fn are_usual() -> bool {
        ["PROPTEST_CASES", "PROPTEST_RNG_SEED"].iter().all(|name| env::var_os(name).is_none())
    }

    /// Asserts that the chapter of the specification has these counts in a row, unless the environment selects other systems.
    pub(crate) fn assert_documented(&self, test: &str, systems: u32) {
        if Self::are_usual() {
            let figures = [u64::from(systems), self.compared.get(), self.skipped.get()];
            assert_documented(&format!("`{test}`"), &figures);
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (compared, skipped) = (self.compared.get(), self.skipped.get());
        write!(f, "{compared} events compared with the specification, {skipped} that it does not contain")
    }
}

impl System {
    /// The state of the specification that the kernel's state stands for.
    fn abstraction(&self) -> limen_spec::System {
        let machine = &self.kernel.machine;
        let turn = self.reference.as_ref().map_or(0, |it| it.state.schedule.turn);
        abstraction(&View {
            kernel: &self.kernel,
            facts: &self.facts,
            now: machine.now,
            turn,
            wiped: &machine.served,
            exit: self.exit,
            asked: &machine.asked,
            answer: machine.answer,
            record: self.program_record(),
        })
    }

    /// The number of events after which the kernel was compared, and of those that the specification does not contain.
    pub(crate) fn compared(&self) -> [u64; 2] {
        self.reference.as_ref().map_or([0; 2], |reference| [reference.compared, reference.skipped])
    }

    /// From now on, holds the kernel against the specification after every event. The first turn of the running domain is the
    /// current one.
    pub(crate) fn follow_specification(&mut self) {
        let mut state = self.abstraction();
        let turns = &state.schedule.turns;
        let turn = turns.iter().position(|(domain, _)| *domain == state.schedule.domain);
        state.schedule.turn = turn.unwrap_or(0);
        self.reference = Some(Box::new(Reference::new(state)));
    }

    /// Tells the specification what the program of the running thread has done: time, registers and buffer. It then enters the
    /// kernel.
    pub(crate) fn prepare_reference(&mut self, entry: Option<Entry>) {
        let Some(mut reference) = self.reference.take() else { return };
        self.kernel.machine.asked = None;
        let now = self.kernel.machine.now;
        let state = &mut reference.state;
        state.pass(now - state.now);
        state.entry = entry;
        assert_eq!(state.current, self.current().map(|thread| thread.0 as usize));
        if let Some(current) = self.current() {
            state.threads[current.0 as usize].registers =
                registers_of(&self.kernel, InstructionSet::Aarch64, current.id());
        }
        self.reference = Some(reference);
    }

    /// Compares the kernel with the specification after an event. Open calls stay open.
    pub(crate) fn compare_reference(&mut self, event: &limen_spec::Event) {
        let found = self.abstraction();
        let Some(reference) = &mut self.reference else { return };
        let before = reference.state.current;
        if let Err(difference) = reference.compare(event, found, &[PRESERVED]) {
            panic!(
                "after {event:x?} of {before:?} the kernel is not as specified (- kernel, + specification):\n{difference}"
            );
        }
    }

    /// The event as the specification has it.
    pub(crate) fn specified(&self, event: &Event) -> limen_spec::Event {
        match event {
            Event::Syscall(number) => limen_spec::Event::Syscall(*number),
            Event::Fault(fault) => limen_spec::Event::Fault(fault_of(*fault)),
            Event::FpuUse(fault) => limen_spec::Event::FpuUse(fault_of(*fault)),
            Event::Interrupt => match self.kernel.machine.interrupt {
                Some(machine::Interrupt::Timer) => limen_spec::Event::Timer,
                Some(machine::Interrupt::Line(line)) => limen_spec::Event::Line(line.0),
                Some(machine::Interrupt::Message) => panic!("the specification has one processor"),
                None => panic!("no interrupt is pending"),
            },
            Event::WorkDone(result) => limen_spec::Event::WorkDone(result.words.to_vec()),
        }
    }
}
