//! Patches sites to a state: the changes that it takes.

use core::iter::{empty, once};

use crate::encoding::Encoding;
use crate::engine::Engine;
use crate::key::BranchKey;
use crate::keys::KeyError;
use crate::site::Site;
use crate::table::{Table, WORD_BYTES};
use crate::write::{Change, write};

/// The difference between a site and its instruction for a state.
enum Difference {
    /// It already has that instruction.
    None,
    /// It must change.
    Change(Word),
    /// It has the instruction of neither state.
    Unknown,
}

/// A word with the wanted instruction.
struct Word {
    address: usize,
    word: u64,
}

impl Change for Word {
    fn address(&self) -> usize {
        self.address
    }

    fn apply(&self, _: u64) -> u64 {
        self.word
    }
}

impl Difference {
    fn change(self) -> Option<Word> {
        match self {
            Self::Change(change) => Some(change),
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
    ) -> Result<(), KeyError> {
        let sites = || keys.clone().flat_map(|key| self.sites_of(key));
        let has_other = |site: &Site| matches!(self.difference(site, !state), Difference::None);
        if let Some(wrong) = sites().find(|site| !has_other(site)) {
            return Err(KeyError::UnexpectedInstruction(wrong.address));
        }
        let changes = |state| sites().filter_map(move |site| self.difference(&site, state).change());
        write(engine, changes(state), |done| changes(!state).take(done))
    }

    /// Patches all sites to the states of their keys, from either instruction. After an error the code must not be
    /// used.
    pub(crate) fn patch_all<E: Engine>(&self, engine: &mut E) -> Result<(), KeyError> {
        let state = |site: &Site| self.key(site).is_some_and(BranchKey::is_enabled);
        let changes = self.all_sites().filter_map(|site| self.difference(&site, state(&site)).change());
        write(engine, changes, |_| empty())
    }

    /// Takes a step of patching the sites of a key to `state`. Before step 0 they must have the other state.
    pub(crate) fn flip_step<E: Engine>(
        &self,
        engine: &mut E,
        key: &BranchKey,
        state: bool,
        step: u32,
    ) -> Result<(), KeyError> {
        if let Some(wrong) = self.sites_of(key).find(|site| self.after_step(site, state, step).is_none()) {
            return Err(KeyError::UnexpectedInstruction(wrong.address));
        }
        let changes = self.sites_of(key).filter_map(|site| self.after_step(&site, state, step));
        // Nothing can undo half a step.
        write(engine, changes, |_| empty()).map_err(|_| KeyError::Torn)
    }

    /// The change of a site by a step, if its instruction is that of the step before.
    fn after_step(&self, site: &Site, state: bool, step: u32) -> Option<Word> {
        let (word, offset) = self.word(site.address)?;
        A::LENGTHS.iter().find_map(|length| {
            let from = site.instruction::<A>(*length, !state)?;
            let to = site.instruction::<A>(*length, state)?;
            let before = step.checked_sub(1).map_or(from, |earlier| A::step(from, to, earlier));
            let is_before = offset + length <= WORD_BYTES as u32 && before.insert(word, offset) == word;
            is_before
                .then(|| Word { address: site.address, word: A::step(from, to, step).insert(word, offset) })
        })
    }

    /// Patches the jump at `site` to lead to `target`.
    pub(crate) fn set_jump<E: Engine>(
        &self,
        engine: &mut E,
        site: usize,
        target: usize,
    ) -> Result<(), KeyError> {
        let unexpected = KeyError::UnexpectedInstruction(site);
        let (word, offset) = self.word(site).ok_or(unexpected)?;
        let length = A::length(word >> (8 * offset)).ok_or(unexpected)?;
        if A::nop(length).insert(word, offset) == word || offset + length > WORD_BYTES as u32 {
            return Err(unexpected);
        }
        let distance = self.word(target).map(|_| target.wrapping_sub(site) as isize as i64);
        let jump = distance.and_then(|distance| A::jump(length, distance)).ok_or(KeyError::OutOfReach)?;
        write(engine, once(Word { address: site, word: jump.insert(word, offset) }), |_| empty())
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
        let change = Word { address: site.address, word: wanted };
        (other == word).then_some(Difference::Change(change))
    }
}
