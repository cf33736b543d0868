//! Ranges of RAM that nobody uses.

use std::cmp::Reverse;

use limen_image::Range;

use crate::board::Board;

/// RAM that has no use yet.
#[derive(Clone, Debug)]
pub(crate) struct FreeMemory {
    /// Ascending and disjoint.
    gaps: Vec<Range>,
    /// Memory after this address is taken first.
    prefer_from: u64,
}

impl FreeMemory {
    /// All RAM but what is taken or kept for fixed addresses.
    pub(crate) fn new(board: &Board, reserved: Range) -> Self {
        let mut free = Self { gaps: board.ram_ranges(), prefer_from: reserved.end };
        free.remove(reserved);
        if let Some(pinned) = board.pinned {
            free.remove(Range { start: pinned.start, end: pinned.end });
        }
        free
    }

    /// Takes away a range, or the part of it that is free.
    pub(crate) fn remove(&mut self, range: Range) {
        let keep = |gap: &Range| {
            let before = Range { start: gap.start, end: gap.end.min(range.start) };
            let after = Range { start: gap.start.max(range.end), end: gap.end };
            [before, after].into_iter().filter(|part| part.start < part.end)
        };
        self.gaps = self.gaps.iter().flat_map(keep).collect();
    }

    /// Takes the first range of this size and alignment.
    pub(crate) fn allocate(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let (below, above): (Vec<Range>, Vec<Range>) =
            self.gaps.iter().partition(|gap| gap.start < self.prefer_from);
        let fit = |gap: &Range| {
            let start = gap.start.checked_next_multiple_of(alignment)?;
            let end = start.checked_add(bytes)?;
            (end <= gap.end).then_some(Range { start, end })
        };
        let range = above.iter().chain(&below).find_map(fit)?;
        self.remove(range);
        Some(range.start)
    }

    /// The largest range; of equal ones the lowest.
    pub(crate) fn largest(&self) -> Option<Range> {
        self.gaps.iter().copied().max_by_key(|gap| (gap.end - gap.start, Reverse(gap.start)))
    }
}
