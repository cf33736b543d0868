//! Services: work that the kernel does for a program, on the program's time and with interrupts on.
//!
//! ```text
//!    the program               the work                       other threads
//!        | call
//!        '-----> begin  -->  own registers, stack,      <--  preempt it like
//!                            address space and               any other thread
//!        .-----  end   <--   floating-point registers
//!        v result
//! ```
//!
//! A call to a service does not return from the kernel to the program but to kernel code that has no access to
//! [`Kernel`]. It sees only the description of the service, memory that is mapped in an address space for the services
//! of this thread, and its own results. The scheduler sees the same thread as before: priority, time and domain are
//! the caller's, it is preempted and charged like any other thread, and no thread waits for another. When the work is
//! done, the registers of the program are restored, with the result.
//!
//! If the thread is stopped or its registers are written in the meantime, the work is abandoned and the system call
//! restarts.
//!
//! A reset looks at the thread that it is for, its *owner*, and writes the owner's registers. Only the owner's home may do
//! either, so a caller of another processor sends a letter there first:
//!
//! ```text
//!    home of the caller                              home of the owner
//!        call -------------- letter ---------------> the owner must be stopped; reset_for_visitor
//!        prepare_work <----- the same letter -------
//! ```
//!
//! The owner may be resumed by another thread between the two, as it may be during the work.

use limen_abi::message::REGISTER_WORDS;
use limen_abi::service::DIGEST_WORDS;
use limen_abi::{Label, MessageInfo, ServiceKind};

use crate::arena::{ServiceId, ThreadId};
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::message::Answer;
use crate::object::thread::{State, Thread};

/// A service of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service<Space> {
    kind: ServiceKind,
    /// The address space in which the work runs.
    space: Space,
    /// For a reset: the thread to reset.
    owner: Option<Owner>,
}

/// A thread that must be stopped when its reset begins, and its first registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Owner {
    thread: ThreadId,
    entry: u64,
    stack_top: u64,
}

impl<Space> Service<Space> {
    /// Returns the thread whose registers the service resets, if any.
    pub fn resets(&self) -> Option<ThreadId> {
        self.owner.as_ref().map(|owner| owner.thread)
    }

    /// Creates the service of an image's record, which works in this address space.
    pub(crate) fn new(
        record: &limen_image::Service,
        space: Space,
        thread: impl Fn(u64) -> Option<(ThreadId, limen_image::Thread)>,
    ) -> Option<Self> {
        let kind = ServiceKind::from_raw(record.kind)?;
        let owner = thread(record.owner).map(|(thread, record)| Owner {
            thread,
            entry: record.entry,
            stack_top: record.stack_top,
        });
        Some(Self { kind, space, owner })
    }
}

/// The state to restore when a thread's work ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work<Context, Space> {
    service: ServiceId,
    /// The registers of the program.
    program: Context,
    space: Space,
    fpu: Option<ThreadId>,
}

impl<Context, Space> Work<Context, Space> {
    /// Returns the service.
    pub fn service(&self) -> ServiceId {
        self.service
    }

    /// Returns the registers of the program that the work is for.
    pub fn program(&self) -> &Context {
        &self.program
    }

    /// Returns the thread that it is for, if that may use the floating-point unit.
    pub fn fpu(&self) -> Option<ThreadId> {
        self.fpu
    }
}

/// The result of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServiceResult {
    /// The result words; the kind of service determines how many are used.
    pub words: [u64; REGISTER_WORDS],
}

/// A checked request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request(ServiceId);

impl Request {
    /// Decodes an invocation of a service.
    pub(crate) fn decode<M: Machine>(
        kernel: &Kernel<M>,
        id: ServiceId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        let service = kernel.services[id].filter(|_| arguments.label() == Some(Label::ServiceRun));
        let service = service.ok_or(InvokeError::IllegalOperation)?;
        match (service.kind, service.owner) {
            (ServiceKind::Wipe, _) => Err(InvokeError::IllegalOperation),
            (_, Some(owner)) if !kernel.is_stopped(owner.thread) => Err(InvokeError::IllegalOperation),
            _ => Ok(Self(id)),
        }
    }

    /// The work begins when the answer would be written, so a caller that does not wait for an answer gets no work
    /// done.
    pub(crate) fn perform(self) -> (Answer, Outcome) {
        (Answer::Work(self.0), Outcome::NOTHING)
    }
}

impl<M: Machine> Kernel<M> {
    /// Returns whether a thread is stopped or waits for the reply to a fault.
    fn is_stopped(&self, thread: ThreadId) -> bool {
        let Thread { state, fault, .. } = &self.threads[thread];
        // With one processor, the code of the last test is unmapped.
        *state == State::Inactive
            || fault.is_some()
            || (self.processors > 1 && self.awaits_reply_elsewhere(thread))
    }

