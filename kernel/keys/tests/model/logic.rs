//! How a core decides: as the crate does, or as an earlier machine did.

use limen_keys::count::{Count, CountError, Decision, Operation, decide, decide_without_lock};

/// What a core does with a count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Choice {
    /// This.
    Do(Decision),
    /// Takes the lock first.
    TakeLock,
    /// Loads it again.
    LookAgain,
}

/// From operation, count, whether the lock is held, and how often it has looked since.
pub(crate) type Logic = fn(Operation, Count, bool, u8) -> Choice;

/// The crate's.
pub(crate) const CRATE: Logic = |operation, count, is_locked, _| {
    if is_locked {
        Choice::Do(decide(operation, count))
    } else {
        decide_without_lock(operation, count).map_or(Choice::TakeLock, Choice::Do)
    }
};

/// Decrements whatever is not 1 without the lock, also the mark of a first increment that is going on.
pub(crate) const DECREMENTS_A_MARK: Logic = |operation, count, is_locked, attempt| match (operation, count) {
    (Operation::Dec, Count::TurningOn) if !is_locked => Choice::Do(Decision::Replace(Count::TurningOn)),
    _ => CRATE(operation, count, is_locked, attempt),
};

/// With the lock, exchanges 1 for 0; when that fails, decrements what is not 1.
pub(crate) const EXCHANGES_ONE_FIRST: Logic =
    |operation, count, is_locked, attempt| match (operation, count, attempt) {
        (Operation::Dec, Count::On(2..), 0) if is_locked => Choice::LookAgain,
        (Operation::Dec, Count::On(1), 1..) if is_locked => {
            Choice::Do(Decision::Refuse(CountError::Underflow))
        }
        _ => CRATE(operation, count, is_locked, attempt),
    };

/// Takes the lock to decrement zero, and then does it.
pub(crate) const DECREMENTS_ZERO: Logic = |operation, count, is_locked, attempt| match (operation, count) {
    (Operation::Dec, Count::Off) if is_locked => Choice::Do(Decision::Replace(Count::TurningOn)),
    (Operation::Dec, Count::Off) => Choice::TakeLock,
    _ => CRATE(operation, count, is_locked, attempt),
};
