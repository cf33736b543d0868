//! The cipher ChaCha20-Poly1305.
//!
//! Several blocks of the keystream take not much longer than one, so the cipher computes as many for two, and keeps those
//! left.
//!
//! Source: RFC 8439, section 2.8.

use crate::chacha20::{self, LANES, State, Way};
use crate::memory;
use crate::poly1305::{self, Poly1305};
use crate::seal::{BLOCK_BYTES, Cipher, NONCE_BYTES, TAGGED_BYTES, Tag};

/// Bytes of a key.
pub const KEY_BYTES: usize = chacha20::KEY_BYTES;

/// The state of the cipher for one text of less than 256 GiB.
pub struct ChaCha20Poly1305<W> {
    way: W,
    state: State,
    keystream: Keystream,
    tag: Poly1305,
}

/// Blocks of the keystream before the state's.
struct Keystream {
    blocks: [[u8; chacha20::BLOCK_BYTES]; LANES],
    /// The next one; [`LANES`] if none is left.
    next: usize,
}

impl<W: Way> ChaCha20Poly1305<W> {
    /// The state before any text. The first block of the keystream is the authenticator's key.
    #[must_use]
    pub fn new(way: W, key: &[u8; KEY_BYTES], nonce: &[u8; NONCE_BYTES]) -> Self {
        let keystream = Keystream { blocks: [[0; chacha20::BLOCK_BYTES]; LANES], next: LANES };
        let tag = Poly1305::new(&[0; poly1305::KEY_BYTES]);
        let mut cipher = Self { way, state: State::new(key, 0, nonce), keystream, tag };
        cipher.compute(1);
        let (keys, _) = cipher.keystream.take().as_chunks();
        cipher.tag = Poly1305::new(&keys[0]);
        cipher
    }

    /// Computes at least `blocks` of the keystream, which are fewer than the way computes at once, or one.
    fn compute(&mut self, blocks: usize) {
        let blocks = if blocks == 1 { 1 } else { self.way.at_once() };
        let computed = self.keystream.renew(LANES - blocks);
        self.way.xor(&mut self.state, computed);
    }
}

impl Keystream {
    /// The places from this one, filled with zeros. They are the next blocks.
    fn renew(&mut self, first: usize) -> &mut [[u8; chacha20::BLOCK_BYTES]] {
        self.next = first;
        let places = self.blocks.get_mut(first..).unwrap_or_default();
        places.fill([0; chacha20::BLOCK_BYTES]);
        places
    }

    /// The next block. There is one.
    fn take(&mut self) -> &[u8; chacha20::BLOCK_BYTES] {
        let next = self.next;
        self.next += 1;
        &self.blocks[next % LANES]
    }
}

impl<W: Way> Cipher for ChaCha20Poly1305<W> {
    fn encrypt(&mut self, blocks: &mut [[u8; BLOCK_BYTES]]) {
        let left = (LANES - self.keystream.next).min(blocks.len());
        let (first, rest) = blocks.split_at_mut(left);
        let at_once = self.way.at_once();
        let (whole, last) = rest.split_at_mut(rest.len() / at_once * at_once);
        first.iter_mut().for_each(|block| memory::plain::xor(block, self.keystream.take()));
        self.way.xor(&mut self.state, whole);
        if !last.is_empty() {
            self.compute(last.len());
            last.iter_mut().for_each(|block| memory::plain::xor(block, self.keystream.take()));
        }
    }

    fn authenticate(&mut self, blocks: &[[u8; TAGGED_BYTES]]) {
        self.tag.update(blocks);
    }

    fn tag(&mut self, additional_bytes: u64, text_bytes: u64) -> Tag {
        let lengths = u128::from(text_bytes) << 64 | u128::from(additional_bytes);
        self.tag.update(&[lengths.to_le_bytes()]);
        self.tag.tag()
    }

    fn wipe(&mut self) {
        self.state.wipe();
        self.tag.wipe();
        memory::plain::overwrite(&mut self.keystream.blocks, [[0; chacha20::BLOCK_BYTES]; LANES]);
    }
}
