//! Clears, compares and xors memory.
//!
//! The compiler cannot remove a clear of memory that is never read again: it is a call of assembly, or plain code with
//! a barrier.

#[expect(unsafe_code, reason = "reads bytes as words")]
pub mod plain;

use crate::arch::{self, footprint};
use crate::vectors::Vectors;

/// Sets all bytes to zero; the compiler cannot remove it.
pub fn wipe(_: impl Vectors<footprint::Memory>, memory: &mut [u8]) {
    arch::clear(memory);
}

/// The offset of the first byte that differs, within the shorter slice. `None` if there is none. The earlier the
/// difference, the less time it takes.
#[must_use]
pub fn first_difference(_: impl Vectors<footprint::Memory>, one: &[u8], other: &[u8]) -> Option<usize> {
    let equal = arch::first_difference(one, other);
    (equal < one.len().min(other.len())).then_some(equal)
}

/// Whether both have the same bytes. The earlier they differ, the less time it takes.
#[must_use]
pub fn is_equal(vectors: impl Vectors<footprint::Memory>, one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && first_difference(vectors, one, other).is_none()
}

/// Xors each byte of `from` into `to`: the parity of blocks, or a keystream on a message. Excess bytes of the longer
/// slice do not change.
pub fn xor(_: impl Vectors<footprint::Memory>, to: &mut [u8], from: &[u8]) {
    arch::xor(to, from);
}