    /// Switches the current thread to the work of a service.
    pub(crate) fn begin_work(&mut self, thread: ThreadId, id: ServiceId) -> Outcome {
        let Some(service) = self.services[id] else { return Outcome::NOTHING };
        if let Some(owner) = service.owner {
            self.reset_registers(owner);
        }
        self.insert_work(thread, id, service.space, M::begin_work);
        self.enter_space(service.space);
        self.prepare_fpu();
        Outcome::NOTHING
    }

    /// Gives the owner of a service the registers that it started with, for a caller of another processor.
    ///
    /// The caller then writes the owner's memory on its processor. The owner's own stores do not overwrite that: the owner
    /// stopped before this kernel sent the letter back, with release, and the caller's kernel received it with acquire before
    /// the work began. And the owner finds what the work has written: the caller resumes it after the work, by a letter in
    /// the other direction. The memory is cacheable and stays mapped as it is, and no read-only code is written, so the
    /// processor of the owner need not maintain caches or translations.
    #[cold]
    #[inline(never)]
    pub(crate) fn reset_for_visitor(&mut self, id: ServiceId) {
        if let Some(owner) = self.services[id].and_then(|service| service.owner) {
            self.reset_registers(owner);
        }
    }

    /// Lets a thread that is not running begin the work of a service when it next runs. Its owner's registers are reset.
    #[cold]
    pub(crate) fn prepare_work(&mut self, thread: ThreadId, id: ServiceId) {
        if let Some(service) = self.services[id] {
            self.insert_work(thread, id, service.space, M::prepare_work);
        }
    }

    /// Replaces the registers, address space and floating-point user of a thread by those of work. `begin` writes the
    /// registers.
    #[inline(always)]
    fn insert_work(
        &mut self,
        thread: ThreadId,
        id: ServiceId,
        space: M::Space,
        begin: impl FnOnce(&mut M, ServiceId, &mut M::Context, &mut M::Context),
    ) {
        let target = &mut self.threads[thread];
        let work = Work { service: id, program: target.context, space: target.space, fpu: target.fpu };
        target.space = space;
        target.fpu = Some(thread.at_work());
        let work = self.works[thread].insert(work);
        begin(&mut self.machine, id, &mut target.context, &mut work.program);
    }

    /// Gives a stopped thread the registers that it started with. Before the work, because another thread may resume it
    /// during the work.
    #[cold]
    fn reset_registers(&mut self, owner: Owner) {
        // It may be at work itself: stopped there, or with a timeout that waits for its reply.
        self.abandon_work(owner.thread);
        // The answer to a letter that is under way ends no system call.
        self.outboxes[owner.thread].forget_syscall();
        let thread = &mut self.threads[owner.thread];
        for position in 0..M::Context::REGISTERS {
            thread.context.set_register(position, 0);
        }
        thread.context.set_register(M::Context::PC, owner.entry);
        thread.context.set_register(M::Context::SP, owner.stack_top);
        self.processor.fpu.release(&mut self.machine, owner.thread);
        self.machine.reset_fpu(owner.thread);
    }

    /// Ends the work of the current thread and gives its program the result.
    pub(crate) fn finish_work(&mut self, thread: ThreadId, result: ServiceResult) -> Outcome {
        let Some(work) = self.leave_work(thread) else { return Outcome::NOTHING };
        let length = match self.services[work.service].map(|service| service.kind) {
            Some(ServiceKind::Digest | ServiceKind::KernelDigest) => DIGEST_WORDS,
            Some(ServiceKind::Seal) => 1,
            Some(ServiceKind::Reset | ServiceKind::Wipe) | None => 0,
        };
        let context = &mut self.threads[thread].context;
        context.set_badge(0);
        context.set_words(result.words, length);
        context.set_info(MessageInfo::new(0, length));
        self.enter_space(work.space);
        self.prepare_fpu();
        Outcome::NOTHING
    }

    /// Abandons the work of a thread that is not running, if it has any. Its system call restarts.
    #[cold]
    pub(crate) fn abandon_work(&mut self, thread: ThreadId) {
        if self.works[thread].is_some() {
            self.leave_work(thread);
            self.restart_syscall(thread);
        }
    }

    fn leave_work(&mut self, thread: ThreadId) -> Option<Work<M::Context, M::Space>> {
        let work = self.works[thread].take()?;
        self.processor.fpu.release(&mut self.machine, thread.at_work());
        let target = &mut self.threads[thread];
        target.context = work.program;
        target.space = work.space;
        target.fpu = work.fpu;
        Some(work)
    }

    /// Returns whether the running thread executes the work of a service.
    pub fn is_at_work(&self) -> bool {
        let current = self.processor.current.or_else(|| self.hidden());
        current.is_some_and(|current| self.works[current].is_some())
    }

    /// Returns the registers of a thread's program, even while the thread executes the work of a service.
    pub(crate) fn program_registers(&self, thread: ThreadId) -> &M::Context {
        match &self.works[thread] {
            Some(work) => work.program(),
            None => &self.threads[thread].context,
        }
    }
}
