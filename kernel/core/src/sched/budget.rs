//! Charging time to scheduling contexts, and the lazy timer.
//!
//! Time is charged when the processor goes from one scheduling context to another and when the timer fires; a
//! call that lends its scheduling context reads no clock. The timer is set only when what it has to be set to lies
//! before what it is set to already; when it fires too early for what holds by then, it is set again. So the
//! invariant is: `programmed <= min(end of the slice, next release, end of the domain's slot)`, and a slice, a budget
//! or a slot is overrun by at most one entry into the kernel.
//!
//! Every tick is charged once. Until somebody runs whom it can be charged to, `core.sched_context` is none and
//! `core.since` stands still: who is chosen pays for being chosen, and idling is counted from when it begins.
//!
//! A scheduling context whose budget is its whole period has slices of a round robin. What of a slice is left is in
//! the scheduling context itself; that of a limited one is always zero there, so that its [`SporadicServer`] is looked at, and
//! costs something, only where there is one.
//!
//! [`SporadicServer`]: super::sporadic_server::SporadicServer

use crate::arena::{Id, SchedContextId, ThreadId};
use crate::event::Outcome;
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};

impl<M: Machine> Kernel<M> {
    /// Charges what was used so far, and starts charging the scheduling context of `thread`. False if that has
    /// nothing left.
    #[inline]
    pub(crate) fn follow_sched_context(&mut self, thread: ThreadId) -> bool {
        let next = self.threads[thread].sched_context;
        Id::same(next, self.processor.sched_context) || self.change_sched_context(next)
    }

    /// Calls of other functions are the last thing on each way, so that the usual way needs no stack.
    #[inline(never)]
    fn change_sched_context(&mut self, next: Option<SchedContextId>) -> bool {
        if let Some(id) = self.processor.sched_context {
            let now = self.machine.now();
            // A clock that went back would show as a very long time here, and as none there.
            let used = now.wrapping_sub(self.processor.since);
            let sched_context = &mut self.sched_contexts[id];
            if used >= sched_context.remaining {
                return self.change_used_up(next, now);
            }
            sched_context.remaining -= used;
            sched_context.consumed = sched_context.consumed.wrapping_add(used);
            self.processor.since = now;
        }
        self.processor.sched_context = next;
        self.limit_slice()
    }

    #[cold]
    fn change_used_up(&mut self, next: Option<SchedContextId>, now: Ticks) -> bool {
        self.charge(now);
        self.processor.sched_context = next;
        self.limit_slice()
    }

    /// Charges the time since the last charge.
    pub(crate) fn charge_current(&mut self) {
        let now = self.machine.now();
        self.charge(now);
    }

    fn charge(&mut self, now: Ticks) {
        let start = core::mem::replace(&mut self.processor.since, now);
        let used = now.saturating_sub(start);
        let Some(id) = self.processor.sched_context else { return };
        let sched_context = &mut self.sched_contexts[id];
        sched_context.consumed = sched_context.consumed.wrapping_add(used);
        sched_context.remaining = sched_context.remaining.saturating_sub(used);
        if self.sporadic_servers[id].is_limited() {
            self.sporadic_servers[id].charge(start, used);
        }
    }

    /// Charges what was used so far, and charges nobody from now on: whoever runs next is looked at anew.
    pub(crate) fn stop_charging(&mut self) {
        if self.processor.sched_context.is_some() {
            self.charge_current();
            self.processor.sched_context = None;
        }
    }

    /// Sets the timer unless it fires before the current slice ends anyway. False if there is no slice.
    #[inline]
    fn limit_slice(&mut self) -> bool {
        let Some(id) = self.processor.sched_context else { return false };
        let remaining = self.sched_contexts[id].remaining;
        if remaining == 0 {
            return self.begin_slice(id);
        }
        // A sum that wraps is in the past: the timer fires too early, and is set again.
        self.arm(self.processor.since.wrapping_add(remaining));
        true
    }

    /// A slice without rest is a new one; a share has what has come back by now.
    #[inline(never)]
    fn begin_slice(&mut self, id: SchedContextId) -> bool {
        let slice = if self.sporadic_servers[id].is_limited() {
            self.sporadic_servers[id].begin(self.processor.since)
        } else {
            self.begin_turn(id)
        };
        if slice == 0 {
            return false;
        }
        self.arm(self.processor.since.saturating_add(slice));
        true
    }

