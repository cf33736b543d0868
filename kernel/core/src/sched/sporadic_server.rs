//! Budgets of scheduling contexts that are limited to a share of the processor.
//!
//! A share is a sporadic server: time used from `t` on is replenished at `t` plus the period and not before, so no
//! window of one period ever contains more than the budget. The budget is a list of refills ordered by time.
//! Replenished time that is not used stays available but does not accumulate beyond the budget.
//!
//! ```text
//!        begin                 charge (used 3)               begin
//!   now: | 10 |       now: | 7 |    +period: | 3 |     later: |  10  |
//! ```
//!
//! The list has a fixed length. When it is full, the pair of neighbours that costs the least delay is merged into one
//! refill that is available no earlier than the later of the two, so a share may be delayed but is never exceeded. The
//! first refill is never merged because it may be in use.

use crate::machine::Ticks;

/// Refills of a share. A thread that is interrupted more often than this in one period loses a little of its share.
const REFILLS: usize = 16;

/// An amount of time that may be used from a point in time on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Refill {
    /// When it becomes available.
    pub time: Ticks,
    /// The amount.
    pub amount: Ticks,
}

impl Refill {
    /// When it is used up if its use begins at once.
    fn end(self) -> Ticks {
        self.time.saturating_add(self.amount)
    }

    /// The cost of merging this refill into a later one: the amount that is delayed, multiplied by the delay.
    fn cost_of_delay_into(self, later: Self) -> u64 {
        later.time.saturating_sub(self.end()).saturating_mul(self.amount)
    }

    /// Merges with `later`, which starts after this refill ends. Neither amount becomes available earlier than before.
    fn delayed_into(self, later: Self) -> Self {
        Self { time: later.time.saturating_sub(self.amount), amount: self.amount + later.amount }
    }
}

/// A budget and a period, and when which part of the budget may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SporadicServer {
    /// Zero for a scheduling context without a limit.
    period: Ticks,
    /// The smallest amount for which a thread is resumed.
    least: Ticks,
    /// The data word of the timeout fault.
    pub data: u64,
    refills: [Refill; REFILLS],
    length: usize,
}

impl SporadicServer {
    /// No limit.
    pub const UNLIMITED: Self =
        Self { period: 0, least: 0, data: 0, refills: [Refill { time: 0, amount: 0 }; REFILLS], length: 0 };

    /// Creates a share. `left` may be used at once; the rest of the budget is available one period later. `least` must
    /// not exceed the budget, and the budget must be less than the period.
    #[must_use]
    pub fn new(left: Ticks, budget: Ticks, period: Ticks, least: Ticks, now: Ticks) -> Self {
        let mut share = Self { period, least, ..Self::UNLIMITED };
        let left = left.min(budget);
        share.append(Refill { time: now, amount: left });
        share.append(Refill { time: now.saturating_add(period), amount: budget - left });
        share
    }

