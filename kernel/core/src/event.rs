//! Every way into the kernel: one enum, one match, and the one tail that answers errors and switches threads.

use limen_abi::MessageInfo;
use limen_abi::message::REGISTER_WORDS;

use crate::arena::ThreadId;
use crate::fault::Fault;
use crate::invoke::InvokeError;
use crate::kernel::Kernel;
use crate::machine::{Context, Interrupt, Machine};
use crate::object::service::Report;

/// Why the kernel was entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The current thread asks for something. The number is the content of the system-call register.
    Syscall(i64),
    /// The current thread did something that it may not.
    Fault(Fault),
    /// The current thread used the floating-point unit while it was off. The fault is for a thread that may not use it.
    FpuUse(Fault),
    /// A device or the timer wants attention.
    Interrupt,
    /// The work of a service that the kernel does for the current thread is over.
    WorkDone(Report),
}

/// What a system call leaves to the scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Outcome {
    /// What the current thread does next.
    pub current: Next,
    /// The thread that became ready just now, if any: schedulable, and in no queue yet.
    pub woken: Option<ThreadId>,
}

/// What the current thread does after a system call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It could go on.
    GoesOn,
    /// It waits, was stopped, or has no time.
    Waits,
}

impl Outcome {
    /// The current thread goes on, and nobody became ready.
    pub const NOTHING: Self = Self { current: Next::GoesOn, woken: None };
    /// The current thread waits, and nobody became ready.
    pub const WAITS: Self = Self { current: Next::Waits, woken: None };
}

/// Whether to wait for what is not there yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Blocking {
    /// Wait.
    Yes,
    /// Go on without.
    No,
}

impl<M: Machine> Kernel<M> {
    /// Serves one event. Afterwards `processor.current` is the thread to run; none means to idle until an interrupt.
    ///
    /// Inlined into each trap handler, where the kind of event is known.
    #[inline(always)]
    pub fn handle(&mut self, event: Event) {
        self.settle_call();
        match self.processor.current {
            Some(current) => self.handle_of(current, event),
            None => self.handle_idle(event),
        }
    }

    /// The same where it does not matter how long that takes: one copy for every kind of event but system calls, which have
    /// theirs.
    #[cold]
    #[inline(never)]
    pub fn handle_rarely(&mut self, event: Event) {
        if let Event::Syscall(number) = event {
            self.serve_slowly(number);
            return;
        }
        self.settle_call();
        match self.processor.current {
            Some(current) => self.handle_of(current, event),
            None => self.handle_idle(event),
        }
    }

    /// Serves an event while this thread is the current one.
    #[inline(always)]
    pub(crate) fn handle_of(&mut self, current: ThreadId, event: Event) {
        let outcome = match event {
            Event::Syscall(number) => self.syscall(current, number),
            Event::Fault(fault) => self.deliver_fault(current, fault),
            Event::FpuUse(fault) => self.use_fpu(current, fault),
            Event::Interrupt => self.interrupt(),
            Event::WorkDone(report) => self.finish_work(current, report),
        };
        self.schedule(outcome);
    }

    /// The registers of the thread that runs; none while the processor idles.
    #[inline(always)]
    pub fn running(&mut self) -> Option<&mut M::Context> {
        let current = match self.processor.current {
            Some(current) => current,
            None => self.hidden()?,
        };
        Some(&mut self.threads[current].context)
    }

    /// Nobody is known to run.
    #[cold]
    fn handle_idle(&mut self, event: Event) {
        if !self.handle_measured(event) {
            self.stop_idling();
        }
    }

    /// Nobody runs, so only an interrupt can have come.
    pub(crate) fn stop_idling(&mut self) {
        self.charge_current();
        if let Some(woken) = self.interrupt().woken {
            self.hand_over(woken);
        }
    }

    /// Tells the caller of an invocation why it was not carried out.
    #[cold]
    pub(crate) fn refuse(&mut self, caller: ThreadId, error: InvokeError) -> Outcome {
        let (code, words, length) = error.message();
        let context = &mut self.threads[caller].context;
        context.set_badge(0);
        context.set_words(words, length.min(REGISTER_WORDS));
        context.set_info(MessageInfo::new(code.as_raw(), length));
        Outcome::NOTHING
    }

    /// Serves the interrupt that is waiting.
    #[inline(always)]
    fn interrupt(&mut self) -> Outcome {
        match self.machine.acknowledge_interrupt() {
            Some(Interrupt::Timer) => self.timer_fired(),
            Some(Interrupt::Line(line)) => self.deliver_interrupt(line),
            None => Outcome::NOTHING,
        }
    }
}
