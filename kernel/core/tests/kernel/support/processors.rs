//! Several processors: a kernel for each. The test chooses the order of everything that happens.

use std::collections::BTreeMap;
use std::rc::Rc;

use limen_core::arena::{SchedContextId, ThreadId};
use limen_core::kernel::{Keys, SchedContexts};
use limen_core::machine::{Interrupt, Patching, Ticks};
use limen_core::object::key::Key;
use limen_core::object::thread::State;
use limen_core::processors::holder::Holders;
use limen_core::processors::keeper::Keeper;
use limen_core::processors::mailbox::{Mail, Mailboxes, bit};
use limen_core::processors::outbox::{Awaited, Outbox};
use limen_core::processors::visitor::Visitor;

use super::machine::Code;
use super::plan::Thread;
use super::snapshot::Snapshot;
use super::system::System;

/// A kernel for each processor.
#[derive(Debug)]
pub(crate) struct Processors {
    /// The system of each processor. All of them know the names of all threads.
    pub(crate) systems: Vec<System>,
    /// The home of each thread.
    homes: Vec<usize>,
    /// The scheduling contexts of each processor, one bit each.
    sched_contexts: Vec<u64>,
}

/// The state of everything.
#[derive(Clone, Debug)]
pub(crate) struct ProcessorsSnapshot {
    systems: Vec<(Snapshot, Crossing)>,
    boxes: Rc<Mailboxes>,
    code: Code,
}

/// The part of a kernel's state that is about other processors.
#[derive(Clone, Debug)]
struct Crossing {
    threads: Vec<(Outbox, Visitor)>,
    requests: u64,
    sched_contexts_away: u64,
    guest_entries: u64,
    visiting: u64,
    mail: Mail,
    interrupted: u64,
    holders: Holders,
    keeper: Keeper,
    keys: Vec<Key>,
    key_places: BTreeMap<u64, u32>,
}

impl Crossing {
    fn of(system: &System) -> Self {
        let kernel = &system.kernel;
        let threads = system.threads().map(|thread| {
            let id = thread.id();
            (kernel.outboxes[id], kernel.visitors[id])
        });
        Self {
            threads: threads.collect(),
            requests: kernel.requests,
            sched_contexts_away: kernel.sched_contexts_away,
            guest_entries: kernel.guest_entries,
            visiting: kernel.processor.visiting,
            mail: kernel.processor.mail,
            interrupted: kernel.machine.interrupted,
            holders: kernel.holders,
            keeper: kernel.keeper,
            keys: kernel.keys.iter().take(kernel.key_count).map(|(_, key)| key.clone()).collect(),
            key_places: kernel.machine.key_places.clone(),
        }
    }

    fn restore(&self, system: &mut System) {
        for (thread, (outbox, visitor)) in system.threads().zip(&self.threads) {
            system.kernel.outboxes[thread.id()] = *outbox;
            system.kernel.visitors[thread.id()] = *visitor;
        }
        for (id, key) in Keys::first(self.keys.len()).zip(&self.keys) {
            system.kernel.keys[id].clone_from(key);
        }
        let kernel = &mut system.kernel;
        kernel.requests = self.requests;
        kernel.sched_contexts_away = self.sched_contexts_away;
        kernel.guest_entries = self.guest_entries;
        kernel.processor.visiting = self.visiting;
        kernel.processor.mail = self.mail;
        kernel.machine.interrupted = self.interrupted;
        (kernel.holders, kernel.keeper) = (self.holders, self.keeper);
        kernel.machine.key_places.clone_from(&self.key_places);
        kernel.machine.key_flips.clear();
        kernel.machine.probing.clear();
    }
}

impl Processors {
    pub(crate) fn new(systems: Vec<System>, homes: Vec<usize>) -> Self {
        let sched_contexts = systems.iter().map(|system| !system.kernel.guest_entries).collect();
        let processors = Self { systems, homes, sched_contexts };
        processors.verify("boot");
        processors
    }

    /// Returns the state of everything.
    pub(crate) fn snapshot(&self) -> ProcessorsSnapshot {
        let boxes = Mailboxes::new();
        boxes.copy_from(&self.systems[0].kernel.machine.shared.mailboxes);
        let systems = self.systems.iter().map(|system| (Snapshot::of(system), Crossing::of(system)));
        let code = Code::clone(&self.systems[0].kernel.machine.shared.code);
        ProcessorsSnapshot { systems: systems.collect(), boxes: Rc::new(boxes), code }
    }

