//! Notifications: a word of signal bits, and the threads that wait for it.
//!
//! ```text
//!            signal (no waiter)               signal (adds its bits)
//!   Idle ---------------------------> Active --------.
//!    ^ ^------------ receive ---------- |  ^---------'
//!    | '--- signal wakes the last waiter
//!    |          wait
//!    '-------> Waiting
//! ```
//!
//! A notification may be bound to one thread; a signal then also wakes that thread while it waits on an endpoint. It
//! may carry a scheduling context for a thread without one (a passive server).

use super::thread::{Restart, State};
use crate::arena::{NotificationId, SchedContextId, ThreadId};
use crate::event::{Blocking, Next, Outcome};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::sched::queue::{Links, Queue, ThreadLinks};

/// A notification. Its size is a power of two so that indexing takes no multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(32))]
pub struct Notification {
    /// See the diagram above.
    pub state: Signals,
    /// The bound thread: a signal wakes it also while it waits on an endpoint.
    pub thread: Option<ThreadId>,
    /// The scheduling context for a woken thread that has none.
    pub sched_context: Option<SchedContextId>,
}

/// The state of a notification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Signals {
    /// No signal is pending and no thread waits.
    #[default]
    Idle,
    /// These bits are pending.
    Active(u64),
    /// One thread waits for a signal and is in no queue.
    LoneWaiter(ThreadId),
    /// Threads wait for a signal.
    WaiterQueue(Queue),
}

impl Notification {
    /// Nothing bound, waiting or pending.
    pub const IDLE: Self = Self { state: Signals::Idle, thread: None, sched_context: None };

    /// Returns whether no thread is bound and none waits.
    pub(crate) fn may_be_bound(&self) -> bool {
        self.thread.is_none() && !matches!(self.state, Signals::LoneWaiter(_) | Signals::WaiterQueue(_))
    }

    /// Removes a thread that waits here.
    pub(crate) fn remove(&mut self, links: &mut ThreadLinks, thread: ThreadId) {
        match &mut self.state {
            Signals::LoneWaiter(_) => self.state = Signals::Idle,
            Signals::WaiterQueue(queue) => {
                queue.remove(links, thread);
                if queue.is_empty() {
                    self.state = Signals::Idle;
                }
            }
            Signals::Idle | Signals::Active(_) => {}
        }
    }

    #[inline]
    fn take_waiting(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        let queue = match &mut self.state {
            Signals::LoneWaiter(thread) => {
                let thread = *thread;
                self.state = Signals::Idle;
                return Some(thread);
            }
            Signals::WaiterQueue(queue) => queue,
            Signals::Idle | Signals::Active(_) => return None,
        };
        let thread = queue.pop_front(links);
        if queue.is_empty() {
            self.state = Signals::Idle;
        }
        thread
    }

    /// Adds a thread that waits.
    #[inline]
    fn add_waiting(
        &mut self,
        links: &mut ThreadLinks,
        thread: ThreadId,
        priority_of: impl Fn(ThreadId) -> u8,
    ) {
        let mut queue = match self.state {
            Signals::WaiterQueue(queue) => queue,
            Signals::LoneWaiter(first) => {
                links[first] = Links::NONE;
                Queue::of(first)
            }
            Signals::Idle | Signals::Active(_) => return self.state = Signals::LoneWaiter(thread),
        };
        queue.insert_by_priority(links, thread, priority_of);
        self.state = Signals::WaiterQueue(queue);
    }

    #[inline]
    fn take_signals(&mut self) -> Option<u64> {
        let Signals::Active(badge) = self.state else { return None };
        self.state = Signals::Idle;
        Some(badge)
    }
}

impl<M: Machine> Kernel<M> {
    /// Binds the notification to `thread`.
    pub(crate) fn bind_notification(&mut self, thread: ThreadId, id: NotificationId) {
        self.notifications[id].thread = Some(thread);
        self.threads[thread].notification = Some(id);
        // Signals may be pending already, and a lone receiver must have none.
        self.queue_receiver(thread);
    }

    /// Unbinds the notification of `thread`, if it has one.
    pub(crate) fn unbind_notification_of(&mut self, thread: ThreadId) {
        if let Some(id) = self.threads[thread].notification.take() {
            self.notifications[id].thread = None;
        }
    }

    /// Signals the bits of `badge`.
    #[inline(always)]
    pub(crate) fn signal(&mut self, id: NotificationId, badge: u64) -> Outcome {
        let notification = &mut self.notifications[id];
        if let Signals::Active(bits) = &mut notification.state {
            *bits |= badge;
            return Outcome::NOTHING;
        }
        let Some(thread) =
            notification.take_waiting(&mut self.links).or_else(|| self.interrupt_receiving(id))
        else {
            self.notifications[id].state = Signals::Active(badge);
            return Outcome::NOTHING;
        };
        let woken = &mut self.threads[thread];
        woken.state = State::Runnable;
        woken.context.set_badge(badge);
        if woken.sched_context.is_none() {
            self.lend_from_notification(id, thread);
        }
        self.wake(thread)
    }

    /// Returns the bound thread if it waits on an endpoint, and removes it from there.
    #[inline]
    fn interrupt_receiving(&mut self, id: NotificationId) -> Option<ThreadId> {
        let thread = self.notifications[id].thread?;
        let State::Receiving { endpoint, .. } = self.threads[thread].state else { return None };
        self.endpoints[endpoint].remove(&mut self.links, thread);
        Some(thread)
    }

    /// Returns whether `thread` may wait here: if another thread is bound, only that one may.
    #[inline]
    pub(crate) fn may_wait(&self, thread: ThreadId, id: NotificationId) -> bool {
        self.notifications[id].thread.is_none_or(|bound| bound == thread)
    }

    /// Waits for a signal.
    #[inline]
    pub(crate) fn wait(&mut self, thread: ThreadId, id: NotificationId, blocking: Blocking) -> Outcome {
        if let Some(outcome) = self.take_signal(thread, id) {
            return outcome;
        }
        if blocking == Blocking::No {
            self.threads[thread].context.set_badge(0);
            return Outcome::NOTHING;
        }
        let threads = &self.threads;
        self.notifications[id].add_waiting(&mut self.links, thread, |thread| threads[thread].priority);
        self.threads[thread].state = State::Waiting { notification: id, again: Restart::SystemCall };
        let woken = self.return_borrowed_time(thread, Some(id));
        Outcome { current: Next::Blocks, woken }
    }

    /// Delivers pending signals to the running `thread`, if there are any.
    #[inline]
    pub(crate) fn take_signal(&mut self, thread: ThreadId, id: NotificationId) -> Option<Outcome> {
        let badge = self.notifications[id].take_signals()?;
        let receiver = &mut self.threads[thread];
        receiver.context.set_badge(badge);
        if receiver.sched_context.is_some() {
            return Some(Outcome::NOTHING);
        }
        self.lend_from_notification(id, thread);
        Some(self.outcome_for(thread, None))
    }
}
