//! The kernel's own code, as a window.

use core::sync::atomic::{AtomicU64, Ordering};

use limen_services::window::{BLOCK_BYTES, Block, Window};

use crate::keys::CodeSites;
use crate::text;

const WORD_BYTES: usize = size_of::<u64>();

/// The kernel's code, as if no static key had patched it.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelCode {
    words: &'static [AtomicU64],
    sites: &'static CodeSites,
}

impl KernelCode {
    /// The code that stays mapped for digests, with these static-key sites.
    pub(super) fn new(sites: &'static CodeSites) -> Self {
        // SAFETY: only a digest of the kernel calls this.
        Self { words: unsafe { text::words_with_digests() }, sites }
    }
}

impl Window for KernelCode {
    fn blocks(&self) -> usize {
        self.words.len() * WORD_BYTES / BLOCK_BYTES
    }

    fn read(&self, block: usize, to: &mut Block) {
        let words = self.words.chunks(BLOCK_BYTES / WORD_BYTES).nth(block).unwrap_or_default();
        let start = words.as_ptr().addr();
        *to = Block::ZERO;
        let (places, _) = to.0.as_chunks_mut::<WORD_BYTES>();
        for (place, word) in places.iter_mut().zip(words) {
            *place = word.load(Ordering::Relaxed).to_ne_bytes();
        }
        for site in self.sites.all_sites() {
            let offset = site.address.checked_sub(start);
            if let Some(place) = offset.and_then(|offset| places.get_mut(offset / WORD_BYTES)) {
                *place = self.sites.neutral(&site, u64::from_ne_bytes(*place)).to_ne_bytes();
            }
        }
    }
}
