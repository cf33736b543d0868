//! Selects the next thread and switches to it.

use limen_abi::limits::{PAUSE_US, POSTPONED_AT_ONCE};

use crate::arena::ThreadId;
use crate::event::{Next, Outcome};
use crate::kernel::Kernel;
use crate::machine::{CounterAccess, Machine};
use crate::object::thread::{State, Thread};

impl<M: Machine> Kernel<M> {
    /// Dispatches the highest-priority thread after a system call.
    #[inline(always)]
    pub(crate) fn schedule(&mut self, outcome: Outcome) {
        match (outcome.current, outcome.woken) {
            (Next::Continues, None) => {}
            (Next::Continues, Some(woken)) => self.preempt(woken),
            (Next::Blocks, None) => self.run_highest(),
            (Next::Blocks, Some(woken)) => self.dispatch_woken(woken),
        }
    }

    /// The current thread blocks. The woken thread runs at once unless a ready thread has a higher priority.
    #[inline(always)]
    pub(crate) fn dispatch_woken(&mut self, woken: ThreadId) {
        if self.processor.queues.ready.surely_below(self.threads[woken].priority) {
            self.switch_to(woken);
        } else {
            self.dispatch_woken_slowly(woken);
        }
    }

    /// Handles the case that a ready thread may have the woken thread's priority or a higher one. Among equals, the
    /// woken thread runs first while some of its slice or share is left.
    #[inline(never)]
    fn dispatch_woken_slowly(&mut self, woken: ThreadId) {
        self.end_slice_begun_above(woken);
        let top = u16::from(self.threads[woken].priority) + 1;
        let is_highest = self.in_current_domain(woken) && self.processor.queues.ready.highest() <= top;
        if is_highest && self.has_time_left(woken) {
            self.switch_to(woken);
        } else {
            self.enqueue(woken);
            self.run_highest();
        }
    }

    #[inline]
    fn in_current_domain(&self, thread: ThreadId) -> bool {
        self.threads[thread].domain == self.processor.domain
    }

    /// The current thread could continue. It does, also at equal priority, unless a ready thread has a higher
    /// priority.
    #[inline(always)]
    fn preempt(&mut self, woken: ThreadId) {
        let Some(current) = self.processor.current else { return self.wake_from_idle(woken) };
        if self.threads[woken].priority <= self.threads[current].priority {
            self.add_below(current, woken);
        } else {
            self.add_above(current, woken);
        }
    }

    /// Kept short because most signals wake a thread of lower priority.
    #[inline(never)]
    fn add_below(&mut self, current: ThreadId, woken: ThreadId) {
        self.enqueue(woken);
        if !self.processor.queues.ready.surely_not_above(self.threads[current].priority) {
            self.reschedule(current);
        }
    }

    #[inline(never)]
    fn add_above(&mut self, current: ThreadId, woken: ThreadId) {
        if self.is_highest(woken) {
            self.enqueue_preempted(current);
            return self.switch_to(woken);
        }
        self.enqueue(woken);
        self.reschedule(current);
    }

    #[cold]
    fn wake_from_idle(&mut self, woken: ThreadId) {
        self.dispatch_woken(woken);
    }

    /// Switches to a thread of higher priority than the current one, if there is one.
    #[inline(never)]
    pub(crate) fn reschedule(&mut self, current: ThreadId) {
        if !self.processor.queues.ready.surely_not_above(self.threads[current].priority) {
            self.enqueue_preempted(current);
            self.run_highest();
        }
    }

    /// Enqueues the preempted current thread before its equals, or behind them if its slice has just ended.
    #[inline]
    pub(crate) fn enqueue_preempted(&mut self, current: ThreadId) {
        let priority = self.threads[current].priority;
        if self.processor.queues.ready.surely_below(priority) || self.slice_continues(current) {
            self.processor.queues.ready.push_front(&mut self.links, current, priority);
        } else {
            self.processor.queues.ready.push_back(&mut self.links, current, priority);
        }
    }

    #[inline(never)]
    fn slice_continues(&mut self, current: ThreadId) -> bool {
        self.charge_current();
        self.has_slice_left(current)
    }

