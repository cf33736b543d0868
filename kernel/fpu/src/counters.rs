//! Counters of FPU operations since boot.

/// Sums since boot. They wrap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counters {
    /// Exchanges: a save and a load together, so that a switch updates one counter.
    pub(crate) exchanges: u64,
    pub(crate) saves: u64,
    pub(crate) loads: u64,
    pub(crate) enables: u64,
    pub(crate) disables: u64,
    pub(crate) faults: u64,
}

impl Counters {
    /// All zero.
    pub const ZERO: Self = Self { exchanges: 0, saves: 0, loads: 0, enables: 0, disables: 0, faults: 0 };

    /// Saves of registers to memory.
    #[must_use]
    pub const fn saves(&self) -> u64 {
        self.saves.wrapping_add(self.exchanges)
    }

    /// Loads of registers from memory.
    #[must_use]
    pub const fn loads(&self) -> u64 {
        self.loads.wrapping_add(self.exchanges)
    }

    /// How often the unit was turned on.
    #[must_use]
    pub const fn enables(&self) -> u64 {
        self.enables
    }

    /// How often the unit was turned off.
    #[must_use]
    pub const fn disables(&self) -> u64 {
        self.disables
    }

    /// Traps of instructions that used the disabled unit.
    #[must_use]
    pub const fn faults(&self) -> u64 {
        self.faults
    }
}

/// Increments a counter.
#[inline]
pub(crate) fn count(counter: &mut u64) {
    *counter = counter.wrapping_add(1);
}
