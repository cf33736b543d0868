//! A model kernel: three threads in two domains, two of which can be at work.

mod unit;

use limen_abi::FpuPolicy;

use super::{Fpu, Options, Taken};
use crate::mask::{All, Controlled, Low4};
use crate::section::{InterruptContext, WorkerContext};
use crate::unit::Name;
use unit::WorkersUnit;
pub(crate) use unit::{File, Unit};

/// A thread, by number. At work, a thread's name is higher by the number of threads.
pub(crate) type Thread = u8;
/// The number of threads.
pub(super) const THREADS: usize = 3;
/// The threads that can be at work: one in each domain. The other thread of the first domain behaves the same.
const SERVED: [Thread; 2] = [0, 2];
/// The number of users: threads, and threads at work.
pub(super) const USERS: usize = 2 * THREADS;

impl Name for Thread {
    fn is_trusted(self) -> bool {
        usize::from(self) >= THREADS
    }
}

/// The thread with this name.
pub(super) const fn thread_of(user: Thread) -> usize {
    user as usize % THREADS
}

/// The parts into which the registers are divided: those of the smaller mask, and the others.
const PARTS: usize = 2;

/// The contents of some registers, or of their place in a save area.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Content {
    /// A thread's initial values, which boot also leaves in the unit.
    Initial,
    /// The values that this user has written last.
    Latest(Thread),
    /// Older values of this user.
    Old(Thread),
    /// Values that an interrupt handler has computed.
    Kernel,
}

/// The registers that a section asks for: some, or all of them and the control words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Width {
    Some,
    All,
}

impl Width {
    pub(super) const EACH: [Self; 2] = [Self::Some, Self::All];

    /// Its parts.
    const fn parts(self) -> core::ops::Range<usize> {
        match self {
            Self::Some => 0..1,
            Self::All => 0..PARTS,
        }
    }
}

/// An operation of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    /// Switches to a thread.
    Switch(Thread),
    /// Idles the processor.
    Idle,
    /// The running thread uses the unit; at work, the registers of its section.
    Use,
    /// Allows or forbids a thread to use the unit.
    SetUse(Thread, bool),
    /// Restarts a thread.
    Release(Thread),
    /// Moves a thread to the other domain.
    Move(Thread),
    /// Ends the domain's time slice.
    NextDomain,
    /// Sets the policy.
    SetPolicy(FpuPolicy, u64),
    /// Takes an interrupt, whose handler has a section.
    Interrupt(Width),
    /// Starts work for the running thread.
    BeginWork,
    /// Starts a section of the running thread's work, and computes in it.
    Begin(Width),
    /// Ends the section.
    End,
    /// Ends the work.
    FinishWork,
    /// Abandons the work of a thread that does not run.
    AbandonWork(Thread),
}

/// A kernel, reduced to what concerns the unit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct World {
    pub(super) fpu: Fpu<Thread>,
    pub(super) unit: Unit,
    pub(super) running: Option<Thread>,
    pub(super) domain: u8,
    pub(super) may_use: [bool; THREADS],
    pub(super) domains: [u8; THREADS],
    /// Whether each thread is at work.
    pub(super) at_work: [bool; THREADS],
    /// The section of each thread's work.
    pub(super) sections: [Option<Width>; THREADS],
    pub(super) policy: FpuPolicy,
    pub(super) options: u64,
}

impl World {
    /// The state after boot.
    pub(super) fn booted() -> Self {
        Self {
            fpu: Fpu::EMPTY,
            unit: Unit::booted(),
            running: None,
            domain: 0,
            may_use: [true; THREADS],
            domains: [0, 0, 1],
            at_work: [false; THREADS],
            sections: [None; THREADS],
            policy: FpuPolicy::SemiLazy,
            options: 0,
        }
    }

    pub(super) fn user(&self, thread: Thread) -> Option<Thread> {
        let user = self.name(thread);
        (user != thread || self.may_use[usize::from(thread)]).then_some(user)
    }

    /// The name under which a thread uses the unit, if it may use it.
    pub(super) fn name(&self, thread: Thread) -> Thread {
        if self.at_work[usize::from(thread)] { thread + THREADS as Thread } else { thread }
    }

    /// Makes states equal that differ only in memory that is never read.
    pub(super) fn spoil(&mut self) {
        self.unit.spoil(self.fpu.owner());
    }

    /// Whether these registers are correct for a user: the values that it has written last. For work, that applies in
    /// its section; outside of it, its registers hold only zeros, or values of abandoned earlier work for the same
    /// thread.
    pub(super) fn is_right(&self, user: Thread, registers: &File) -> bool {
        let section = self.sections[thread_of(user)].map_or(0..0, Width::parts);
        registers.iter().enumerate().all(|(part, content)| match content {
            Content::Latest(writer) => *writer == user && (!user.is_trusted() || section.contains(&part)),
            Content::Old(writer) => *writer == user && user.is_trusted() && !section.contains(&part),
            Content::Initial => user.is_trusted() && !section.contains(&part),
            Content::Kernel => false,
        })
    }

