//! Threads: registers with a program counter, a priority, and capabilities.
//!
//! ```text
//!              resume                      receive, wait, send, call, fault
//!   Inactive ----------> Runnable ------------------------------------------------.
//!      ^                  ^  ^  |                                                 v
//!      |                  |  |  | suspend          Receiving  Waiting  Sending  Calling
//!      '------------------|--|--'                     |          |        |       |
//!      '------------------|--|--- suspend ------------+----------+--------+-------'
//!                         |  '--- message, signal, received, reply --'
//!                         '------ resume (the system call restarts)
//! ```
//!
//! The current thread and the threads in the ready queues are Runnable and have a scheduling context. A Runnable
//! thread without one (for example a passive server that was resumed between messages) waits for a donation. A thread
//! that is selected with its budget used up is Postponed until its next refill: like Runnable, but in the queue of
//! postponed threads.

use limen_abi::{Label, message};

use crate::arena::{EndpointId, NotificationId, ReplyId, SchedContextId, ThreadId};
use crate::cap::Cap;
use crate::event::{Next, Outcome};
use crate::fast::OpenCall;
use crate::fault::Fault;
use crate::inbox::Inbox;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Context, CounterAccess, Machine, Patching};
use crate::message::Answer;
use crate::object::priority::decode_priority;
use crate::object::probe::ExitStamp;

/// The size of a thread control block in a kernel: a power of two, so that indexing takes a shift and no multiplication.
pub const BYTES: usize = 512;

/// Returns the number of words that fill a thread control block with a context of this size up to [`BYTES`].
#[must_use]
pub const fn filler_words(context_bytes: usize) -> usize {
    /// Everything but the context.
    const OTHER_BYTES: usize = 112;
    (BYTES - OTHER_BYTES - context_bytes) / size_of::<u64>()
}

/// A thread control block. Its fields are in the order of their alignment. It is not aligned to its size, because no thread
/// may start at the start of a page: see [`Kernel::threads`](crate::kernel::Kernel::threads).
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Thread<M: Machine> {
    /// The user-mode registers. While the thread runs, callee-saved registers are not stored here.
    pub context: M::Context,
    /// The handler of its faults: an endpoint capability, or `Null`.
    pub fault_handler: Cap,
    /// The handler of its timeouts: an endpoint capability, or `Null`.
    pub timeout_handler: Cap,
    /// The state.
    pub state: State,
    /// Its address space.
    pub space: M::Space,
    /// Its capability table, for fast paths.
    pub caps: M::Caps,
    /// The fault that waits for a reply.
    pub fault: Option<Fault>,
    /// The open call that it serves, while it has an open call of its own.
    pub serves: Option<OpenCall>,
    /// Its scheduling context; `None` for a passive server between messages.
    pub sched_context: Option<SchedContextId>,
    /// The bound notification: a signal wakes the thread also while it waits on an endpoint.
    pub notification: Option<NotificationId>,
    /// Its own id, if it may use the floating-point unit.
    pub fpu: Option<ThreadId>,
    /// The objects that its event loop receives from.
    pub inbox: Inbox,
    /// 0 to 255; a higher number runs first.
    pub priority: u8,
    /// The highest priority that it may set.
    pub max_priority: u8,
    /// Its scheduling domain.
    pub domain: u8,
    /// Whether it may read the cycle counter.
    pub counter: CounterAccess,
    /// Unused.
    pub filler: M::ThreadFiller,
}

/// The state of a thread. See the diagram above.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    /// Stopped until it is resumed.
    #[default]
    Inactive,
    /// Running, or ready to run.
    Runnable,
    /// Ready to run, but without budget until it is released.
    Postponed,
    /// Waiting for a message.
    Receiving {
        /// The endpoint.
        endpoint: EndpointId,
        /// The reply object on which the next caller will wait.
        reply: Option<ReplyId>,
        /// The point at which it resumes if this wait is cancelled.
        again: Restart,
    },
    /// Waiting for a signal.
    Waiting {
        /// The notification.
        notification: NotificationId,
        /// The point at which it resumes if this wait is cancelled.
        again: Restart,
    },
    /// Waiting until its message, call or fault is received.
    Sending {
        /// The endpoint.
        endpoint: EndpointId,
        /// The badge that the receiver will see.
        badge: u64,
        /// Its next step after the message is received.
        then: AfterSend,
        /// The point at which it resumes if this wait is cancelled.
        again: Restart,
    },
    /// Waiting for the answer to a request at another processor.
    Away {
        /// The point at which it resumes if this wait is cancelled.
        again: Restart,
    },
    /// Waiting for the reply to its call or fault.
    Calling {
        /// The reply object.
        reply: ReplyId,
        /// The point at which it resumes if this wait is cancelled.
        again: Restart,
    },
}