    fn begin_turn(&mut self, id: SchedContextId) -> Ticks {
        let priority = self.sched_contexts[id].thread.map_or(0, |thread| self.threads[thread].priority);
        self.slice_priorities[id] = priority;
        let sched_context = &mut self.sched_contexts[id];
        sched_context.remaining = sched_context.budget;
        sched_context.budget
    }

    /// Sets the timer to `deadline` if that lies before what it is set to.
    #[inline]
    pub(crate) fn arm(&mut self, deadline: Ticks) {
        if deadline < self.processor.programmed {
            self.processor.programmed = deadline;
            self.machine.set_deadline(deadline);
        }
    }

    /// Sets the timer to the end of the domain's slot. Early: some timers are exact from when they are set, and what
    /// follows depends on who runs next.
    pub(crate) fn arm_for_slot(&mut self) {
        self.arm(self.processor.slot_end);
    }

    /// Whether something is left of the slice or the share of a thread, as far as time has been charged.
    pub(crate) fn has_turn(&self, thread: ThreadId) -> bool {
        self.threads[thread].sched_context.is_some_and(|id| self.rest(id) != 0)
    }

    /// Ends the slice of a thread if it began while a server of a higher priority ran on it: the server did not have to
    /// take turns with the thread's equals, so the thread has to.
    pub(crate) fn end_slice_begun_above(&mut self, thread: ThreadId) {
        if let Some(id) = self.threads[thread].sched_context
            && self.slice_priorities[id] > self.threads[thread].priority
        {
            if self.processor.sched_context == Some(id) {
                // What follows on it begins a new slice, even if nobody comes between.
                self.stop_charging();
            }
            self.sched_contexts[id].remaining = 0;
        }
    }

    /// What is left of a slice or a share, as far as time has been charged.
    fn rest(&self, id: SchedContextId) -> Ticks {
        let remaining = self.sched_contexts[id].remaining;
        if remaining == 0 && self.sporadic_servers[id].is_limited() {
            return self.sporadic_servers[id].rest(self.processor.since);
        }
        remaining
    }

    /// The timer has fired: a domain's slot ends, threads are released, a slice ends, or it was too early.
    pub(crate) fn timer_fired(&mut self) -> Outcome {
        self.processor.programmed = Ticks::MAX;
        self.charge_current();
        let outcome = if self.processor.since >= self.processor.slot_end {
            self.end_domain_slot();
            Outcome::NOTHING
        } else {
            self.arm_for_slot();
            self.release_due();
            self.end_slice()
        };
        self.set_timer();
        outcome
    }

    /// A slice without rest ends, and the next thread of the priority has its turn.
    fn end_slice(&mut self) -> Outcome {
        let Some(current) = self.processor.current else {
            self.run_highest();
            return Outcome::NOTHING;
        };
        if self.has_turn(current) {
            self.give_way(current);
            return Outcome::NOTHING;
        }
        self.processor.sched_context = None;
        if let Some(outcome) = self.deliver_timeout(current) {
            return outcome;
        }
        self.enqueue(current);
        self.run_highest();
        Outcome::NOTHING
    }

    /// Sets the timer to the earliest of what it is for; to nothing if there is nothing.
    fn set_timer(&mut self) {
        let slice = self.processor.sched_context.map_or(Ticks::MAX, |id| self.rest(id));
        self.arm(self.processor.since.saturating_add(slice));
        self.arm(self.next_release());
        if self.processor.programmed == Ticks::MAX {
            self.machine.set_deadline(Ticks::MAX);
        }
    }

    /// Gives up the rest of the slice, or what of the budget could be used now.
    pub(crate) fn yield_slice(&mut self) -> Outcome {
        self.charge_current();
        if let (Some(current), Some(id)) = (self.processor.current, self.processor.sched_context) {
            self.sched_contexts[id].remaining = 0;
            if self.sporadic_servers[id].is_limited() {
                self.sporadic_servers[id].forfeit(self.processor.since);
            }
            self.processor.sched_context = None;
            self.enqueue(current);
            self.run_highest();
        }
        Outcome::NOTHING
    }
}
