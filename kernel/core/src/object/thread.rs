//! Threads: a program counter with registers, a priority, and capabilities.
//!
//! ```text
//!              resume                      receive, wait, send, call, fault
//!   Inactive ----------> Runnable ------------------------------------------------.
//!      ^                  ^  ^  |                                                 v
//!      |                  |  |  | suspend          Receiving  Waiting  Sending  Calling
//!      '------------------|--|--'                     |          |        |       |
//!      '------------------|--|--- suspend ------------+----------+--------+-------'
//!                         |  '--- message, signal, taken, reply --'
//!                         '------ resume (the system call starts again)
//! ```
//!
//! The current thread and the threads in the ready queues are Runnable and have a scheduling context. A Runnable
//! thread without one (a passive server between messages that was resumed) waits for a donation. A thread whose turn
//! comes when its budget is used up is Postponed until the next part of the budget comes back: as Runnable, but in
//! the queue of those that wait for time.

use limen_abi::{Label, message};

use crate::arena::{EndpointId, NotificationId, ReplyId, SchedContextId, ThreadId};
use crate::cap::Cap;
use crate::event::{Next, Outcome};
use crate::fault::Fault;
use crate::inbox::Inbox;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Context, CounterAccess, Machine, Patching};
use crate::message::Answer;
use crate::object::priority::decode_priority;
use crate::object::probe::ExitStamp;

/// A thread control block. Its size is a power of two, so that finding one takes a shift and not a multiplication.
#[derive(Debug)]
#[repr(align(512))]
pub struct Thread<M: Machine> {
    /// The registers of user mode. While the thread runs, those that compiled code preserves are not in here.
    pub context: M::Context,
    /// What the thread is doing.
    pub state: State,
    /// 0 to 255; the highest runs.
    pub priority: u8,
    /// The highest priority that it may give to a thread.
    pub max_priority: u8,
    /// Where its time comes from; none for a passive server between messages.
    pub sched_context: Option<SchedContextId>,
    /// Its capability table, for short ways.
    pub caps: M::Caps,
    /// Its address space.
    pub space: M::Space,
    /// The notification that may interrupt its receiving.
    pub notification: Option<NotificationId>,
    /// Where its faults go: an endpoint capability, or nothing.
    pub fault_handler: Cap,
    /// The fault that it waits for an answer to.
    pub fault: Option<Fault>,
    /// Where an exhausted budget is reported: an endpoint capability, or nothing.
    pub timeout_handler: Cap,
    /// Its scheduling domain.
    pub domain: u8,
    /// Whether it may read the cycle counter.
    pub counter: CounterAccess,
    /// Itself, if it may use the floating-point unit.
    pub fpu: Option<ThreadId>,
    /// Where its event loop waits.
    pub inbox: Inbox,
}

/// What a thread is doing. See the picture above.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    /// Stopped until it is resumed.
    #[default]
    Inactive,
    /// Running, or could run.
    Runnable,
    /// Could run, but has no time left until it is released.
    Postponed,
    /// Waiting for a message.
    Receiving {
        /// Where.
        endpoint: EndpointId,
        /// The reply object that the next caller will wait on.
        reply: Option<ReplyId>,
        /// Where it starts again if it is stopped.
        again: Restart,
    },
    /// Waiting for a signal.
    Waiting {
        /// Where.
        notification: NotificationId,
        /// Where it starts again if it is stopped.
        again: Restart,
    },
    /// Waiting until its message, call or fault is taken.
    Sending {
        /// Where.
        endpoint: EndpointId,
        /// What the receiver will see.
        badge: u64,
        /// What happens when it is taken.
        then: AfterSend,
        /// Where it starts again if it is stopped.
        again: Restart,
    },
    /// Waiting for an answer to its call or fault.
    Calling {
        /// The reply object.
        reply: ReplyId,
        /// Where it starts again if it is stopped.
        again: Restart,
    },
}

/// Where a thread that waits starts again if it is taken out of its wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restart {
    /// At the system call that it waits in, which is the instruction before its program counter.
    SystemCall,
    /// At its program counter: it faulted there, or somebody has written it.
    ProgramCounter,
}

impl State {
    /// Where a thread in this state starts again; none if it does not wait.
    fn again(self) -> Option<Restart> {
        match self {
            Self::Inactive | Self::Runnable | Self::Postponed => None,
            Self::Receiving { again, .. }
            | Self::Waiting { again, .. }
            | Self::Sending { again, .. }
            | Self::Calling { again, .. } => Some(again),
        }
    }