/// The point at which a blocked thread resumes if its wait is cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restart {
    /// At its system call, which is the instruction before its program counter.
    SystemCall,
    /// At its program counter: it faulted there, or another thread has written the program counter.
    ProgramCounter,
}

impl State {
    /// Returns where a thread in this state resumes; `None` if it is not blocked.
    fn again(self) -> Option<Restart> {
        match self {
            Self::Inactive | Self::Runnable | Self::Postponed => None,
            Self::Receiving { again, .. }
            | Self::Waiting { again, .. }
            | Self::Sending { again, .. }
            | Self::Away { again }
            | Self::Calling { again, .. } => Some(again),
        }
    }

    /// Cancels the restart of the system call, because the program counter was written.
    fn forget_syscall(&mut self) {
        match self {
            Self::Inactive | Self::Runnable | Self::Postponed => {}
            Self::Receiving { again, .. }
            | Self::Waiting { again, .. }
            | Self::Sending { again, .. }
            | Self::Away { again }
            | Self::Calling { again, .. } => *again = Restart::ProgramCounter,
        }
    }
}

/// The next step of a sender whose message is received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterSend {
    /// Continues.
    Continue,
    /// Waits for the reply, and lends its time.
    AwaitReply,
    /// Waits for the reply; has no time to lend.
    AwaitReplyOnly,
    /// Stops: its capability does not permit a reply.
    Stop,
}

impl<M: Machine> Thread<M> {
    /// A thread that is not running.
    pub const INACTIVE: Self = Self {
        context: M::Context::ZERO,
        filler: M::THREAD_FILLER,
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
        serves: None,
    };

    /// Returns whether it could run now.
    #[must_use]
    #[inline]
    pub fn is_schedulable(&self) -> bool {
        self.state == State::Runnable && self.sched_context.is_some()
    }
}

/// A request to a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Read its registers into the answer.
    ReadRegisters {
        /// The thread.
        thread: ThreadId,
        /// Whether to stop it first.
        suspend: bool,
        /// The number of registers, in `seL4_UserContext` order.
        count: usize,
    },
    /// Write its registers from the message.
    WriteRegisters {
        /// The thread.
        thread: ThreadId,
        /// Whether to resume it afterwards.
        resume: bool,
        /// The number of registers, in `seL4_UserContext` order.
        count: usize,
    },
    /// Stop it.
    Suspend(ThreadId),
    /// Resume it.
    Resume(ThreadId),
    /// Set its priority.
    SetPriority(ThreadId, u8),
    /// Set the highest priority that it may set.
    SetMaxPriority(ThreadId, u8),
    /// Bind a notification to it.
    BindNotification(ThreadId, NotificationId),
    /// Unbind its notification.
    UnbindNotification(ThreadId),
    /// Set its thread-local storage register.
    SetTlsBase(ThreadId, u64),
    /// Change its flags.
    SetFlags {
        /// The thread.
        thread: ThreadId,
        /// The bits to clear first.
        clear: u64,
        /// The bits to set then.
        set: u64,
    },
}

/// Message words of `WriteRegisters` before the register values.
const WRITE_REGISTERS_HEADER: usize = 2;

