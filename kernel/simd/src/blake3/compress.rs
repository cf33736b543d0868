//! Compression of one block, in plain code.

use super::{BLOCK_BYTES, ChainingValue, IV, PARENT};

const ROUNDS: usize = 7;

/// A block before its compression, which must wait until it is known whether the block is the root.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) chaining: ChainingValue,
    pub(super) block: [u32; 16],
    pub(super) counter: u64,
    pub(super) bytes: u32,
    pub(super) flags: u32,
}

impl Output {
    /// The parent of two children.
    pub(super) fn of_parent(left: &ChainingValue, right: &ChainingValue) -> Self {
        let mut block = [0; 16];
        let (children, _) = block.as_chunks_mut::<8>();
        for (place, child) in children.iter_mut().zip([left, right]) {
            *place = *child;
        }
        Self { chaining: IV, block, counter: 0, bytes: BLOCK_BYTES as u32, flags: PARENT }
    }

    /// The resulting chaining value.
    pub(super) fn value(&self) -> ChainingValue {
        self.value_with(0)
    }

    /// The same with additional flags.
    pub(super) fn value_with(&self, flags: u32) -> ChainingValue {
        let [c0, c1, c2, c3, c4, c5, c6, c7] = self.chaining;
        let [i0, i1, i2, i3, ..] = IV;
        let (low, high) = (self.counter as u32, (self.counter >> 32) as u32);
        let flags = self.flags | flags;
        let mut state = [c0, c1, c2, c3, c4, c5, c6, c7, i0, i1, i2, i3, low, high, self.bytes, flags];
        let mut block = self.block;
        for _ in 0..ROUNDS {
            round(&mut state, &block);
            block = reordered(block);
        }
        core::array::from_fn(|index| state[index] ^ state[index + 8])
    }
}

/// The words of a block.
pub(super) fn words(bytes: &[u8; BLOCK_BYTES]) -> [u32; 16] {
    let (words, _) = bytes.as_chunks::<4>();
    core::array::from_fn(|index| words.get(index).map_or(0, |word| u32::from_le_bytes(*word)))
}

fn round(state: &mut [u32; 16], block: &[u32; 16]) {
    mix(state, [0, 4, 8, 12], block[0], block[1]);
    mix(state, [1, 5, 9, 13], block[2], block[3]);
    mix(state, [2, 6, 10, 14], block[4], block[5]);
    mix(state, [3, 7, 11, 15], block[6], block[7]);
    mix(state, [0, 5, 10, 15], block[8], block[9]);
    mix(state, [1, 6, 11, 12], block[10], block[11]);
    mix(state, [2, 7, 8, 13], block[12], block[13]);
    mix(state, [3, 4, 9, 14], block[14], block[15]);
}

/// The words of a block in the order of the next round.
#[inline(always)]
fn reordered([w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15]: [u32; 16]) -> [u32; 16] {
    [w2, w6, w3, w10, w7, w0, w4, w13, w1, w11, w12, w5, w9, w14, w15, w8]
}

#[inline(always)]
fn mix(state: &mut [u32; 16], places: [usize; 4], first: u32, second: u32) {
    mix_half(state, places, first, [16, 12]);
    mix_half(state, places, second, [8, 7]);
}

#[inline(always)]
fn mix_half(state: &mut [u32; 16], [a, b, c, d]: [usize; 4], word: u32, [d_by, b_by]: [u32; 2]) {
    state[a] = state[a].wrapping_add(state[b]).wrapping_add(word);
    state[d] = (state[d] ^ state[a]).rotate_right(d_by);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_right(b_by);
}
