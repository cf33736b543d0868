//! A key: its state and its holders.

use core::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use crate::count::Count;

/// A key without its default state. Keys form an array in a section of their own, so that their number and addresses
/// can be checked.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct BranchKey {
    /// See [`Count`].
    count: AtomicI32,
    flips: AtomicU32,
    first_site: AtomicU32,
    read_only: u32,
}

/// No site branches on the key.
const NO_SITE: u32 = u32::MAX;

impl BranchKey {
    pub(crate) const fn new(default: bool, read_only: bool) -> Self {
        Self {
            count: AtomicI32::new(default as i32),
            flips: AtomicU32::new(0),
            first_site: AtomicU32::new(NO_SITE),
            read_only: read_only as u32,
        }
    }

    /// Whether the key is on. It may change at any time unless the caller holds the writers' lock. While the first
    /// enable is in progress, the key is not on yet.
    #[must_use]
    #[inline]
    pub fn is_enabled(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// The number of holders.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.load().holders()
    }

    /// How often its code was patched since boot.
    #[must_use]
    pub fn flips(&self) -> u32 {
        self.flips.load(Ordering::Relaxed)
    }

    /// Whether its state is fixed once keys are sealed.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        self.read_only != 0
    }

    pub(crate) fn load(&self) -> Count {
        Count::from_raw(self.count.load(Ordering::Acquire))
    }

    /// Replaces the count unless it has changed meanwhile.
    pub(crate) fn exchange(&self, from: Count, to: Count) -> bool {
        let (from, to) = (from.as_raw(), to.as_raw());
        self.count.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Stores a count. A thread that sees it also sees the code that belongs to it.
    pub(crate) fn publish(&self, count: Count) {
        self.count.store(count.as_raw(), Ordering::Release);
    }

    pub(crate) fn note_flip(&self) {
        self.flips.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn first_site(&self) -> Option<usize> {
        Some(self.first_site.load(Ordering::Relaxed))
            .filter(|first| *first != NO_SITE)
            .map(|first| first as usize)
    }

    pub(crate) fn set_first_site(&self, first: usize) {
        self.first_site.store(u32::try_from(first).unwrap_or(NO_SITE), Ordering::Relaxed);
    }
}

/// A key with its default state in its type, which the branches on it use. Only [`static_key!`](crate::static_key)
/// creates one, in the right section.
#[derive(Debug)]
#[repr(transparent)]
pub struct StaticKey<const DEFAULT: bool>(BranchKey);

impl<const DEFAULT: bool> StaticKey<DEFAULT> {
    /// A key that can be changed at any time.
    #[doc(hidden)]
    #[must_use]
    pub const fn new() -> Self {
        Self(BranchKey::new(DEFAULT, false))
    }

    /// A key whose state is fixed once keys are sealed.
    #[doc(hidden)]
    #[must_use]
    pub const fn read_only() -> Self {
        Self(BranchKey::new(DEFAULT, true))
    }

    /// The key without its default.
    #[must_use]
    pub const fn key(&self) -> &BranchKey {
        &self.0
    }

    /// Its state in the linked program.
    #[must_use]
    pub const fn default_state(&self) -> bool {
        DEFAULT
    }
}

impl<const DEFAULT: bool> Default for StaticKey<DEFAULT> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const DEFAULT: bool> core::ops::Deref for StaticKey<DEFAULT> {
    type Target = BranchKey;
    fn deref(&self) -> &BranchKey {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_has_changed_is_not_replaced() {
        let key = BranchKey::new(false, false);
        assert!(!key.exchange(Count::On(1), Count::On(2)));
        assert_eq!(key.load(), Count::Off);
        assert!(key.exchange(Count::Off, Count::On(1)));
        assert_eq!(key.load(), Count::On(1));
    }

    #[test]
    fn a_key_starts_in_its_default_state() {
        let (off, on) = (StaticKey::<false>::new(), StaticKey::<true>::read_only());
        assert_eq!([off.default_state(), on.default_state()], [false, true]);
        assert_eq!([off.is_enabled(), on.is_enabled()], [false, true]);
        assert_eq!([off.is_read_only(), on.is_read_only()], [false, true]);
    }
}
