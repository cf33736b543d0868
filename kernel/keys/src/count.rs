//! The reference count of a key: which changes patch code, and which need the lock.
//!
//! ```text
//!                  first inc, enable                             inc
//!          Off ------------------------> TurningOn ----> On(1) -------> On(n)
//!           ^           (lock)                   patched   |   <-------
//!           '----------------------------------------------'     dec
//!                      last dec, disable (lock)
//! ```
//!
//! Changes between values of [`Count::On`] need no lock. To change to or from [`Count::Off`], the holder of the lock
//! patches code. A key turns on only after its code is patched, so a thread that sees it on also executes the new
//! branches; it turns off before. [`decide`] is the complete logic: a caller loads the count, asks, and asks again if
//! another thread has changed the count meanwhile.

/// The count of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Count {
    /// The key has no holders.
    Off,
    /// The first holder turns it on: code is being patched, and the lock is held.
    TurningOn,
    /// The key has this many holders, at least one.
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

    /// The number of holders.
    #[must_use]
    pub const fn holders(self) -> u32 {
        match self {
            Self::Off | Self::TurningOn => 0,
            Self::On(holders) => holders,
        }
    }
}

/// An operation on a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// Adds a holder.
    Inc,
    /// Removes a holder.
    Dec,
    /// Turns on a key that is not counted.
    Enable,
    /// Turns off a key that is not counted.
    Disable,
}

/// Why a count was not changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CountError {
    /// The key already has [`MAX`] holders.
    Overflow,
    /// The key has no holders: the caller releases what it never acquired.
    Underflow,
    /// The key has several holders, so it cannot simply be turned on or off.
    Counted,
}

/// The next step of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// Done: the count is already as requested.
    Nothing,
    /// Replace the count. Ask again if it has changed meanwhile.
    Replace(Count),
    /// Replace the count by `during`, patch code to `state`, then replace the count by `after`, or by `undone` if code
    /// could not be patched.
    Patch {
        /// Whether branches are taken afterwards.
        state: bool,
        /// The count while code is patched.
        during: Count,
        /// The count afterwards.
        after: Count,
        /// The count if patching fails.
        undone: Count,
    },
    /// Refuse the operation.
    Refuse(CountError),
}

/// The next step for the holder of the lock. It sees [`Count::TurningOn`] only if an earlier holder never finished;
/// then it patches the same code again.
#[must_use]
pub const fn decide(operation: Operation, count: Count) -> Decision {
    match (operation, count) {
        (Operation::Inc, Count::On(MAX..)) => Decision::Refuse(CountError::Overflow),
        (Operation::Inc, Count::On(holders)) => Decision::Replace(Count::On(holders + 1)),
        (Operation::Inc | Operation::Enable, Count::Off | Count::TurningOn) => TURN_ON,
        // A caller that may release has acquired before, and then no other caller is the first.
        (Operation::Dec, Count::Off | Count::TurningOn) => Decision::Refuse(CountError::Underflow),
        (Operation::Dec | Operation::Disable, Count::On(1)) | (Operation::Disable, Count::TurningOn) => {
            TURN_OFF
        }
        (Operation::Dec, Count::On(holders)) => Decision::Replace(Count::On(holders - 1)),
        (Operation::Enable, Count::On(1)) | (Operation::Disable, Count::Off) => Decision::Nothing,
        (Operation::Enable | Operation::Disable, Count::On(_)) => Decision::Refuse(CountError::Counted),
    }
}

/// The next step without the lock; `None` means to take the lock and ask again. `Nothing` can be relied on only with
/// the lock, because the code may still be patched.
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

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATIONS: [Operation; 4] =
        [Operation::Inc, Operation::Dec, Operation::Enable, Operation::Disable];

    #[test]
    fn a_count_is_stored_as_a_number_and_read_back() {
        let counts = [(Count::Off, 0), (Count::TurningOn, -1), (Count::On(1), 1), (Count::On(MAX), i32::MAX)];
        for (count, raw) in counts {
            assert_eq!((count.as_raw(), Count::from_raw(raw)), (raw, count));
        }
        assert_eq!(counts.map(|(count, _)| count.holders()), [0, 0, 1, MAX]);
    }

    /// Each row has the decisions on [`OPERATIONS`].
    #[test]
    fn every_operation_has_its_decision_at_each_kind_of_count() {
        use CountError::{Counted, Overflow, Underflow};
        use Decision::{Nothing, Refuse, Replace};
        let table = [
            (Count::Off, [TURN_ON, Refuse(Underflow), TURN_ON, Nothing]),
            (Count::TurningOn, [TURN_ON, Refuse(Underflow), TURN_ON, TURN_OFF]),
            (Count::On(1), [Replace(Count::On(2)), TURN_OFF, Nothing, TURN_OFF]),
            (Count::On(2), [Replace(Count::On(3)), Replace(Count::On(1)), Refuse(Counted), Refuse(Counted)]),
            (
                Count::On(MAX - 1),
                [Replace(Count::On(MAX)), Replace(Count::On(MAX - 2)), Refuse(Counted), Refuse(Counted)],
            ),
            (
                Count::On(MAX),
                [Refuse(Overflow), Replace(Count::On(MAX - 1)), Refuse(Counted), Refuse(Counted)],
            ),
        ];
        for (count, decisions) in table {
            assert_eq!(OPERATIONS.map(|operation| decide(operation, count)), decisions, "{count:?}");
            let alone = decisions.map(|decision| match decision {
                Decision::Patch { .. } | Nothing => None,
                other => Some(other),
            });
            assert_eq!(OPERATIONS.map(|operation| decide_without_lock(operation, count)), alone, "{count:?}");
        }
    }
}
