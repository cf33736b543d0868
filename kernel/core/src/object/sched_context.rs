//! Scheduling contexts: the right to use the processor.
//!
//! A scheduling context belongs to a thread, is lent along a chain of calls, or is held by a notification for the
//! thread that a signal wakes. A budget equal to the period is a round-robin slice among threads of the same priority;
//! a smaller one is a share, see [`crate::sched::sporadic_server`].

use limen_abi::Label;

use super::thread::State;
use crate::arena::{Id, NotificationId, ReplyId, SchedContextId, ThreadId};
use crate::cap::Cap;
use crate::event::{Next, Outcome};
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};
use crate::message::Answer;
use crate::processors::mailbox::bit;

/// A scheduling context. If it has a limit, that is in `Kernel::sporadic_servers`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SchedContext {
    /// The rest of the current slice, or of the refill of a share that is in use. Zero while nothing is in use.
    pub remaining: Ticks,
    /// Until when a thread may be resumed on it without a look at its [`Slice`] or share: for a slice, always while
    /// something remains. Zero while nothing is in use.
    pub usable_until: Ticks,
    /// When it was last charged.
    pub last_used: Ticks,
    /// The thread that runs on it.
    pub thread: Option<ThreadId>,
    /// The notification to which it returns when that thread next blocks.
    pub notification: Option<NotificationId>,
    /// The newest call that runs on it.
    pub top: Option<ReplyId>,
    /// The lender whose call was cancelled: it gets the scheduling context back when the thread that holds it next
    /// blocks.
    pub heir: Option<ThreadId>,
}

impl Slice {
    /// No budget.
    pub const UNUSED: Self = Self { budget: 0, counted: 0, consumed: 0, priority: 0 };
}

impl SchedContext {
    /// No budget, no holder.
    pub const UNUSED: Self = Self {
        remaining: 0,
        usable_until: 0,
        last_used: 0,
        thread: None,
        notification: None,
        top: None,
        heir: None,
    };
}

/// The slices of a scheduling context. Apart from it, because thread switches do not need them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slice {
    /// The length of a slice, or the budget of a share.
    pub budget: Ticks,
    /// The rest of the slice when `consumed` was last brought up to date.
    pub counted: Ticks,
    /// Ticks used since the count was last read, without those that were used since it was last brought up to date.
    pub consumed: Ticks,
    /// The priority at which the current slice began; zero for a share.
    pub priority: u8,
}

/// A request to a scheduling context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Bind it to a thread that has none.
    BindThread(SchedContextId, ThreadId),
    /// Bind it to a notification, for the thread that a signal wakes.
    BindNotification(SchedContextId, NotificationId),
    /// Unbind it from thread and notification.
    Unbind(SchedContextId),
    /// Unbind it from its notification.
    UnbindNotification(SchedContextId),
    /// Unbind it from its thread.
    UnbindThread(SchedContextId),
    /// Read the microseconds used since the last read.
    Consumed(SchedContextId),
}