    /// The program counter of the thread was written; if it waits, it need not start its system call again.
    fn forget_syscall(&mut self) {
        match self {
            Self::Inactive | Self::Runnable | Self::Postponed => {}
            Self::Receiving { again, .. }
            | Self::Waiting { again, .. }
            | Self::Sending { again, .. }
            | Self::Calling { again, .. } => *again = Restart::ProgramCounter,
        }
    }
}

/// What a sender does once its message is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterSend {
    /// Goes on.
    GoOn,
    /// Waits for the answer, and lends its time meanwhile.
    AwaitReply,
    /// Waits for the answer, and has no time to lend.
    AwaitReplyOnly,
    /// Stops: its capability does not let it be answered.
    Stop,
}

impl<M: Machine> Thread<M> {
    /// A thread that does not run.
    pub const INACTIVE: Self = Self {
        context: M::Context::ZERO,
        state: State::Inactive,
        priority: 0,
        max_priority: 0,
        sched_context: None,
        space: M::NO_SPACE,
        notification: None,
        fault_handler: Cap::Null,
        fault: None,
        timeout_handler: Cap::Null,
        domain: 0,
        counter: CounterAccess::Denied,
        fpu: None,
        caps: M::NO_CAPS,
        inbox: Inbox::None,
    };

    /// Whether it could run now.
    #[must_use]
    #[inline]
    pub fn is_schedulable(&self) -> bool {
        self.state == State::Runnable && self.sched_context.is_some()
    }
}

/// What can be asked of another thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Copy registers into the answer.
    ReadRegisters {
        /// Of which thread.
        thread: ThreadId,
        /// Whether it is stopped first.
        suspend: bool,
        /// How many, in `seL4_UserContext` order.
        count: usize,
    },
    /// Copy registers from the message.
    WriteRegisters {
        /// Of which thread.
        thread: ThreadId,
        /// Whether it is resumed afterwards.
        resume: bool,
        /// How many, in `seL4_UserContext` order.
        count: usize,
    },
    /// Stop it.
    Suspend(ThreadId),
    /// Let it run.
    Resume(ThreadId),
    /// Give it another priority.
    SetPriority(ThreadId, u8),
    /// Set the highest priority that it may give to a thread.
    SetMaxPriority(ThreadId, u8),
    /// Let a notification interrupt its receiving.
    BindNotification(ThreadId, NotificationId),
    /// Part it from its notification.
    UnbindNotification(ThreadId),
    /// Set its register for thread-local storage.
    SetTlsBase(ThreadId, u64),
    /// Change its flags.
    SetFlags {
        /// Of which thread.
        thread: ThreadId,
        /// These bits first.
        clear: u64,
        /// Then these.
        set: u64,
    },
}

/// Message words before the register values of WriteRegisters.
const WRITE_REGISTERS_HEADER: usize = 2;

