//! Free ranges of RAM.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use limen_image::Range;

use crate::board::Board;

/// Unallocated RAM.
#[derive(Clone, Debug)]
pub(crate) struct FreeMemory {
    /// End of each range by its start; the ranges are disjoint.
    gaps: BTreeMap<u64, u64>,
    /// Memory above this address is preferred.
    prefer_from: u64,
    /// For each requested size and alignment, a lower bound of the first range that fits. Ranges only shrink, so
    /// nothing below it fits later.
    first: HashMap<(u64, u64), Side>,
}

/// A part of memory, in allocation order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Preferred memory, from this address on.
    Above(u64),
    /// Other memory, from this address on.
    Below(u64),
}

impl FreeMemory {
    /// All RAM except reserved memory and memory for fixed addresses.
    pub(crate) fn new(board: &Board, reserved: Range) -> Self {
        let gaps = board.ram_ranges().into_iter().map(|ram| (ram.start, ram.end)).collect();
        let mut free = Self { gaps, prefer_from: reserved.end, first: HashMap::new() };
        free.remove(reserved);
        if let Some(pinned) = board.pinned {
            free.remove(Range { start: pinned.start, end: pinned.end });
        }
        free
    }

    /// Removes the free part of a range.
    pub(crate) fn remove(&mut self, range: Range) {
        let below = self.gaps.range(..range.end).rev();
        let touched: Vec<_> =
            below.take_while(|(_, end)| range.start < **end).map(|(s, e)| (*s, *e)).collect();
        for (start, end) in touched {
            self.gaps.remove(&start);
            let before = (start, end.min(range.start));
            let after = (start.max(range.end), end);
            self.gaps.extend([before, after].into_iter().filter(|(start, end)| start < end));
        }
    }

    /// Allocates the first range of this size and alignment.
    pub(crate) fn allocate(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let first = self.first.get(&(bytes, alignment)).copied().unwrap_or(Side::Above(self.prefer_from));
        let (above, below) = match first {
            Side::Above(from) => (from..u64::MAX, 0..self.prefer_from),
            Side::Below(from) => (u64::MAX..u64::MAX, from..self.prefer_from),
        };
        let fit = |(start, end): (&u64, &u64)| {
            let range = Range { start: start.checked_next_multiple_of(alignment)?, end: *end };
            (range.start.checked_add(bytes)? <= range.end).then_some(range.start)
        };
        let above = self.gaps.range(above).find_map(fit).map(Side::Above);
        let place = above.or_else(|| self.gaps.range(below).find_map(fit).map(Side::Below));
        self.first.insert((bytes, alignment), place.unwrap_or(Side::Below(self.prefer_from)));
        let (Side::Above(start) | Side::Below(start)) = place?;
        self.remove(Range { start, end: start + bytes });
        Some(start)
    }

    /// The largest range; of several, the lowest.
    pub(crate) fn largest(&self) -> Option<Range> {
        let gaps = self.gaps.iter().map(|(start, end)| Range { start: *start, end: *end });
        gaps.max_by_key(|gap| (gap.end - gap.start, Reverse(gap.start)))
    }
}
