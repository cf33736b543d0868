//! Writes instructions into code: all of them or none.

use crate::engine::{Engine, Parked, WINDOW_BYTES, Writable, Written};
use crate::keys::KeyError;
use crate::table::WORD_BYTES;

/// A change of one word of code.
pub trait Change {
    /// An address in the word, in the address space of [`Engine::open`].
    fn address(&self) -> usize;

    /// The word after the change.
    fn apply(&self, word: u64) -> u64;
}

fn page(change: &impl Change) -> usize {
    change.address() / WINDOW_BYTES * WINDOW_BYTES
}

fn write_to<'e, E: Engine>(window: Writable<'e, E>, change: &impl Change) -> Written<'e, E> {
    let offset = change.address() % WINDOW_BYTES / WORD_BYTES * WORD_BYTES;
    window.exchange(offset, |word| change.apply(word))
}

/// The steps between which a window can be opened.
enum Step<'e, E: Engine> {
    Parked(Parked<'e, E>),
    Written(Written<'e, E>),
}

impl<'e, E: Engine> Step<'e, E> {
    /// Applies changes until the window cannot be opened; an error has the number of those before.
    fn apply<C: Change>(mut self, changes: impl Iterator<Item = C>) -> (Self, Result<(), usize>) {
        for (done, change) in changes.enumerate() {
            let opened = match self {
                Self::Parked(parked) => parked.open(page(&change)).map_err(Self::Parked),
                Self::Written(written) => written.open(page(&change)).map_err(Self::Written),
            };
            self = match opened {
                Ok(window) => Self::Written(write_to(window, &change)),
                Err(step) => return (step, Err(done)),
            };
        }
        (self, Ok(()))
    }

    fn resume(self) {
        match self {
            Self::Parked(parked) => parked.resume(),
            Self::Written(written) => written.publish().resume(),
        }
    }
}

/// Applies changes. If the window cannot be opened after some of them, applies those of `undo` for that number.
///
/// # Errors
/// [`KeyError::NoWindow`] if the changes of `undo` were applied, [`KeyError::Torn`] if not even they could be.
pub fn write<E: Engine, C: Change, U: Iterator<Item = C>>(
    engine: &mut E,
    changes: impl Iterator<Item = C>,
    undo: impl FnOnce(usize) -> U,
) -> Result<(), KeyError> {
    let (step, outcome) = match Step::Parked(Parked::new(engine)).apply(changes) {
        (step, Ok(())) => (step, Ok(())),
        (step, Err(done)) => match step.apply(undo(done)) {
            (step, Ok(())) => (step, Err(KeyError::NoWindow)),
            (step, Err(_)) => (step, Err(KeyError::Torn)),
        },
    };
    step.resume();
    outcome
}
