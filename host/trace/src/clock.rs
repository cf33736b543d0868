//! Conversion of ticks to nanoseconds.

const NANOSECONDS: u128 = 1_000_000_000;

/// A clock that starts at the first record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    start: u64,
    frequency: u64,
}

impl Clock {
    /// A clock; with an unknown frequency, one tick counts as one nanosecond.
    pub(crate) fn new(start: u64, frequency: u64) -> Self {
        Self { start, frequency: if frequency == 0 { NANOSECONDS as u64 } else { frequency } }
    }

    /// Nanoseconds of a time since the clock's start.
    #[must_use]
    pub fn since_start(&self, time: u64) -> u64 {
        self.nanoseconds(time.saturating_sub(self.start))
    }

    /// Nanoseconds in a number of ticks.
    #[must_use]
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        let count = u128::from(ticks) * NANOSECONDS / u128::from(self.frequency);
        // Readers keep times in 63 bits.
        u64::try_from(count).unwrap_or(u64::MAX).min(i64::MAX as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_nanoseconds_without_overflow() {
        let clock = Clock::new(100, 62_500_000);
        assert_eq!((clock.since_start(101), clock.since_start(0)), (16, 0));
        assert_eq!(Clock::new(0, 1).nanoseconds(u64::MAX), i64::MAX as u64);
        assert_eq!(Clock::new(0, 0).nanoseconds(7), 7);
    }
}
