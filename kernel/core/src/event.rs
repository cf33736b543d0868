//! All entries into the kernel: one enum, one match, and one place that returns errors and switches threads.

use limen_abi::MessageInfo;
use limen_abi::message::REGISTER_WORDS;

use crate::arena::ThreadId;
use crate::fault::Fault;
use crate::invoke::InvokeError;
use crate::kernel::Kernel;
use crate::machine::{Context, Interrupt, Machine};
use crate::object::service::ServiceResult;

/// The reason for entering the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A system call of the current thread, with the contents of the system-call register.
    Syscall(i64),
    /// A fault of the current thread.
    Fault(Fault),
    /// A use of the disabled floating-point unit by the current thread; the fault to deliver if it may not use it.
    FpuUse(Fault),
    /// An interrupt of the timer or a device.
    Interrupt,
    /// The end of the work of a service for the current thread.
    WorkDone(ServiceResult),
}

/// The effect of a system call on scheduling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Outcome {
    /// Whether the current thread continues.
    pub current: Next,
    /// A thread that has just become schedulable and is in no queue yet.
    pub woken: Option<ThreadId>,
}

/// The state of the current thread after a system call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It may continue.
    Continues,
    /// It blocked, was stopped, or has no time.
    Blocks,
}

impl Outcome {
    /// The current thread continues and no thread was woken.
    pub const NOTHING: Self = Self { current: Next::Continues, woken: None };
    /// The current thread blocks and no thread was woken.
    pub const BLOCKS: Self = Self { current: Next::Blocks, woken: None };
}

/// Whether a receive blocks if there is nothing to receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Blocking {
    /// Block.
    Yes,
    /// Return at once.
    No,
}

impl<M: Machine> Kernel<M> {
    /// Handles one event. Afterwards `processor.current` is the thread to run; `None` means to idle until an
    /// interrupt.
    ///
    /// Inlined into each trap handler, where the kind of event is a constant.
    #[inline(always)]
    pub fn handle(&mut self, event: Event) {
        self.flush_open_call();
        match self.processor.current {
            Some(current) => self.handle_of(current, event),
            None => self.handle_idle(event),
        }
    }

    /// Handles one event where speed does not matter: one copy for all kinds of event except system calls, which use
    /// `serve_slowly`.
    #[cold]
    #[inline(never)]
    pub fn handle_rarely(&mut self, event: Event) {
        if let Event::Syscall(number) = event {
            self.serve_slowly(number);
            return;
        }
        self.flush_open_call();
        match self.processor.current {
            Some(current) => self.handle_of(current, event),
            None => self.handle_idle(event),
        }
    }

    /// Handles an event of the current thread.
    #[inline(always)]
    pub(crate) fn handle_of(&mut self, current: ThreadId, event: Event) {
        let outcome = match event {
            Event::Syscall(number) => self.syscall(current, number),
            Event::Fault(fault) => self.deliver_fault(current, fault),
            Event::FpuUse(fault) => self.use_fpu(current, fault),
            Event::Interrupt => self.pending_interrupt(),
            Event::WorkDone(result) => self.finish_work(current, result),
        };
        let outcome = self.end_visits(outcome);
        self.schedule(outcome);
    }

    /// Returns the registers of the running thread; `None` while the processor idles.
    #[inline(always)]
    pub fn running(&mut self) -> Option<&mut M::Context> {
        let current = match self.processor.current {
            Some(current) => current,
            None => self.hidden()?,
        };
        Some(&mut self.threads[current].context)
    }

    /// Handles an event while `processor.current` is `None`: the processor idles, or the running thread is hidden.
    #[cold]
    fn handle_idle(&mut self, event: Event) {
        if !self.handle_measured(event) {
            self.stop_idling();
        }
    }

    /// Handles an interrupt while the processor idles.
    #[inline(never)]
    pub(crate) fn stop_idling(&mut self) {
        // Idle time is charged to no scheduling context.
        self.processor.since = self.read_clock();
        if let Some(woken) = self.pending_interrupt().woken {
            self.dispatch_woken(woken);
        }
    }

    /// Returns an error to the caller of an invocation.
    #[cold]
    pub(crate) fn refuse(&mut self, caller: ThreadId, error: InvokeError) -> Outcome {
        let (code, words, length) = error.message();
        let context = &mut self.threads[caller].context;
        context.set_badge(0);
        context.set_words(words, length.min(REGISTER_WORDS));
        context.set_info(MessageInfo::new(code.as_raw(), length));
        Outcome::NOTHING
    }

    /// Handles the pending interrupt.
    #[inline(always)]
    fn pending_interrupt(&mut self) -> Outcome {
        let interrupt = self.machine.acknowledge_interrupt();
        self.interrupt(interrupt)
    }

    /// Handles an interrupt that the machine has returned.
    #[inline(never)]
    pub(crate) fn interrupt(&mut self, interrupt: Option<Interrupt>) -> Outcome {
        match interrupt {
            Some(Interrupt::Timer) => self.timer_fired(),
            Some(Interrupt::Line(line)) => self.deliver_interrupt(line),
            Some(Interrupt::Message) if self.processors > 1 => {
                if self.machine.is_recording() {
                    self.take_recorded_messages()
                } else {
                    self.take_messages()
                }
            }
            Some(Interrupt::Message) | None => Outcome::NOTHING,
        }
    }
}
