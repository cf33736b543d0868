//! Disjoint ranges of numbers, each with a value.

use std::collections::BTreeMap;

/// A set of disjoint ranges.
pub(super) struct Ranges<T>(BTreeMap<u64, (u64, T)>);

impl<T> Default for Ranges<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Copy> Ranges<T> {
    /// Adds the range from `start` to before `end`, which must not be empty.
    ///
    /// # Errors
    /// The value of a range that overlaps; the new range is not added. If several overlap, the last one's.
    pub(super) fn insert(&mut self, (start, end): (u64, u64), value: T) -> Result<(), T> {
        let below = self.0.range(..end).next_back().filter(|(_, (other_end, _))| start < *other_end);
        if let Some((_, (_, other))) = below {
            return Err(*other);
        }
        self.0.insert(start, (end, value));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_range_is_refused_if_it_overlaps_another(
            ranges in prop::collection::vec((0..40u64, 1..9u64), 0..30)
        ) {
            let (mut ranges_by_start, mut accepted) = (Ranges::default(), Vec::<(u64, u64)>::new());
            for (start, bytes) in ranges {
                let range = (start, start + bytes);
                let overlaps = |other: &(u64, u64)| range.0 < other.1 && other.0 < range.1;
                match ranges_by_start.insert(range, range) {
                    Ok(()) => {
                        prop_assert!(!accepted.iter().any(overlaps));
                        accepted.push(range);
                    }
                    Err(other) => prop_assert!(overlaps(&other) && accepted.contains(&other)),
                }
            }
        }
    }
}