impl Request {
    /// Decodes an invocation of `thread`.
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
                decode_priority(arguments).map(|priority| Self::SetPriority(thread, priority))
            }
            Some(Label::TcbSetMcPriority) => {
                decode_priority(arguments).map(|priority| Self::SetMaxPriority(thread, priority))
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

    /// Performs a decoded request. `caller` is the current thread; its message holds the register values.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>, caller: ThreadId) -> (Answer, Outcome) {
        match self {
            Self::ReadRegisters { thread, suspend, count } => {
                let (patching, outcome) =
                    if suspend { kernel.suspend(thread, caller) } else { (Patching::Done, Outcome::NOTHING) };
                (Answer::Registers { thread, count }.once(patching), outcome)
            }
            Self::WriteRegisters { thread, resume, count } => {
                kernel.abandon_work(thread);
                if resume {
                    kernel.cancel(thread);
                    kernel.release_keys(thread);
                    kernel.stop_probe(thread);
                }
                if kernel.patch_keys(thread, caller) == Patching::More {
                    if resume {
                        // Until it starts, it must not hold any keys again.
                        kernel.leave_queues(thread);
                        kernel.threads[thread].state = State::Inactive;
                    }
                    return (Answer::Again, Outcome::NOTHING);
                }
                kernel.write_registers(thread, caller, count);
                (Answer::Empty, if resume { kernel.resume(thread) } else { Outcome::NOTHING })
            }
            Self::Suspend(thread) => {
                let (patching, outcome) = kernel.suspend(thread, caller);
                (Answer::Empty.once(patching), outcome)
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

/// A notification is bound to at most one thread, and only while no thread waits for it.
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

/// The registers of the current thread are in use, so reading or writing them makes no sense.
fn not_current<M: Machine>(kernel: &Kernel<M>, thread: ThreadId) -> Result<(), InvokeError> {
    if kernel.processor.current == Some(thread) { Err(InvokeError::IllegalOperation) } else { Ok(()) }
}

impl<M: Machine> Kernel<M> {
    /// Stops a thread: cancels its wait, releases its static keys and ends its probe. Its system call restarts when it
    /// is resumed. Branches are patched on the caller's time; a caller that stops itself runs on until all are
    /// patched.
    pub(crate) fn suspend(&mut self, thread: ThreadId, caller: ThreadId) -> (Patching, Outcome) {
        self.cancel(thread);
        self.abandon_work(thread);
        self.release_keys(thread);
        // With several processors, the release may have taken it out of its queue.
        if self.processor.current != Some(thread) {
            self.leave_queues(thread);
        }
        let patching = self.patch_keys(thread, caller);
        if patching == Patching::More && thread == caller {
            return (patching, Outcome::NOTHING);
        }
        self.stop_probe(thread);
        self.threads[thread].state = State::Inactive;
        (patching, if self.processor.current == Some(thread) { Outcome::BLOCKS } else { Outcome::NOTHING })
    }

    /// Resumes a thread that is not running, at its program counter or with a restart of the system call it waits in.
    pub(crate) fn resume(&mut self, thread: ThreadId) -> Outcome {
        match self.threads[thread].state {
            State::Runnable | State::Postponed => return Outcome::NOTHING,
            State::Away { .. } if self.asks_keeper(thread) => return Outcome::NOTHING,
            _ => {}
        }
        self.cancel(thread);
        self.threads[thread].state = State::Runnable;
        self.wake(thread)
    }

    /// Takes a thread out of its wait and leaves it Inactive, with its program counter at the system call if that must
    /// restart.
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
            State::Away { again } => self.recall(thread, again),
        }
        if self.threads[thread].state.again() == Some(Restart::SystemCall) {
            self.restart_syscall(thread);
        }
        let target = &mut self.threads[thread];
        target.fault = None;
        target.state = State::Inactive;
    }

    /// Makes a thread restart its system call. No return to its program is stamped for it.
    #[cold]
    #[inline(never)]
    pub(crate) fn restart_syscall(&mut self, thread: ThreadId) {
        self.threads[thread].context.rewind_syscall();
        let _: ExitStamp = self.take_exit(thread);
    }

    /// Returns a Runnable thread if it has a scheduling context. If it has none, it first borrows that of its bound
    /// notification.
    #[inline]
    pub(crate) fn with_time(&mut self, thread: ThreadId) -> Option<ThreadId> {
        if self.threads[thread].sched_context.is_none() {
            self.borrow_from_notification(thread);
        }
        self.threads[thread].sched_context.map(|_| thread)
    }

    /// Returns the outcome of making a thread Runnable.
    #[inline]
    pub(crate) fn wake(&mut self, thread: ThreadId) -> Outcome {
        Outcome { current: Next::Continues, woken: self.with_time(thread) }
    }

    /// Copies registers of `thread` to message words of `caller`.
    pub(crate) fn read_registers(&mut self, thread: ThreadId, caller: ThreadId, count: usize) {
        for position in 0..count {
            let value = self.restart_register(thread, position);
            self.set_message_word(caller, position, value);
        }
    }

    /// Returns a register as it would be if the thread were taken out of its wait now.
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

    /// Sets registers of `thread` from the message of `caller`.
    fn write_registers(&mut self, thread: ThreadId, caller: ThreadId, count: usize) {
        for position in 0..count.min(message::MAX_LENGTH - WRITE_REGISTERS_HEADER) {
            let value = self.message_word(caller, WRITE_REGISTERS_HEADER + position);
            self.threads[thread].context.set_register(position, value);
        }
        if count > M::Context::PC {
            self.outboxes[thread].forget_syscall();
            self.threads[thread].state.forget_syscall();
            self.queue_receiver(thread);
        }
    }

    /// Moves a lone receiver into a queue, because the fast path's assumptions about it no longer hold.
    pub(crate) fn queue_receiver(&mut self, thread: ThreadId) {
        if let State::Receiving { endpoint, .. } = self.threads[thread].state {
            self.endpoints[endpoint].queue_lone_receiver(&mut self.links);
        }
    }
}
