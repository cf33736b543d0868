//! Charging time to scheduling contexts, and the lazy timer.
//!
//! Time is charged when the processor goes from one scheduling context to another and when the timer fires; a
//! call that lends its scheduling context reads no clock. The timer is set only when the end of the current slice
//! lies before what it is set to already; when it fires too early for the slice that runs by then, it is set again.
//! So the invariant is: `programmed <= end of the current slice`, and a slice is overrun by at most one entry into
//! the kernel.

use crate::arena::{SchedContextId, ThreadId};
use crate::event::Outcome;
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};

impl<M: Machine> Kernel<M> {
    /// Charges what was used so far, and starts charging the scheduling context of `thread`.
    #[inline]
    pub(crate) fn follow_sched_context(&mut self, thread: ThreadId) {
        let next = self.threads[thread].sched_context;
        if next != self.core.sched_context {
            self.change_sched_context(next);
        }
    }

    #[inline(never)]
    fn change_sched_context(&mut self, next: Option<SchedContextId>) {
        self.charge_current();
        self.core.sched_context = next;
        self.limit_slice();
    }

    /// Charges the time since the last charge.
    #[inline]
    pub(crate) fn charge_current(&mut self) {
        let now = self.machine.now();
        let used = now.saturating_sub(self.core.since);
        self.core.since = now;
        let Some(id) = self.core.sched_context else { return };
        let sched_context = &mut self.sched_contexts[id];
        sched_context.consumed = sched_context.consumed.wrapping_add(used);
        sched_context.remaining = sched_context.remaining.saturating_sub(used);
    }

    /// Sets the timer unless it fires before the current slice ends anyway. A slice without rest is a new one.
    #[inline]
    fn limit_slice(&mut self) {
        let Some(id) = self.core.sched_context else { return };
        let sched_context = &mut self.sched_contexts[id];
        if sched_context.remaining == 0 {
            sched_context.remaining = sched_context.budget;
        }
        let end = self.core.since.saturating_add(sched_context.remaining);
        if end < self.core.programmed {
            self.core.programmed = end;
            self.machine.set_deadline(end);
        }
    }

    /// The timer has fired: a slice without rest ends, and the next thread of the priority has its turn.
    pub(crate) fn end_slice(&mut self) -> Outcome {
        self.core.programmed = Ticks::MAX;
        let Some(current) = self.core.current else {
            // Nobody to limit; the next switch sets the timer.
            self.machine.set_deadline(Ticks::MAX);
            return Outcome::NOTHING;
        };
        self.charge_current();
        if self.core.sched_context.is_some_and(|id| self.sched_contexts[id].remaining == 0) {
            self.enqueue(current);
            self.run_highest();
        }
        self.limit_slice();
        Outcome::NOTHING
    }

    /// Gives up the rest of the slice.
    pub(crate) fn yield_slice(&mut self) -> Outcome {
        self.charge_current();
        if let (Some(current), Some(id)) = (self.core.current, self.core.sched_context) {
            self.sched_contexts[id].remaining = 0;
            self.enqueue(current);
            self.run_highest();
        }
        self.limit_slice();
        Outcome::NOTHING
    }
}
