//! Scheduling contexts: slices, and shares of the processor.

use crate::state::{NotificationId, ReplyId, System, ThreadId, TimeId};

/// A scheduling context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Time {
    /// Ticks of a slice, or in every period.
    pub budget: u64,
    /// Ticks; equal to the budget for slices.
    pub period: u64,
    /// The first word of its timeout faults.
    pub data: u64,
    /// Ticks used since the last query.
    pub consumed: u64,
    /// The rest of the slice.
    pub left: u64,
    /// The priority of the thread that began the slice.
    pub begun_at: u8,
    /// The thread that runs on it.
    pub thread: Option<ThreadId>,
    /// The notification that keeps it while no thread runs on it.
    pub notification: Option<NotificationId>,
    /// The calls that run on it, the newest last.
    pub calls: Vec<ReplyId>,
    /// The caller that no longer waits for its reply: it gets the scheduling context back.
    pub heir: Option<ThreadId>,
}

impl System {
    /// Time passes, and is charged to the scheduling context of the running thread.
    pub fn pass(&mut self, ticks: u64) {
        self.now += ticks;
        let Some(time) = self.charged else { return };
        let time = &mut self.times[time];
        time.consumed += ticks;
        time.left = time.left.saturating_sub(ticks);
    }

    /// A thread is to run. If it runs on another scheduling context than the one that ran until now, or that one's turn
    /// has ended, it continues its slice or begins a new one. Returns whether it has time.
    pub(crate) fn begin(&mut self, thread: ThreadId) -> bool {
        let Some(time) = self.threads[thread].time else { return false };
        if self.charged.replace(time) == Some(time) {
            return true;
        }
        let priority = self.threads[thread].priority;
        let time = &mut self.times[time];
        if time.left == 0 {
            time.left = time.budget;
            time.begun_at = priority;
        }
        true
    }

    /// The timer: a slice that has ended is the turn of the next thread of the priority.
    pub(crate) fn timer(&mut self) {
        let ends_with_turn = self.schedule.turns.len() > 1 && self.schedule.end <= self.now;
        if let Some(current) = self.current
            && self.threads[current].time.is_some_and(|time| self.times[time].left == 0)
            && !ends_with_turn
        {
            self.end_slice(current);
        }
        self.switch_domain();
    }

    /// The slice of the current thread ends. It is the turn of the next thread of the same priority, if one is ready;
    /// otherwise another slice begins.
    pub(crate) fn end_slice(&mut self, current: ThreadId) {
        let Some(time) = self.threads[current].time else { return };
        let priority = self.threads[current].priority;
        if self.first_ready().is_some_and(|first| self.threads[first].priority >= priority) {
            self.times[time].left = 0;
            self.charged = None;
            self.current = None;
            self.enqueue_last(current);
        } else {
            self.times[time].left = self.times[time].budget;
            self.times[time].begun_at = priority;
        }
    }

    /// Changes budget and period of a scheduling context. If the current thread runs on it, it begins what is left, or a
    /// new slice.
    pub(crate) fn reconfigure(&mut self, time: TimeId, budget: u64, period: u64, data: u64) {
        if self.current.is_some() && self.times[time].thread == self.current {
            self.charged = None;
        }
        let time = &mut self.times[time];
        time.left = time.left.min(budget);
        (time.budget, time.period, time.data) = (budget, period, data);
    }
}
