//! Clear, compare and xor: compared with plain code at every alignment and length.

use limen_simd::memory::{self, plain};
use limen_simd::vectors::CallingConvention;
use proptest::prelude::*;

const VECTORS: CallingConvention = CallingConvention;
/// Bytes around the memory, which must not change.
const MARGIN: usize = 40;
const LONGEST: usize = 300;

fn contents(seed: u8) -> Vec<u8> {
    (0..MARGIN * 2 + LONGEST).map(|index| (index as u8).wrapping_mul(7) | 1 ^ seed).collect()
}

/// Every start modulo 16 and every length.
fn places() -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..16).flat_map(|skip| (0..LONGEST - 16).map(move |length| MARGIN + skip..MARGIN + skip + length))
}

#[test]
fn only_the_given_memory_is_wiped() {
    let before = contents(0x80);
    for place in places() {
        let mut memory = before.clone();
        memory::wipe(VECTORS, &mut memory[place.clone()]);
        assert!(memory[place.clone()].iter().all(|byte| *byte == 0), "{place:?}");
        assert_eq!(memory[..place.start], before[..place.start], "{place:?}");
        assert_eq!(memory[place.end..], before[place.end..], "{place:?}");
        plain::clear(&mut memory[place.clone()]);
        assert!(memory[place].iter().all(|byte| *byte == 0));
    }
}

#[test]
fn xor_changes_only_the_first_operand() {
    let (before, other) = (contents(0x80), contents(0x11));
    for place in places() {
        let from = &other[place.start / 2..][..place.len()];
        let mut expected = before.clone();
        plain::xor(&mut expected[place.clone()], from);
        assert!(
            expected[place.clone()]
                .iter()
                .zip(&before[place.clone()])
                .zip(from)
                .all(|((to, was), by)| *to == was ^ by)
        );
        let mut memory = before.clone();
        memory::xor(VECTORS, &mut memory[place.clone()], from);
        assert_eq!(memory, expected, "{place:?}");
    }
}

/// Without assembly, so that Miri judges the accesses of bytes as words.
#[test]
fn plain_code_does_the_same_byte_by_byte() {
    let (memory, other) = (contents(0x80), contents(0x11));
    for (skip, length) in (0..8).flat_map(|skip| [0, 5, 8, 23, 40].map(|length| (skip, length))) {
        for from in [skip, skip + 1] {
            let (to, from) = (&memory[skip..skip + length], &other[from..from + length]);
            let mut mixed = to.to_vec();
            plain::xor(&mut mixed, from);
            assert!(mixed.iter().zip(to.iter().zip(from)).all(|(mixed, (to, by))| *mixed == to ^ by));
            let mut changed = to.to_vec();
            changed.last_mut().into_iter().for_each(|byte| *byte ^= 1);
            assert_eq!(plain::first_difference(to, &changed), length.saturating_sub(1));
            plain::clear(&mut mixed);
            assert!(mixed.iter().all(|byte| *byte == 0));
        }
    }
}

#[test]
fn equal_memory_has_no_difference() {
    let memory = contents(0);
    for place in places() {
        let copy = memory[place.clone()].to_vec();
        assert_eq!(memory::first_difference(VECTORS, &memory[place.clone()], &copy), None, "{place:?}");
        assert!(memory::is_equal(VECTORS, &memory[place.clone()], &copy));
        assert!(!memory::is_equal(VECTORS, &memory[place.start..place.end + 1], &copy));
        assert_eq!(plain::first_difference(&memory[place], &copy), copy.len());
    }
}

proptest! {
    #[test]
    fn the_first_of_all_differences_is_found(
        start in 0..16_usize,
        bytes in prop::collection::vec(any::<u8>(), 1..400),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..4),
    ) {
        let mut other = vec![0; start];
        other.extend(&bytes);
        for (place, by) in &changes {
            other[start + place.index(bytes.len())] ^= by;
        }
        let other = &other[start..];
        let expected = bytes.iter().zip(other).position(|(one, other)| one != other);
        prop_assert_eq!(memory::first_difference(VECTORS, &bytes, other), expected);
        prop_assert_eq!(plain::first_difference(&bytes, other), expected.unwrap_or(bytes.len()));
        prop_assert_eq!(memory::is_equal(VECTORS, &bytes, other), expected.is_none());
    }
}
