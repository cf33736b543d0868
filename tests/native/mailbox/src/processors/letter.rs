//! A letter of two words. As in the kernel's letters, no access to them orders anything.

use super::atomic::{AtomicU64, Ordering};

/// The letter of a thread.
#[derive(Debug)]
pub(crate) struct Letter {
    content: AtomicU64,
    recalled: AtomicU64,
}

impl Letter {
    pub(crate) const fn new() -> Self {
        Self { content: AtomicU64::new(0), recalled: AtomicU64::new(0) }
    }

    pub(crate) fn write(&self, content: u64) {
        self.content.store(content, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> u64 {
        self.content.load(Ordering::Relaxed)
    }

    pub(crate) fn write_recall(&self, number: u64) {
        self.recalled.store(number, Ordering::Relaxed);
    }

    pub(crate) fn recalled(&self) -> u64 {
        self.recalled.load(Ordering::Relaxed)
    }

    pub(super) fn copy_from(&self, from: &Self) {
        self.write(from.read());
        self.write_recall(from.recalled());
    }

    pub(super) fn set_words(&self, words: &[u64]) {
        words.iter().for_each(|word| self.write(*word));
    }

    pub(super) fn summary(&self) -> [u64; 4] {
        [self.read(), self.recalled(), 0, 0]
    }
}
