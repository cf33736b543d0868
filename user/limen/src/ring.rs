//! Rings: pages in which the kernel publishes numbered records, and which the description maps read-only.
//!
//! There are no system calls, and nothing to give back: the kernel overwrites the oldest record. A ring may have any
//! number of readers. See [`limen_abi::ring`] for the layout.

use core::sync::atomic::{AtomicU64, Ordering, fence};

use limen_abi::ring::{LINE_WORDS, RecordWord, RingWord};

/// A line of a ring. The first is the header, each other one holds a record.
pub type Line = [AtomicU64; LINE_WORDS];

/// A copy of a record's line.
pub type Record = [u64; LINE_WORDS];

/// A position in a ring.
#[derive(Clone, Debug)]
pub struct Reader {
    lines: &'static [Line],
    next: u64,
    lost: u64,
}

impl Reader {
    /// A reader before the first record of a ring.
    #[must_use]
    pub const fn new(lines: &'static [Line]) -> Self {
        Self { lines, next: 0, lost: 0 }
    }

    /// Records that were overwritten before this reader read them.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// A word of the ring's header; zero without a ring.
    #[must_use]
    pub fn header(&self, word: usize) -> u64 {
        let word = self.lines.first().and_then(|header| header.get(word));
        word.map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// Copies the line of the oldest record that was not read, and advances.
    ///
    /// After the kernel has cleared the ring, begin with a new reader; one that is beyond the last record starts again by
    /// itself.
    pub fn next_record(&mut self) -> Option<Record> {
        let (_, slots) = self.lines.split_first()?;
        let slot_count = slots.len() as u64;
        loop {
            let count = self.header(RingWord::COUNT);
            if count < self.next {
                self.next = 0;
            }
            if count == self.next {
                return None;
            }
            let lost = (count - self.next).saturating_sub(slot_count);
            self.lost += lost;
            self.next += lost;
            let line = slots.get(self.next.checked_rem(slot_count)? as usize)?;
            let mut record = line.each_ref().map(|word| word.load(Ordering::Relaxed));
            fence(Ordering::Acquire);
            record[RecordWord::NUMBER] = line[RecordWord::NUMBER].load(Ordering::Relaxed);
            if record[RecordWord::NUMBER] == self.next + 1 {
                self.next += 1;
                return Some(record);
            }
            // The kernel, on another processor, has overwritten it meanwhile.
        }
    }
}

/// Defines the ring for the samples of a program, by the symbol of `setvar_ring`.
///
/// ```
/// limen::sample_ring!(
///     /// `<probe ring_vaddr="0x4000000" setvar_ring="ring"/>`
///     pub RING = "ring"
/// );
/// let mut reader = limen::ring::Reader::new(RING.elements());
/// assert_eq!(reader.next_record(), None, "the symbol is not set");
/// ```
#[macro_export]
macro_rules! sample_ring {
    ($(#[$meta:meta])* $visibility:vis $name:ident = $symbol:literal) => {
        $(#[$meta])*
        $visibility static $name: $crate::Region<$crate::ring::Line> = {
            $crate::setvar!(ADDRESS = $symbol);
            // SAFETY: the description sets the symbol to the address of a page: S12.
            unsafe {
                $crate::Region::new(&ADDRESS, &$crate::ONE_PAGE)
            }
        };
    };
}
