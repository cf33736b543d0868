//! Sealed texts: compared with published ones, and with another implementation for every length, split and alignment.

use aes_gcm::{Aes128Gcm, Aes256Gcm};
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use limen_simd::aes_gcm::{AesGcm, Instructions, Key};
use limen_simd::chacha20::{Plain, Vector};
use limen_simd::chacha20poly1305::ChaCha20Poly1305;
use limen_simd::seal::{BLOCK_BYTES, Cipher, NONCE_BYTES, Sealer, TAG_BYTES, TAGGED_BYTES, Tag, open};
use limen_simd::vectors::CallingConvention;
use proptest::prelude::*;

/// Every length up to this is tested.
const LONGEST: usize = 300;

/// One of the ciphers, chosen at run time.
struct Chosen(Box<dyn Cipher>);

impl Cipher for Chosen {
    fn encrypt(&mut self, blocks: &mut [[u8; BLOCK_BYTES]]) {
        self.0.encrypt(blocks);
    }

    fn authenticate(&mut self, blocks: &[[u8; TAGGED_BYTES]]) {
        self.0.authenticate(blocks);
    }

    fn tag(&mut self, additional_bytes: u64, text_bytes: u64) -> Tag {
        self.0.tag(additional_bytes, text_bytes)
    }

    fn wipe(&mut self) {
        self.0.wipe();
    }
}

/// A cipher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    ChaCha20Poly1305,
    Aes128Gcm,
    Aes256Gcm,
}

impl Kind {
    /// All that this machine can compute.
    fn each() -> impl Iterator<Item = Self> {
        let aes = Instructions::detect().map(|_| [Self::Aes128Gcm, Self::Aes256Gcm]);
        if aes.is_none() {
            eprintln!("this processor has no instructions for AES-GCM, which is not tested");
        }
        [Self::ChaCha20Poly1305].into_iter().chain(aes.into_iter().flatten())
    }
}

/// A key, a nonce, additional data, a text.
#[derive(Clone, Debug)]
struct Packet {
    kind: Kind,
    key: [u8; 32],
    nonce: [u8; NONCE_BYTES],
    additional: Vec<u8>,
    text: Vec<u8>,
}

impl Packet {
    /// A packet of these lengths.
    fn of(kind: Kind, additional: usize, text: usize) -> Self {
        let bytes =
            |count, step: u8| (0..count).map(|index| (index as u8).wrapping_mul(step) ^ step).collect();
        let nonce = [text as u8; NONCE_BYTES];
        Self { kind, key: [0x5a; 32], nonce, additional: bytes(additional, 7), text: bytes(text, 31) }
    }

    /// The first half of the key, for AES-128.
    fn short_key(&self) -> [u8; 16] {
        std::array::from_fn(|index| self.key[index])
    }

    /// The cipher in plain code; AES-GCM, of which there is none, by vectors.
    fn plain(&self) -> Chosen {
        match self.kind {
            Kind::ChaCha20Poly1305 => Chosen(Box::new(ChaCha20Poly1305::new(Plain, &self.key, &self.nonce))),
            _ => self.vector(),
        }
    }

    fn vector(&self) -> Chosen {
        let aes = |key| {
            let instructions = Instructions::detect().unwrap_or_else(|| unreachable!());
            Chosen(Box::new(AesGcm::new(CallingConvention, instructions, key, &self.nonce)))
        };
        match self.kind {
            Kind::ChaCha20Poly1305 => {
                Chosen(Box::new(ChaCha20Poly1305::new(Vector(CallingConvention), &self.key, &self.nonce)))
            }
            Kind::Aes128Gcm => aes(Key::Short(&self.short_key())),
            Kind::Aes256Gcm => aes(Key::Long(&self.key)),
        }
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
        match self.kind {
            Kind::ChaCha20Poly1305 => self.by(&chacha20poly1305::ChaCha20Poly1305::new(&self.key.into())),
            Kind::Aes128Gcm => self.by(&Aes128Gcm::new(&self.short_key().into())),
            Kind::Aes256Gcm => self.by(&Aes256Gcm::new(&self.key.into())),
        }
    }

    fn by<C>(&self, cipher: &C) -> (Vec<u8>, Tag)
    where
        C: AeadInOut,
        chacha20poly1305::aead::Nonce<C>: From<[u8; NONCE_BYTES]>,
        Tag: From<chacha20poly1305::aead::Tag<C>>,
    {
        let mut text = self.text.clone();
        let nonce = self.nonce.into();
        let tag = cipher.encrypt_inout_detached(&nonce, &self.additional, text.as_mut_slice().into());
        (text, tag.map(Tag::from).unwrap_or_default())
    }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hexadecimal.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}

