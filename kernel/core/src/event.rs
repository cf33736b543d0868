//! Every way into the kernel: one enum, one match, and the one tail that answers errors and switches threads.

use limen_abi::MessageInfo;
use limen_abi::message::REGISTER_WORDS;

use crate::arena::ThreadId;
use crate::fault::Fault;
use crate::invoke::InvokeError;
use crate::kernel::Kernel;
use crate::machine::{Context, Interrupt, Machine};

/// Why the kernel was entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The current thread asks for something. The number is the content of the system-call register.
    Syscall(i64),
    /// The current thread did something that it may not.
    Fault(Fault),
    /// A device or the timer wants attention.
    Interrupt,
}

/// What a system call leaves to the scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Outcome {
    /// The current thread goes on, and nobody else became ready.
    Continue,
    /// Choose who runs. `woken` became ready just now and is not in a queue yet.
    Choose {
        /// The thread that became ready, if any. It is schedulable.
        woken: Option<ThreadId>,
    },
}

/// Why a system call was not carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Tell the caller.
    Error(InvokeError),
    /// Tell the fault handler.
    Fault(Fault),
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
    /// Serves one event. Afterwards `core.current` is the thread to run; none means to idle until an interrupt.
    #[inline]
    pub fn handle(&mut self, event: Event) {
        let Some(current) = self.core.current else { return self.handle_idle() };
        let result = match event {
            Event::Syscall(number) => self.syscall(current, number),
            Event::Fault(fault) => Ok(self.deliver_fault(current, fault)),
            Event::Interrupt => Ok(self.interrupt()),
        };
        match result {
            Ok(Outcome::Continue) => {}
            Ok(Outcome::Choose { woken }) => self.choose(woken),
            Err(refusal) => self.refuse(current, refusal),
        }
    }

    /// Nobody runs, so only an interrupt can have come.
    #[cold]
    fn handle_idle(&mut self) {
        if let Outcome::Choose { woken } = self.interrupt() {
            self.choose(woken);
        }
    }

    #[cold]
    fn refuse(&mut self, current: ThreadId, refusal: Refusal) {
        match refusal {
            Refusal::Error(error) => {
                let (code, words, length) = error.message();
                let context = &mut self.threads[current].context;
                context.set_badge(0);
                context.set_words(words, length.min(REGISTER_WORDS));
                context.set_info(MessageInfo::new(code.as_raw(), length));
            }
            Refusal::Fault(fault) => {
                if let Outcome::Choose { woken } = self.deliver_fault(current, fault) {
                    self.choose(woken);
                }
            }
        }
    }

    /// Serves the interrupt that is waiting.
    fn interrupt(&mut self) -> Outcome {
        match self.machine.acknowledge_interrupt() {
            Some(Interrupt::Timer) => self.end_slice(),
            Some(Interrupt::Unexpected) | None => Outcome::Continue,
        }
    }
}
