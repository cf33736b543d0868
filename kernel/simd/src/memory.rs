//! Memory: clear it, compare it, exclusive or.
//!
//! Clearing is not left out by a compiler that sees nobody read the memory again: it calls assembly, or in plain code
//! passes a barrier.

use crate::arch::{self, footprint};
use crate::vectors::Vectors;

/// Sets all bytes to zero, for good.
pub fn wipe(_: impl Vectors<footprint::Memory>, memory: &mut [u8]) {
    arch::clear(memory);
}

/// The offset of the first byte that is not the same, within the shorter of both; nothing if there is none. Takes the
/// less time the earlier it is.
#[must_use]
pub fn first_difference(_: impl Vectors<footprint::Memory>, one: &[u8], other: &[u8]) -> Option<usize> {
    let equal = arch::first_difference(one, other);
    (equal < one.len().min(other.len())).then_some(equal)
}

/// Whether both have the same bytes. Takes the less time the earlier they differ.
#[must_use]
pub fn is_equal(vectors: impl Vectors<footprint::Memory>, one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && first_difference(vectors, one, other).is_none()
}

/// Changes each byte of `to` by the one of `from`: parity of blocks, or a keystream put on a message. What the longer one
/// has more stays as it is.
pub fn xor(_: impl Vectors<footprint::Memory>, to: &mut [u8], from: &[u8]) {
    arch::xor(to, from);
}

/// The same without vector registers.
pub mod plain {
    use core::hint::black_box;

    /// Sets all bytes to zero, for good.
    pub fn clear(memory: &mut [u8]) {
        memory.fill(0);
        black_box(memory);
    }

    /// How many bytes at the beginning are equal.
    #[must_use]
    pub fn first_difference(one: &[u8], other: &[u8]) -> usize {
        const WORD: usize = size_of::<u64>();
        let (words, _) = one.as_chunks::<WORD>();
        let (others, _) = other.as_chunks::<WORD>();
        let word = words.iter().zip(others).take_while(|(one, other)| one == other).count();
        let rest = |bytes: &[u8]| bytes.get(word * WORD..).unwrap_or_default().len();
        let tail = one.iter().zip(other).skip(word * WORD).take_while(|(one, other)| one == other).count();
        word * WORD + tail.min(rest(one))
    }

    /// Exclusive or to the first.
    pub fn xor(to: &mut [u8], from: &[u8]) {
        const WORD: usize = size_of::<u64>();
        let (words, tail) = to.as_chunks_mut::<WORD>();
        let (others, rest) = from.as_chunks::<WORD>();
        for (word, other) in words.iter_mut().zip(others) {
            *word = (u64::from_le_bytes(*word) ^ u64::from_le_bytes(*other)).to_le_bytes();
        }
        for (byte, other) in tail.iter_mut().zip(rest) {
            *byte ^= other;
        }
    }
}
