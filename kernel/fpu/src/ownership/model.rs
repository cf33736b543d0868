//! Three threads in two domains, for two of which the kernel may work, a unit of symbolic registers, and what a kernel does
//! with them.

use limen_abi::FpuPolicy;

use super::{Fpu, Options, Taken};
use crate::counters::Counters;
use crate::unit::FpuUnit;

/// A thread, by number; the kernel that works for it has a name that is higher by the number of threads.
pub(super) type Thread = u8;
/// How many there are.
pub(super) const THREADS: usize = 3;
/// Those for which the kernel may work: one in each domain; nothing else is special about the other one.
const SERVED: [Thread; 2] = [0, 2];
/// Names of users: of threads, and of threads at work.
pub(super) const USERS: usize = 2 * THREADS;

impl crate::unit::Name for Thread {
    fn is_trusted(self) -> bool {
        usize::from(self) >= THREADS
    }
}

/// The thread that has this name.
pub(super) const fn thread_of(user: Thread) -> usize {
    user as usize % THREADS
}

/// What a register file or a save area holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Content {
    /// What a thread starts with, and what boot leaves in the unit.
    Initial,
    /// What this thread has written last.
    Latest(Thread),
    /// What this thread had written before that.
    Old(Thread),
}

/// Registers and save areas.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Unit {
    pub(super) is_on: bool,
    pub(super) registers: Content,
    pub(super) areas: [Content; USERS],
    /// What the present operation did.
    pub(super) done: Counters,
}

impl Unit {
    /// A thread writes its registers: every other copy of them is old now.
    fn write(&mut self, thread: Thread) {
        for content in self.areas.iter_mut().chain([&mut self.registers]) {
            if *content == Content::Latest(thread) {
                *content = Content::Old(thread);
            }
        }
        self.registers = Content::Latest(thread);
    }
}

impl FpuUnit<Thread> for Unit {
    fn exchange(&mut self, from: Thread, to: Thread) {
        self.save(from);
        self.load(Some(to));
    }

    fn save(&mut self, to: Thread) {
        assert!(self.is_on, "registers are saved while the unit is off");
        self.done.saves += 1;
        self.areas[usize::from(to)] = self.registers;
    }

    fn load(&mut self, from: Option<Thread>) {
        assert!(self.is_on, "registers are loaded while the unit is off");
        self.done.loads += 1;
        self.registers = from.map_or(Content::Initial, |thread| self.areas[usize::from(thread)]);
    }

    fn renew(&mut self, owner: Option<Thread>) {
        if let Some(owner) = owner {
            self.areas[usize::from(owner)] = self.registers;
        }
        (self.is_on, self.registers) = (false, Content::Initial);
        let done = &mut self.done;
        for count in [&mut done.saves, &mut done.loads, &mut done.enables, &mut done.disables] {
            *count += 1;
        }
    }

    fn enable(&mut self) {
        assert!(!self.is_on, "the unit is turned on twice");
        self.is_on = true;
        self.done.enables += 1;
    }

    fn disable(&mut self) {
        assert!(self.is_on, "the unit is turned off twice");
        self.is_on = false;
        self.done.disables += 1;
    }
}

/// What can happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    /// A thread gets the processor.
    Switch(Thread),
    /// Nobody has it.
    Idle,
    /// The running thread uses the unit.
    Use,
    /// A thread may use the unit from now on, or not.
    SetUse(Thread, bool),
    /// A thread is restarted.
    Release(Thread),
    /// A thread goes to the other domain.
    Move(Thread),
    /// The domain's time is over.
    NextDomain,
    /// Another policy.
    SetPolicy(FpuPolicy, u64),
    /// The running thread asks the kernel to work for it, which uses the unit at once.
    BeginWork,
    /// That is done.
    FinishWork,
    /// A thread that does not run gives its work up.
    AbandonWork(Thread),
}

/// A kernel, as far as the unit is concerned.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct World {
    pub(super) fpu: Fpu<Thread>,
    pub(super) unit: Unit,
    pub(super) running: Option<Thread>,
    pub(super) domain: u8,
    pub(super) may_use: [bool; THREADS],
    pub(super) domains: [u8; THREADS],
    /// For which threads the kernel works.
    pub(super) at_work: [bool; THREADS],
    pub(super) policy: FpuPolicy,
    pub(super) options: u64,
}

