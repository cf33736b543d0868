//! The decision logic of a core: the crate's, or one of earlier implementations.

use limen_keys::count::{Count, CountError, Decision, Operation, decide, decide_without_lock};

/// A core's decision about a count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Choice {
    /// Performs this.
    Do(Decision),
    /// Takes the lock first.
    TakeLock,
    /// Loads it again.
    LookAgain,
}

/// Decides from operation, count, whether the lock is held, and how often the core has loaded the count since.
pub(crate) type Logic = fn(Operation, Count, bool, u8) -> Choice;

/// The crate's logic.
pub(crate) const CRATE: Logic = |operation, count, is_locked, _| {
    if is_locked {
        Choice::Do(decide(operation, count))
    } else {
        decide_without_lock(operation, count).map_or(Choice::TakeLock, Choice::Do)
    }
};

/// Decrements any count but 1 without the lock, including the mark of a first increment in progress.
pub(crate) const DECREMENTS_A_MARK: Logic = |operation, count, is_locked, attempt| match (operation, count) {
    (Operation::Dec, Count::TurningOn) if !is_locked => Choice::Do(Decision::Replace(Count::TurningOn)),
    _ => CRATE(operation, count, is_locked, attempt),
};

/// With the lock, exchanges 1 for 0; if that fails, decrements any count but 1.
pub(crate) const EXCHANGES_ONE_FIRST: Logic =
    |operation, count, is_locked, attempt| match (operation, count, attempt) {
        (Operation::Dec, Count::On(2..), 0) if is_locked => Choice::LookAgain,
        (Operation::Dec, Count::On(1), 1..) if is_locked => {
            Choice::Do(Decision::Refuse(CountError::Underflow))
        }
        _ => CRATE(operation, count, is_locked, attempt),
    };

/// Takes the lock to decrement zero, and then does so.
pub(crate) const DECREMENTS_ZERO: Logic = |operation, count, is_locked, attempt| match (operation, count) {
    (Operation::Dec, Count::Off) if is_locked => Choice::Do(Decision::Replace(Count::TurningOn)),
    (Operation::Dec, Count::Off) => Choice::TakeLock,
    _ => CRATE(operation, count, is_locked, attempt),
};
