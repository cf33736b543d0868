//! A hold that is released late: a caller that turns a key on and off often then patches code rarely.
//!
//! ```text
//!             inc (patches)           last dec
//!   Released -------------> Held(n) ------------> Late(due)
//!      ^                       ^                   |     |
//!      |                       '------- inc -------'     |
//!      '------------ flush once due, release ------------'
//!                          (patches)
//! ```
//!
//! The crate has no clock. Its user passes the time, in a unit of its choice, and calls [`Deferred::flush`] at
//! [`Deferred::due`] or later. However often the key changes, it is patched at most twice in each delay.

use crate::count::{self, CountError};
use crate::key::BranchKey;
use crate::keys::KeyError;

/// One hold on a key for several holders of its own. The functions that change the key are those of
/// [`Keys`](crate::Keys) or [`Shared`](crate::shared::Shared):
///
/// ```
/// # use limen_keys::{BranchKey, KeyError, Keys, deferred::Deferred, encoding::Encoding, engine::Engine};
/// # fn f<A: Encoding, E: Engine>(keys: &mut Keys<'_, A, E>, key: &BranchKey, now: u64) -> Result<(), KeyError> {
/// let mut tracing = Deferred::new(key, 1000);
/// tracing.inc(|key| keys.inc(key))?;
/// tracing.dec(now)?;
/// tracing.flush(now + 1000, |key| keys.dec(key))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Deferred<'k> {
    key: &'k BranchKey,
    delay: u64,
    state: State,
}

/// The hold on the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// There is none.
    Released,
    /// It has this many holders, at least one.
    Held(u32),
    /// It has no holders any more and is released at this time.
    Late(u64),
}

impl<'k> Deferred<'k> {
    /// No hold on the key. Holds are released `delay` after the last holder is removed; less than half of the range of
    /// the clock.
    #[must_use]
    pub const fn new(key: &'k BranchKey, delay: u64) -> Self {
        Self { key, delay, state: State::Released }
    }

    /// Adds a holder. Only if the key is not held, `inc` adds a hold on the key.
    ///
    /// # Errors
    /// Those of `inc`, and too many holders; nothing is changed.
    pub fn inc(&mut self, inc: impl FnOnce(&BranchKey) -> Result<(), KeyError>) -> Result<(), KeyError> {
        self.state = match self.state {
            State::Released => {
                inc(self.key)?;
                State::Held(1)
            }
            State::Held(count::MAX..) => return Err(KeyError::Count(CountError::Overflow)),
            State::Held(holders) => State::Held(holders + 1),
            State::Late(_) => State::Held(1),
        };
        Ok(())
    }

    /// Removes a holder. The hold on the key remains until a flush.
    ///
    /// # Errors
    /// There is no holder.
    pub fn dec(&mut self, now: u64) -> Result<(), KeyError> {
        self.state = match self.state {
            State::Held(1) => State::Late(now.wrapping_add(self.delay)),
            State::Held(holders) => State::Held(holders - 1),
            State::Released | State::Late(_) => return Err(KeyError::Count(CountError::Underflow)),
        };
        Ok(())
    }

    /// When the hold on the key is to be released, if it has no holders.
    #[must_use]
    pub const fn due(&self) -> Option<u64> {
        match self.state {
            State::Late(due) => Some(due),
            State::Released | State::Held(_) => None,
        }
    }

    /// Releases the hold on the key with `dec` if it is due.
    ///
    /// # Errors
    /// Those of `dec`; the hold remains due.
    pub fn flush(
        &mut self,
        now: u64,
        dec: impl FnOnce(&BranchKey) -> Result<(), KeyError>,
    ) -> Result<(), KeyError> {
        // A clock may wrap around.
        let is_due = |due: u64| now.wrapping_sub(due).cast_signed() >= 0;
        if self.due().is_some_and(is_due) { self.release(dec) } else { Ok(()) }
    }

