//! Services: what the kernel does for a program on the program's own time, and with interrupts on.
//!
//! ```text
//!   thread's program          its work                     everybody else
//!        | call
//!        '-----> begin  -->  registers, stack, address  <--  pre-empts it,
//!                            space and floating-point        as any thread
//!        .-----  end   <--   registers of its own
//!        v answer
//! ```
//!
//! A call to a service does not return from the kernel to the program, but to code of the kernel that knows nothing of
//! [`Kernel`]: only what the service is, memory that is mapped in an address space for this thread's services, and
//! what it finds. The thread stays what it is for the scheduler: its priority, time and domain are those of whoever asked, it
//! is pre-empted and charged like any other, and nobody waits for anybody. When the work is over, the registers of the
//! program are put back, with the answer.
//!
//! A thread whose registers are written or that is stopped meanwhile gives its work up; its system call starts again.

use limen_abi::message::REGISTER_WORDS;
use limen_abi::service::DIGEST_WORDS;
use limen_abi::{Label, MessageInfo, ServiceKind};

use crate::arena::{ServiceId, ThreadId};
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::message::Answer;
use crate::object::thread::State;

/// A service of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service<Space> {
    kind: ServiceKind,
    /// Where the kernel works.
    space: Space,
    /// The thread that must not run meanwhile.
    owner: Option<ThreadId>,
}

impl<Space> Service<Space> {
    /// The service of an image's record, which works in this address space.
    pub(crate) fn new(
        record: &limen_image::Service,
        space: Space,
        thread: impl Fn(u64) -> Option<ThreadId>,
    ) -> Option<Self> {
        let kind = ServiceKind::from_raw(record.kind)?;
        let owner = if kind == ServiceKind::Reset { thread(record.owner) } else { None };
        Some(Self { kind, space, owner })
    }
}

/// What a thread is given back when its work is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work<Context, Space> {
    service: ServiceId,
    /// The registers of the program.
    program: Context,
    space: Space,
    fpu: Option<ThreadId>,
}

impl<Context, Space> Work<Context, Space> {
    /// The registers of the program that the work is for.
    pub fn program(&self) -> &Context {
        &self.program
    }
}

/// What the kernel has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// Words for the program, as many as its kind of service has.
    pub words: [u64; REGISTER_WORDS],
}

/// A checked request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request(ServiceId);

impl Request {
    /// Looks at a message to the capability of a service.
    pub(crate) fn decode<M: Machine>(
        kernel: &Kernel<M>,
        id: ServiceId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        let service = kernel.services[id].filter(|_| arguments.label() == Some(Label::ServiceRun));
        let service = service.ok_or(InvokeError::IllegalOperation)?;
        match (service.kind, service.owner) {
            (ServiceKind::Wipe, _) => Err(InvokeError::IllegalOperation),
            (_, Some(owner)) if !kernel.is_stopped(owner) => Err(InvokeError::IllegalOperation),
            _ => Ok(Self(id)),
        }
    }

    /// The work begins where the answer would be written: who does not wait for one needs no work.
    pub(crate) fn perform(self) -> (Answer, Outcome) {
        (Answer::Work(self.0), Outcome::NOTHING)
    }
}

impl<M: Machine> Kernel<M> {
    /// Whether a thread is stopped, or waits for what its handler says about a fault.
    fn is_stopped(&self, thread: ThreadId) -> bool {
        let thread = &self.threads[thread];
        thread.state == State::Inactive || thread.fault.is_some()
    }

    /// Lets the current thread go on with the work of a service.
    pub(crate) fn begin_work(&mut self, thread: ThreadId, id: ServiceId) -> Outcome {
        let Some(service) = self.services[id] else { return Outcome::NOTHING };
        let target = &mut self.threads[thread];
        let work = Work { service: id, program: target.context, space: target.space, fpu: target.fpu };
        target.space = service.space;
        target.fpu = Some(thread.at_work());
        let work = self.works[thread].insert(work);
        self.machine.begin_work(id, &mut target.context, &mut work.program);
        self.enter_space(service.space);
        self.prepare_fpu();
        Outcome::NOTHING
    }

    /// The work of the current thread is over: its program gets the answer.
    pub(crate) fn finish_work(&mut self, thread: ThreadId, report: Report) -> Outcome {
        let Some(work) = self.leave_work(thread) else { return Outcome::NOTHING };
        let length = match self.services[work.service].map(|service| service.kind) {
            Some(ServiceKind::Digest | ServiceKind::KernelDigest) => DIGEST_WORDS,
            Some(ServiceKind::Reset | ServiceKind::Wipe) | None => 0,
        };
        let context = &mut self.threads[thread].context;
        context.set_badge(0);
        context.set_words(report.words, length);
        context.set_info(MessageInfo::new(0, length));
        self.enter_space(work.space);
        self.prepare_fpu();
        Outcome::NOTHING
    }

    /// Gives up the work of a thread that does not run, if it has any: its system call starts again.
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

    /// Whether the kernel works for the thread that runs.
    pub fn is_at_work(&self) -> bool {
        let current = self.processor.current.or_else(|| self.hidden());
        current.is_some_and(|current| self.works[current].is_some())
    }

    /// The registers of the program of a thread, also while the kernel works for it.
    pub(crate) fn program_registers(&self, thread: ThreadId) -> &M::Context {
        match &self.works[thread] {
            Some(work) => work.program(),
            None => &self.threads[thread].context,
        }
    }
}
