//! Switches to a thread whose budget is already accounted for: address space and FPU only.

use core::hint::cold_path;

use crate::arena::{Id, SchedContextId, ThreadId};
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};
use crate::object::thread::Thread;

/// A change of scheduling context in which no budget ends and the timer stays as it is.
struct Change {
    from: SchedContextId,
    to: SchedContextId,
    now: Ticks,
    used: Ticks,
}

impl<M: Machine> Kernel<M> {
    /// Switches to a thread, which mostly runs on the current scheduling context; returns its registers.
    #[inline(always)]
    pub(super) fn run(&mut self, next: ThreadId) -> Option<&mut M::Context> {
        if !Id::same(self.threads[next].sched_context, self.processor.sched_context) {
            return self.run_on_other_time(next);
        }
        self.enter_at_once(next)
    }

    /// Switches to a thread that mostly has a scheduling context of its own.
    #[inline(never)]
    pub(super) fn run_on_other_time(&mut self, next: ThreadId) -> Option<&mut M::Context> {
        let Some(change) = self.plan_change(next) else { return self.run_slowly(next) };
        self.carry_out_change(&change);
        self.enter_at_once(next)
    }

    /// Switches to a thread that runs on the current scheduling context.
    #[inline(always)]
    pub(super) fn enter_at_once(&mut self, next: ThreadId) -> Option<&mut M::Context> {
        let Thread { fpu, space, .. } = self.threads[next];
        self.processor.current = Some(next);
        let ahead = M::READS_AHEAD.then(|| (self.processor.counters_differ, self.processor.fpu.is_for(fpu)));
        self.enter_space(space);
        if ahead.map_or_else(|| self.processor.counters_differ, |(differ, _)| differ) {
            cold_path();
            self.allow_counter(self.threads[next].counter);
        }
        if !ahead.map_or_else(|| self.processor.fpu.is_for(fpu), |(_, is_for)| is_for) {
            return self.enter_with_unit(next);
        }
        Some(&mut self.threads[next].context)
    }

    #[inline(never)]
    fn enter_with_unit(&mut self, next: ThreadId) -> Option<&mut M::Context> {
        let user = self.threads[next].fpu;
        if self.processor.fpu.pass(&mut self.machine, user) {
            return Some(&mut self.threads[next].context);
        }
        self.set_up_unit(next, user)
    }

    #[inline(never)]
    fn set_up_unit(&mut self, next: ThreadId, user: Option<ThreadId>) -> Option<&mut M::Context> {
        self.processor.fpu.set_up(&mut self.machine, next, user);
        Some(&mut self.threads[next].context)
    }

    #[cold]
    fn run_slowly(&mut self, next: ThreadId) -> Option<&mut M::Context> {
        self.flush_open_call();
        self.switch_to(next);
        self.running()
    }

    /// Switches to the highest-priority ready thread, or idles.
    #[inline(always)]
    pub(super) fn run_next(&mut self) -> Option<&mut M::Context> {
        match self.processor.queues.ready.pop_bypass() {
            Some(next) => self.run_on_other_time(next),
            None => self.run_next_from_queue(),
        }
    }

    #[inline(never)]
    fn run_next_from_queue(&mut self) -> Option<&mut M::Context> {
        match self.processor.queues.ready.dequeue(&mut self.links) {
            Some(next) => self.run_on_other_time(next),
            None => {
                self.idle();
                None
            }
        }
    }

    /// Preempts the current thread.
    #[inline(always)]
    pub(super) fn preempt_for(&mut self, current: ThreadId, next: ThreadId) -> Option<&mut M::Context> {
        if self.processor.queues.ready.push_bypass(current, self.threads[current].priority) {
            return self.run_on_other_time(next);
        }
        self.preempt_for_queued(current, next)
    }

    /// Preempts the current thread if it cannot take the bypass of the ready queues.
    #[inline(never)]
    fn preempt_for_queued(&mut self, current: ThreadId, next: ThreadId) -> Option<&mut M::Context> {
        let priority = self.threads[current].priority;
        self.processor.queues.ready.push_front(&mut self.links, current, priority);
        self.run_on_other_time(next)
    }

    #[inline(always)]
    fn plan_change(&self, next: ThreadId) -> Option<Change> {
        let (from, to) = (self.processor.sched_context, self.threads[next].sched_context);
        let (Some(from), Some(to)) = (from, to) else { return None };
        let now = self.machine.now();
        // A clock that went back would show as a very long time.
        let used = now.wrapping_sub(self.processor.since);
        let deadline = now.wrapping_add(self.sched_contexts[to].remaining);
        let is_simple = (used < self.sched_contexts[from].remaining)
            & (now < self.sched_contexts[to].usable_until)
            & (deadline >= self.processor.programmed);
        is_simple.then_some(Change { from, to, now, used })
    }

    #[inline(always)]
    fn carry_out_change(&mut self, change: &Change) {
        let Change { from, to, now, used } = *change;
        let sched_context = &mut self.sched_contexts[from];
        sched_context.remaining -= used;
        sched_context.last_used = now;
        self.processor.since = now;
        self.processor.sched_context = Some(to);
    }
}
