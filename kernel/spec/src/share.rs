//! Shares: budgets below their period.
//!
//! A share is a sporadic server. What is used from some moment on may be used again one period after that moment. Until
//! then a list of refills says when which part of the budget may be used.

use std::iter;

use crate::capability::Cap;
use crate::fault::Fault;
use crate::state::{System, ThreadId, TimeId};

/// The refills of a list; another one makes two neighbours one.
pub const REFILLS: usize = 16;
/// The part of a period whose use is charged to the list at once.
const WINDOWS_IN_PERIOD: u64 = 128;

/// An amount that may be used from a moment on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refill {
    /// The moment.
    pub at: u64,
    /// Ticks.
    pub amount: u64,
}

impl Refill {
    /// When it is used up if it is used from its moment on.
    const fn end(self) -> u64 {
        self.at + self.amount
    }
}

/// The use of the first refill that is not yet charged to the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The end of its window.
    pub until: u64,
    /// Ticks.
    pub ticks: u64,
    /// The end of the last of them.
    pub last: u64,
}

/// The part of a scheduling context that limits it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    /// The refills, in the order of their moments. Their sum is the budget.
    pub refills: Vec<Refill>,
    /// The use of the first one, if a thread has begun to use it.
    pub usage: Option<Use>,
    /// The least amount that a thread begins to use.
    pub least: u64,
}

impl Share {
    /// A share of which `left` may be used now, and the rest of the budget a period later.
    pub(crate) fn new(left: u64, budget: u64, period: u64, least: u64, now: u64) -> Self {
        let refills = [(now, left), (now + period, budget - left)];
        let refills = refills.into_iter().filter(|(_, amount)| *amount > 0);
        Self { refills: refills.map(|(at, amount)| Refill { at, amount }).collect(), usage: None, least }
    }

    /// The rest of the refill that is in use; otherwise, of the first one if it may be used now.
    pub(crate) fn rest(&self, period: u64, now: u64) -> u64 {
        match self.usage {
            Some(usage) if !self.is_used_up() => self.refills[0].amount - usage.ticks,
            _ => {
                let mut settled = self.clone();
                settled.settle(period);
                settled.refills[0].amount * u64::from(settled.refills[0].at <= now)
            }
        }
    }