    /// Restores an earlier state.
    pub(crate) fn restore(&mut self, snapshot: &ProcessorsSnapshot) {
        let shared = &self.systems[0].kernel.machine.shared;
        shared.mailboxes.copy_from(&snapshot.boxes);
        shared.code.restore(&snapshot.code);
        for (system, (state, crossing)) in self.systems.iter_mut().zip(&snapshot.systems) {
            state.restore(system);
            crossing.restore(system);
        }
    }

    /// Returns the processor of a thread.
    pub(crate) fn home(&self, thread: Thread) -> usize {
        self.homes[thread.0 as usize]
    }

    /// Returns the system of the processor that a thread runs on.
    pub(crate) fn of(&mut self, thread: Thread) -> &mut System {
        let home = self.home(thread);
        &mut self.systems[home]
    }

    /// Returns the processors that were interrupted and have not taken the interrupt.
    pub(crate) fn interrupted(&self) -> Vec<usize> {
        let bits = self.systems.iter().fold(0, |bits, system| bits | system.kernel.machine.interrupted);
        (0..self.systems.len()).filter(|number| bits >> number & 1 != 0).collect()
    }

    /// A processor takes the interrupt of the others.
    pub(crate) fn take_interrupt(&mut self, number: usize) {
        for system in &mut self.systems {
            system.kernel.machine.interrupted &= !(1 << number);
        }
        self.systems[number].interrupt(Interrupt::Message);
        self.verify("a message");
    }

    /// All processors take interrupts until none is left, the lowest number first.
    pub(crate) fn settle(&mut self) {
        let mut rounds = 0;
        while let Some(number) = self.interrupted().first() {
            self.take_interrupt(*number);
            rounds += 1;
            assert!(rounds < 1000, "the processors interrupt each other for ever");
        }
    }

    /// Time passes on all processors.
    pub(crate) fn pass(&mut self, ticks: Ticks) {
        self.systems.iter_mut().for_each(|system| system.pass(ticks));
    }

    /// Checks what must hold of all kernels together after `what`.
    pub(crate) fn verify(&self, what: &str) {
        for index in 0..self.homes.len() as u64 {
            let id = Thread(index).id();
            let outbox = self.systems[self.homes[index as usize]].kernel.outboxes[id];
            let letters = usize::from(outbox != Outbox::Home);
            assert_eq!(
                self.letters(id),
                letters,
                "after {what}: places of the letter of {}",
                self.name(index)
            );
            for (number, system) in self.systems.iter().enumerate() {
                let thread = &system.kernel.threads[id];
                if number == self.homes[index as usize] {
                    let is_away = matches!(thread.state, State::Away { .. });
                    assert!(
                        !is_away || letters == 1,
                        "after {what}: {} waits for no letter",
                        self.name(index)
                    );
                } else {
                    assert!(thread.sched_context.is_none(), "after {what}: a visitor has time");
                    let visits = system.kernel.processor.visiting & bit(id) != 0;
                    let waits = matches!(thread.state, State::Sending { .. } | State::Calling { .. })
                        || system.kernel.visitors[id].is_ending();
                    assert_eq!(visits, waits, "after {what}: {} on processor {number}", self.name(index));
                }
            }
        }
        self.verify_time(what);
        self.verify_keeper(what);
    }

    /// Returns the thread whose change of a key is complete once the others have synchronised, and the number of its write.
    pub(crate) fn writer(&self) -> Option<(ThreadId, u64)> {
        let kernel = &self.systems[0].kernel;
        let (thread, patching) = kernel.keeper.writer?;
        (patching == Patching::Done).then(|| (thread, kernel.machine.shared.code.written.get()))
    }

    /// Checks that a change was answered, if it was, after the others have synchronised. `writer` is that before the step.
    pub(crate) fn verify_answer(&self, writer: Option<(ThreadId, u64)>) {
        let Some((thread, write)) = writer else { return };
        let is_answered = !self.systems[0].kernel.keeper.has_letter(thread);
        let is_awaited = self.systems.iter().any(|system| {
            matches!(system.kernel.outboxes[thread], Outbox::Out { awaited: Awaited::Yes, .. })
        });
        let code = &self.systems[0].kernel.machine.shared.code;
        let is_seen = code.seen.iter().all(|seen| seen.get() >= write);
        assert!(
            !is_answered || !is_awaited || is_seen,
            "a change returns though a processor may execute old code"
        );
    }

