//! The cipher ChaCha20-Poly1305.
//!
//! Source: RFC 8439, section 2.8.

use core::hint::black_box;

use crate::chacha20::{self, State, Way};
use crate::poly1305::{self, Poly1305};
use crate::seal::{BLOCK_BYTES, Cipher, NONCE_BYTES, TAGGED_BYTES, Tag};

/// Bytes of a key.
pub const KEY_BYTES: usize = chacha20::KEY_BYTES;

/// The state of the cipher for one text of less than 256 GiB.
pub struct ChaCha20Poly1305<W> {
    way: W,
    state: State,
    tag: Poly1305,
}

impl<W: Way> ChaCha20Poly1305<W> {
    /// The state before any text. The first block of the keystream is the authenticator's key.
    #[must_use]
    pub fn new(mut way: W, key: &[u8; KEY_BYTES], nonce: &[u8; NONCE_BYTES]) -> Self {
        let mut state = State::new(key, 0, nonce);
        let mut first = [[0; chacha20::BLOCK_BYTES]];
        way.xor(&mut state, &mut first);
        let (keys, _) = first.as_flattened().as_chunks::<{ poly1305::KEY_BYTES }>();
        let tag = Poly1305::new(&keys[0]);
        *black_box(&mut first) = [[0; chacha20::BLOCK_BYTES]];
        Self { way, state, tag }
    }
}

impl<W: Way> Cipher for ChaCha20Poly1305<W> {
    fn encrypt(&mut self, blocks: &mut [[u8; BLOCK_BYTES]]) {
        self.way.xor(&mut self.state, blocks);
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
    }
}
