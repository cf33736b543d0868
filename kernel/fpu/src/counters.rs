//! How often the unit was switched since boot.

/// Sums since boot. They wrap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counters {
    /// A save and a load at once; so that a switch counts once.
    pub(crate) exchanges: u64,
    pub(crate) saves: u64,
    pub(crate) loads: u64,
    pub(crate) enables: u64,
    pub(crate) disables: u64,
    pub(crate) faults: u64,
}

impl Counters {
    /// Nothing was done yet.
    pub const ZERO: Self = Self { exchanges: 0, saves: 0, loads: 0, enables: 0, disables: 0, faults: 0 };

    /// Registers stored to memory.
    #[must_use]
    pub const fn saves(&self) -> u64 {
        self.saves.wrapping_add(self.exchanges)
    }

    /// Registers read from memory.
    #[must_use]
    pub const fn loads(&self) -> u64 {
        self.loads.wrapping_add(self.exchanges)
    }

    /// The unit turned on.
    #[must_use]
    pub const fn enables(&self) -> u64 {
        self.enables
    }

    /// The unit turned off.
    #[must_use]
    pub const fn disables(&self) -> u64 {
        self.disables
    }

    /// Instructions that met a unit that was off.
    #[must_use]
    pub const fn faults(&self) -> u64 {
        self.faults
    }
}

/// Counts one more.
#[inline]
pub(crate) fn count(counter: &mut u64) {
    *counter = counter.wrapping_add(1);
}