impl Request {
    /// Decodes an invocation of `id`.
    pub(crate) fn decode<M: Machine>(
        kernel: &Kernel<M>,
        id: SchedContextId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        if kernel.is_away(id) {
            return Err(InvokeError::IllegalOperation);
        }
        match arguments.label() {
            Some(Label::SchedContextBind) => decode_bind(kernel, id, arguments.extra_cap(0)?),
            Some(Label::SchedContextUnbind) => not_running(kernel, id).map(|()| Self::Unbind(id)),
            Some(Label::SchedContextUnbindObject) => decode_unbind(kernel, id, arguments.extra_cap(0)?),
            Some(Label::SchedContextConsumed) => Ok(Self::Consumed(id)),
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    /// Performs a decoded request.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        match self {
            Self::BindThread(id, thread) => {
                kernel.sched_contexts[id].thread = Some(thread);
                kernel.threads[thread].sched_context = Some(id);
                let woken = Some(thread).filter(|thread| kernel.threads[*thread].is_schedulable());
                return (Answer::Empty, Outcome { current: Next::Continues, woken });
            }
            Self::BindNotification(id, notification) => {
                kernel.sched_contexts[id].notification = Some(notification);
                kernel.notifications[notification].sched_context = Some(id);
                if let Some(thread) = kernel.sched_contexts[id].thread {
                    let waits_for = match kernel.threads[thread].state {
                        State::Receiving { .. } => kernel.threads[thread].notification,
                        State::Waiting { notification, .. } => Some(notification),
                        _ => None,
                    };
                    if waits_for.is_some() {
                        let woken = kernel.return_borrowed_time(thread, waits_for);
                        return (Answer::Empty, Outcome { current: Next::Continues, woken });
                    }
                }
            }
            Self::Unbind(id) => {
                kernel.unbind_notification(id);
                let woken = kernel.unbind_thread(id);
                kernel.forget_loans(id);
                return (Answer::Empty, Outcome { current: Next::Continues, woken });
            }
            Self::UnbindNotification(id) => kernel.unbind_notification(id),
            Self::UnbindThread(id) => {
                let woken = kernel.unbind_thread(id);
                return (Answer::Empty, Outcome { current: Next::Continues, woken });
            }
            Self::Consumed(id) => {
                kernel.charge_current();
                return (Answer::Word(kernel.take_consumed(id)), Outcome::NOTHING);
            }
        }
        (Answer::Empty, Outcome::NOTHING)
    }
}

fn decode_bind<M: Machine>(kernel: &Kernel<M>, id: SchedContextId, to: Cap) -> Result<Request, InvokeError> {
    let sched_context = &kernel.sched_contexts[id];
    match to {
        Cap::Thread(thread) => {
            let taken = sched_context.thread.is_some() || kernel.has_time(thread);
            if taken { Err(InvokeError::IllegalOperation) } else { Ok(Request::BindThread(id, thread)) }
        }
        Cap::Notification { id: notification, rights, .. } => {
            let other = kernel.notifications[notification].sched_context.is_some();
            let taken = sched_context.notification.is_some() || other;
            if taken || !rights.can_receive() {
                Err(InvokeError::IllegalOperation)
            } else {
                Ok(Request::BindNotification(id, notification))
            }
        }
        _ => Err(InvokeError::InvalidCapability { index: 1 }),
    }
}

fn decode_unbind<M: Machine>(
    kernel: &Kernel<M>,
    id: SchedContextId,
    from: Cap,
) -> Result<Request, InvokeError> {
    let sched_context = &kernel.sched_contexts[id];
    match from {
        Cap::Thread(thread) if sched_context.thread == Some(thread) => {
            not_running(kernel, id).map(|()| Request::UnbindThread(id))
        }
        Cap::Notification { id: notification, .. } if sched_context.notification == Some(notification) => {
            Ok(Request::UnbindNotification(id))
        }
        Cap::Thread(_) | Cap::Notification { .. } => Err(InvokeError::IllegalOperation),
        _ => Err(InvokeError::InvalidCapability { index: 1 }),
    }
}

/// A thread must not unbind the scheduling context that it runs on.
fn not_running<M: Machine>(kernel: &Kernel<M>, id: SchedContextId) -> Result<(), InvokeError> {
    let holder = kernel.sched_contexts[id].thread;
    if holder.is_some() && holder == kernel.processor.current {
        Err(InvokeError::IllegalOperation)
    } else {
        Ok(())
    }
}

impl<M: Machine> Kernel<M> {
    /// Returns whether a scheduling context of this processor is in use at another one.
    #[inline]
    pub(crate) fn is_away(&self, id: SchedContextId) -> bool {
        self.sched_contexts_away & bit(id) != 0
    }

    /// Returns the microseconds charged since the last read, and resets the count.
    pub(crate) fn take_consumed(&mut self, id: SchedContextId) -> u64 {
        self.count_consumed(id);
        let consumed = core::mem::take(&mut self.slices[id].consumed);
        self.machine.us_from_ticks(consumed)
    }

