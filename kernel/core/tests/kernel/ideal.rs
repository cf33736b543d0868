//! Compares a share with an ideal sporadic server, which remembers when each tick was used and returns it one period
//! later. The share never provides more time or provides it earlier, and provides exactly the same while its list of
//! refills is long enough.
//!
//! For small shares the search covers every state that the kernel's operations can reach.

use std::collections::HashSet;

use limen_core::machine::Ticks;
use limen_core::sched::sporadic_server::SporadicServer;

/// An ideal server: remembers when each tick was used.
#[derive(Clone)]
struct Ideal {
    budget: usize,
    period: Ticks,
    used: Vec<Ticks>,
}

impl Ideal {
    fn use_ticks(&mut self, start: Ticks, count: Ticks) {
        self.used.extend(start..start + count);
    }

    /// Returns the number of ticks that have not been replenished at `time`.
    fn out(&self, time: Ticks) -> usize {
        self.used.iter().filter(|tick| **tick + self.period > time).count()
    }

    /// Returns how many ticks can be used from `now` on without a break.
    fn available(&self, now: Ticks) -> Ticks {
        (0..).find(|run| self.out(now + run) + *run as usize >= self.budget).unwrap_or(0)
    }

    /// Returns when the next tick can be used.
    fn next(&self, now: Ticks) -> Ticks {
        (now..).find(|time| self.out(*time) < self.budget).unwrap_or(now)
    }
}

/// An operation on a share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    /// Idle for this many ticks.
    Pass(Ticks),
    /// The thread runs for at most this many ticks, charged in one piece or tick by tick.
    Run(Ticks, Pieces),
    /// The thread uses up its budget and the timer is late by this many ticks.
    Overrun(Ticks),
    /// The thread yields.
    Yield,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pieces {
    One,
    Ticks,
}

const ACTIONS: &[Action] = &[
    Action::Pass(1),
    Action::Pass(2),
    Action::Pass(5),
    Action::Run(1, Pieces::One),
    Action::Run(2, Pieces::One),
    Action::Run(3, Pieces::Ticks),
    Action::Overrun(1),
    Action::Overrun(3),
    Action::Yield,
];

/// A share, its ideal, and the current time.
#[derive(Clone)]
struct Pair {
    share: SporadicServer,
    ideal: Ideal,
    now: Ticks,
}

impl Pair {
    fn new(budget: Ticks, period: Ticks, least: Ticks) -> Self {
        let ideal = Ideal { budget: budget as usize, period, used: Vec::new() };
        Self { share: SporadicServer::new(budget, budget, period, least, 0), ideal, now: 0 }
    }

    /// Returns what can be used from now on: of the share, and ideally.
    fn begin(&mut self) -> (Ticks, Ticks) {
        (self.share.begin(self.now), self.ideal.available(self.now))
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Pass(ticks) => self.now += ticks,
            _ => self.resume(action),
        }
        self.ideal.used.retain(|tick| *tick + self.ideal.period > self.now);
    }

    fn resume(&mut self, action: Action) {
        let available = self.share.begin(self.now);
        match action {
            Action::Run(most, Pieces::One) => self.run(available.min(most)),
            Action::Run(most, Pieces::Ticks) => (0..available.min(most)).for_each(|_| self.run(1)),
            Action::Overrun(late) if available > 0 => self.run(available + late),
            Action::Yield => {
                self.share.forfeit(self.now);
                self.ideal.use_ticks(self.now, available);
            }
            Action::Pass(_) | Action::Overrun(_) => {}
        }
    }

    fn run(&mut self, ticks: Ticks) {
        self.share.charge(self.now, ticks);
        self.ideal.use_ticks(self.now, ticks);
        self.now += ticks;
    }

    /// The state relative to the current time.
    fn key(&self) -> (Vec<(Ticks, Ticks)>, Vec<Ticks>) {
        let refills =
            self.share.refills().map(|refill| (refill.time.saturating_sub(self.now), refill.amount));
        let used = self.ideal.used.iter().map(|tick| *tick + self.ideal.period - self.now);
        (refills.collect(), used.collect())
    }
}

/// Visits every state of a share once and returns the number of states.
fn search(start: Pair, check: impl Fn(&mut Pair)) -> usize {
    let mut found = HashSet::from([start.key()]);
    let mut layer = vec![start];
    while let Some(pair) = layer.pop() {
        for action in ACTIONS {
            let mut next = pair.clone();
            next.perform(*action);
            if found.insert(next.key()) {
                check(&mut next.clone());
                layer.push(next);
            }
        }
    }
    found.len()
}

#[test]
fn small_shares_match_the_ideal_in_every_state() {
    for (budget, period) in [(1, 2), (1, 5), (2, 3), (2, 6), (3, 5), (3, 8), (4, 7)] {
        let states = search(Pair::new(budget, period, 1), |pair| {
            assert!(pair.share.is_sound(budget), "{:?}", pair.share);
            let (share, ideal) = pair.begin();
            assert_eq!(share, ideal, "{:?} at {}, used {:?}", pair.share, pair.now, pair.ideal.used);
            if share == 0 {
                assert_eq!(pair.share.release_time(), pair.ideal.next(pair.now), "{:?}", pair.share);
            }
        });
        println!("{budget} of {period}: {states} states");
    }
}

#[test]
fn a_minimum_only_delays_refills() {
    for (budget, period, least) in [(2, 5, 2), (3, 6, 2), (4, 7, 3), (4, 8, 4)] {
        search(Pair::new(budget, period, least), |pair| {
            assert!(pair.share.is_sound(budget), "{:?}", pair.share);
            let (share, ideal) = pair.begin();
            assert!(share <= ideal, "{:?} at {}, used {:?}", pair.share, pair.now, pair.ideal.used);
        });
    }
}

/// A share with a full list, filled in several paths: every sequence of five actions.
#[test]
fn a_full_list_only_delays_refills() {
    for gaps in [[2, 2, 2], [2, 3, 7], [9, 2, 2]] {
        let mut pair = Pair::new(40, 150, 1);
        for gap in gaps.into_iter().cycle().take(17) {
            pair.perform(Action::Run(2, Pieces::One));
            pair.perform(Action::Pass(gap));
        }
        pair.now = pair.now.max(150);
        assert_eq!(pair.share.refills().count(), 16);
        never_earlier(&pair, 5);
    }
}

fn never_earlier(pair: &Pair, depth: usize) {
    let (share, ideal) = pair.clone().begin();
    assert!(pair.share.is_sound(40), "{:?}", pair.share);
    assert!(share <= ideal, "{share} not {ideal}: {:?} at {}, {:?}", pair.share, pair.now, pair.ideal.used);
    if depth > 0 {
        for action in ACTIONS {
            let mut next = pair.clone();
            next.perform(*action);
            never_earlier(&next, depth - 1);
        }
    }
}
