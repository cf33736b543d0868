//! Poly1305: a one-time authenticator. It evaluates a polynomial over the blocks of a message, modulo 2^130 - 5.
//!
//! Multiplications of 64-bit words are as fast as those in vector registers, so there is one version, in plain code. No
//! branch and no address depends on the key or the message.
//!
//! Source: RFC 8439, section 2.5.

use core::hint::black_box;

use crate::memory::plain::{as_words, overwrite};

/// Bytes of a key, which must not be used for two messages.
pub const KEY_BYTES: usize = 32;
/// Bytes of a block.
pub const BLOCK_BYTES: usize = 16;
/// Bytes of a tag.
pub const TAG_BYTES: usize = 16;

/// The bits of the first half of a key that count.
const CLAMP: [u64; 2] = [0x0fff_fffc_0fff_ffff, 0x0fff_fffc_0fff_fffc];

/// The state of a tag.
pub struct Poly1305 {
    /// The multiplier. It has at most 60 bits in each word, and the second is a multiple of four.
    multiplier: [u64; 2],
    /// Added to the sum at the end.
    pad: [u64; 2],
    /// The sum, below 2^131: reduced in part.
    sum: [u64; 3],
}

impl Poly1305 {
    /// The state before any block.
    #[must_use]
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        let (halves, _) = key.as_chunks::<BLOCK_BYTES>();
        let [multiplier, pad] = [halves[0], halves[1]].map(|half| words(&half));
        Self { multiplier: [multiplier[0] & CLAMP[0], multiplier[1] & CLAMP[1]], pad, sum: [0; 3] }
    }

    /// Adds whole blocks. Faster if they are aligned to eight bytes, because some processors load no others as words.
    pub fn update(&mut self, blocks: &[[u8; BLOCK_BYTES]]) {
        let (aligned, _) = as_words(blocks.as_flattened()).as_chunks();
        if aligned.len() == blocks.len() {
            self.add(aligned.iter().map(|block| block.map(u64::from_le)), 1);
        } else {
            self.add(blocks.iter().map(words), 1);
        }
    }

    /// Adds a last block of fewer bytes.
    pub fn update_last(&mut self, bytes: &[u8]) {
        let mut block = [0; BLOCK_BYTES];
        block.iter_mut().zip(bytes.iter().chain(&[1])).for_each(|(place, byte)| *place = *byte);
        self.add([words(&block)].into_iter(), 0);
    }

    /// Adds each block, with a word above it, to the sum, and multiplies the sum.
    #[inline(always)]
    fn add(&mut self, blocks: impl Iterator<Item = [u64; 2]>, top: u64) {
        let multiplier = self.multiplier;
        self.sum = blocks.fold(self.sum, |sum, block| multiplied(added(sum, block, top), multiplier));
    }

    /// The tag of all blocks so far.
    #[must_use]
    pub fn tag(&self) -> [u8; TAG_BYTES] {
        let [sum0, sum1, sum2] = self.sum;
        // If the sum plus 5 reaches 2^130, its lower 128 bits are those of the remainder.
        let (more0, carry) = sum0.overflowing_add(5);
        let (more1, carry) = sum1.overflowing_add(u64::from(carry));
        let is_more = black_box(0_u64.wrapping_sub((sum2 + u64::from(carry)) >> 2 & 1));
        let sum = [sum0 ^ (sum0 ^ more0) & is_more, sum1 ^ (sum1 ^ more1) & is_more];
        let (low, carry) = sum[0].overflowing_add(self.pad[0]);
        let high = sum[1].wrapping_add(self.pad[1]).wrapping_add(u64::from(carry));
        (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
    }

    /// Overwrites the key and the sum.
    pub(crate) fn wipe(&mut self) {
        overwrite(self, Self { multiplier: [0; 2], pad: [0; 2], sum: [0; 3] });
    }
}

#[inline(always)]
fn added([sum0, sum1, sum2]: [u64; 3], [low, high]: [u64; 2], top: u64) -> [u64; 3] {
    let (sum0, carry) = sum0.overflowing_add(low);
    let (sum1, carry) = sum1.carrying_add(high, carry);
    [sum0, sum1, sum2 + top + u64::from(carry)]
}

/// The product, reduced below 2^131. 2^130 is congruent to 5, so a quarter of the multiplier's second word times 2^130
/// is five quarters of it.
#[inline(always)]
fn multiplied([sum0, sum1, sum2]: [u64; 3], [low, high]: [u64; 2]) -> [u64; 3] {
    let folded = high + (high >> 2);
    let first = product(sum0, low) + product(sum1, folded);
    let second = product(sum0, high) + product(sum1, low) + u128::from(sum2 * folded) + (first >> 64);
    let third = sum2 * low + (second >> 64) as u64;
    let excess = (third & !3) + (third >> 2);
    let (sum0, carry) = (first as u64).overflowing_add(excess);
    let (sum1, carry) = (second as u64).overflowing_add(u64::from(carry));
    [sum0, sum1, (third & 3) + u64::from(carry)]
}

fn words(block: &[u8; BLOCK_BYTES]) -> [u64; 2] {
    let number = u128::from_le_bytes(*block);
    [number as u64, (number >> 64) as u64]
}

const fn product(one: u64, other: u64) -> u128 {
    one as u128 * other as u128
}
