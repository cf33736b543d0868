//! Atomics of the explorer, which can be constants as those of the language can. Each is registered when it is first used.
//!
//! The explorer wants the first use of an atomic to come before all others, so a model touches those that it needs before it
//! starts threads.

use std::sync::OnceLock;

use loom::sync::atomic;
pub(crate) use loom::sync::atomic::Ordering;

/// An atomic word.
#[derive(Debug)]
pub(crate) struct AtomicU64(u64, OnceLock<atomic::AtomicU64>);

impl AtomicU64 {
    pub(crate) const fn new(value: u64) -> Self {
        Self(value, OnceLock::new())
    }

    fn word(&self) -> &atomic::AtomicU64 {
        self.1.get_or_init(|| atomic::AtomicU64::new(self.0))
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.word().load(order)
    }

    pub(crate) fn store(&self, value: u64, order: Ordering) {
        self.word().store(value, order);
    }

    pub(crate) fn swap(&self, value: u64, order: Ordering) -> u64 {
        self.word().swap(value, order)
    }

    pub(crate) fn fetch_or(&self, value: u64, order: Ordering) -> u64 {
        self.word().fetch_or(value, order)
    }
}

/// An atomic flag.
#[derive(Debug)]
pub(crate) struct AtomicBool(bool, OnceLock<atomic::AtomicBool>);

impl AtomicBool {
    pub(crate) const fn new(value: bool) -> Self {
        Self(value, OnceLock::new())
    }

    fn flag(&self) -> &atomic::AtomicBool {
        self.1.get_or_init(|| atomic::AtomicBool::new(self.0))
    }

    pub(crate) fn load(&self, order: Ordering) -> bool {
        self.flag().load(order)
    }

    pub(crate) fn store(&self, value: bool, order: Ordering) {
        self.flag().store(value, order);
    }

    pub(crate) fn swap(&self, value: bool, order: Ordering) -> bool {
        self.flag().swap(value, order)
    }
}
