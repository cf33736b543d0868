//! Notifications and interrupts.

use crate::state::{Delivery, NotificationId, State, System, ThreadId};

impl System {
    /// A signal wakes the first thread that waits for one, or the notification's thread if that waits on an endpoint.
    /// Otherwise its bits stay. Bits that are pending already, because the thread was bound to them while it waited, are for
    /// its next receive, and so are further ones.
    pub(crate) fn signal(&mut self, notification: NotificationId, badge: u64) {
        let bound = self.notifications[notification].thread;
        let receiver = bound.filter(|thread| matches!(self.threads[*thread].state, State::Receiving { .. }));
        let waiter = self.notifications[notification].waiting.first().copied();
        let is_pending = self.notifications[notification].pending.is_some();
        let Some(thread) = waiter.or(receiver).filter(|_| !is_pending) else {
            let pending = &mut self.notifications[notification].pending;
            *pending = Some(pending.unwrap_or(0) | badge);
            return;
        };
        self.leave_queue(thread);
        self.threads[thread].registers.set_badge(badge);
        self.threads[thread].state = State::Runnable;
        self.take_time_of(thread, notification);
        self.wake(thread);
    }

    /// A thread waits for a signal.
    pub(crate) fn wait(&mut self, thread: ThreadId, notification: NotificationId, blocking: bool) {
        if self.take_signal(thread, notification) {
            return;
        }
        if blocking {
            self.threads[thread].state = State::Waiting { notification, restarts: true };
            self.enqueue_waiter(notification, thread);
            self.return_time(thread, Some(notification));
        } else {
            self.threads[thread].registers.set_badge(0);
        }
    }

    /// Adds a thread to those that wait for a signal.
    pub(crate) fn enqueue_waiter(&mut self, notification: NotificationId, thread: ThreadId) {
        let priority = self.threads[thread].priority;
        let queue = &self.notifications[notification].waiting;
        let place = queue.iter().position(|other| self.threads[*other].priority < priority);
        let place = place.unwrap_or(queue.len());
        self.notifications[notification].waiting.insert(place, thread);
    }

    /// A thread takes the pending bits, if there are any. If it has given its time away, it continues on what the notification
    /// keeps.
    pub(crate) fn take_signal(&mut self, thread: ThreadId, notification: NotificationId) -> bool {
        let Some(bits) = self.notifications[notification].pending.take() else { return false };
        self.threads[thread].registers.set_badge(bits);
        self.take_time_of(thread, notification);
        true
    }

    /// The notification whose signal would wake a thread.
    pub(crate) fn awaited(&self, thread: ThreadId) -> Option<NotificationId> {
        match self.threads[thread].state {
            State::Waiting { notification, .. } => Some(notification),
            State::Receiving { .. } => self.threads[thread].notification,
            _ => None,
        }
    }

    /// Whether a thread may wait here: another thread's notification is that one's alone.
    pub(crate) fn may_wait(&self, thread: ThreadId, notification: NotificationId) -> bool {
        self.notifications[notification].thread.is_none_or(|bound| bound == thread)
    }

    /// A line interrupts. It signals once until it is acknowledged; an interrupt in between is remembered. Either way the
    /// memory that belongs to the interrupt is cleared or sealed first.
    pub(crate) fn interrupt(&mut self, line: u32) {
        let Some(index) = self.interrupts.iter().position(|interrupt| interrupt.line == line) else { return };
        let interrupt = &mut self.interrupts[index];
        self.wiped.extend(interrupt.serves);
        if interrupt.state == Delivery::Armed {
            interrupt.state = Delivery::Delivered;
            let (notification, badge) = (interrupt.notification, interrupt.badge);
            self.signal(notification, badge);
        } else {
            interrupt.state = Delivery::DeliveredAgain;
        }
    }

    /// A program acknowledges an interrupt.
    pub(crate) fn acknowledge(&mut self, index: usize) {
        let interrupt = &mut self.interrupts[index];
        match interrupt.state {
            Delivery::Armed => {}
            Delivery::Delivered => interrupt.state = Delivery::Armed,
            Delivery::DeliveredAgain => {
                interrupt.state = Delivery::Delivered;
                let (notification, badge) = (interrupt.notification, interrupt.badge);
                self.signal(notification, badge);
            }
        }
    }
}
