//! The charges to a scheduling context over time, and the maximum in any window.

use limen_core::machine::Ticks;

/// Budget and period, if there is a limit.
type Limit = Option<(Ticks, Ticks)>;

/// The history of one scheduling context.
pub(super) struct History {
    /// Start and length of each charge, in order and without overlap.
    charges: Vec<(Ticks, Ticks)>,
    /// The sum before each charge, and the total.
    sums: Vec<Ticks>,
    /// The limits, each with the time from which it applies.
    limits: Vec<(Ticks, Limit)>,
}

impl History {
    /// Creates a history that starts at `time` with this limit.
    pub(super) fn new(time: Ticks, limit: Limit) -> Self {
        Self { charges: Vec::new(), sums: vec![0], limits: vec![(time, limit)] }
    }

    /// Sets the limit from now on.
    pub(super) fn limit(&mut self, now: Ticks, limit: Limit) {
        if self.limits.last().map(|last| last.1) != Some(limit) {
            self.limits.push((now, limit));
        }
    }

    /// Adds a charge of `ticks` used from `start` on.
    pub(super) fn charge(&mut self, start: Ticks, ticks: Ticks) {
        let total = self.total();
        self.charges.push((start, ticks));
        self.sums.push(total + ticks);
    }

    /// Returns the total charge.
    pub(super) fn total(&self) -> Ticks {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Returns the charge before `time`.
    fn until(&self, time: Ticks) -> Ticks {
        let count = self.charges.partition_point(|(start, _)| *start < time);
        let Some(last) = count.checked_sub(1) else { return 0 };
        let (start, ticks) = self.charges[last];
        self.sums[last] + ticks.min(time - start)
    }

    /// Checks that every window contains at most its budget plus `bound`. The fullest windows begin or end with a
    /// charge.
    ///
    /// # Errors
    /// Describes a window that contains more.
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

    /// Checks the window that begins at `start`, if the limit at this position applies then.
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

    /// Returns the largest budget and the shortest period in a window; `None` if it is unlimited at any time.
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
