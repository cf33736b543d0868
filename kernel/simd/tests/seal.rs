//! Sealed texts: compared with published ones, and with another implementation for every length, split and alignment.

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use limen_simd::chacha20::{Plain, Vector};
use limen_simd::chacha20poly1305::ChaCha20Poly1305;
use limen_simd::seal::{Cipher, NONCE_BYTES, Sealer, TAG_BYTES, Tag, open};
use limen_simd::vectors::CallingConvention;
use proptest::prelude::*;

/// Every length up to this is tested.
const LONGEST: usize = 300;

/// A key, a nonce, additional data, a text.
#[derive(Clone, Debug)]
struct Packet {
    key: [u8; 32],
    nonce: [u8; NONCE_BYTES],
    additional: Vec<u8>,
    text: Vec<u8>,
}

impl Packet {
    /// A packet of these lengths.
    fn of(additional: usize, text: usize) -> Self {
        let bytes =
            |count, step: u8| (0..count).map(|index| (index as u8).wrapping_mul(step) ^ step).collect();
        Self {
            key: [0x5a; 32],
            nonce: [text as u8; NONCE_BYTES],
            additional: bytes(additional, 7),
            text: bytes(text, 31),
        }
    }

    fn plain(&self) -> ChaCha20Poly1305<Plain> {
        ChaCha20Poly1305::new(Plain, &self.key, &self.nonce)
    }

    fn vector(&self) -> ChaCha20Poly1305<Vector<CallingConvention>> {
        ChaCha20Poly1305::new(Vector(CallingConvention), &self.key, &self.nonce)
    }

    /// The text and tag by this cipher, in parts of these lengths, then the rest; the text starts `skipped` bytes after
    /// an aligned address.
    fn sealed(&self, cipher: impl Cipher, parts: &[usize], skipped: usize) -> (Vec<u8>, Tag) {
        let mut memory = [&vec![0xee; skipped + 64], &self.text[..], &[0xee; 64]].concat();
        let start = memory.as_ptr().align_offset(64) + skipped;
        memory.copy_within(skipped + 64..skipped + 64 + self.text.len(), start);
        let before = memory.clone();
        let end = start + self.text.len();
        let mut sealer = Sealer::new(cipher, &self.additional);
        let mut rest = &mut memory[start..end];
        for part in parts {
            let (part, after) = rest.split_at_mut(*part.min(&rest.len()));
            sealer.update(part);
            rest = after;
        }
        sealer.update(rest);
        let tag = sealer.finish();
        assert_eq!(
            (&memory[..start], &memory[end..]),
            (&before[..start], &before[end..]),
            "memory outside the text"
        );
        (memory[start..end].to_vec(), tag)
    }

    /// The same by vectors and in plain code.
    fn both(&self, parts: &[usize], skipped: usize) -> (Vec<u8>, Tag) {
        let plain = self.sealed(self.plain(), parts, skipped);
        assert_eq!(self.sealed(self.vector(), parts, skipped), plain, "by vectors and in plain code");
        plain
    }

    /// The same by another implementation.
    fn expected(&self) -> (Vec<u8>, Tag) {
        let mut text = self.text.clone();
        let cipher = chacha20poly1305::ChaCha20Poly1305::new(&self.key.into());
        let tag =
            cipher.encrypt_inout_detached(&self.nonce.into(), &self.additional, text.as_mut_slice().into());
        (text, tag.map(Tag::from).unwrap_or_default())
    }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hexadecimal.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}

/// RFC 8439, section 2.8.2.
fn published() -> (Packet, Vec<u8>, Tag) {
    let packet = Packet {
        key: std::array::from_fn(|index| 0x80 + index as u8),
        nonce: [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47],
        additional: bytes("50515253c0c1c2c3c4c5c6c7"),
        text: b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.".to_vec(),
    };
    let text = bytes(
        "d31a8d34648e60db7b86afbc53ef7ec2 a4aded51296e08fea9e2b5a736ee62d6 3dbea45e8ca9671282fafb69da92728b
        1a71de0a9e060b2905d6a5b67ecd3b36 92ddbd7f2d778b8c9803aee328091b58 fab324e4fad675945585808b4831d7bc
        3ff4def08e4b7a9de576d26586cec64b 6116",
    );
    let tag = bytes("1ae10b594f09e26a7e902ecbd0600691");
    (packet, text, std::array::from_fn(|index| tag[index]))
}

#[test]
fn the_published_text() {
    let (packet, text, tag) = published();
    assert_eq!(packet.both(&[], 0), (text, tag));
}

#[test]
fn texts_of_every_length_match_another_implementation() {
    for length in 0..=LONGEST {
        for additional in [0, length % 37] {
            let packet = Packet::of(additional, length);
            assert_eq!(packet.both(&[], length % 16), packet.expected(), "{length} bytes, {additional} more");
        }
    }
}

#[test]
fn every_split_gives_the_same() {
    for length in [1, 63, 64, 65, 257, LONGEST] {
        let packet = Packet::of(13, length);
        let expected = packet.expected();
        for first in 0..=length {
            assert_eq!(packet.both(&[first, 1], first % 16), expected, "{first} of {length} bytes");
        }
    }
}

#[test]
fn a_text_opens_only_as_it_was_sealed() {
    let (packet, sealed, tag) = published();
    let mut text = sealed.clone();
    assert!(open(packet.vector(), &packet.additional, &mut text, &tag));
    assert_eq!(text, packet.text);
    for bit in 0..8 * TAG_BYTES {
        let (mut text, mut wrong) = (sealed.clone(), tag);
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(!open(packet.plain(), &packet.additional, &mut text, &wrong), "bit {bit} of the tag");
        assert_eq!(text, sealed, "a forged text is not decrypted");
    }
    for bit in 0..8 * sealed.len() {
        let mut text = sealed.clone();
        text[bit / 8] ^= 1 << (bit % 8);
        assert!(!open(packet.vector(), &packet.additional, &mut text, &tag), "bit {bit} of the text");
    }
    for bit in 0..8 * packet.additional.len() {
        let mut additional = packet.additional.clone();
        additional[bit / 8] ^= 1 << (bit % 8);
        assert!(
            !open(packet.plain(), &additional, &mut sealed.clone(), &tag),
            "bit {bit} of the additional data"
        );
    }
    let shorter = &packet.additional[1..];
    assert!(!open(packet.plain(), shorter, &mut sealed.clone(), &tag), "fewer additional data");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn lengths_splits_and_places_do_not_matter(
        key in any::<[u8; 32]>(),
        nonce in any::<[u8; NONCE_BYTES]>(),
        additional in prop::collection::vec(any::<u8>(), 0..70),
        text in prop_oneof![0..LONGEST, 4000..9000_usize].prop_flat_map(|length| vec![any::<u8>(); length]),
        parts in prop::collection::vec(prop_oneof![0..70_usize, Just(64), Just(256), Just(4096), 0..2000_usize], 0..8),
        skipped in 0..64_usize,
    ) {
        let packet = Packet { key, nonce, additional, text };
        let (sealed, tag) = packet.both(&parts, skipped);
        prop_assert_eq!((sealed.clone(), tag), packet.expected());
        let mut text = sealed;
        prop_assert!(open(packet.vector(), &packet.additional, &mut text, &tag));
        prop_assert_eq!(text, packet.text);
    }
}
