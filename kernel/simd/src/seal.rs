//! Authenticated encryption: a [`Cipher`] encrypts a text in place and computes a tag of it and of additional data.
//!
//! ```
//! use limen_simd::chacha20poly1305::ChaCha20Poly1305;
//! use limen_simd::chacha20::Plain;
//! use limen_simd::seal::Sealer;
//! let (key, nonce, mut text) = ([1; 32], [2; 12], *b"a text in two parts");
//! let mut sealer = Sealer::new(ChaCha20Poly1305::new(Plain, &key, &nonce), b"additional data");
//! let (first, second) = text.split_at_mut(6);
//! sealer.update(first);
//! sealer.update(second);
//! let tag = sealer.finish();
//! ```
//!
//! A key and nonce must not be used for two texts: a program that knows one of the texts could read the other, and forge
//! tags.
//!
//! The text may come in parts of any length: the memory of a program is reached page by page. A sealer keeps what is
//! left of a block between two parts, and overwrites it and the key at its end. No branch and no address depends on the key
//! or the text, only on lengths.

use crate::memory::plain::overwrite;

/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 12;
/// Bytes of a tag.
pub const TAG_BYTES: usize = 16;
/// Bytes of the unit of encryption.
pub const BLOCK_BYTES: usize = 64;
/// Bytes of the unit of authentication.
pub const TAGGED_BYTES: usize = 16;

/// Shows that a text was sealed with the key, and has not changed since.
pub type Tag = [u8; TAG_BYTES];

/// The state of a cipher for one text. Encryption and authentication do not depend on each other.
pub trait Cipher {
    /// Encrypts the next blocks of the text, or decrypts them.
    fn encrypt(&mut self, blocks: &mut [[u8; BLOCK_BYTES]]);

    /// Adds to the tag.
    fn authenticate(&mut self, blocks: &[[u8; TAGGED_BYTES]]);

    /// Ends the tag with the lengths of additional data and text.
    fn tag(&mut self, additional_bytes: u64, text_bytes: u64) -> Tag;

    /// Overwrites the key.
    fn wipe(&mut self);
}

/// Seals a text.
pub struct Sealer<C: Cipher> {
    cipher: C,
    additional_bytes: u64,
    text_bytes: u64,
    /// The encrypted beginning of a block, then zeros.
    block: [u8; BLOCK_BYTES],
    /// The keystream for all of this block.
    keystream: [u8; BLOCK_BYTES],
}

impl<C: Cipher> Sealer<C> {
    /// Starts with additional data, which are authenticated and not encrypted.
    #[must_use]
    pub fn new(mut cipher: C, additional: &[u8]) -> Self {
        authenticate_padded(&mut cipher, additional);
        Self {
            cipher,
            additional_bytes: additional.len() as u64,
            text_bytes: 0,
            block: [0; BLOCK_BYTES],
            keystream: [0; BLOCK_BYTES],
        }
    }

    /// Encrypts the next part of the text.
    pub fn update(&mut self, text: &mut [u8]) {
        let begun = self.begun();
        let missing = if begun == 0 { 0 } else { BLOCK_BYTES - begun };
        self.text_bytes += text.len() as u64;
        let Some((first, rest)) = text.split_at_mut_checked(missing) else {
            return self.encrypt(begun, text);
        };
        if missing > 0 {
            self.encrypt(begun, first);
            self.cipher.authenticate(self.block.as_chunks().0);
        }
        let (blocks, rest) = rest.as_chunks_mut();
        self.cipher.encrypt(blocks);
        self.cipher.authenticate(blocks.as_flattened().as_chunks().0);
        if !rest.is_empty() {
            self.keystream = [0; BLOCK_BYTES];
            self.cipher.encrypt(core::slice::from_mut(&mut self.keystream));
            self.block = [0; BLOCK_BYTES];
            self.encrypt(0, rest);
        }
    }

    /// The tag of the additional data and the text. Nothing can follow it. It does not take the sealer by value, because
    /// a moved key would leave a copy behind.
    #[must_use]
    pub fn finish(&mut self) -> Tag {
        let begun = self.begun();
        authenticate_padded(&mut self.cipher, &self.block[..begun]);
        self.cipher.tag(self.additional_bytes, self.text_bytes)
    }

    /// Bytes of the text in the last block, if it is not full.
    fn begun(&self) -> usize {
        self.text_bytes as usize % BLOCK_BYTES
    }

    /// Encrypts bytes of the block, from this one.
    fn encrypt(&mut self, begun: usize, text: &mut [u8]) {
        let places = self.block.iter_mut().zip(&self.keystream).skip(begun);
        for (byte, (place, by)) in text.iter_mut().zip(places) {
            *byte ^= by;
            *place = *byte;
        }
    }
}

impl<C: Cipher> Drop for Sealer<C> {
    fn drop(&mut self) {
        self.cipher.wipe();
        overwrite(&mut self.keystream, [0; BLOCK_BYTES]);
    }
}

/// Adds bytes to a tag, with zeros up to a whole block.
fn authenticate_padded(cipher: &mut impl Cipher, bytes: &[u8]) {
    let (blocks, rest) = bytes.as_chunks();
    cipher.authenticate(blocks);
    if !rest.is_empty() {
        let mut last = [0; TAGGED_BYTES];
        last[..rest.len()].copy_from_slice(rest);
        cipher.authenticate(&[last]);
    }
}

/// Decrypts a text that has this tag, and returns whether it has. Otherwise it stays as it is. The time does not depend
/// on where the tags differ.
#[cfg(not(target_os = "none"))]
#[must_use]
pub fn open(mut cipher: impl Cipher, additional: &[u8], text: &mut [u8], tag: &Tag) -> bool {
    authenticate_padded(&mut cipher, additional);
    authenticate_padded(&mut cipher, text);
    let expected = cipher.tag(additional.len() as u64, text.len() as u64);
    let difference = expected.iter().zip(tag).fold(0, |difference, (one, other)| difference | one ^ other);
    let is_equal = core::hint::black_box(difference) == 0;
    if is_equal {
        let (blocks, rest) = text.as_chunks_mut();
        cipher.encrypt(blocks);
        let mut block = [0; BLOCK_BYTES];
        block[..rest.len()].copy_from_slice(rest);
        cipher.encrypt(core::slice::from_mut(&mut block));
        rest.copy_from_slice(&block[..rest.len()]);
    }
    cipher.wipe();
    is_equal
}