    /// The thread at work that is running, and its section.
    fn work(&self) -> Option<(Thread, Option<Width>)> {
        let thread = self.running.filter(|running| self.at_work[usize::from(*running)])?;
        Some((thread, self.sections[usize::from(thread)]))
    }

    /// Whether the operation is possible now.
    pub(super) fn allows(&self, operation: Operation) -> bool {
        match operation {
            Operation::Switch(thread) => self.domains[usize::from(thread)] == self.domain,
            Operation::Use => self.running.is_some() && !matches!(self.work(), Some((_, None))),
            // Work must be abandoned first.
            Operation::SetUse(thread, may) => {
                self.may_use[usize::from(thread)] != may && !self.at_work[usize::from(thread)]
            }
            Operation::Move(thread) => !self.at_work[usize::from(thread)],
            Operation::BeginWork => self
                .running
                .is_some_and(|running| SERVED.contains(&running) && !self.at_work[usize::from(running)]),
            Operation::FinishWork | Operation::Begin(_) => matches!(self.work(), Some((_, None))),
            Operation::End => matches!(self.work(), Some((_, Some(_)))),
            Operation::AbandonWork(thread) => {
                self.at_work[usize::from(thread)] && self.running != Some(thread)
            }
            _ => true,
        }
    }

    /// Performs the operation.
    pub(super) fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Switch(thread) => self.running = Some(thread),
            Operation::Idle => self.running = None,
            Operation::Use => return self.use_unit(),
            Operation::Interrupt(width) => return self.interrupt(width),
            Operation::Begin(width) => return self.begin_section(width),
            Operation::End => return self.end_section(),
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
            Operation::BeginWork => {
                self.running.into_iter().for_each(|running| self.at_work[usize::from(running)] = true);
            }
            Operation::FinishWork => self.running.into_iter().for_each(|running| self.leave_work(running)),
            Operation::AbandonWork(thread) => self.leave_work(thread),
        }
        self.set_up();
    }

    /// Sets up the unit for the running thread.
    fn set_up(&mut self) {
        if let Some(running) = self.running {
            let user = self.user(running);
            self.fpu.switch_to(&mut self.unit, running, user);
        }
    }

    /// Drops the registers of work, which are not cleared if the work was abandoned.
    fn leave_work(&mut self, thread: Thread) {
        let name = self.name(thread);
        self.fpu.release(&mut self.unit, name);
        self.unit.forget(name);
        self.at_work[usize::from(thread)] = false;
        self.sections[usize::from(thread)] = None;
    }

    fn use_unit(&mut self) {
        let Some(running) = self.running else { return };
        if let Some((thread, Some(width))) = self.work() {
            return self.compute(thread, width);
        }
        let user = self.user(running);
        if !self.unit.is_on && self.fpu.take_over(&mut self.unit, user) == Taken::No {
            assert!(!self.may_use[usize::from(running)], "a thread that may use the unit is refused");
            return;
        }
        assert!(self.unit.is_on, "the unit is off after `take_over` granted it");
        assert!(user.is_some(), "a thread that may not use the unit uses it");
        self.compute(running, Width::All);
    }

    /// The running thread, possibly at work, checks its registers and writes some.
    fn compute(&mut self, thread: Thread, width: Width) {
        let name = self.name(thread);
        assert!(self.unit.is_on, "the kernel does not have the unit");
        assert!(self.is_right(name, &self.unit.registers), "a thread finds registers that are not its own");
        width.parts().for_each(|part| self.unit.write(name, part, Content::Latest(name)));
    }

    fn begin_section(&mut self, width: Width) {
        let Some((thread, None)) = self.work() else { return };
        self.compute(thread, width);
        self.sections[usize::from(thread)] = Some(width);
    }

    /// Ends a section, after its computation.
    fn end_section(&mut self) {
        let Some((thread, Some(width))) = self.work() else { return };
        let name = self.name(thread);
        let mut context = WorkerContext::new(WorkersUnit(&mut self.unit, name));
        match width {
            Width::Some => context.section::<Low4, _>(|_| ()),
            Width::All => context.section::<All, _>(|_| ()),
        }
        self.sections[usize::from(thread)] = None;
        let is_clear = self.unit.registers[width.parts()].iter().all(|content| *content == Content::Initial);
        assert!(is_clear, "registers of a section are not cleared");
    }

    /// Performs a complete interrupt. It leaves no trace but the registers that it saved.
    fn interrupt(&mut self, width: Width) {
        let before = self.clone();
        let context = InterruptContext::new(&mut self.fpu, &mut self.unit);
        let mut context = context.expect("the unit is up");
        match width {
            Width::Some => context.section::<Low4, _>(|_| ()),
            Width::All => context.section::<Controlled<All>, _>(|_| ()),
        }
        let toggled = u64::from(!before.unit.is_on);
        assert_eq!([self.unit.done.enables, self.unit.done.disables], [toggled; 2]);
        self.unit.done = before.unit.done;
        assert_eq!((&self.fpu, self.unit.is_on), (&before.fpu, before.unit.is_on));
        assert_eq!(self.unit.registers, before.unit.registers, "an interrupt changed registers");
    }
}
