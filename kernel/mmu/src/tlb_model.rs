//! A TLB for tests: it keeps every translation that was used until an instruction drops it, and never drops one by
//! itself, so that a missing flush shows.

use std::collections::HashMap;

/// Number of the current program's page, in every address space.
pub(crate) const PROGRAM_PAGE: u64 = 1;
/// Number of a page of the kernel.
pub(crate) const KERNEL_PAGE: u64 = 2;

/// The translations that the processor holds: what a page number leads to, by identifier; `None` is global.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tlb(HashMap<(Option<u16>, u64), u64>);

impl Tlb {
    /// Translates a page: by what is held, or by `walk`, which also says whether the entry is global.
    pub(crate) fn translate(
        &mut self,
        identifier: u16,
        page: u64,
        walk: impl FnOnce() -> (u64, bool),
    ) -> u64 {
        if let Some(held) = self.0.get(&(None, page)).or_else(|| self.0.get(&(Some(identifier), page))) {
            return *held;
        }
        let (frame, is_global) = walk();
        self.0.insert(((!is_global).then_some(identifier), page), frame);
        frame
    }

    /// Whether a translation of this page is held for any identifier.
    pub(crate) fn holds(&self, page: u64) -> bool {
        self.0.keys().any(|(_, held)| *held == page)
    }

    /// Drops the translations of an identifier, except global ones.
    pub(crate) fn flush_identifier(&mut self, identifier: u16) {
        self.0.retain(|(owner, _), _| *owner != Some(identifier));
    }

    /// Drops the translation of a page for one identifier, and the global one unless the processor has an erratum.
    pub(crate) fn flush_page(&mut self, identifier: u16, page: u64, keeps_global: bool) {
        self.0.remove(&(Some(identifier), page));
        if !keeps_global {
            self.0.remove(&(None, page));
        }
    }

    /// Drops everything.
    pub(crate) fn flush(&mut self) {
        self.0.clear();
    }
}

/// Numbers that look random and are the same in every run.
#[derive(Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    /// Starts a sequence.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
