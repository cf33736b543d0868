//! ChaCha20: the keystream of [`chacha20poly1305`](crate::chacha20poly1305), and single blocks of it for interrupt
//! handlers that draw a random number.
//!
//! Source: RFC 8439, section 2.3.

use crate::arch::{self, footprint};
use crate::memory;
use crate::vectors::Vectors;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 64;
/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 12;
/// Words 0 to 3 of a state.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
/// The word of a state that counts blocks.
const COUNTER: usize = 12;
/// Most blocks that a way computes at once.
pub const LANES: usize = 4;
/// The number of double rounds.
pub(crate) const DOUBLE_ROUNDS: usize = 10;

/// The input of a block.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct State([u32; 16]);

impl State {
    /// The input of block `counter` of the stream of key and nonce.
    #[must_use]
    pub fn new(key: &[u8; KEY_BYTES], counter: u32, nonce: &[u8; NONCE_BYTES]) -> Self {
        let mut words = [0; 16];
        let fill = |(word, bytes): (&mut u32, &[u8; 4])| *word = u32::from_le_bytes(*bytes);
        words[..4].copy_from_slice(&CONSTANTS);
        words[4..COUNTER].iter_mut().zip(key.as_chunks().0).for_each(fill);
        words[COUNTER] = counter;
        words[COUNTER + 1..].iter_mut().zip(nonce.as_chunks().0).for_each(fill);
        Self(words)
    }

    /// Continues with the block after the next `blocks`. The counter has 32 bits, and wraps around.
    pub(crate) fn skip(&mut self, blocks: usize) {
        self.0[COUNTER] = self.0[COUNTER].wrapping_add(blocks as u32);
    }

    /// Overwrites the key.
    pub(crate) fn wipe(&mut self) {
        memory::plain::overwrite(&mut self.0, [0; 16]);
    }
}

/// An implementation of the keystream.
pub trait Way {
    /// Blocks that take not much longer together than one of them.
    fn at_once(&self) -> usize;

    /// Xors the next blocks of the keystream into these, and moves the state past them.
    fn xor(&mut self, state: &mut State, blocks: &mut [[u8; BLOCK_BYTES]]);
}

/// Uses vector registers, if the processor's base set has them.
#[derive(Clone, Copy, Debug)]
pub struct Vector<V>(pub V);

impl<V: Vectors<footprint::Chacha20>> Way for Vector<V> {
    fn at_once(&self) -> usize {
        arch::blocks_at_once()
    }

    fn xor(&mut self, state: &mut State, blocks: &mut [[u8; BLOCK_BYTES]]) {
        let (fours, rest) = blocks.as_chunks_mut();
        arch::xor_fours(state, fours);
        state.skip(4 * fours.len());
        xor_with(arch::block, arch::xor, state, rest);
    }
}

/// Uses plain code.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Way for Plain {
    fn at_once(&self) -> usize {
        1
    }

    fn xor(&mut self, state: &mut State, blocks: &mut [[u8; BLOCK_BYTES]]) {
        xor_with(plain, memory::plain::xor, state, blocks);
    }
}

/// Xors blocks of the keystream one by one, and moves the state past them.
pub(crate) fn xor_with(
    block_of: impl Fn(&State) -> [u8; BLOCK_BYTES],
    xor: impl Fn(&mut [u8], &[u8]),
    state: &mut State,
    blocks: &mut [[u8; BLOCK_BYTES]],
) {
    for block in blocks {
        xor(block, &block_of(state));
        state.skip(1);
    }
}

/// Computes a block of the keystream.
#[must_use]
pub fn block(_: impl Vectors<footprint::Chacha20Block>, state: &State) -> [u8; BLOCK_BYTES] {
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