    /// Whether the whole first refill was used.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.usage.is_some_and(|usage| usage.ticks >= self.refills[0].amount)
    }

    /// Ticks are used, until now. A thread runs on for as long as the timer is late; once the list says that the refill is used up,
    /// that is charged to the list at once.
    pub(crate) fn take(&mut self, ticks: u64, now: u64, period: u64) {
        match &mut self.usage {
            Some(usage) => (usage.ticks, usage.last) = (usage.ticks + ticks, now),
            None => self.charge(now - ticks, ticks, period),
        }
    }

    /// Begins to use the first refill, or continues within the window. Returns whether there is anything to use.
    pub(crate) fn begin(&mut self, period: u64, now: u64) -> bool {
        let is_used_up = self.is_used_up();
        if let Some(usage) = self.usage.as_mut().filter(|usage| !is_used_up && now < usage.until) {
            usage.last = now;
            return true;
        }
        self.settle(period);
        let available = self.available(now) > 0;
        self.usage = available.then(|| Use { until: now + period / WINDOWS_IN_PERIOD, ticks: 0, last: now });
        available
    }

    /// The time that may be used from now on in one piece. It becomes the first refill, with those that follow without a gap. One
    /// that is too short to begin with waits for the next.
    pub(crate) fn available(&mut self, now: u64) -> u64 {
        let first = &mut self.refills[0];
        if first.at > now {
            return 0;
        }
        first.at = now;
        while self.refills.len() > 1 && self.refills[1].at <= self.refills[0].end() {
            let second = self.refills.remove(1);
            self.refills[0].amount += second.amount;
        }
        while self.refills.len() > 1 && self.refills[0].amount < self.least {
            self.merge(0);
        }
        let first = self.refills[0];
        if first.at > now { 0 } else { first.amount }
    }

    /// Two neighbours become one, which ends when the later one would.
    fn merge(&mut self, index: usize) {
        let later = self.refills.remove(index + 1);
        let earlier = &mut self.refills[index];
        *earlier =
            Refill { at: later.at.saturating_sub(earlier.amount), amount: earlier.amount + later.amount };
    }

    /// Charges what was used to the list, as one piece that ended with the last use.
    pub fn settle(&mut self, period: u64) {
        if let Some(usage) = self.usage.take() {
            self.charge(usage.last - usage.ticks, usage.ticks, period);
        }
    }

    /// Time that was used from a moment on may be used again a period later. It is taken from the refills in their order; if
    /// more was used than there was, it is taken from what comes back first.
    fn charge(&mut self, from: u64, used: u64, period: u64) {
        if used == 0 {
            return;
        }
        let rest = self.take_first(used);
        self.append(Refill { at: from + period, amount: used });
        self.take_first(rest);
    }

    /// Takes ticks from the first refills. Returns how many there were too few.
    fn take_first(&mut self, mut ticks: u64) -> u64 {
        while ticks > 0 && !self.refills.is_empty() {
            let first = &mut self.refills[0];
            let taken = ticks.min(first.amount);
            (first.at, first.amount) = (first.at + taken, first.amount - taken);
            ticks -= taken;
            if first.amount == 0 {
                self.refills.remove(0);
            }
        }
        ticks
    }

    /// Adds a refill. One that follows the last without a gap becomes part of it.
    fn append(&mut self, refill: Refill) {
        match self.refills.last_mut() {
            Some(last) if refill.at <= last.end() => last.amount += refill.amount,
            _ => self.refills.push(refill),
        }
        if self.refills.len() > REFILLS {
            self.merge_cheapest();
        }
    }

    /// Makes one of the two neighbours that this delays least: the amount times the delay. Of several, the new refill and the one
    /// before it, or else the earliest. The first refill may be in use.
    fn merge_cheapest(&mut self) {
        let cost = |index: &usize| {
            let [earlier, later] = [self.refills[*index], self.refills[index + 1]];
            later.at.saturating_sub(earlier.end()) * earlier.amount
        };
        let newest = self.refills.len() - 2;
        if let Some(index) = iter::once(newest).chain(1..newest).min_by_key(cost) {
            self.merge(index);
        }
    }

    /// Forfeits the time that is available now, which is replenished a period later.
    pub(crate) fn forfeit(&mut self, period: u64, now: u64) {
        self.settle(period);
        while self.refills[0].at <= now {
            self.charge(now, self.refills[0].amount, period);
        }
    }

    /// When something may be used again.
    pub(crate) fn release(&self) -> u64 {
        self.refills[0].at
    }
}

impl System {
    /// The timer, and the current thread runs on a share: if nothing is left of it, its end is a fault of a thread that
    /// has a handler for that. Other threads wait until something may be used again.
    pub(crate) fn end_share(&mut self, current: ThreadId, time: TimeId) {
        let has_handler = self.threads[current].timeout_handler != Cap::Empty;
        let object = &mut self.times[time];
        let Some(share) = &mut object.share else { return };
        share.settle(object.period);
        self.charged = None;
        if has_handler {
            let consumed = std::mem::take(&mut object.consumed);
            let data = object.data;
            let consumed_us = self.us_of(consumed);
            self.fault(current, Fault::Timeout { data, consumed_us });
        } else {
            self.current = None;
            self.enqueue_last(current);
        }
    }

    /// The timer: threads of the running domain that wait for their budget are ready if it has come back.
    pub(crate) fn release_postponed(&mut self) {
        let domain = self.schedule.domain;
        while let Some(first) = self.postponed.get(&domain).and_then(|threads| threads.first().copied())
            && self.release_of(first) <= self.now
        {
            self.unschedule(first);
            self.enqueue_last(first);
        }
    }

    /// When a thread that waits for its budget has time again.
    pub(crate) fn release_of(&self, thread: ThreadId) -> u64 {
        let share = self.threads[thread].time.and_then(|time| self.times[time].share.as_ref());
        share.map_or(0, Share::release)
    }
}