impl Request {
    /// Looks at a message to the thread capability of `thread`.
    pub(crate) fn decode<M: Machine>(
        kernel: &Kernel<M>,
        thread: ThreadId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        match arguments.label() {
            Some(Label::TcbReadRegisters) => {
                let [flags, count] = arguments.words()?;
                let max = M::Context::REGISTERS as u64;
                if !(1..=max).contains(&count) {
                    return Err(InvokeError::Range { min: 1, max });
                }
                not_current(kernel, thread)?;
                Ok(Self::ReadRegisters { thread, suspend: flags & 1 != 0, count: count as usize })
            }
            Some(Label::TcbWriteRegisters) => {
                let [flags, count] = arguments.words()?;
                if count > (arguments.length() - WRITE_REGISTERS_HEADER) as u64 {
                    return Err(InvokeError::TruncatedMessage);
                }
                not_current(kernel, thread)?;
                Ok(Self::WriteRegisters { thread, resume: flags & 1 != 0, count: count as usize })
            }
            Some(Label::TcbSetPriority) => {
                decode_priority(kernel, arguments).map(|priority| Self::SetPriority(thread, priority))
            }
            Some(Label::TcbSetMcPriority) => {
                decode_priority(kernel, arguments).map(|priority| Self::SetMaxPriority(thread, priority))
            }
            Some(Label::TcbBindNotification) => decode_bind(kernel, thread, arguments.extra_cap(0)?),
            Some(Label::TcbUnbindNotification) => match kernel.threads[thread].notification {
                Some(_) => Ok(Self::UnbindNotification(thread)),
                None => Err(InvokeError::IllegalOperation),
            },
            Some(Label::TcbSetTlsBase) => {
                let [base] = arguments.words()?;
                not_current(kernel, thread)?;
                Ok(Self::SetTlsBase(thread, base))
            }
            Some(Label::TcbSuspend) => Ok(Self::Suspend(thread)),
            Some(Label::TcbResume) => Ok(Self::Resume(thread)),
            Some(Label::TcbSetFlags) => {
                let [clear, set] = arguments.words()?;
                Ok(Self::SetFlags { thread, clear, set })
            }
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    /// Does what was decoded. `caller` is the current thread, whose message holds the register values.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>, caller: ThreadId) -> (Answer, Outcome) {
        match self {
            Self::ReadRegisters { thread, suspend, count } => {
                let (followed, outcome) =
                    if suspend { kernel.suspend(thread, caller) } else { (Patching::Done, Outcome::NOTHING) };
                (Answer::Registers { thread, count }.once(followed), outcome)
            }
            Self::WriteRegisters { thread, resume, count } => {
                kernel.abandon_work(thread);
                if resume {
                    kernel.cancel(thread);
                    kernel.release_keys(thread);
                    kernel.stop_probe(thread);
                }
                if kernel.finish_keys(thread, caller) == Patching::More {
                    if resume {
                        // It does not hold any again before it starts.
                        kernel.leave_queues(thread);
                        kernel.threads[thread].state = State::Inactive;
                    }
                    return (Answer::Again, Outcome::NOTHING);
                }
                kernel.write_registers(thread, caller, count);
                (Answer::Empty, if resume { kernel.resume(thread) } else { Outcome::NOTHING })
            }
            Self::Suspend(thread) => {
                let (followed, outcome) = kernel.suspend(thread, caller);
                (Answer::Empty.once(followed), outcome)
            }
            Self::Resume(thread) => (Answer::Empty, kernel.resume(thread)),
            Self::SetPriority(thread, priority) => (Answer::Empty, kernel.set_priority(thread, priority)),
            Self::SetMaxPriority(thread, priority) => {
                kernel.threads[thread].max_priority = priority;
                (Answer::Empty, Outcome::NOTHING)
            }
            Self::BindNotification(thread, notification) => {
                kernel.bind_notification(thread, notification);
                (Answer::Empty, Outcome::NOTHING)
            }
            Self::UnbindNotification(thread) => {
                kernel.unbind_notification_of(thread);
                (Answer::Empty, Outcome::NOTHING)
            }
            Self::SetTlsBase(thread, base) => {
                kernel.abandon_work(thread);
                kernel.threads[thread].context.set_register(M::Context::TLS_BASE, base);
                (Answer::Empty, Outcome::NOTHING)
            }
            Self::SetFlags { thread, clear, set } => {
                (Answer::Word(kernel.set_flags(thread, clear, set)), Outcome::NOTHING)
            }
        }
    }
}

/// A notification is bound to one thread, before anybody waits for it.
fn decode_bind<M: Machine>(kernel: &Kernel<M>, thread: ThreadId, to: Cap) -> Result<Request, InvokeError> {
    let Cap::Notification { id, rights, .. } = to else {
        return Err(InvokeError::InvalidCapability { index: 1 });
    };
    let free = kernel.threads[thread].notification.is_none() && kernel.notifications[id].may_be_bound();
    if free && rights.can_receive() {
        Ok(Request::BindNotification(thread, id))
    } else {
        Err(InvokeError::IllegalOperation)
    }
}

/// The registers of the current thread are in use; asking for them makes no sense.
fn not_current<M: Machine>(kernel: &Kernel<M>, thread: ThreadId) -> Result<(), InvokeError> {
    if kernel.processor.current == Some(thread) { Err(InvokeError::IllegalOperation) } else { Ok(()) }
}

impl<M: Machine> Kernel<M> {
    /// Stops a thread. What it was waiting for is forgotten, its static keys are given back, its probe ends; its system
    /// call starts again when it is resumed. Branches follow on the caller's time; who stops itself goes on until all do.
    pub(crate) fn suspend(&mut self, thread: ThreadId, caller: ThreadId) -> (Patching, Outcome) {
        if self.processor.current != Some(thread) {
            self.leave_queues(thread);
        }
        self.cancel(thread);
        self.abandon_work(thread);
        self.release_keys(thread);
        let followed = self.finish_keys(thread, caller);
        if followed == Patching::More && thread == caller {
            return (followed, Outcome::NOTHING);
        }
        self.stop_probe(thread);
        self.threads[thread].state = State::Inactive;
        (followed, if self.processor.current == Some(thread) { Outcome::WAITS } else { Outcome::NOTHING })
    }

