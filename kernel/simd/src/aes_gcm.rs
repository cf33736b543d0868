//! The cipher AES-GCM, with the processor's instructions for it. There is no plain version: without these instructions,
//! code whose time does not depend on the key is slow, and [`chacha20poly1305`](crate::chacha20poly1305) is faster.
//!
//! A hash multiplies polynomials modulo x^128 + x^7 + x^2 + x + 1, with the bits of each byte in the opposite order of
//! numbers. The routines read blocks as numbers in the order of bytes that makes the bits of the whole block opposite, and
//! use the mirrored polynomial: products are then of the form `a * b / x^128`, once the key is multiplied by x.
//!
//! Sources: FIPS 197; NIST SP 800-38D; RFC 8452, appendix A, for the mirrored polynomial.

use crate::arch::{self, footprint};
use crate::memory::plain::overwrite;
use crate::seal::{BLOCK_BYTES, Cipher, NONCE_BYTES, TAGGED_BYTES, Tag};
use crate::vectors::Vectors;

pub use crate::arch::AesInstructions as Instructions;

/// Most rounds, with keys of 32 bytes.
const ROUNDS: usize = 14;
/// Powers of the hash key.
const POWERS: usize = 4;
/// The mirrored polynomial, without x^128.
pub(crate) const MIRRORED: u128 = 0xc2 << 120 | 1;

/// A key.
#[derive(Clone, Copy)]
pub enum Key<'a> {
    /// AES-128.
    Short(&'a [u8; 16]),
    /// AES-256.
    Long(&'a [u8; 32]),
}

/// The keys of the rounds.
#[derive(Clone)]
#[repr(C, align(16))]
pub(crate) struct Schedule {
    pub(crate) keys: [[u32; 4]; ROUNDS + 1],
    pub(crate) rounds: usize,
}

/// Bytes of a block as a number, the first in the highest bits. Routines require its alignment.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Number(pub(crate) u128);

/// The state of the cipher for one text of less than 64 GiB.
pub struct AesGcm<V> {
    _registers: V,
    instructions: Instructions,
    schedule: Schedule,
    counter: Number,
    /// Powers of the hash key, the first to the fourth.
    powers: [Number; POWERS],
    hash: Number,
    /// The first block of the keystream, which encrypts the hash.
    pad: u128,
}

impl<V: Vectors<footprint::AesGcm>> AesGcm<V> {
    /// The state before any text.
    #[must_use]
    pub fn new(registers: V, instructions: Instructions, key: Key<'_>, nonce: &[u8; NONCE_BYTES]) -> Self {
        let mut first = [0; 16];
        first[..NONCE_BYTES].copy_from_slice(nonce);
        let mut cipher = Self {
            _registers: registers,
            instructions,
            schedule: Schedule { keys: [[0; 4]; ROUNDS + 1], rounds: 0 },
            counter: Number(0),
            powers: [Number(0); POWERS],
            hash: Number(0),
            pad: 0,
        };
        match key {
            Key::Short(key) => cipher.schedule.expand(instructions, key.as_chunks().0, 10),
            Key::Long(key) => cipher.schedule.expand(instructions, key.as_chunks().0, ROUNDS),
        }
        let hash_key = cipher.keystream();
        cipher.counter = Number(u128::from_be_bytes(first) | 1);
        cipher.pad = cipher.keystream();
        cipher.skip(1);
        cipher.powers[0] = Number(hash_key << 1 ^ MIRRORED & 0_u128.wrapping_sub(hash_key >> 127));
        for power in 1..POWERS {
            let mut product = cipher.powers[power - 1];
            arch::hash(instructions, &mut product, &cipher.powers, &[[0; TAGGED_BYTES]]);
            cipher.powers[power] = product;
        }
        cipher
    }

    /// The next block of the keystream. The counter does not move.
    fn keystream(&self) -> u128 {
        let mut block = [[0; BLOCK_BYTES]];
        arch::xor_counters(self.instructions, &self.schedule, &self.counter, &mut block);
        let (first, _) = block.as_flattened().as_chunks();
        u128::from_be_bytes(first[0])
    }

    /// Moves the counter, which has 32 bits.
    fn skip(&mut self, blocks: u32) {
        let Number(counter) = self.counter;
        let low = (counter as u32).wrapping_add(blocks);
        self.counter = Number(counter & !u128::from(u32::MAX) | u128::from(low));
    }
}

impl Schedule {
    /// Computes the keys of the rounds from the words of a key.
    ///
    /// Source: FIPS 197, section 5.2.
    #[inline(never)]
    fn expand(&mut self, instructions: Instructions, key: &[[u8; 4]], rounds: usize) {
        self.rounds = rounds;
        let words = self.keys.as_flattened_mut();
        words.iter_mut().zip(key).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
        // As many as there are keys, for a short key; fewer for a long one.
        let mut parts = words.chunks_mut(key.len().max(1)).take(rounds + 1);
        let mut before = parts.next().unwrap_or_default();
        let mut constant = 1;
        for part in parts {
            let last = before.last().copied().unwrap_or_default();
            let mut word = arch::substitute(instructions, last).rotate_right(8) ^ constant;
            constant = (constant << 1) ^ ((constant >> 7) * 0x11b);
            for (position, (place, before)) in part.iter_mut().zip(before).enumerate() {
                if position == 4 {
                    word = arch::substitute(instructions, word);
                }
                word ^= *before;
                *place = word;
            }
            before = part;
        }
    }
}

impl<V: Vectors<footprint::AesGcm>> Cipher for AesGcm<V> {
    fn encrypt(&mut self, blocks: &mut [[u8; BLOCK_BYTES]]) {
        arch::xor_counters(self.instructions, &self.schedule, &self.counter, blocks);
        self.skip((blocks.len() * (BLOCK_BYTES / 16)) as u32);
    }

    fn authenticate(&mut self, blocks: &[[u8; TAGGED_BYTES]]) {
        arch::hash(self.instructions, &mut self.hash, &self.powers, blocks);
    }

    fn tag(&mut self, additional_bytes: u64, text_bytes: u64) -> Tag {
        let lengths = u128::from(additional_bytes * 8) << 64 | u128::from(text_bytes * 8);
        self.authenticate(&[lengths.to_be_bytes()]);
        (self.hash.0 ^ self.pad).to_be_bytes()
    }

    fn wipe(&mut self) {
        overwrite(&mut self.schedule.keys, [[0; 4]; ROUNDS + 1]);
        overwrite(&mut self.powers, [Number(0); POWERS]);
        overwrite(&mut self.pad, 0);
    }
}