    /// Returns the outcome when `current` may have lost the time that it entered the kernel with.
    #[inline(never)]
    pub(crate) fn outcome_for(&mut self, current: ThreadId, woken: Option<ThreadId>) -> Outcome {
        if self.threads[current].state != State::Runnable || self.with_time(current).is_none() {
            return Outcome { current: Next::Blocks, woken };
        }
        if self.follow_sched_context(current) {
            return Outcome { current: Next::Continues, woken };
        }
        self.postpone(current);
        Outcome { current: Next::Blocks, woken }
    }

    /// Whether no ready thread has a higher priority. The thread may be the first of its equals, which it must stay.
    #[inline]
    fn is_highest(&self, thread: ThreadId) -> bool {
        let (ready, priority) = (&self.processor.queues.ready, self.threads[thread].priority);
        ready.surely_not_above(priority)
            || (self.in_current_domain(thread) && ready.highest() <= u16::from(priority) + 1)
    }

    /// Adds a schedulable thread that is in no queue to the ready queues.
    #[inline]
    pub(crate) fn enqueue(&mut self, thread: ThreadId) {
        if !self.in_current_domain(thread) {
            return self.enqueue_elsewhere(thread);
        }
        let priority = self.threads[thread].priority;
        self.processor.queues.ready.push_back(&mut self.links, thread, priority);
    }

    #[cold]
    fn enqueue_elsewhere(&mut self, thread: ThreadId) {
        let Thread { priority, domain, .. } = self.threads[thread];
        let (queues, links) = self.queues_of(domain);
        queues.ready.push_back(links, thread, priority);
    }

    /// Removes a thread that is not running from the queue in which it waits for the processor or for budget, if it is
    /// in one.
    #[inline(never)]
    pub(crate) fn leave_queues(&mut self, thread: ThreadId) {
        let Thread { priority, domain, .. } = self.threads[thread];
        if self.threads[thread].is_schedulable() {
            let (queues, links) = self.queues_of(domain);
            queues.ready.remove(links, thread, priority);
        } else if self.threads[thread].state == State::Postponed {
            self.end_postponement(thread);
        }
    }

    /// Switches to the first ready thread of the highest priority that has budget, or idles.
    #[inline(never)]
    pub(crate) fn run_highest(&mut self) {
        match self.processor.queues.ready.pop_highest(&mut self.links) {
            Some(next) => self.switch_to(next),
            None => self.idle(),
        }
    }

    /// Continues the search after the first candidate turned out to have no budget. Postponing a thread inserts it in
    /// order among all postponed threads, so one kernel entry postpones at most [`POSTPONED_AT_ONCE`]; a timer
    /// interrupt continues with the rest. The timer fires [`PAUSE_US`] later so that pending interrupts are served
    /// first.
    #[cold]
    fn run_next_with_budget(&mut self) {
        for _ in 1..POSTPONED_AT_ONCE {
            let Some(next) = self.processor.queues.ready.pop_highest(&mut self.links) else { break };
            if self.enter(next) {
                return;
            }
        }
        self.idle();
        if self.processor.queues.ready.highest() != 0 {
            let now = self.read_clock();
            self.arm(now.saturating_add(self.machine.ticks_from_us(PAUSE_US)));
        }
    }

    /// No thread can run. Idle time is charged to no scheduling context.
    #[cold]
    pub(crate) fn idle(&mut self) {
        self.stop_charging();
        self.processor.current = None;
    }

    /// Makes a schedulable thread of the current domain the current one if it has budget. It must be in no queue.
    #[inline(always)]
    pub(crate) fn switch_to(&mut self, next: ThreadId) {
        if !self.enter(next) {
            self.run_next_with_budget();
        }
    }

    #[inline(always)]
    pub(crate) fn enter_space(&mut self, space: M::Space) {
        if !M::NOTICES_SAME_SPACE {
            self.machine.switch_space(space);
        } else if self.processor.space != space {
            self.processor.space = space;
            self.machine.switch_space(space);
        }
    }

    #[inline(always)]
    pub(crate) fn allow_counter(&mut self, access: CounterAccess) {
        if self.processor.counter != access {
            self.processor.counter = access;
            self.machine.set_user_counter(access);
        }
    }

    #[inline(always)]
    fn enter(&mut self, next: ThreadId) -> bool {
        if !self.follow_sched_context(next) {
            self.postpone(next);
            return false;
        }
        self.processor.current = Some(next);
        let Thread { space, counter, fpu, .. } = self.threads[next];
        self.enter_space(space);
        self.allow_counter(counter);
        self.processor.fpu.switch_to(&mut self.machine, next, fpu);
        true
    }
}
