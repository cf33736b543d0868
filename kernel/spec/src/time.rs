//! Scheduling contexts: slices, or shares of the processor.

use limen_abi::limits::MIN_BUDGET_US;

use crate::share::Share;
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
    /// The rest of the slice; zero for a share.
    pub left: u64,
    /// The limit, if its budget is below its period.
    pub share: Option<Share>,
    /// The priority of the thread that began the slice; zero for a share, which no turn limits.
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

const US_PER_SECOND: u64 = 1_000_000;

impl Time {
    /// The rest of the slice, or of the time that a share has now.
    pub(crate) fn rest(&self, now: u64) -> u64 {
        self.share.as_ref().map_or(self.left, |share| share.rest(self.period, now))
    }
}

impl System {
    /// Ticks that are not shorter than these microseconds.
    pub(crate) fn ticks_of(&self, us: u64) -> u64 {
        us.saturating_mul(self.frequency).div_ceil(US_PER_SECOND)
    }

    /// Whole microseconds of these ticks.
    pub(crate) fn us_of(&self, ticks: u64) -> u64 {
        let us = u128::from(ticks) * u128::from(US_PER_SECOND) / u128::from(self.frequency);
        u64::try_from(us).unwrap_or(u64::MAX)
    }

    /// Time passes, and is charged to the scheduling context of the running thread.
    pub fn pass(&mut self, ticks: u64) {
        self.now += ticks;
        let Some(time) = self.charged else { return };
        let time = &mut self.times[time];
        time.consumed += ticks;
        match &mut time.share {
            Some(share) => share.take(ticks, self.now, time.period),
            None => time.left = time.left.saturating_sub(ticks),
        }
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
        if let Some(share) = &mut time.share {
            let has_time = share.begin(time.period, self.now);
            self.charged = self.charged.filter(|_| has_time);
            return has_time;
        }
        if time.left == 0 {
            time.left = time.budget;
            time.begun_at = priority;
        }
        true
    }

    /// The timer: a slice that has ended is the turn of the next thread of the priority.
    pub(crate) fn timer(&mut self) {
        let ends_with_turn = !self.schedule.turns.is_empty() && self.schedule.end <= self.now;
        if !ends_with_turn {
            self.release_postponed();
        }
        if let Some(current) = self.current
            && let Some(time) = self.threads[current].time
            && self.times[time].rest(self.now) == 0
        {
            if self.times[time].share.is_some() {
                self.end_share(current, time);
            } else if !ends_with_turn {
                self.end_slice(current);
            }
        }
        if ends_with_turn {
            self.switch_domain();
            self.release_postponed();
        }
    }

    /// The slice of the current thread ends. It is the turn of the next thread of the same priority, if one is ready;
    /// otherwise another slice begins.
    pub(crate) fn end_slice(&mut self, current: ThreadId) {
        let Some(time) = self.threads[current].time else { return };
        let object = &mut self.times[time];
        if let Some(share) = &mut object.share {
            share.forfeit(object.period, self.now);
            (self.charged, self.current) = (None, None);
            return self.enqueue_last(current);
        }
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
        let least = self.ticks_of(MIN_BUDGET_US);
        let object = &mut self.times[time];
        let left = match &mut object.share {
            Some(share) => {
                share.settle(object.period);
                share.available(self.now)
            }
            None => object.left,
        };
        let left = left.min(budget);
        object.share = (budget < period).then(|| Share::new(left, budget, period, least, self.now));
        if object.share.is_some() {
            (object.left, object.begun_at) = (0, 0);
        } else {
            object.left = left;
        }
        (object.budget, object.period, object.data) = (budget, period, data);
        if let Some(thread) = object.thread
            && self.postponed.values().any(|threads| threads.contains(&thread))
        {
            self.unschedule(thread);
            self.wake(thread);
        }
    }
}