/// An array of these bytes.
fn array<const BYTES: usize>(hexadecimal: &str) -> [u8; BYTES] {
    let bytes = bytes(hexadecimal);
    std::array::from_fn(|index| bytes[index])
}

/// A packet, its sealed text and its tag.
type Sealed = (Packet, Vec<u8>, Tag);

/// RFC 8439, section 2.8.2.
fn published_chacha20() -> Sealed {
    let packet = Packet {
        kind: Kind::ChaCha20Poly1305,
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
    (packet, text, array("1ae10b594f09e26a7e902ecbd0600691"))
}

/// The specification of GCM (McGrew, Viega), appendix B: cases 2, 4 and 16.
fn published_aes() -> [Sealed; 3] {
    const KEY: &str = "feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308";
    const TEXT: &str = "d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b39";
    let packet = |kind| Packet {
        kind,
        key: array(KEY),
        nonce: array("cafebabefacedbaddecaf888"),
        additional: bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
        text: bytes(TEXT),
    };
    let zeros = Packet {
        kind: Kind::Aes128Gcm,
        key: [0; 32],
        nonce: [0; NONCE_BYTES],
        additional: vec![],
        text: vec![0; 16],
    };
    let short = bytes(
        "42831ec2217774244b7221b784d0d49c e3aa212f2c02a4e035c17e2329aca12e
        21d514b25466931c7d8f6a5aac84aa05 1ba30b396a0aac973d58e091",
    );
    let long = bytes(
        "522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838 c5f61e6393ba7a0abcc9f662",
    );
    [
        (zeros, bytes("0388dace60b6a392f328c2b971b2fe78"), array("ab6e47d42cec13bdf53a67b21257bddf")),
        (packet(Kind::Aes128Gcm), short, array("5bc94fbc3221a5db94fae95ae7121a47")),
        (packet(Kind::Aes256Gcm), long, array("76fc6ece0f4e1768cddf8853bb2d551b")),
    ]
}

/// All that this machine can compute.
fn published() -> impl Iterator<Item = Sealed> {
    let all = [published_chacha20()].into_iter().chain(published_aes());
    all.filter(|(packet, ..)| Kind::each().any(|kind| kind == packet.kind))
}

#[test]
fn published_texts() {
    for (packet, text, tag) in published() {
        assert_eq!(packet.both(&[], 0), (text, tag), "{packet:?}");
    }
}

#[test]
fn texts_of_every_length_match_another_implementation() {
    for kind in Kind::each() {
        for length in 0..=LONGEST {
            for additional in [0, length % 37] {
                let packet = Packet::of(kind, additional, length);
                let sealed = packet.both(&[], length % 16);
                assert_eq!(sealed, packet.expected(), "{kind:?}: {length} bytes, {additional} more");
            }
        }
    }
}

#[test]
fn every_split_gives_the_same() {
    for kind in Kind::each() {
        for length in [1, 63, 64, 65, 257, LONGEST] {
            let packet = Packet::of(kind, 13, length);
            let expected = packet.expected();
            for first in 0..=length {
                assert_eq!(
                    packet.both(&[first, 1], first % 16),
                    expected,
                    "{kind:?}: {first} of {length} bytes"
                );
            }
        }
    }
}

#[test]
fn a_text_opens_only_as_it_was_sealed() {
    for (packet, sealed, tag) in published() {
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
            let is_open = open(packet.plain(), &additional, &mut sealed.clone(), &tag);
            assert!(!is_open, "bit {bit} of the additional data");
        }
        let longer = [&packet.additional[..], &[0]].concat();
        assert!(!open(packet.plain(), &longer, &mut sealed.clone(), &tag), "more additional data");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn lengths_splits_and_places_do_not_matter(
        kind in prop::sample::select(Kind::each().collect::<Vec<_>>()),
        key in any::<[u8; 32]>(),
        nonce in any::<[u8; NONCE_BYTES]>(),
        additional in prop::collection::vec(any::<u8>(), 0..70),
        text in prop_oneof![0..LONGEST, 4000..9000_usize].prop_flat_map(|length| vec![any::<u8>(); length]),
        parts in prop::collection::vec(prop_oneof![0..70_usize, Just(64), Just(256), Just(4096), 0..2000_usize], 0..8),
        skipped in 0..64_usize,
    ) {
        let packet = Packet { kind, key, nonce, additional, text };
        let (sealed, tag) = packet.both(&parts, skipped);
        prop_assert_eq!((sealed.clone(), tag), packet.expected());
        let mut text = sealed;
        prop_assert!(open(packet.vector(), &packet.additional, &mut text, &tag));
        prop_assert_eq!(text, packet.text);
    }
}