    /// Lends a woken thread the scheduling context of the notification, if no thread runs on it.
    pub(crate) fn lend_from_notification(&mut self, from: NotificationId, thread: ThreadId) {
        if let Some(id) = self.notifications[from].sched_context
            && self.sched_contexts[id].thread.is_none()
        {
            self.sched_contexts[id].thread = Some(thread);
            self.threads[thread].sched_context = Some(id);
        }
    }

    /// Lends a thread the scheduling context of its bound notification, if no thread runs on it.
    #[inline(never)]
    pub(crate) fn borrow_from_notification(&mut self, thread: ThreadId) {
        if let Some(notification) = self.threads[thread].notification
            && self.outboxes[thread].lets_run()
        {
            self.lend_from_notification(notification, thread);
        }
    }

    /// Returns borrowed time of a thread that blocks: to a lender whose call was cancelled, or to the notification
    /// that the thread waits for. Returns the lender if it is schedulable.
    #[inline]
    pub(crate) fn return_borrowed_time(
        &mut self,
        thread: ThreadId,
        waits_for: Option<NotificationId>,
    ) -> Option<ThreadId> {
        let id = self.threads[thread].sched_context?;
        if self.sched_contexts[id].heir.is_some() {
            return self.return_to_heir(thread, id);
        }
        self.return_to_notification(thread, id, waits_for);
        None
    }

    /// Returns time to a notification; for time that was not lent.
    #[inline(always)]
    pub(crate) fn return_to_notification(
        &mut self,
        thread: ThreadId,
        id: SchedContextId,
        waits_for: Option<NotificationId>,
    ) {
        if waits_for.is_some() && Id::same(self.sched_contexts[id].notification, waits_for) {
            self.threads[thread].sched_context = None;
            self.sched_contexts[id].thread = None;
        }
    }

    #[cold]
    fn return_to_heir(&mut self, holder: ThreadId, id: SchedContextId) -> Option<ThreadId> {
        let heir = self.sched_contexts[id].heir.take()?;
        if heir == holder || self.threads[heir].sched_context.is_some() {
            return None;
        }
        // Replies to calls that still run on it must not take it from its owner again.
        self.forget_loans(id);
        self.threads[holder].sched_context = None;
        self.threads[heir].sched_context = Some(id);
        self.sched_contexts[id].thread = Some(heir);
        Some(heir).filter(|heir| self.threads[*heir].is_schedulable())
    }

    /// Removes the scheduling context from the current thread; from another thread as [`Self::lose_time`] does.
    #[inline]
    pub(crate) fn leave_sched_context(&mut self, thread: ThreadId) -> Option<ThreadId> {
        if self.processor.current != Some(thread) {
            return self.lose_time(thread);
        }
        self.threads[thread].sched_context = None;
        None
    }

    /// Removes the scheduling context from a thread other than the current one. A thread that is not blocked continues on
    /// the one that its notification keeps, because no thread can lend time to it. Returns the thread if it can run now; it is
    /// in no scheduler queue.
    #[cold]
    fn lose_time(&mut self, thread: ThreadId) -> Option<ThreadId> {
        self.leave_queues(thread);
        self.threads[thread].sched_context = None;
        if self.threads[thread].state != State::Runnable {
            return None;
        }
        self.with_time(thread)
    }

    fn unbind_thread(&mut self, id: SchedContextId) -> Option<ThreadId> {
        self.sched_contexts[id].heir = None;
        let thread = self.sched_contexts[id].thread?;
        let woken = self.leave_sched_context(thread);
        // Only now, so that its notification does not lend it the same again.
        self.sched_contexts[id].thread = None;
        woken
    }

    fn unbind_notification(&mut self, id: SchedContextId) {
        if let Some(notification) = self.sched_contexts[id].notification.take() {
            self.notifications[notification].sched_context = None;
        }
    }
}