impl World {
    /// Nothing has run yet.
    pub(super) fn booted() -> Self {
        Self {
            fpu: Fpu::EMPTY,
            unit: Unit {
                is_on: false,
                registers: Content::Initial,
                areas: core::array::from_fn(|user| match user {
                    0..THREADS => Content::Latest(user as Thread),
                    _ => Content::Initial,
                }),
                done: Counters::ZERO,
            },
            running: None,
            domain: 0,
            may_use: [true; THREADS],
            domains: [0, 0, 1],
            at_work: [false; THREADS],
            policy: FpuPolicy::SemiLazy,
            options: 0,
        }
    }

    pub(super) fn user(&self, thread: Thread) -> Option<Thread> {
        let user = self.name(thread);
        (user != thread || self.may_use[usize::from(thread)]).then_some(user)
    }

    /// The name under which a thread uses the unit, if it may.
    pub(super) fn name(&self, thread: Thread) -> Thread {
        if self.at_work[usize::from(thread)] { thread + THREADS as Thread } else { thread }
    }

    /// Whether this can happen now.
    pub(super) fn allows(&self, operation: Operation) -> bool {
        match operation {
            Operation::Switch(thread) => self.domains[usize::from(thread)] == self.domain,
            Operation::Use => self.running.is_some(),
            // Gives work up first.
            Operation::SetUse(thread, may) => {
                self.may_use[usize::from(thread)] != may && !self.at_work[usize::from(thread)]
            }
            Operation::Move(thread) => !self.at_work[usize::from(thread)],
            Operation::BeginWork => self
                .running
                .is_some_and(|running| SERVED.contains(&running) && !self.at_work[usize::from(running)]),
            Operation::FinishWork => self.running.is_some_and(|running| self.at_work[usize::from(running)]),
            Operation::AbandonWork(thread) => {
                self.at_work[usize::from(thread)] && self.running != Some(thread)
            }
            _ => true,
        }
    }

    /// Lets it happen.
    pub(super) fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Switch(thread) => self.running = Some(thread),
            Operation::Idle => self.running = None,
            Operation::Use => return self.use_unit(),
            Operation::SetUse(thread, may) => {
                self.fpu.release(&mut self.unit, thread);
                self.may_use[usize::from(thread)] = may;
            }
            Operation::Release(thread) => self.fpu.release(&mut self.unit, thread),
            Operation::Move(thread) => {
                self.fpu.release(&mut self.unit, thread);
                self.domains[usize::from(thread)] ^= 1;
                self.running = self.running.filter(|running| *running != thread);
            }
            Operation::NextDomain => {
                self.fpu.leave_domain(&mut self.unit);
                self.domain ^= 1;
                self.running = None;
            }
            Operation::SetPolicy(policy, options) => {
                (self.policy, self.options) = (policy, options);
                self.fpu.set_policy(&mut self.unit, policy, Options::from_bits(options));
            }
            Operation::BeginWork => return self.begin_work(),
            Operation::FinishWork => self.running.into_iter().for_each(|running| self.leave_work(running)),
            Operation::AbandonWork(thread) => self.leave_work(thread),
        }
        self.settle();
    }

    /// The unit becomes what the thread that runs needs.
    fn settle(&mut self) {
        if let Some(running) = self.running {
            let user = self.user(running);
            self.fpu.switch_to(&mut self.unit, running, user);
        }
    }

    fn begin_work(&mut self) {
        let Some(running) = self.running else { return };
        self.at_work[usize::from(running)] = true;
        self.settle();
        // Whatever it finds there, the kernel begins with values of its own.
        assert!(self.unit.is_on, "the kernel does not have the unit");
        self.unit.write(self.name(running));
    }

    /// What the kernel has computed is not needed any more.
    fn leave_work(&mut self, thread: Thread) {
        let name = self.name(thread);
        self.fpu.release(&mut self.unit, name);
        self.unit.areas[usize::from(name)] = Content::Initial;
        self.at_work[usize::from(thread)] = false;
    }

    fn use_unit(&mut self) {
        let Some(running) = self.running else { return };
        let (user, name) = (self.user(running), self.name(running));
        assert!(self.unit.is_on || name == running, "the kernel does not have the unit");
        if !self.unit.is_on && self.fpu.take_over(&mut self.unit, user) == Taken::No {
            assert!(!self.may_use[usize::from(running)], "a thread that may use the unit was refused");
            return;
        }
        assert!(self.unit.is_on, "a thread was promised the unit and does not have it");
        assert!(user.is_some(), "a thread uses the unit that may not");
        assert_eq!(self.unit.registers, Content::Latest(name), "a thread finds other registers than its own");
        self.unit.write(name);
    }
}
