//! What a scheduling context was charged over time, and how much any window holds.

use limen_core::machine::Ticks;

/// Budget and period, if there is a limit.
type Limit = Option<(Ticks, Ticks)>;

/// See the file.
pub(super) struct History {
    /// Start and length, in order, without overlaps.
    charges: Vec<(Ticks, Ticks)>,
    /// Charged before each of them, and in the end.
    sums: Vec<Ticks>,
    /// From when on which limit holds.
    limits: Vec<(Ticks, Limit)>,
}

impl History {
    /// Starts at `time` with this limit.
    pub(super) fn new(time: Ticks, limit: Limit) -> Self {
        Self { charges: Vec::new(), sums: vec![0], limits: vec![(time, limit)] }
    }

    /// This limit holds from now on.
    pub(super) fn limit(&mut self, now: Ticks, limit: Limit) {
        if self.limits.last().map(|last| last.1) != Some(limit) {
            self.limits.push((now, limit));
        }
    }

    /// Was charged so many ticks that were used from `start` on.
    pub(super) fn charge(&mut self, start: Ticks, ticks: Ticks) {
        let total = self.total();
        self.charges.push((start, ticks));
        self.sums.push(total + ticks);
    }

    /// Everything that was charged.
    pub(super) fn total(&self) -> Ticks {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Charged before `time`.
    fn until(&self, time: Ticks) -> Ticks {
        let count = self.charges.partition_point(|(start, _)| *start < time);
        let Some(last) = count.checked_sub(1) else { return 0 };
        let (start, ticks) = self.charges[last];
        self.sums[last] + ticks.min(time - start)
    }

    /// Whether every window holds at most its budget and `bound`. The fullest windows begin or end with a charge.
    ///
    /// # Errors
    /// A window that holds more, in words.
    pub(super) fn check_windows(&self, bound: Ticks) -> Result<(), String> {
        for (index, (_, limit)) in self.limits.iter().enumerate() {
            let Some((_, period)) = limit else { continue };
            for (start, ticks) in &self.charges {
                self.check_window(index, *start, *period, bound)?;
                self.check_window(index, (start + ticks).saturating_sub(*period), *period, bound)?;
            }
        }
        Ok(())
    }

    /// Checks the window that begins at `start` if the limit at this position holds then.
    fn check_window(&self, index: usize, start: Ticks, period: Ticks, bound: Ticks) -> Result<(), String> {
        let ends = self.limits.get(index + 1).map_or(Ticks::MAX, |next| next.0);
        if start < self.limits[index].0 || start >= ends {
            return Ok(());
        }
        let Some((budget, length)) = self.strictest_from(index, start, period) else { return Ok(()) };
        let used = self.until(start + length) - self.until(start);
        if used <= budget + bound {
            return Ok(());
        }
        Err(format!("used {used} of {budget} and {bound} from {start} for {length}: {:?}", self.limits))
    }

    /// The largest budget and the shortest period that hold in a window; none if it is not limited all the time.
    fn strictest_from(&self, index: usize, start: Ticks, period: Ticks) -> Option<(Ticks, Ticks)> {
        let mut result = (0, period);
        for (time, limit) in &self.limits[index..] {
            if *time >= start + result.1 {
                break;
            }
            let (budget, period) = (*limit)?;
            result = (result.0.max(budget), result.1.min(period));
        }
        Some(result)
    }
}
