//! Choosing the next thread, and switching to it: the only place where `core.current` changes.

use crate::arena::ThreadId;
use crate::kernel::Kernel;
use crate::machine::Machine;

impl<M: Machine> Kernel<M> {
    /// Lets the most important thread run. `woken` is schedulable and in no queue.
    ///
    /// At equal priority the current thread goes on; a woken thread goes before those that have waited in the
    /// queues only if its priority is higher than theirs, or the current thread has just handed over to it.
    #[inline(always)]
    pub(crate) fn choose(&mut self, woken: Option<ThreadId>) {
        let stays = self.core.current.filter(|current| self.threads[*current].is_schedulable());
        match (stays, woken) {
            (None, Some(woken)) if self.core.ready.none_above(self.threads[woken].priority) => {
                self.switch_to(woken)
            }
            (None, woken) => {
                woken.inspect(|woken| self.enqueue(*woken));
                self.run_highest();
            }
            (Some(current), woken) => self.preempt(current, woken),
        }
    }

    /// The current thread could go on: it does unless somebody has a higher priority.
    #[inline(never)]
    fn preempt(&mut self, current: ThreadId, woken: Option<ThreadId>) {
        let priority = self.threads[current].priority;
        match woken {
            Some(woken) if self.threads[woken].priority > priority && self.is_highest(woken) => {
                self.core.ready.push_front(&mut self.links, current, priority);
                return self.switch_to(woken);
            }
            Some(woken) => self.enqueue(woken),
            None => {}
        }
        if self.core.ready.none_above(priority) {
            self.follow_sched_context(current);
        } else {
            self.core.ready.push_front(&mut self.links, current, priority);
            self.run_highest();
        }
    }

    #[inline]
    fn is_highest(&self, thread: ThreadId) -> bool {
        self.core.ready.none_above(self.threads[thread].priority)
    }

    /// Adds a schedulable thread that is in no queue to the ready queues.
    #[inline]
    pub(crate) fn enqueue(&mut self, thread: ThreadId) {
        let priority = self.threads[thread].priority;
        self.core.ready.push_back(&mut self.links, thread, priority);
    }

    /// Switches to the first ready thread of the highest priority, or idles.
    #[inline(never)]
    pub(crate) fn run_highest(&mut self) {
        match self.core.ready.pop_highest(&mut self.links) {
            Some(next) => self.switch_to(next),
            None => self.idle(),
        }
    }

    /// Nobody can run: waiting costs nobody anything.
    #[cold]
    fn idle(&mut self) {
        self.charge_current();
        self.core.sched_context = None;
        self.core.current = None;
    }

    /// Makes a schedulable thread that is in no queue the current one.
    #[inline(always)]
    pub(crate) fn switch_to(&mut self, next: ThreadId) {
        self.core.current = Some(next);
        self.follow_sched_context(next);
        let thread = &self.threads[next];
        if self.core.space != thread.space
            && let Some(space) = thread.space
        {
            self.core.space = Some(space);
            self.machine.switch_space(space);
        }
        if self.core.counter != thread.counter {
            self.core.counter = thread.counter;
            self.machine.set_user_counter(thread.counter);
        }
        if self.core.fpu_owner != Some(next) {
            self.machine.switch_fpu(self.core.fpu_owner, next);
            self.core.fpu_owner = Some(next);
        }
    }
}