    /// Lets a thread that does not run start again: at its program counter, or with the system call it waits in.
    pub(crate) fn resume(&mut self, thread: ThreadId) -> Outcome {
        if matches!(self.threads[thread].state, State::Runnable | State::Postponed) {
            return Outcome::NOTHING;
        }
        self.cancel(thread);
        self.threads[thread].state = State::Runnable;
        self.wake(thread)
    }

    /// Takes a thread out of whatever it waits for and leaves it Inactive, its program counter at the system call
    /// that has to start again.
    pub(crate) fn cancel(&mut self, thread: ThreadId) {
        match self.threads[thread].state {
            State::Inactive | State::Runnable | State::Postponed => return,
            State::Receiving { endpoint, .. } | State::Sending { endpoint, .. } => {
                self.endpoints[endpoint].remove(&mut self.links, thread);
            }
            State::Waiting { notification, .. } => {
                self.notifications[notification].remove(&mut self.links, thread)
            }
            State::Calling { reply, .. } => self.release_reply(reply),
        }
        if self.threads[thread].state.again() == Some(Restart::SystemCall) {
            self.restart_syscall(thread);
        }
        let target = &mut self.threads[thread];
        target.fault = None;
        target.state = State::Inactive;
    }

    /// Lets a thread that does not run start its system call again. The way there is no return to its program.
    pub(crate) fn restart_syscall(&mut self, thread: ThreadId) {
        self.threads[thread].context.rewind_syscall();
        let _: ExitStamp = self.take_exit(thread);
    }

    /// A Runnable thread, if it has a scheduling context to run on. One that got a message without time runs on what
    /// its bound notification keeps for it.
    #[inline]
    pub(crate) fn with_time(&mut self, thread: ThreadId) -> Option<ThreadId> {
        if self.threads[thread].sched_context.is_none() {
            self.borrow_from_notification(thread);
        }
        self.threads[thread].sched_context.map(|_| thread)
    }

    /// What the scheduler has to do about a thread that just became Runnable.
    #[inline]
    pub(crate) fn wake(&mut self, thread: ThreadId) -> Outcome {
        Outcome { current: Next::GoesOn, woken: self.with_time(thread) }
    }

    /// Registers of `thread` as message words of `caller`.
    pub(crate) fn read_registers(&mut self, thread: ThreadId, caller: ThreadId, count: usize) {
        for position in 0..count {
            let value = self.restart_register(thread, position);
            self.set_message_word(caller, position, value);
        }
    }

    /// A register as it would be if the thread had to start again.
    fn restart_register(&self, thread: ThreadId, position: usize) -> u64 {
        let context = self.program_registers(thread);
        let is_in_call =
            self.works[thread].is_some() || self.threads[thread].state.again() == Some(Restart::SystemCall);
        if position == M::Context::PC && is_in_call {
            let mut context = *context;
            context.rewind_syscall();
            return context.register(position);
        }
        context.register(position)
    }

    /// Registers of `thread` from the message of `caller`.
    fn write_registers(&mut self, thread: ThreadId, caller: ThreadId, count: usize) {
        for position in 0..count.min(message::MAX_LENGTH - WRITE_REGISTERS_HEADER) {
            let value = self.message_word(caller, WRITE_REGISTERS_HEADER + position);
            self.threads[thread].context.set_register(position, value);
        }
        if count > M::Context::PC {
            self.threads[thread].state.forget_syscall();
            self.queue_receiver(thread);
        }
    }

    /// Something about a thread is not as its endpoint says it of a server that waits alone.
    pub(crate) fn queue_receiver(&mut self, thread: ThreadId) {
        if let State::Receiving { endpoint, .. } = self.threads[thread].state {
            self.endpoints[endpoint].put_in_queue(&mut self.links);
        }
    }
}
