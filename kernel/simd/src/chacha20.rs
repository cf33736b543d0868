//! ChaCha20: one block of a keystream, as an interrupt handler needs it that encrypts a packet or draws a random number.
//!
//! Source: RFC 8439, section 2.3.

use crate::arch::{self, footprint};
use crate::vectors::Vectors;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 64;
/// Words 0 to 3 of a state.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
/// Rounds, two at a time.
pub(crate) const DOUBLE_ROUNDS: usize = 10;

/// What a block is computed from.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct State([u32; 16]);

impl State {
    /// The block with this number of the stream of key and nonce.
    #[must_use]
    pub const fn new(key: &[u32; 8], counter: u32, nonce: &[u32; 3]) -> Self {
        let [c0, c1, c2, c3] = CONSTANTS;
        let [k0, k1, k2, k3, k4, k5, k6, k7] = *key;
        let [n0, n1, n2] = *nonce;
        Self([c0, c1, c2, c3, k0, k1, k2, k3, k4, k5, k6, k7, counter, n0, n1, n2])
    }
}

/// A block of the keystream.
#[must_use]
pub fn block(_: impl Vectors<footprint::Chacha20>, state: &State) -> [u8; BLOCK_BYTES] {
    arch::block(state)
}

/// The same without vector registers.
#[must_use]
pub fn plain(state: &State) -> [u8; BLOCK_BYTES] {
    let mut words = state.0;
    for _ in 0..DOUBLE_ROUNDS {
        for column in 0..4 {
            quarter_round(&mut words, [column, column + 4, column + 8, column + 12]);
        }
        for column in 0..4 {
            let diagonal = [column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12];
            quarter_round(&mut words, diagonal);
        }
    }
    let mut block = [0; BLOCK_BYTES];
    let (places, _) = block.as_chunks_mut::<4>();
    for (place, (word, initial)) in places.iter_mut().zip(words.iter().zip(&state.0)) {
        *place = word.wrapping_add(*initial).to_le_bytes();
    }
    block
}

fn quarter_round(words: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
    for (a, b, c, d, distance) in [(a, b, a, d, 16), (c, d, c, b, 12), (a, b, a, d, 8), (c, d, c, b, 7)] {
        words[a] = words[a].wrapping_add(words[b]);
        words[d] = (words[d] ^ words[c]).rotate_left(distance);
    }
}
