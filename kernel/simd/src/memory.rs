//! Memory: clear it, compare it, exclusive or.
//!
//! Clearing is not left out by a compiler that sees nobody read the memory again: it calls assembly, or in plain code
//! passes a barrier.

#[expect(unsafe_code, reason = "reads bytes as words")]
pub mod plain;

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