    /// Checks that nothing is left to the keeper once no message is on its way.
    pub(crate) fn verify_settled_keys(&self) {
        let kernel = &self.systems[0].kernel;
        let Keeper { waiting, round, unpatched, probing, .. } = kernel.keeper;
        assert_eq!((waiting, round, unpatched), (0, 0, 0), "the keeper is not done");
        let is_probing = self.systems.iter().any(|system| system.kernel.probing > 0);
        assert_eq!(probing != 0, is_probing, "probes");
        for (id, key) in kernel.keys.iter().take(kernel.key_count) {
            let place = kernel.machine.key_places.get(&(Keys::index_of(id) as u64)).copied().unwrap_or(0);
            let end = if key.is_on() { kernel.machine.key_steps } else { 0 };
            assert_eq!(place, end, "branches of {id:?}");
        }
        for system in &self.systems {
            assert_eq!((system.kernel.holders.releasing, system.kernel.holders.asking), (0, 0));
        }
    }

    /// Checks the keeper of static keys: between rounds, every processor executes the code as it was written.
    fn verify_keeper(&self, what: &str) {
        let kernel = &self.systems[0].kernel;
        let Keeper { round, writer, .. } = kernel.keeper;
        let is_synchronised = kernel.machine.shared.code.is_synchronised();
        assert!(round != 0 || is_synchronised, "after {what}: a processor may execute old code");
        assert!(round != 0 || writer.is_none(), "after {what}: a letter waits for the end of no round");
        for system in &self.systems[1..] {
            assert_eq!(system.kernel.keeper, Keeper::NEW, "after {what}: there are two keepers");
        }
    }

    /// Each scheduling context in use is at one place: not away, or named by the letter of one thread of its processor.
    fn verify_time(&self, what: &str) {
        for (number, system) in self.systems.iter().enumerate() {
            let kernel = &system.kernel;
            for (id, slice) in kernel.slices.iter() {
                let letters = self.letters_with(number, id);
                let is_away = kernel.sched_contexts_away & bit(id) != 0;
                assert_eq!(
                    letters,
                    usize::from(is_away),
                    "after {what}: letters with {id:?} of processor {number}"
                );
                assert!(
                    letters == 0 || slice.budget != 0,
                    "after {what}: {id:?} of processor {number} is away unused"
                );
            }
            let guests = kernel
                .slices
                .iter()
                .filter(|(id, slice)| slice.budget != 0 && !self.is_resident(number, *id));
            let lenders = kernel.visitors.iter().filter(|(_, visitor)| visitor.lends_time());
            assert_eq!(guests.count(), lenders.count(), "after {what}: guests of processor {number}");
        }
    }

    /// Checks that no scheduling context is lost once no letter is on its way.
    pub(crate) fn verify_settled_time(&self) {
        assert_eq!(self.interrupted(), [] as [usize; 0]);
        for (number, system) in self.systems.iter().enumerate() {
            for (id, slice) in system.kernel.slices.iter().filter(|(id, _)| self.is_resident(number, *id)) {
                assert_ne!(slice.budget, 0, "{id:?} of processor {number} is lost");
            }
        }
    }

    /// Returns whether this scheduling context belongs to the processor.
    fn is_resident(&self, number: usize, id: SchedContextId) -> bool {
        self.sched_contexts[number] & bit(id) != 0
    }

    fn letters_with(&self, number: usize, id: SchedContextId) -> usize {
        let mailboxes = &self.systems[0].kernel.machine.shared.mailboxes;
        let position = SchedContexts::index_of(id) as u64 + 1;
        let threads = self.homes.iter().zip(0..).filter(|(home, _)| **home == number);
        threads.filter(|(_, thread)| mailboxes.summary(Thread(*thread).id())[2] == position).count()
    }

    /// The places where the letter of a thread is.
    fn letters(&self, id: ThreadId) -> usize {
        let places = self.systems.iter().zip(0..).map(|(system, number)| {
            let core = &system.kernel.processor;
            let boxes = &system.kernel.machine.shared.mailboxes;
            let bits = [boxes.look(number).letters, core.mail.letters, core.visiting];
            let kept = usize::from(system.kernel.keeper.has_letter(id));
            bits.iter().filter(|bits| **bits & bit(id) != 0).count() + kept
        });
        places.sum()
    }

    fn name(&self, index: u64) -> &str {
        self.systems[0].name(Thread(index))
    }
}
