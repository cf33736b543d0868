//! Scheduling contexts: the right to use the processor.
//!
//! A scheduling context belongs to a thread, or is lent along a chain of calls, or waits at a notification for the
//! thread that a signal wakes. A budget that is the whole period is a slice of a round robin among threads of one
//! priority; a smaller one is a share, see [`crate::sched::sporadic_server`].

use limen_abi::Label;

use super::thread::State;
use crate::arena::{Id, NotificationId, ReplyId, SchedContextId, ThreadId};
use crate::cap::Cap;
use crate::event::{Next, Outcome};
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};
use crate::message::Answer;

/// A scheduling context. Its limit, if it has one, is in `Kernel::sporadic_servers`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SchedContext {
    /// Length of a slice, or the budget of a share.
    pub budget: Ticks,
    /// What is left of the current slice; always zero for a share.
    pub remaining: Ticks,
    /// Ticks used since the program last asked.
    pub consumed: Ticks,
    /// The thread that runs on it now.
    pub thread: Option<ThreadId>,
    /// The notification that it comes back to when that thread next waits.
    pub notification: Option<NotificationId>,
    /// The newest call that runs on it.
    pub top: Option<ReplyId>,
    /// The lender that stopped waiting for its answer: gets it back when the thread that runs on it next waits.
    pub heir: Option<ThreadId>,
}

impl SchedContext {
    /// Without budget and without holder.
    pub const UNUSED: Self = Self {
        budget: 0,
        remaining: 0,
        consumed: 0,
        thread: None,
        notification: None,
        top: None,
        heir: None,
    };
}

/// What can be asked of a scheduling context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Give it to a thread that has none.
    BindThread(SchedContextId, ThreadId),
    /// Keep it at a notification for the thread that a signal wakes.
    BindNotification(SchedContextId, NotificationId),
    /// Take it from whoever has it.
    Unbind(SchedContextId),
    /// Take it from a notification.
    UnbindNotification(SchedContextId),
    /// Take it from a thread.
    UnbindThread(SchedContextId),
    /// Microseconds used since the last time.
    Consumed(SchedContextId),
}

impl Request {
    /// Looks at a message to the capability of `id`.
    pub(crate) fn decode<M: Machine>(
        kernel: &Kernel<M>,
        id: SchedContextId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        match arguments.label() {
            Some(Label::SchedContextBind) => decode_bind(kernel, id, arguments.extra_cap(0)?),
            Some(Label::SchedContextUnbind) => not_running(kernel, id).map(|()| Self::Unbind(id)),
            Some(Label::SchedContextUnbindObject) => decode_unbind(kernel, id, arguments.extra_cap(0)?),
            Some(Label::SchedContextConsumed) => Ok(Self::Consumed(id)),
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    /// Does what was decoded.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        match self {
            Self::BindThread(id, thread) => {
                kernel.sched_contexts[id].thread = Some(thread);
                kernel.threads[thread].sched_context = Some(id);
                let woken = Some(thread).filter(|thread| kernel.threads[*thread].is_schedulable());
                return (Answer::Empty, Outcome { current: Next::GoesOn, woken });
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
                        let woken = kernel.give_back_time(thread, waits_for);
                        return (Answer::Empty, Outcome { current: Next::GoesOn, woken });
                    }
                }
            }
            Self::Unbind(id) => {
                kernel.unbind_notification(id);
                let woken = kernel.unbind_thread(id);
                kernel.forget_loans(id);
                return (Answer::Empty, Outcome { current: Next::GoesOn, woken });
            }
            Self::UnbindNotification(id) => kernel.unbind_notification(id),
            Self::UnbindThread(id) => {
                let woken = kernel.unbind_thread(id);
                return (Answer::Empty, Outcome { current: Next::GoesOn, woken });
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
            let taken = sched_context.thread.is_some() || kernel.threads[thread].sched_context.is_some();
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

/// A thread may not take away the time that it runs on.
fn not_running<M: Machine>(kernel: &Kernel<M>, id: SchedContextId) -> Result<(), InvokeError> {
    let holder = kernel.sched_contexts[id].thread;
    if holder.is_some() && holder == kernel.processor.current {
        Err(InvokeError::IllegalOperation)
    } else {
        Ok(())
    }
}

impl<M: Machine> Kernel<M> {
    /// Microseconds that were charged since the last time somebody asked.
    pub(crate) fn take_consumed(&mut self, id: SchedContextId) -> u64 {
        let consumed = core::mem::take(&mut self.sched_contexts[id].consumed);
        self.machine.us_from_ticks(consumed)
    }

    /// A woken thread without a scheduling context gets the notification's, if nobody runs on it.
    pub(crate) fn lend_from_notification(&mut self, from: NotificationId, thread: ThreadId) {
        if let Some(id) = self.notifications[from].sched_context
            && self.sched_contexts[id].thread.is_none()
        {
            self.sched_contexts[id].thread = Some(thread);
            self.threads[thread].sched_context = Some(id);
        }
    }

    /// A thread without a scheduling context gets that of its bound notification, if nobody runs on it.
    #[inline(never)]
    pub(crate) fn borrow_from_notification(&mut self, thread: ThreadId) {
        if let Some(notification) = self.threads[thread].notification {
            self.lend_from_notification(notification, thread);
        }
    }

    /// A thread that waits hands back time that is not its own: to a lender that does not wait for it any more, or
    /// to the notification that it waits for. Gives the lender if it can run now.
    #[inline]
    pub(crate) fn give_back_time(
        &mut self,
        thread: ThreadId,
        waits_for: Option<NotificationId>,
    ) -> Option<ThreadId> {
        let id = self.threads[thread].sched_context?;
        if self.sched_contexts[id].heir.is_some() {
            return self.give_to_heir(thread, id);
        }
        self.give_back_to_notification(thread, id, waits_for);
        None
    }

    /// The same of time that was not lent.
    #[inline(always)]
    pub(crate) fn give_back_to_notification(
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
    fn give_to_heir(&mut self, holder: ThreadId, id: SchedContextId) -> Option<ThreadId> {
        let heir = self.sched_contexts[id].heir.take()?;
        if heir == holder || self.threads[heir].sched_context.is_some() {
            return None;
        }
        // Answers to the calls that still run on it must not take it away from its owner again.
        self.forget_loans(id);
        self.threads[holder].sched_context = None;
        self.threads[heir].sched_context = Some(id);
        self.sched_contexts[id].thread = Some(heir);
        Some(heir).filter(|heir| self.threads[*heir].is_schedulable())
    }

    /// Takes away what the current thread runs on, or another one as [`Self::lose_time`] does.
    #[inline]
    pub(crate) fn leave_sched_context(&mut self, thread: ThreadId) -> Option<ThreadId> {
        if self.processor.current != Some(thread) {
            return self.lose_time(thread);
        }
        self.threads[thread].sched_context = None;
        None
    }

    /// Takes away what a thread runs on that is not the current one. In the middle of something, it goes on on what its
    /// notification keeps for it, because nobody can lend time to a thread that does not wait. Gives the thread if it can
    /// run now; it is in no queue of the scheduler.
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
