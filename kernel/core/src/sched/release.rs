//! Threads whose budget is used up, ordered by the time of their next refill.
//!
//! A thread's budget is checked only when the thread is selected, so waking a thread reads no clock. If the budget is
//! used up, the thread becomes Postponed until the timer fires for its release.

use crate::arena::ThreadId;
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};
use crate::object::thread::State;

impl<M: Machine> Kernel<M> {
    /// Postpones a Runnable thread of the current domain that is in no queue and has used up its budget.
    #[cold]
    pub(crate) fn postpone(&mut self, thread: ThreadId) {
        self.processor.sched_context = None;
        self.threads[thread].state = State::Postponed;
        let time = self.release_time(thread);
        let (threads, shares) = (&self.threads, &self.sporadic_servers);
        let is_later =
            |other: ThreadId| threads[other].sched_context.is_some_and(|id| shares[id].release_time() > time);
        self.processor.queues.postponed.insert_before_first(&mut self.links, thread, is_later);
        self.arm(time);
    }

    fn release_time(&self, thread: ThreadId) -> Ticks {
        self.threads[thread].sched_context.map_or(Ticks::MAX, |id| self.sporadic_servers[id].release_time())
    }

    /// Returns when the next thread of the current domain is released.
    pub(crate) fn next_release(&self) -> Ticks {
        self.processor.queues.postponed.head().map_or(Ticks::MAX, |thread| self.release_time(thread))
    }

    /// Makes the threads of the current domain ready whose release time has come.
    pub(crate) fn release_due(&mut self) {
        while self.next_release() <= self.processor.since {
            let Some(thread) = self.processor.queues.postponed.pop_front(&mut self.links) else { return };
            self.threads[thread].state = State::Runnable;
            self.enqueue(thread);
        }
    }

    /// Removes a Postponed thread from its queue. It is Runnable and in no queue afterwards.
    pub(crate) fn end_postponement(&mut self, thread: ThreadId) {
        let (queues, links) = self.queues_of(self.threads[thread].domain);
        queues.postponed.remove(links, thread);
        self.threads[thread].state = State::Runnable;
    }
}
