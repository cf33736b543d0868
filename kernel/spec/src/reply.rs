//! Calls and replies, and the time that calls lend.
//!
//! The calls that run on a scheduling context are a stack: [`crate::time::Time::calls`], the newest last. A reply to the
//! newest returns the scheduling context to its caller.

use crate::key::Written;
use crate::state::{NotificationId, ReplyId, State, System, ThreadId, TimeId};

impl System {
    /// The reply object of `callee` owes a reply to `caller`. If the callee has no time, it borrows the caller's.
    pub(crate) fn owe(&mut self, reply: ReplyId, caller: ThreadId, callee: ThreadId, lends: bool) {
        self.replies[reply] = Some(caller);
        if lends
            && self.threads[callee].time.is_none()
            && let Some(time) = self.threads[caller].time
        {
            self.move_time(time, callee);
            self.times[time].calls.push(reply);
        }
    }

    /// A thread replies with its message.
    pub(crate) fn reply(&mut self, replier: ThreadId, reply: ReplyId) {
        let Some(caller) = self.replies[reply].take() else { return };
        let mut holder = None;
        let lent = self.times.iter().position(|time| time.calls.contains(&reply));
        if let Some(time) = lent {
            let is_newest = self.times[time].calls.last() == Some(&reply);
            self.times[time].calls.retain(|call| *call != reply);
            if is_newest && self.threads[caller].time.is_none() {
                holder = self.times[time].thread.filter(|holder| *holder != replier);
                self.move_time(time, caller);
            }
        }
        let continues = match self.threads[caller].fault.take() {
            Some(fault) => self.reply_to_fault(caller, fault, replier),
            None => {
                self.copy_message(replier, caller, 0);
                true
            }
        };
        self.threads[caller].state = if continues { State::Runnable } else { State::Inactive };
        if continues {
            self.wake(caller);
        }
        // The thread that ran on the time continues on what its notification keeps.
        if let Some(holder) = holder {
            self.continue_without(holder);
        }
    }

    /// A thread has lost its time.
    pub(crate) fn continue_without(&mut self, thread: ThreadId) {
        self.unschedule(thread);
        if self.threads[thread].state == State::Runnable {
            self.wake(thread);
        }
    }

    /// A caller no longer waits for its reply. If the time that runs was its own, it gets it back when the thread that
    /// runs on it next blocks.
    pub(crate) fn forget_call(&mut self, reply: ReplyId) {
        let Some(caller) = self.replies[reply].take() else { return };
        let Some(time) = self.times.iter_mut().find(|time| time.calls.contains(&reply)) else { return };
        if time.calls.first() == Some(&reply) && time.heir.is_none() {
            time.heir = Some(caller);
        }
        time.calls.retain(|call| *call != reply);
    }

    /// A thread waits for a message or a signal: time goes back for which a caller waits, or the notification that the
    /// thread waits for. One that waits for anything else keeps its time, because it could not continue without.
    pub(crate) fn return_time(&mut self, thread: ThreadId, waits_for: Option<NotificationId>) {
        let Some(time) = self.threads[thread].time else { return };
        if let Some(heir) = self.times[time].heir.take() {
            if heir != thread && self.threads[heir].time.is_none() {
                self.move_time(time, heir);
                self.times[time].calls.clear();
                if self.threads[heir].state == State::Runnable {
                    self.wake(heir);
                }
            }
        } else if waits_for.is_some() && self.times[time].notification == waits_for {
            self.threads[thread].time = None;
            self.times[time].thread = None;
        }
    }

    /// Moves a scheduling context from the thread that runs on it to another.
    pub(crate) fn move_time(&mut self, time: TimeId, to: ThreadId) {
        if let Some(from) = self.times[time].thread {
            self.threads[from].time = None;
        }
        self.times[time].thread = Some(to);
        self.threads[to].time = Some(time);
    }

    /// A thread without time continues on what its notification keeps.
    pub(crate) fn take_time_of_notification(&mut self, thread: ThreadId) {
        if let Some(notification) = self.threads[thread].notification {
            self.take_time_of(thread, notification);
        }
    }

    /// A thread without time continues on what a notification keeps.
    pub(crate) fn take_time_of(&mut self, thread: ThreadId, notification: NotificationId) {
        let Some(time) = self.notifications[notification].time else { return };
        if self.threads[thread].time.is_none() && self.times[time].thread.is_none() {
            self.move_time(time, thread);
        }
    }

    /// A thread is suspended: its wait and its work end, its system call would restart, and it holds no keys. One that stops
    /// itself runs on until the branches are written.
    pub(crate) fn suspend(&mut self, thread: ThreadId, caller: ThreadId) -> Written {
        self.abandon_work(thread);
        self.release_keys(thread);
        let written = self.write_for(thread, caller);
        if thread != caller || written == Written::All {
            self.stop_probe(thread);
            self.stop(thread);
        }
        written
    }

    /// A thread stops: its wait ends, and its system call would restart. Its work goes on if it is resumed.
    pub(crate) fn stop(&mut self, thread: ThreadId) {
        self.cancel(thread);
        self.threads[thread].state = State::Inactive;
        self.unschedule(thread);
    }

    /// Ends the wait of a thread, so that its system call restarts. Work goes on that the end of a budget has interrupted.
    pub(crate) fn cancel(&mut self, thread: ThreadId) {
        let restarts = self.restarts(thread);
        self.leave_queue(thread);
        if let State::Calling { reply, .. } = self.threads[thread].state {
            self.forget_call(reply);
        }
        if restarts {
            self.restart_syscall(thread);
        }
        self.threads[thread].fault = None;
    }

    /// Whether the system call of a thread restarts when its wait ends.
    pub(crate) fn restarts(&self, thread: ThreadId) -> bool {
        match self.threads[thread].state {
            State::Inactive | State::Runnable => false,
            State::Receiving { restarts, .. }
            | State::Waiting { restarts, .. }
            | State::Sending { restarts, .. }
            | State::Calling { restarts, .. } => restarts,
        }
    }

    /// Removes a thread from the queue that it waits in.
    pub(crate) fn leave_queue(&mut self, thread: ThreadId) {
        self.endpoints.iter_mut().for_each(|queue| queue.retain(|other| *other != thread));
        self.notifications.iter_mut().for_each(|object| object.waiting.retain(|other| *other != thread));
    }
}
