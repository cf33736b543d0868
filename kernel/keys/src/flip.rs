//! Patches sites: all of them or none.

use crate::encoding::Encoding;
use crate::engine::{Engine, Parked, WINDOW_BYTES, Written};
use crate::key::BranchKey;
use crate::site::Site;
use crate::table::{Table, WORD_BYTES};

/// Why code was not patched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FlipError {
    /// This address holds an unexpected instruction; nothing was changed.
    UnexpectedInstruction(usize),
    /// The window could not be opened; all changes were undone.
    NoWindow,
    /// The window could not be opened, neither to continue nor to undo. Some sites are patched, others are not.
    Torn,
}

/// The difference between a site and its instruction for a state.
enum Difference {
    /// It already has that instruction.
    None,
    /// A word of code must change.
    Word(Change),
    /// It has the instruction of neither state.
    Unknown,
}

/// A word of code to write.
#[derive(Clone, Copy)]
struct Change {
    page: usize,
    offset: usize,
    word: u64,
}

impl Difference {
    fn change(self) -> Option<Change> {
        match self {
            Self::Word(change) => Some(change),
            Self::None | Self::Unknown => None,
        }
    }
}

impl<A: Encoding> Table<'_, A> {
    /// Patches the sites of keys to `state`. They must have the other state.
    pub(crate) fn flip<'k, E: Engine>(
        &self,
        engine: &mut E,
        keys: impl Iterator<Item = &'k BranchKey> + Clone,
        state: bool,
    ) -> Result<(), FlipError> {
        let sites = || keys.clone().flat_map(|key| self.sites_of(key));
        let has_other = |site: &Site| matches!(self.difference(site, !state), Difference::None);
        if let Some(wrong) = sites().find(|site| !has_other(site)) {
            return Err(FlipError::UnexpectedInstruction(wrong.address));
        }
        let changes = |state| sites().filter_map(move |site| self.difference(&site, state).change());
        self.write(engine, changes(state), |done| changes(!state).take(done))
    }

    /// Patches all sites to the states of their keys, from either instruction. After an error the code must not be
    /// used.
    pub(crate) fn patch_all<E: Engine>(&self, engine: &mut E) -> Result<(), FlipError> {
        let state = |site: &Site| self.key(site).is_some_and(BranchKey::is_enabled);
        let changes = self.all_sites().filter_map(|site| self.difference(&site, state(&site)).change());
        self.write(engine, changes, |_| core::iter::empty())
    }

    fn difference(&self, site: &Site, state: bool) -> Difference {
        self.known_difference(site, state).unwrap_or(Difference::Unknown)
    }

    fn known_difference(&self, site: &Site, state: bool) -> Option<Difference> {
        let (word, offset) = self.word(site.address)?;
        let length = A::length(word >> (8 * offset))?;
        let wanted = site.instruction::<A>(length, state)?.insert(word, offset);
        let other = site.instruction::<A>(length, !state)?.insert(word, offset);
        if wanted == word {
            return Some(Difference::None);
        }
        let start = site.address / WORD_BYTES * WORD_BYTES;
        let offset = start % WINDOW_BYTES;
        (other == word).then_some(Difference::Word(Change { page: start - offset, offset, word: wanted }))
    }

    /// Applies changes. If the window cannot be opened after some of them, applies those of `undo` for that number.
    fn write<E: Engine, U: Iterator<Item = Change>>(
        &self,
        engine: &mut E,
        mut changes: impl Iterator<Item = Change>,
        undo: impl FnOnce(usize) -> U,
    ) -> Result<(), FlipError> {
        let parked = Parked::new(engine);
        let Some(first) = changes.next() else {
            parked.resume();
            return Ok(());
        };
        let window = match parked.open(first.page) {
            Ok(window) => window,
            Err(parked) => {
                parked.resume();
                return Err(FlipError::NoWindow);
            }
        };
        let (written, outcome) = match write_on(window.exchange(first.offset, |_| first.word), changes) {
            Ok(written) => (written, Ok(())),
            Err((written, further)) => match write_on(written, undo(1 + further)) {
                Ok(written) => (written, Err(FlipError::NoWindow)),
                Err((written, _)) => (written, Err(FlipError::Torn)),
            },
        };
        written.publish().resume();
        outcome
    }
}

/// Applies further changes; an error has the number that were applied before the window could not be opened.
fn write_on<E: Engine>(
    mut written: Written<'_, E>,
    changes: impl Iterator<Item = Change>,
) -> Result<Written<'_, E>, (Written<'_, E>, usize)> {
    for (done, change) in changes.enumerate() {
        written = match written.open(change.page) {
            Ok(window) => window.exchange(change.offset, |_| change.word),
            Err(written) => return Err((written, done)),
        };
    }
    Ok(written)
}
