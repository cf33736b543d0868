//! Ranges of RAM that nobody uses.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use limen_image::Range;

use crate::board::Board;

/// RAM that has no use yet.
#[derive(Clone, Debug)]
pub(crate) struct FreeMemory {
    /// The end of each range by its start; they are disjoint.
    gaps: BTreeMap<u64, u64>,
    /// Memory after this address is taken first.
    prefer_from: u64,
    /// For each size and alignment that was asked for, where the first range may be that is large enough: memory is only
    /// taken, so nothing before fits later.
    first: HashMap<(u64, u64), Side>,
}

/// A part of memory in the order in which it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// What is preferred, from this address on.
    Above(u64),
    /// The rest, from this address on.
    Below(u64),
}

impl FreeMemory {
    /// All RAM but what is taken or kept for fixed addresses.
    pub(crate) fn new(board: &Board, reserved: Range) -> Self {
        let gaps = board.ram_ranges().into_iter().map(|ram| (ram.start, ram.end)).collect();
        let mut free = Self { gaps, prefer_from: reserved.end, first: HashMap::new() };
        free.remove(reserved);
        if let Some(pinned) = board.pinned {
            free.remove(Range { start: pinned.start, end: pinned.end });
        }
        free
    }

    /// Takes away a range, or the part of it that is free.
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

    /// Takes the first range of this size and alignment.
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

    /// The largest range; of equal ones the lowest.
    pub(crate) fn largest(&self) -> Option<Range> {
        let gaps = self.gaps.iter().map(|(start, end)| Range { start: *start, end: *end });
        gaps.max_by_key(|gap| (gap.end - gap.start, Reverse(gap.start)))
    }
}
