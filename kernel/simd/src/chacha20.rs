//! ChaCha20: one block of a keystream, for interrupt handlers that encrypt a packet or draw a random number.
//!
//! Source: RFC 8439, section 2.3.

use crate::arch::{self, footprint};
use crate::vectors::Vectors;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 64;
/// Words 0 to 3 of a state.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
/// The number of double rounds.
pub(crate) const DOUBLE_ROUNDS: usize = 10;

/// The input of a block.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct State([u32; 16]);

impl State {
    /// The input of block `counter` of the stream of key and nonce.
    #[must_use]
    pub const fn new(key: &[u32; 8], counter: u32, nonce: &[u32; 3]) -> Self {
        let [c0, c1, c2, c3] = CONSTANTS;
        let [k0, k1, k2, k3, k4, k5, k6, k7] = *key;
        let [n0, n1, n2] = *nonce;
        Self([c0, c1, c2, c3, k0, k1, k2, k3, k4, k5, k6, k7, counter, n0, n1, n2])
    }
}

/// Computes a block of the keystream.
#[must_use]
pub fn block(_: impl Vectors<footprint::Chacha20>, state: &State) -> [u8; BLOCK_BYTES] {
    arch::block(state)
}

/// The same without vector registers.
#[must_use]
pub fn plain(state: &State) -> [u8; BLOCK_BYTES] {
    let mut words = state.0;
    for _ in 0..DOUBLE_ROUNDS {
        quarter_round(&mut words, [0, 4, 8, 12]);
        quarter_round(&mut words, [1, 5, 9, 13]);
        quarter_round(&mut words, [2, 6, 10, 14]);
        quarter_round(&mut words, [3, 7, 11, 15]);
        quarter_round(&mut words, [0, 5, 10, 15]);
        quarter_round(&mut words, [1, 6, 11, 12]);
        quarter_round(&mut words, [2, 7, 8, 13]);
        quarter_round(&mut words, [3, 4, 9, 14]);
    }
    let mut block = [0; BLOCK_BYTES];
    let (places, _) = block.as_chunks_mut::<4>();
    for (place, (word, initial)) in places.iter_mut().zip(words.iter().zip(&state.0)) {
        *place = word.wrapping_add(*initial).to_le_bytes();
    }
    block
}

#[inline(always)]
fn quarter_round(words: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
    add_and_turn(words, [a, b, d], 16);
    add_and_turn(words, [c, d, b], 12);
    add_and_turn(words, [a, b, d], 8);
    add_and_turn(words, [c, d, b], 7);
}

#[inline(always)]
fn add_and_turn(words: &mut [u32; 16], [sum, by, turned]: [usize; 3], distance: u32) {
    words[sum] = words[sum].wrapping_add(words[by]);
    words[turned] = (words[turned] ^ words[sum]).rotate_left(distance);
}
