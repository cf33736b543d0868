//! Charges time to scheduling contexts, and sets the timer lazily.
//!
//! Time is charged when the processor switches from one scheduling context to another and when the timer fires; a call
//! that donates its scheduling context reads no clock. The timer is set only if the new deadline is earlier than the
//! programmed one. When it fires too early, it is set again. So the invariant is `programmed <= min(end of the slice,
//! next release, end of the domain's slot)`, and a slice, a budget or a slot is overrun by at most one kernel entry.
//!
//! Every tick is charged once. Until there is a scheduling context to charge, `processor.sched_context` is `None` and
//! `processor.since` stands still: the thread that is selected pays for its selection, and idle time counts from when
//! idling begins.
//!
//! A scheduling context whose budget equals its period has round-robin slices, and the rest of its slice is in the
//! scheduling context itself. So is the rest of the refill that a share has in use: for a short *window* the thread may
//! be switched to and from without a look at the [`SporadicServer`], which then is charged once for all that was used.
//!
//! ```text
//!            begin            usable_until
//!    share:  |== ==    = ===   |                 used u, replenished from usable_until + period on
//!            |== ==    = ====================|   used up at `now`: from now - u + period on
//! ```
//!
//! No tick is replenished less than a period after its use. Ticks that were used from the start of the window on come back
//! later than that, by a window at most.
//!
//! [`SporadicServer`]: super::sporadic_server::SporadicServer

use crate::arena::{Id, SchedContextId, ThreadId};
use crate::event::Outcome;
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};
use crate::object::sched_context::{SchedContext, Slice};

impl<M: Machine> Kernel<M> {
    /// Charges the time used so far, then starts charging the scheduling context of `thread`. Returns false if nothing
    /// is left of that one.
    #[inline]
    pub(crate) fn follow_sched_context(&mut self, thread: ThreadId) -> bool {
        let next = self.threads[thread].sched_context;
        Id::same(next, self.processor.sched_context) || self.change_sched_context(next)
    }