    /// Returns whether there is a limit.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.period != 0
    }

    /// Begins to use the budget. Returns what may be used from now on, or zero if that is less than the minimum; then
    /// the budget is available at [`Self::release_time`].
    pub fn begin(&mut self, now: Ticks) -> Ticks {
        if self.refills[0].time > now {
            return 0;
        }
        self.refills[0].time = now;
        while self.length > 1 && self.refills[1].time <= self.refills[0].end() {
            let arrived = self.take_first().amount;
            self.refills[0] = Refill { time: now, amount: self.refills[0].amount + arrived };
        }
        while self.length > 1 && self.refills[0].amount < self.least {
            let too_small = self.take_first();
            self.refills[0] = too_small.delayed_into(self.refills[0]);
        }
        if self.refills[0].time > now { 0 } else { self.refills[0].amount }
    }

    /// Returns what is left for a thread that has begun to use the budget.
    #[must_use]
    pub fn rest(&self, now: Ticks) -> Ticks {
        if self.refills[0].time <= now { self.refills[0].amount } else { 0 }
    }

    /// Returns when the next refill is available.
    #[must_use]
    pub fn release_time(&self) -> Ticks {
        self.refills[0].time
    }

    /// Charges `used` ticks from `start` on; they are replenished one period later. An overrun is charged to the next
    /// refills. An overrun of the whole budget delays the replenishment by the excess.
    pub fn charge(&mut self, start: Ticks, used: Ticks) {
        let mut owed = used;
        while owed > 0 && self.length > 0 {
            let taken = owed.min(self.refills[0].amount);
            self.refills[0].time = self.refills[0].time.saturating_add(taken);
            self.refills[0].amount -= taken;
            owed -= taken;
            if self.refills[0].amount == 0 {
                self.take_first();
            }
        }
        let time = start.saturating_add(self.period).saturating_add(owed);
        self.append(Refill { time, amount: used - owed });
    }

    /// Gives up what could be used now.
    pub fn forfeit(&mut self, now: Ticks) {
        self.charge(now, self.rest(now));
    }

    fn append(&mut self, refill: Refill) {
        if refill.amount == 0 {
            return;
        }
        if let Some(last) = self.length.checked_sub(1).and_then(|last| self.refills.get_mut(last))
            && refill.time <= last.end()
        {
            last.amount += refill.amount;
            return;
        }
        if self.length == REFILLS {
            let [.., last] = &mut self.refills;
            let cost = last.cost_of_delay_into(refill);
            match self.cheapest_pair().filter(|(_, other)| *other < cost) {
                Some((first, _)) => self.merge(first),
                None => {
                    let [.., last] = &mut self.refills;
                    *last = last.delayed_into(refill);
                    return;
                }
            }
        }
        if let Some(free) = self.refills.get_mut(self.length) {
            *free = refill;
            self.length += 1;
        }
    }

    /// Returns the pair in a full list that is cheapest to merge: the position of its first refill, and the cost.
    fn cheapest_pair(&self) -> Option<(usize, u64)> {
        let pairs = self.refills.iter().zip(self.refills.iter().skip(1)).enumerate().skip(1);
        pairs.map(|(first, (a, b))| (first, a.cost_of_delay_into(*b))).min_by_key(|(_, cost)| *cost)
    }

    /// Merges the refill at this position of a full list with the next one.
    fn merge(&mut self, first: usize) {
        for position in first..REFILLS - 1 {
            let next = self.refills[position + 1];
            self.refills[position] =
                if position == first { self.refills[position].delayed_into(next) } else { next };
        }
        self.length -= 1;
    }

    fn take_first(&mut self) -> Refill {
        let first = self.refills[0];
        self.refills.copy_within(1.., 0);
        self.length = self.length.saturating_sub(1);
        first
    }

    /// The refills, ordered by time.
    pub fn refills(&self) -> impl Iterator<Item = Refill> + '_ {
        self.refills.iter().copied().take(self.length)
    }

    /// Returns whether the refills are in order, do not overlap, and add up to the budget.
    #[must_use]
    pub fn is_sound(&self, budget: Ticks) -> bool {
        let mut previous_end = 0;
        let in_order = self.refills().all(|refill| {
            let follows = refill.time >= previous_end && refill.amount > 0;
            previous_end = refill.end();
            follows
        });
        in_order && self.refills().map(|refill| refill.amount).sum::<Ticks>() == budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Ticks = 20;

    fn refills(share: &SporadicServer) -> Vec<(Ticks, Ticks)> {
        share.refills().map(|refill| (refill.time, refill.amount)).collect()
    }

    #[test]
    fn used_time_is_replenished_one_period_later() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, 0);
        assert_eq!(share.begin(50), 100);
        share.charge(50, 30);
        assert_eq!(refills(&share), [(80, 70), (450, 30)]);
        assert_eq!(share.begin(200), 70);
        share.charge(200, 70);
        assert_eq!(refills(&share), [(450, 30), (600, 70)]);
        assert_eq!((share.begin(300), share.release_time()), (0, 450));
        assert_eq!(share.begin(600), 100);
    }

    #[test]
    fn adjacent_refills_are_merged() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, 0);
        share.begin(0);
        share.charge(0, 30);
        share.charge(30, 30);
        assert_eq!(refills(&share), [(60, 40), (400, 60)]);
    }

    #[test]
    fn a_refill_below_the_minimum_waits_for_the_next() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, 0);
        share.begin(0);
        share.charge(0, 90);
        assert_eq!((share.begin(200), share.release_time()), (0, 390));
        assert_eq!(share.begin(390), 100);
    }

    #[test]
    fn an_overrun_of_the_budget_delays_its_replenishment() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, 0);
        share.begin(0);
        share.charge(0, 130);
        assert_eq!(refills(&share), [(430, 100)]);
    }

    #[test]
    fn an_overrun_is_charged_to_the_next_refill() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, 0);
        share.begin(0);
        share.charge(0, 60);
        assert_eq!(share.begin(100), 40);
        share.charge(100, 50);
        assert_eq!(refills(&share), [(410, 50), (500, 50)]);
    }

    #[test]
    fn forfeiting_delays_only_available_time() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, 0);
        share.begin(0);
        share.charge(0, 60);
        share.forfeit(60);
        assert_eq!(refills(&share), [(400, 100)]);
    }

    #[test]
    fn a_full_list_merges_the_cheapest_pair() {
        let mut share = SporadicServer::new(1000, 1000, 10_000, LEAST, 0);
        let mut now = 0;
        for gap in [50, 50, 50, 3].into_iter().chain([50; 13]) {
            assert!(share.begin(now) > 0);
            share.charge(now, 25);
            now += 25 + gap;
            assert!(share.is_sound(1000), "{share:?}");
        }
        assert_eq!(share.refills().count(), REFILLS);
        let merged = Refill { time: 10_228, amount: 50 };
        assert!(share.refills().any(|refill| refill == merged), "{share:?}");
    }

    #[test]
    fn a_full_list_does_not_merge_the_refill_in_use() {
        let mut share = SporadicServer::new(1000, 1000, 10_000, LEAST, 0);
        let mut now = 0;
        for _ in 0..REFILLS - 1 {
            share.begin(now);
            share.charge(now, 60);
            now += 160;
        }
        // The second refill comes at 10000, so merging the first into it would cost the least.
        assert_eq!(share.begin(9_899), 100);
        share.charge(9_899, 99);
        assert_eq!(share.rest(9_998), 1);
    }

    #[test]
    fn a_new_share_grants_at_once_only_what_was_left() {
        let share = SporadicServer::new(30, 100, 400, LEAST, 1000);
        assert_eq!(refills(&share), [(1000, 30), (1400, 70)]);
        let share = SporadicServer::new(0, 100, 400, LEAST, 1000);
        assert_eq!(refills(&share), [(1400, 100)]);
        let share = SporadicServer::new(300, 100, 400, LEAST, 1000);
        assert_eq!(refills(&share), [(1000, 100)]);
    }

    #[test]
    fn times_saturate_at_the_maximum() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, Ticks::MAX - 50);
        assert_eq!(share.begin(Ticks::MAX - 50), 100);
        share.charge(Ticks::MAX - 50, 100);
        assert_eq!((share.begin(Ticks::MAX - 1), share.release_time()), (0, Ticks::MAX));
    }
}
