//! Rings: numbered records in pages that programs map read-only. [`limen_abi::ring`] describes the layout and the
//! order of accesses.
//!
//! The kernel only writes a ring. It keeps the number of the next record elsewhere, so nothing depends on the pages.

use core::sync::atomic::{AtomicU64, Ordering, fence};

use limen_abi::ring::{LINE_WORDS, PAGE_LINES, RecordWord, RingWord};

/// A ring of `LINES` lines, which fill whole pages.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct Ring<const LINES: usize> {
    /// The header, then the records, as programs see them.
    pub lines: [Line; LINES],
}

/// One line of the cache.
type Line = [AtomicU64; LINE_WORDS];

/// A ring of samples; see [`crate::object::probe`].
pub type SampleRing = Ring<PAGE_LINES>;

impl<const LINES: usize> Ring<LINES> {
    const SLOTS: u64 = {
        assert!(LINES >= PAGE_LINES && LINES.is_multiple_of(PAGE_LINES));
        LINES as u64 - 1
    };

    /// Creates an empty ring.
    #[must_use]
    pub const fn new() -> Self {
        Self { lines: [const { [const { AtomicU64::new(0) }; LINE_WORDS] }; LINES] }
    }

    /// Removes all records.
    pub fn clear(&self) {
        for word in self.lines.as_flattened() {
            word.store(0, Ordering::Relaxed);
        }
        self.set_header(RingWord::SLOTS, Self::SLOTS);
    }

    /// Sets a word of the header that readers need before the first record.
    pub fn set_header(&self, word: usize, value: u64) {
        if let Some(word) = self.lines.first().and_then(|header| header.get(word)) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Writes the record with this number, the one after the last, in place of the oldest.
    pub fn push(&self, number: u64, record: &[u64]) {
        let [header, slots @ ..] = &self.lines[..] else { return };
        let Some(line) = slots.get((number % Self::SLOTS) as usize) else { return };
        let next = number.wrapping_add(1);
        line[RecordWord::NUMBER].store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        for (to, word) in line.iter().skip(RecordWord::FIRST).zip(record) {
            to.store(*word, Ordering::Relaxed);
        }
        line[RecordWord::NUMBER].store(next, Ordering::Release);
        header[RingWord::COUNT].store(next, Ordering::Release);
    }
}

impl<const LINES: usize> Default for Ring<LINES> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<const LINES: usize> Ring<LINES> {
        fn word(&self, line: usize, word: usize) -> u64 {
            self.lines[line][word].load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_record_replaces_the_oldest() {
        let ring = Ring::<{ 2 * PAGE_LINES }>::new();
        ring.clear();
        assert_eq!((ring.word(0, RingWord::COUNT), ring.word(0, RingWord::SLOTS)), (0, 127));
        for number in 0..128 {
            ring.push(number, &[number, 5]);
        }
        let line = |line| [0, 1, 2, 3].map(|word| ring.word(line, word));
        assert_eq!(line(0), [128, 127, 0, 0]);
        assert_eq!(line(1), [128, 127, 5, 0]);
        assert_eq!(line(2), [2, 1, 5, 0]);
        assert_eq!(line(127), [127, 126, 5, 0]);
    }

    #[test]
    fn nothing_is_left_of_a_ring_that_is_cleared() {
        let ring = SampleRing::new();
        ring.push(u64::MAX, &[7; LINE_WORDS]);
        ring.set_header(RingWord::PAGE_TABLE_SWITCH, 1);
        ring.clear();
        let words: Vec<u64> =
            ring.lines.as_flattened().iter().map(|word| word.load(Ordering::Relaxed)).collect();
        let mut expected = vec![0; PAGE_LINES * LINE_WORDS];
        expected[RingWord::SLOTS] = 63;
        assert_eq!(words, expected);
    }
}