    /// Out-of-line calls are tail calls, so the common path needs no stack frame.
    #[inline(never)]
    fn change_sched_context(&mut self, next: Option<SchedContextId>) -> bool {
        if let Some(id) = self.processor.sched_context {
            let now = self.read_clock();
            // If the clock ran backwards, `used` is huge and takes the slow path, where it saturates to zero.
            let used = now.wrapping_sub(self.processor.since);
            let sched_context = &mut self.sched_contexts[id];
            if used >= sched_context.remaining {
                return self.change_used_up(next, now);
            }
            sched_context.remaining -= used;
            sched_context.last_used = now;
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
        let now = self.read_clock();
        self.charge(now);
    }

    /// Reads the clock. A recording notes the reading. What a fast path reads is not noted: if the fast path goes ahead, it is
    /// the time of the last charge, and otherwise nothing depends on it.
    #[inline(always)]
    pub(crate) fn read_clock(&mut self) -> Ticks {
        let now = self.machine.now();
        if self.machine.is_recording() {
            self.trace.note_clock(now);
        }
        now
    }

    fn charge(&mut self, now: Ticks) {
        let start = core::mem::replace(&mut self.processor.since, now);
        let used = now.saturating_sub(start);
        let Some(id) = self.processor.sched_context else { return };
        let sched_context = &mut self.sched_contexts[id];
        sched_context.last_used = now;
        if used < sched_context.remaining {
            sched_context.remaining -= used;
            return;
        }
        if self.sporadic_servers[id].is_limited() {
            self.settle_share(id, used);
        } else {
            self.use_slice(id, 0);
        }
        self.slices[id].consumed = self.slices[id].consumed.wrapping_add(used);
    }

    /// Charges the time used so far, then charges no scheduling context until the next thread is selected.
    pub(crate) fn stop_charging(&mut self) {
        if self.processor.sched_context.is_some() {
            self.charge_current();
            self.processor.sched_context = None;
        }
    }

    /// [`Self::stop_charging`] for code that may be unmapped: it must not contain branches on static keys.
    #[cold]
    #[inline(never)]
    pub(crate) fn stop_charging_here(&mut self) {
        self.stop_charging();
    }

    /// Charges a share for what was used of the refill in use, if one is, and for `more` ticks.
    pub(crate) fn settle_share(&mut self, id: SchedContextId, more: Ticks) {
        let SchedContext { remaining, last_used, .. } = self.sched_contexts[id];
        let share = &mut self.sporadic_servers[id];
        let earlier = if remaining == 0 { 0 } else { share.used_before(remaining) };
        let used = earlier.saturating_add(more);
        share.charge(last_used.saturating_sub(used), used);
        self.use_slice(id, 0);
    }

    /// Sets what remains of a slice; zero ends it.
    pub(crate) fn use_slice(&mut self, id: SchedContextId, remaining: Ticks) {
        self.count_consumed(id);
        self.slices[id].counted = remaining;
        let sched_context = &mut self.sched_contexts[id];
        sched_context.remaining = remaining;
        sched_context.usable_until = if remaining == 0 { 0 } else { Ticks::MAX };
    }

    /// The ticks used since the count was last read, as of the last charge.
    pub fn consumed(&self, id: SchedContextId) -> Ticks {
        let Slice { counted, consumed, .. } = self.slices[id];
        consumed.wrapping_add(counted.saturating_sub(self.sched_contexts[id].remaining))
    }

    /// Brings the count of used ticks up to date.
    pub(crate) fn count_consumed(&mut self, id: SchedContextId) {
        self.slices[id].consumed = self.consumed(id);
        self.slices[id].counted = self.sched_contexts[id].remaining;
    }

    /// Sets the timer unless it fires before the current slice ends anyway. Returns false if there is no slice.
    #[inline]
    fn limit_slice(&mut self) -> bool {
        let Some(id) = self.processor.sched_context else { return false };
        let SchedContext { remaining, usable_until, .. } = self.sched_contexts[id];
        if self.processor.since >= usable_until {
            return self.begin_slice(id);
        }
        // A sum that wraps lies in the past: the timer fires too early and is set again.
        self.arm(self.processor.since.wrapping_add(remaining));
        true
    }

    /// Starts a new slice, or takes what a share has available by now. Returns false if that is nothing.
    #[inline(never)]
    fn begin_slice(&mut self, id: SchedContextId) -> bool {
        let now = self.processor.since;
        let (length, usable_until) = if self.sporadic_servers[id].is_limited() {
            if self.sched_contexts[id].remaining != 0 {
                self.settle_share(id, 0);
            }
            let share = &mut self.sporadic_servers[id];
            (share.begin(now), now.saturating_add(share.window()))
        } else {
            let holder = self.sched_contexts[id].thread;
            self.slices[id].priority = holder.map_or(0, |thread| self.threads[thread].priority);
            (self.slices[id].budget, Ticks::MAX)
        };
        if length == 0 {
            return false;
        }
        // Nothing was in use, so no ticks are uncounted.
        self.slices[id].counted = length;
        let sched_context = &mut self.sched_contexts[id];
        sched_context.remaining = length;
        sched_context.usable_until = usable_until;
        sched_context.last_used = now;
        self.arm(now.saturating_add(length));
        true
    }

    /// Sets the timer to `deadline` if that is earlier than the programmed time.
    #[inline]
    pub(crate) fn arm(&mut self, deadline: Ticks) {
        if deadline < self.processor.programmed {
            self.processor.programmed = deadline;
            self.machine.set_deadline(deadline);
        }
    }

    /// Sets the timer to the end of the domain's slot. Called early on the path: some timers count from when they are
    /// set, and how long the rest of the path takes depends on which thread runs next.
    pub(crate) fn arm_for_slot(&mut self) {
        self.arm(self.processor.slot_end);
    }

    /// Returns whether anything is left of the thread's slice or share, as of the last charge.
    pub(crate) fn has_slice_left(&self, thread: ThreadId) -> bool {
        self.threads[thread].sched_context.is_some_and(|id| self.rest(id) != 0)
    }

    /// Returns whether anything is left of the thread's slice, as of the last charge, or of its share, of which a refill may
    /// have come back since then.
    pub(crate) fn has_time_left(&mut self, thread: ThreadId) -> bool {
        let Some(id) = self.threads[thread].sched_context else { return false };
        if self.sched_contexts[id].remaining != 0 || !self.sporadic_servers[id].is_limited() {
            return self.sched_contexts[id].remaining != 0;
        }
        let now = self.read_clock();
        self.sporadic_servers[id].rest(now) != 0
    }

    /// Ends the slice of a thread if it began while a higher-priority server ran on it: that server did not take turns
    /// with the thread's equals, so the thread has to.
    pub(crate) fn end_slice_begun_above(&mut self, thread: ThreadId) {
        if let Some(id) = self.threads[thread].sched_context
            && self.slices[id].priority > self.threads[thread].priority
        {
            if self.processor.sched_context == Some(id) {
                // The next use of it begins a new slice, even if no other scheduling context runs in between.
                self.stop_charging();
            }
            self.use_slice(id, 0);
        }
    }

    /// Returns what is left of a slice or a share, as of the last charge.
    pub(crate) fn rest(&self, id: SchedContextId) -> Ticks {
        let remaining = self.sched_contexts[id].remaining;
        if remaining == 0 && self.sporadic_servers[id].is_limited() {
            return self.sporadic_servers[id].rest(self.processor.since);
        }
        remaining
    }

    /// Handles a timer interrupt: the end of a domain's slot, releases, the end of a slice, or none of these if it
    /// came too early.
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

    /// If the current slice is used up, runs the next thread of the same priority.
    fn end_slice(&mut self) -> Outcome {
        let Some(current) = self.processor.current else {
            self.run_highest();
            return Outcome::NOTHING;
        };
        if self.has_slice_left(current) {
            self.reschedule(current);
            self.arm_for_slice();
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

    /// Sets the timer to the end of a slice that continues. A slice that begins or is resumed has done so itself.
    fn arm_for_slice(&mut self) {
        let slice = self.processor.sched_context.map_or(Ticks::MAX, |id| self.rest(id));
        self.arm(self.processor.since.saturating_add(slice));
    }

    /// Sets the timer to the next release if that comes first, or disarms it if there is no deadline.
    fn set_timer(&mut self) {
        self.arm(self.next_release());
        if self.processor.programmed == Ticks::MAX {
            self.machine.set_deadline(Ticks::MAX);
        }
    }

    /// Gives up the rest of the slice, or what is available of the budget now.
    pub(crate) fn yield_slice(&mut self, current: ThreadId) -> Outcome {
        self.charge_current();
        if let Some(id) = self.processor.sched_context {
            if self.sporadic_servers[id].is_limited() {
                self.settle_share(id, 0);
                self.sporadic_servers[id].forfeit(self.processor.since);
            }
            self.use_slice(id, 0);
            self.processor.sched_context = None;
            self.enqueue(current);
            self.run_highest();
        }
        Outcome::NOTHING
    }
}
