//! Three threads in two domains, for two of which the kernel may work, and what a kernel does with their registers.

mod unit;

use limen_abi::FpuPolicy;

use super::{Fpu, Options, Taken};
use crate::mask::{All, Controlled, Low4};
use crate::section::{InterruptContext, WorkerContext};
use crate::unit::Name;
use unit::WorkersUnit;
pub(crate) use unit::{File, Unit};

/// A thread, by number; the kernel that works for it has a name that is higher by the number of threads.
pub(crate) type Thread = u8;
/// How many there are.
pub(super) const THREADS: usize = 3;
/// Those for which the kernel may work: one in each domain; nothing else is special about the other one.
const SERVED: [Thread; 2] = [0, 2];
/// Names of users: of threads, and of threads at work.
pub(super) const USERS: usize = 2 * THREADS;

impl Name for Thread {
    fn is_trusted(self) -> bool {
        usize::from(self) >= THREADS
    }
}

/// The thread that has this name.
pub(super) const fn thread_of(user: Thread) -> usize {
    user as usize % THREADS
}

/// Parts of the registers that are looked at by themselves: those of the smaller mask, and the others.
const PARTS: usize = 2;

/// What some registers, or their places in a save area, hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Content {
    /// What a thread starts with, and what boot leaves in the unit.
    Initial,
    /// What this user has written last.
    Latest(Thread),
    /// What this user had written before that.
    Old(Thread),
    /// What the handler of an interrupt has computed.
    Kernel,
}

/// What the kernel asks for: registers, or control words and all registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Width {
    Some,
    All,
}

impl Width {
    pub(super) const EACH: [Self; 2] = [Self::Some, Self::All];

    /// The parts of it.
    const fn parts(self) -> core::ops::Range<usize> {
        match self {
            Self::Some => 0..1,
            Self::All => 0..PARTS,
        }
    }
}

/// What can happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    /// A thread gets the processor.
    Switch(Thread),
    /// Nobody has it.
    Idle,
    /// The running thread uses the unit; at work, what it has of it in its section.
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
    /// An interrupt, whose handler has a section.
    Interrupt(Width),
    /// The running thread asks the kernel to work for it.
    BeginWork,
    /// What works for the running thread begins a section, and computes in it.
    Begin(Width),
    /// It ends it.
    End,
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
    /// In which section that is.
    pub(super) sections: [Option<Width>; THREADS],
    pub(super) policy: FpuPolicy,
    pub(super) options: u64,
}

impl World {
    /// Nothing has run yet.
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

    /// The name under which a thread uses the unit, if it may.
    pub(super) fn name(&self, thread: Thread) -> Thread {
        if self.at_work[usize::from(thread)] { thread + THREADS as Thread } else { thread }
    }

    /// States that differ only where nobody reads are one.
    pub(super) fn spoil(&mut self) {
        self.unit.spoil(self.fpu.owner());
    }

    /// Whether these are what a user has to find: what it has written last. To the kernel that means in its section; elsewhere
    /// it finds nothing but zeros, or what earlier work for the same thread has left that was given up.
    pub(super) fn is_right(&self, user: Thread, registers: &File) -> bool {
        let section = self.sections[thread_of(user)].map_or(0..0, Width::parts);
        registers.iter().enumerate().all(|(part, content)| match content {
            Content::Latest(writer) => *writer == user && (!user.is_trusted() || section.contains(&part)),
            Content::Old(writer) => *writer == user && user.is_trusted() && !section.contains(&part),
            Content::Initial => user.is_trusted() && !section.contains(&part),
            Content::Kernel => false,
        })
    }

    /// For whom the kernel works that runs, and in which section.
    fn work(&self) -> Option<(Thread, Option<Width>)> {
        let thread = self.running.filter(|running| self.at_work[usize::from(*running)])?;
        Some((thread, self.sections[usize::from(thread)]))
    }

    /// Whether this can happen now.
    pub(super) fn allows(&self, operation: Operation) -> bool {
        match operation {
            Operation::Switch(thread) => self.domains[usize::from(thread)] == self.domain,
            Operation::Use => self.running.is_some() && !matches!(self.work(), Some((_, None))),
            // Gives work up first.
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

    /// Lets it happen.
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
        self.settle();
    }

    /// The unit becomes what the thread that runs needs.
    fn settle(&mut self) {
        if let Some(running) = self.running {
            let user = self.user(running);
            self.fpu.switch_to(&mut self.unit, running, user);
        }
    }

    /// What the kernel has computed is not needed any more, and not cleared if that was given up.
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
            assert!(!self.may_use[usize::from(running)], "a thread that may use the unit was refused");
            return;
        }
        assert!(self.unit.is_on, "a thread was promised the unit and does not have it");
        assert!(user.is_some(), "a thread uses the unit that may not");
        self.compute(running, Width::All);
    }

    /// The running thread, perhaps at work, finds its registers, and writes some.
    fn compute(&mut self, thread: Thread, width: Width) {
        let name = self.name(thread);
        assert!(self.unit.is_on, "the kernel does not have the unit");
        assert!(self.is_right(name, &self.unit.registers), "a thread finds other registers than its own");
        width.parts().for_each(|part| self.unit.write(name, part, Content::Latest(name)));
    }

    fn begin_section(&mut self, width: Width) {
        let Some((thread, None)) = self.work() else { return };
        self.compute(thread, width);
        self.sections[usize::from(thread)] = Some(width);
    }

    /// The end of a section; its work was before it.
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
        assert!(is_clear, "something of a section is left");
    }

    /// An interrupt is over before anything else happens. It leaves no trace but what it put aside.
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
        assert_eq!(self.unit.registers, before.unit.registers, "an interrupt changes registers");
    }
}
