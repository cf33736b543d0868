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
    /// A ring: the refills in order from `first` on.
    ring: [Refill; REFILLS],
    first: usize,
    length: usize,
}

impl SporadicServer {
    /// No limit.
    pub const UNLIMITED: Self = Self {
        period: 0,
        least: 0,
        data: 0,
        ring: [Refill { time: 0, amount: 0 }; REFILLS],
        first: 0,
        length: 0,
    };

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

    /// The number of [`Self::words`].
    pub(crate) const WORDS: usize = 5 + 2 * REFILLS;

    /// Returns all of it in words, for another processor.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        let [first, length] = [self.first, self.length].map(|position| position as u64);
        let head = [self.period, self.least, self.data, first, length];
        head.into_iter().chain(self.ring.iter().flat_map(|refill| [refill.time, refill.amount]))
    }

    /// Creates what [`Self::words`] returned, from the words by their positions.
    pub(crate) fn from_words(word: impl Fn(usize) -> u64) -> Self {
        let [period, least, data, first, length] = core::array::from_fn(&word);
        let ring = core::array::from_fn(|at| Refill { time: word(5 + 2 * at), amount: word(6 + 2 * at) });
        Self { period, least, data, ring, first: first as usize, length: (length as usize).min(REFILLS) }
    }

    /// Returns whether there is a limit.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.period != 0
    }

    /// The time after which what was used may be used again; zero without a limit.
    #[must_use]
    pub fn period(&self) -> Ticks {
        self.period
    }

    /// Begins to use the budget. Returns what may be used from now on, or zero if that is less than the minimum; then
    /// the budget is available at [`Self::release_time`].
    pub fn begin(&mut self, now: Ticks) -> Ticks {
        let mut first = self.at(0);
        if first.time > now {
            return 0;
        }
        first.time = now;
        while self.length > 1 && self.at(1).time <= first.end() {
            self.drop_first();
            first.amount += self.at(0).amount;
        }
        while self.length > 1 && first.amount < self.least {
            self.drop_first();
            first = first.delayed_into(self.at(0));
        }
        *self.at_mut(0) = first;
        if first.time > now { 0 } else { first.amount }
    }

    /// For how long after [`Self::begin`] what is used may be charged at once: 1/128 of the period.
    #[must_use]
    pub fn window(&self) -> Ticks {
        self.period / 128
    }

    /// Returns how much of the first refill was used if this much remains.
    #[must_use]
    pub fn used_before(&self, remaining: Ticks) -> Ticks {
        self.at(0).amount.saturating_sub(remaining)
    }

    /// Returns what is left for a thread that has begun to use the budget.
    #[must_use]
    pub fn rest(&self, now: Ticks) -> Ticks {
        if self.at(0).time <= now { self.at(0).amount } else { 0 }
    }

    /// Returns when the next refill is available.
    #[must_use]
    pub fn release_time(&self) -> Ticks {
        self.at(0).time
    }

    /// Charges `used` ticks from `start` on; they are replenished one period later. An overrun is charged to the next
    /// refills. An overrun of the whole budget delays the replenishment by the excess.
    pub fn charge(&mut self, start: Ticks, used: Ticks) {
        let mut owed = used;
        while owed > 0 && self.length > 0 {
            let first = self.at_mut(0);
            let taken = owed.min(first.amount);
            first.time = first.time.saturating_add(taken);
            first.amount -= taken;
            owed -= taken;
            if first.amount == 0 {
                self.drop_first();
            }
        }
        let time = start.saturating_add(self.period).saturating_add(owed);
        self.append(Refill { time, amount: used - owed });
    }

    /// Gives up what could be used now: several refills, if one has come back while the first was in use.
    pub fn forfeit(&mut self, now: Ticks) {
        while self.at(0).time <= now {
            self.charge(now, self.at(0).amount);
        }
    }

    fn append(&mut self, refill: Refill) {
        if refill.amount == 0 {
            return;
        }
        if let Some(last) = self.length.checked_sub(1) {
            let last = self.at_mut(last);
            if refill.time <= last.end() {
                last.amount += refill.amount;
                return;
            }
            if self.length == REFILLS {
                return self.append_to_full_list(refill);
            }
        }
        self.length += 1;
        *self.at_mut(self.length - 1) = refill;
    }

    /// Appends to a full list: merges the neighbours that this delays the least.
    #[inline(never)]
    fn append_to_full_list(&mut self, refill: Refill) {
        let last = self.at_mut(REFILLS - 1);
        let cost = last.cost_of_delay_into(refill);
        let pairs = (1..REFILLS - 1)
            .map(|position| (position, self.at(position).cost_of_delay_into(self.at(position + 1))));
        match pairs.min_by_key(|(_, cost)| *cost).filter(|(_, other)| *other < cost) {
            Some((position, _)) => {
                *self.at_mut(position + 1) = self.at(position).delayed_into(self.at(position + 1));
                for position in (0..position).rev() {
                    *self.at_mut(position + 1) = self.at(position);
                }
                self.first = self.first.wrapping_add(1);
                *self.at_mut(REFILLS - 1) = refill;
            }
            None => {
                let last = self.at_mut(REFILLS - 1);
                *last = last.delayed_into(refill);
            }
        }
    }

    fn drop_first(&mut self) {
        self.first = self.first.wrapping_add(1);
        self.length = self.length.saturating_sub(1);
    }

    /// The refill at this position; zeros beyond the end, or what was there before.
    fn at(&self, position: usize) -> Refill {
        self.ring[self.first.wrapping_add(position) % REFILLS]
    }

    fn at_mut(&mut self, position: usize) -> &mut Refill {
        &mut self.ring[self.first.wrapping_add(position) % REFILLS]
    }

    /// The refills, ordered by time.
    pub fn refills(&self) -> impl Iterator<Item = Refill> + '_ {
        (0..self.length).map(|position| self.at(position))
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

    #[test]
    fn a_refill_that_came_back_meanwhile_is_given_up_as_well() {
        let mut share = SporadicServer::new(40, 40, 1000, LEAST, 0);
        share.charge(0, 20);
        share.charge(50, 20);
        assert_eq!(share.begin(1000), 20);
        share.charge(1000, 5);
        share.forfeit(1060);
        assert_eq!((share.begin(1060), share.release_time()), (0, 2000));
        assert!(share.is_sound(40));
    }

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
    fn a_refill_of_the_minimum_can_be_used() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, 0);
        share.begin(0);
        share.charge(0, 100 - LEAST);
        assert_eq!(share.begin(200), LEAST);
    }

    #[test]
    fn only_a_share_is_limited() {
        let share = SporadicServer::new(100, 100, 400, LEAST, 0);
        assert_eq!((share.is_limited(), share.window(), share.used_before(70)), (true, 3, 30));
        assert!(!SporadicServer::UNLIMITED.is_limited());
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
        // The pair of refills at `nearest` and behind it is closer together than the others. The last one is the new one.
        for nearest in 1..REFILLS {
            let mut share = SporadicServer::new(1000, 1000, 10_000, LEAST, 0);
            let mut expected = Vec::new();
            let mut now = 0;
            for charge in 1..=REFILLS {
                assert!(share.begin(now) > 0);
                share.charge(now, 25);
                match charge {
                    _ if charge == nearest => {}
                    _ if charge == nearest + 1 => expected.push((10_000 + now - 25, 50)),
                    _ => expected.push((10_000 + now, 25)),
                }
                now += 25 + if charge == nearest { 3 } else { 50 };
                assert!(share.is_sound(1000), "{share:?}");
            }
            assert_eq!(refills(&share)[1..], expected, "{nearest}");
        }
    }

    #[test]
    fn a_full_list_of_equal_distances_merges_the_new_refill() {
        let mut share = SporadicServer::new(1000, 1000, 10_000, LEAST, 0);
        for now in (0..).step_by(75).take(REFILLS) {
            share.begin(now);
            share.charge(now, 25);
        }
        let refills = refills(&share);
        assert_eq!(refills[REFILLS - 2..], [(10_000 + 13 * 75, 25), (10_000 + 15 * 75 - 25, 50)]);
    }

    #[test]
    fn refills_that_overlap_or_do_not_sum_to_the_budget_are_unsound() {
        let mut share = SporadicServer::new(100, 100, 400, LEAST, 0);
        share.begin(0);
        share.charge(0, 30);
        assert!(share.is_sound(100) && !share.is_sound(99));
        let changed = |refill: Refill| {
            let mut share = share;
            *share.at_mut(1) = refill;
            share
        };
        assert!(!changed(Refill { time: 99, amount: 30 }).is_sound(100));
        assert!(!changed(Refill { time: 400, amount: 0 }).is_sound(70));
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