    /// Releases the hold on the key with `dec` if it has no holders, due or not: before its user ends.
    ///
    /// # Errors
    /// Those of `dec`; the hold remains.
    pub fn release(&mut self, dec: impl FnOnce(&BranchKey) -> Result<(), KeyError>) -> Result<(), KeyError> {
        if let State::Late(_) = self.state {
            dec(self.key)?;
            self.state = State::Released;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::aarch64::Aarch64;
    use crate::test_program::{PLAN, Program};

    const DELAY: u64 = 3;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Step {
        Inc,
        Dec,
        Flush,
        Wait,
    }
    use Step::{Dec, Flush, Inc, Wait};

    /// Performs the steps of a number in base four, and compares each with counters and a clock.
    fn perform(number: usize, length: u32, start: u64) {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let (view, mut keys) = program.start::<Aarch64>();
        let key = &view.keys()[0];
        let mut deferred = Deferred::new(key, DELAY);
        let (mut now, mut holders, mut last_dec, mut is_on) = (start, 0, None, false);
        for place in 0..length {
            let step = [Inc, Dec, Flush, Wait][number >> (2 * place) & 3];
            let outcome = match step {
                Inc => deferred.inc(|key| keys.inc(key)),
                Dec => deferred.dec(now),
                Flush => deferred.flush(now, |key| keys.dec(key)),
                Wait => Ok(()),
            };
            match step {
                Inc => (holders, last_dec, is_on) = (holders + 1, None, true),
                Dec if holders > 0 => {
                    holders -= 1;
                    last_dec = (holders == 0).then_some(now);
                }
                Dec => {
                    assert_eq!(outcome, Err(KeyError::Count(CountError::Underflow)));
                    continue;
                }
                Flush if last_dec.is_some_and(|then: u64| now.wrapping_sub(then) >= DELAY) => {
                    (last_dec, is_on) = (None, false);
                }
                Flush => {}
                Wait => now = now.wrapping_add(2),
            }
            assert_eq!(outcome, Ok(()));
            assert_eq!((key.is_enabled(), key.count()), (is_on, u32::from(is_on)), "{number:#x} {place}");
            assert_eq!(deferred.due(), last_dec.map(|then| then.wrapping_add(DELAY)));
        }
    }

    /// In Miri only some of the sequences.
    const STEP: usize = if cfg!(miri) { 1021 } else { 1 };

    #[test]
    fn every_sequence_of_seven_steps_releases_the_key_when_it_is_due() {
        (0..1 << 14).step_by(STEP).for_each(|number| perform(number, 7, 0));
    }

    #[test]
    fn the_clock_may_wrap_around() {
        (0..1 << 12).step_by(STEP).for_each(|number| perform(number, 6, u64::MAX - 2));
    }

    #[test]
    fn a_key_that_changes_often_is_patched_twice() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let (view, mut keys) = program.start::<Aarch64>();
        let key = &view.keys()[0];
        let mut deferred = Deferred::new(key, DELAY);
        for now in 0..100 {
            assert_eq!(deferred.flush(now, |key| keys.dec(key)), Ok(()));
            assert_eq!((deferred.inc(|key| keys.inc(key)), deferred.dec(now)), (Ok(()), Ok(())));
        }
        assert_eq!((deferred.release(|key| keys.dec(key)), key.flips()), (Ok(()), 2));
    }

    #[test]
    fn a_key_that_cannot_be_patched_leaves_the_hold_as_it_was() {
        let refused = Err(KeyError::NoWindow);
        let program = Program::with::<Aarch64>(4, &[PLAN]);
        let mut deferred = Deferred::new(&program.view().keys()[0], 0);
        assert_eq!((deferred.inc(|_| refused), deferred.due()), (refused, None));
        assert_eq!(deferred.dec(5), Err(KeyError::Count(CountError::Underflow)));
        assert_eq!((deferred.inc(|_| Ok(())), deferred.dec(5)), (Ok(()), Ok(())));
        assert_eq!((deferred.flush(5, |_| refused), deferred.due()), (refused, Some(5)));
        deferred.state = State::Held(count::MAX);
        assert_eq!(deferred.inc(|_| Ok(())), Err(KeyError::Count(CountError::Overflow)));
    }
}
