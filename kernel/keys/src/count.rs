//! The reference count of a key: which change is a change of code, and who must wait for whom.
//!
//! ```text
//!                  first inc, enable                             inc
//!          Off ------------------------> TurningOn ----> On(1) -------> On(n)
//!           ^           (lock)                   patched   |   <-------
//!           '----------------------------------------------'     dec
//!                      last dec, disable (lock)
//! ```
//!
//! Between [`Count::On`] and itself nobody needs the lock. To and from [`Count::Off`] the holder of the lock patches
//! code: a key turns on only after its code is patched, so that whoever sees it on also executes the new branches, and
//! turns off before. [`decide`] is all of the logic: those who change a count load it, ask, and ask again when somebody
//! was faster.

/// The count of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Count {
    /// Nobody wants it.
    Off,
    /// The first one wants it, and code is being patched. The lock is held.
    TurningOn,
    /// So many want it, at least one.
    On(u32),
}

/// The largest count.
pub const MAX: u32 = i32::MAX as u32;

impl Count {
    pub(crate) const fn from_raw(raw: i32) -> Self {
        match raw {
            0 => Self::Off,
            holders if holders > 0 => Self::On(holders.cast_unsigned()),
            _ => Self::TurningOn,
        }
    }

    pub(crate) const fn as_raw(self) -> i32 {
        match self {
            Self::Off => 0,
            Self::TurningOn => -1,
            Self::On(holders) => holders.cast_signed(),
        }
    }

    /// How many want it.
    #[must_use]
    pub const fn holders(self) -> u32 {
        match self {
            Self::Off | Self::TurningOn => 0,
            Self::On(holders) => holders,
        }
    }
}

/// What somebody wants of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// One more wants it on.
    Inc,
    /// One less wants it on.
    Dec,
    /// On, for a key that is not counted.
    Enable,
    /// Off, for a key that is not counted.
    Disable,
}

/// Why a count was left alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CountError {
    /// More than [`MAX`] want it.
    Overflow,
    /// Less than none want it: somebody gives back what it never took.
    Underflow,
    /// It is counted by more than one, so it cannot be simply on or off.
    Counted,
}

/// What the holder of the lock does with a count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// It is as wanted.
    Nothing,
    /// Replace it. Ask again if somebody was faster.
    Replace(Count),
    /// Replace it by the first, patch code to this state, then replace it by the second, or by the third if code could
    /// not be patched.
    Patch {
        /// Whether branches are taken afterwards.
        state: bool,
        /// While code is patched.
        during: Count,
        /// When it is.
        after: Count,
        /// If it could not be.
        undone: Count,
    },
    /// Leave it alone.
    Refuse(CountError),
}

/// What the holder of the lock does with this count. It sees [`Count::TurningOn`] only where an earlier holder never
/// came to an end, so what it patched is patched again.
#[must_use]
pub const fn decide(operation: Operation, count: Count) -> Decision {
    match (operation, count) {
        (Operation::Inc, Count::On(MAX..)) => Decision::Refuse(CountError::Overflow),
        (Operation::Inc, Count::On(holders)) => Decision::Replace(Count::On(holders + 1)),
        (Operation::Inc | Operation::Enable, Count::Off | Count::TurningOn) => TURN_ON,
        // Whoever may give back has taken before, and then nobody else is the first.
        (Operation::Dec, Count::Off | Count::TurningOn) => Decision::Refuse(CountError::Underflow),
        (Operation::Dec | Operation::Disable, Count::On(1)) | (Operation::Disable, Count::TurningOn) => {
            TURN_OFF
        }
        (Operation::Dec, Count::On(holders)) => Decision::Replace(Count::On(holders - 1)),
        (Operation::Enable, Count::On(1)) | (Operation::Disable, Count::Off) => Decision::Nothing,
        (Operation::Enable | Operation::Disable, Count::On(_)) => Decision::Refuse(CountError::Counted),
    }
}

/// What everybody else does with this count; `None` is to take the lock and to ask again. That a key is as wanted can be
/// relied on only with the lock: its code may still be patched.
#[must_use]
pub const fn decide_without_lock(operation: Operation, count: Count) -> Option<Decision> {
    match decide(operation, count) {
        Decision::Patch { .. } | Decision::Nothing => None,
        decision => Some(decision),
    }
}

const TURN_ON: Decision =
    Decision::Patch { state: true, during: Count::TurningOn, after: Count::On(1), undone: Count::Off };

const TURN_OFF: Decision =
    Decision::Patch { state: false, during: Count::Off, after: Count::Off, undone: Count::On(1) };
