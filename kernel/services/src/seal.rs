//! Seals records: encrypts and authenticates them, and numbers them.
//!
//! ```text
//!   from, or a buffer of it         slot (number - 1) of to, in a circle
//!   +--------+                      +--------+--------+------+-----+------------+
//!   | record |  -- key, nonce -->   | number | length | salt | tag | ciphertext |
//!   +--------+                      +--------+--------+------+-----+------------+
//!                                   0        8        12     16    32
//! ```
//!
//! The nonce is the salt, which is in the page of the key, and the number. Numbers start at 1 and never repeat until the
//! system restarts: an atomic counter gives each to one record, even if an interrupt seals while a request is preempted.
//!
//! There is one record, or those that a device has written to buffers and named in a *used ring*. Nothing in the ring
//! is believed: an entry outside of the buffers is skipped, and an index that is too far ahead loses entries.

use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::{SEAL_BYTES_AT_ONCE, SEAL_RECORDS_AT_ONCE, SEAL_RING_ENTRIES};
use limen_abi::service::{SEAL_KEY_BYTES, SEALED_HEADER_BYTES, SEALED_TAG};
use limen_simd::seal::{Cipher, NONCE_BYTES, Sealer};

/// Bytes of a record that are copied at once: whole blocks of the cipher.
const PART_BYTES: usize = 512;
const PART_WORDS: usize = PART_BYTES / 8;
const KEY_WORDS: usize = SEAL_KEY_BYTES / 8;
const HEADER_WORDS: usize = SEALED_HEADER_BYTES / 8;
/// Offset of the salt in the page of the key.
const SALT: usize = SEAL_KEY_BYTES;

/// Words of eight bytes. Their alignment makes copies and the cipher faster.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Words<const N: usize>(pub [[u8; 8]; N]);

impl<const N: usize> Words<N> {
    const ZERO: Self = Self([[0; 8]; N]);
}

/// Memory that is copied in words of eight bytes. Programs may change it concurrently.
pub trait Bytes {
    /// Copies the first `count` words from this offset, which is a multiple of eight.
    fn read<const N: usize>(&self, offset: usize, to: &mut Words<N>, count: usize);
}

/// Memory that can also be written.
pub trait WritableBytes: Bytes {
    /// Writes the first `count` words at this offset, which is a multiple of eight. Every program sees earlier writes
    /// before later ones of another call.
    fn write<const N: usize>(&mut self, offset: usize, from: &Words<N>, count: usize);
}

/// A used ring, whose start is a multiple of four bytes.
pub trait Ring {
    /// A word of four bytes, by its position. Later reads see at least what was written before it.
    fn word(&self, position: usize) -> u32;
}

/// Starts a cipher for each record.
pub trait Start: Copy {
    /// The cipher.
    type Cipher: Cipher;

    /// The state before any text, with this key and nonce.
    fn start(self, key: &[u8; SEAL_KEY_BYTES], nonce: &[u8; NONCE_BYTES]) -> Self::Cipher;
}

/// The memory of a seal.
#[derive(Clone, Copy, Debug)]
pub struct Memory<K, F, R, T> {
    /// The page of the key.
    pub key: K,
    /// The records.
    pub from: F,
    /// The ring, if `entries` is not zero.
    pub ring: R,
    /// Entries of the ring, a power of two, or zero.
    pub entries: u16,
    /// Bytes of a record or buffer: a multiple of 16.
    pub record_bytes: usize,
    /// Bytes of all records.
    pub from_bytes: usize,
    /// Memory for sealed records.
    pub to: T,
    /// Their bytes; room for at least one.
    pub to_bytes: usize,
}

/// Progress of a seal since the system started.
#[derive(Debug)]
pub struct Progress {
    /// The last number of a record.
    number: AtomicU64,
    /// The index of the next entry of the ring.
    next: AtomicU64,
}

impl Progress {
    /// No record has been sealed.
    #[must_use]
    pub const fn none() -> Self {
        Self { number: AtomicU64::new(0), next: AtomicU64::new(0) }
    }

    /// The next number. `None` after the last one.
    fn take_number(&self) -> Option<u64> {
        let next = |number: u64| number.checked_add(1);
        self.number.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?.checked_add(1)
    }
}

/// How much to seal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Bytes of records.
    bytes: usize,
    /// Entries of a ring, or attempts to take one.
    entries: u64,
}

impl Limit {
    /// During an interrupt.
    pub const AT_ONCE: Self = Self { bytes: SEAL_BYTES_AT_ONCE as usize, entries: SEAL_RECORDS_AT_ONCE };
    /// At a program's request: a whole ring of the largest size.
    pub const ON_REQUEST: Self = Self { bytes: usize::MAX, entries: SEAL_RING_ENTRIES };
}

/// Offset and length of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Record {
    offset: usize,
    bytes: usize,
}

impl<K: Bytes, F: Bytes, R: Ring, T: WritableBytes> Memory<K, F, R, T> {
    /// Seals what there is, up to the limit, and returns the number of records.
    pub fn run(&mut self, progress: &Progress, limit: Limit, cipher: impl Start) -> u64 {
        if self.entries == 0 {
            let record = Record { offset: 0, bytes: self.record_bytes };
            return self.seal(progress, record, cipher).is_some().into();
        }
        let (mut bytes, mut sealed) = (limit.bytes, 0);
        for _ in 0..limit.entries {
            if bytes < self.record_bytes {
                break;
            }
            match self.take_entry(progress) {
                Taken::Record(record) => {
                    bytes -= record.bytes;
                    sealed += u64::from(self.seal(progress, record, cipher).is_some());
                }
                Taken::Invalid => {}
                Taken::Empty => break,
            }
        }
        sealed
    }

    /// Takes the next entry of the ring. An interrupt may take it first.
    fn take_entry(&self, progress: &Progress) -> Taken {
        let next = progress.next.load(Ordering::Relaxed);
        // The index follows two bytes of flags; then come the entries, each an id and a length.
        let index = (self.ring.word(0) >> 16) as u16;
        let pending = index.wrapping_sub(next as u16);
        if pending == 0 {
            return Taken::Empty;
        }
        // Entries beyond the ring's size have been overwritten.
        let next_left = next.wrapping_add(pending.saturating_sub(self.entries).into());
        let entry = next_left as usize % usize::from(self.entries);
        let [id, bytes] = [1, 2].map(|word| self.ring.word(2 * entry + word) as usize);
        let after = next_left.wrapping_add(1);
        if progress.next.compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return Taken::Invalid;
        }
        let is_inside = id < self.from_bytes / self.record_bytes && bytes <= self.record_bytes;
        if is_inside {
            Taken::Record(Record { offset: id * self.record_bytes, bytes })
        } else {
            Taken::Invalid
        }
    }

    /// Seals a record. `None` if there is no key, or no number left.
    fn seal(&mut self, progress: &Progress, record: Record, cipher: impl Start) -> Option<()> {
        let (mut key, salt) = self.key()?;
        let number = progress.take_number()?;
        let mut nonce = [0; NONCE_BYTES];
        nonce[..4].copy_from_slice(&salt.to_le_bytes());
        nonce[4..].copy_from_slice(&number.to_le_bytes());
        let mut bytes = [0; SEAL_KEY_BYTES];
        bytes.copy_from_slice(key.0.as_flattened());
        let mut sealer = Sealer::new(cipher.start(&bytes, &nonce), &[]);
        (key, bytes) = (Words::ZERO, [0; SEAL_KEY_BYTES]);
        core::hint::black_box((&key, &bytes));
        let slot = self.slot(number);
        // The number is zero until the rest is complete.
        self.to.write(slot, &Words::<1>::ZERO, 1);
        let mut text = Words::<PART_WORDS>::ZERO;
        let mut part = 0;
        while part < record.bytes {
            let bytes = PART_BYTES.min(record.bytes - part);
            let words = bytes.div_ceil(8);
            self.from.read(record.offset + part, &mut text, words);
            let sealed = text.0.as_flattened_mut();
            let (filled, rest) = sealed.split_at_mut_checked(bytes)?;
            sealer.update(filled);
            rest.fill(0);
            self.to.write(slot + SEALED_HEADER_BYTES + part, &text, words);
            part += bytes;
        }
        let mut header = Words::<HEADER_WORDS>::ZERO;
        let fields = header.0.as_flattened_mut();
        fields[8..12].copy_from_slice(&(record.bytes as u32).to_le_bytes());
        fields[12..SEALED_TAG].copy_from_slice(&salt.to_le_bytes());
        fields[SEALED_TAG..].copy_from_slice(&sealer.finish());
        self.to.write(slot, &header, HEADER_WORDS);
        self.to.write(slot, &Words([number.to_le_bytes()]), 1);
        Some(())
    }

    /// The offset of the slot for a record's number.
    fn slot(&self, number: u64) -> usize {
        let slot_bytes = SEALED_HEADER_BYTES + self.record_bytes;
        let slots = (self.to_bytes / slot_bytes).max(1);
        (number.wrapping_sub(1) % slots as u64) as usize * slot_bytes
    }

    /// The key and its salt. `None` while there is no key, or while its owner changes it.
    fn key(&self) -> Option<(Words<KEY_WORDS>, u32)> {
        let salt = self.salt();
        let mut key = Words::<KEY_WORDS>::ZERO;
        self.key.read(0, &mut key, KEY_WORDS);
        (salt != 0 && salt == self.salt()).then_some((key, salt))
    }

    fn salt(&self) -> u32 {
        let mut word = Words::<1>::ZERO;
        self.key.read(SALT, &mut word, 1);
        u64::from_le_bytes(word.0[0]) as u32
    }
}

/// An attempt to take an entry of a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    Record(Record),
    /// It names no record, or an interrupt has taken it.
    Invalid,
    Empty,
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use limen_simd::aes_gcm::{AesGcm, Instructions, Key};
    use limen_simd::chacha20::Plain;
    use limen_simd::chacha20poly1305::ChaCha20Poly1305;
    use limen_simd::seal::{Tag, open};
    use limen_simd::vectors::CallingConvention;

    use super::*;

    const KEY: [u8; 32] = [0x4b; 32];
    const SALT_VALUE: u32 = 0x5a17_0001;

    impl Start for Plain {
        type Cipher = ChaCha20Poly1305<Self>;

        fn start(self, key: &[u8; SEAL_KEY_BYTES], nonce: &[u8; NONCE_BYTES]) -> Self::Cipher {
            ChaCha20Poly1305::new(self, key, nonce)
        }
    }

    impl Start for Instructions {
        type Cipher = AesGcm<CallingConvention>;

        fn start(self, key: &[u8; SEAL_KEY_BYTES], nonce: &[u8; NONCE_BYTES]) -> Self::Cipher {
            AesGcm::new(CallingConvention, self, Key::Long(key), nonce)
        }
    }

    /// Memory of a test.
    #[derive(Clone, Debug)]
    struct Vector(Vec<u8>);

    impl Bytes for &Vector {
        fn read<const N: usize>(&self, offset: usize, to: &mut Words<N>, count: usize) {
            let bytes = to.0[..count].as_flattened_mut();
            bytes.copy_from_slice(&self.0[offset..][..bytes.len()]);
        }
    }

    impl Bytes for &RefCell<Vector> {
        fn read<const N: usize>(&self, offset: usize, to: &mut Words<N>, count: usize) {
            (&*self.borrow()).read(offset, to, count);
        }
    }

    impl WritableBytes for &RefCell<Vector> {
        fn write<const N: usize>(&mut self, offset: usize, from: &Words<N>, count: usize) {
            self.borrow_mut().0[offset..][..count * 8].copy_from_slice(from.0[..count].as_flattened());
        }
    }

    /// A ring whose index may change while it is read.
    #[derive(Clone, Debug)]
    struct TestRing {
        index: Cell<u16>,
        entries: Vec<[u32; 2]>,
    }

    impl Ring for &TestRing {
        fn word(&self, position: usize) -> u32 {
            match position.checked_sub(1) {
                Some(position) => self.entries.as_flattened()[position],
                None => u32::from(self.index.get()) << 16 | 1,
            }
        }
    }

    struct Bench {
        key: Vector,
        from: Vector,
        ring: TestRing,
        to: RefCell<Vector>,
        progress: Progress,
        record_bytes: usize,
    }

    impl Bench {
        fn new(record_bytes: usize, entries: &[[u32; 2]]) -> Self {
            let mut key = KEY.to_vec();
            key.extend_from_slice(&SALT_VALUE.to_le_bytes());
            key.resize(64, 0xee);
            Self {
                key: Vector(key),
                from: Vector((0..4 * record_bytes).map(|byte| (byte * 7 + byte / 256) as u8).collect()),
                ring: TestRing { index: Cell::new(0), entries: entries.to_vec() },
                to: RefCell::new(Vector(vec![0xaa; 3 * (32 + record_bytes) + 5])),
                progress: Progress::none(),
                record_bytes,
            }
        }

        fn run(&self, limit: Limit) -> u64 {
            self.run_with(limit, Plain)
        }

        fn run_with(&self, limit: Limit, cipher: impl Start) -> u64 {
            let mut memory = Memory {
                key: &self.key,
                from: &self.from,
                ring: &self.ring,
                entries: self.ring.entries.len() as u16,
                record_bytes: self.record_bytes,
                from_bytes: self.from.0.len(),
                to: &self.to,
                to_bytes: self.to.borrow().0.len(),
            };
            memory.run(&self.progress, limit, cipher)
        }

        /// The number in a slot, and its text if the tag is right.
        fn opened(&self, slot: usize) -> (u64, Option<Vec<u8>>) {
            self.opened_with(slot, Plain)
        }

        fn opened_with(&self, slot: usize, cipher: impl Start) -> (u64, Option<Vec<u8>>) {
            let to = self.to.borrow();
            let slot = &to.0[slot * (32 + self.record_bytes)..][..32 + self.record_bytes];
            let number = u64::from_le_bytes(slot[..8].try_into().unwrap());
            let bytes = u32::from_le_bytes(slot[8..12].try_into().unwrap()) as usize;
            let mut nonce = [0; 12];
            nonce[..4].copy_from_slice(&slot[12..16]);
            nonce[4..].copy_from_slice(&slot[..8]);
            let tag: Tag = slot[16..32].try_into().unwrap();
            let mut text = slot[32..].get(..bytes).unwrap_or_default().to_vec();
            let is_right = open(cipher.start(&KEY, &nonce), &[], &mut text, &tag);
            (number, is_right.then_some(text))
        }

        fn buffer(&self, id: usize, bytes: usize) -> Vec<u8> {
            self.from.0[id * self.record_bytes..][..bytes].to_vec()
        }
    }

    #[test]
    fn one_record_is_sealed_each_time_in_the_next_slot() {
        let bench = Bench::new(4096, &[]);
        for number in 1..=5 {
            assert_eq!(bench.run(Limit::AT_ONCE), 1);
            let slot = (number - 1) % 3;
            assert_eq!(bench.opened(slot), (number as u64, Some(bench.buffer(0, 4096))));
        }
        assert_eq!(bench.to.borrow().0[3 * 4128..], [0xaa; 5]);
    }

    #[test]
    fn a_record_ends_where_its_last_part_ends() {
        for bytes in [511, 512, 513, 1000, 4095] {
            let bench = Bench::new(4096, &[[1, bytes as u32]]);
            bench.ring.index.set(1);
            assert_eq!(bench.run(Limit::ON_REQUEST), 1);
            assert_eq!(bench.opened(0), (1, Some(bench.buffer(1, bytes))));
        }
    }

    #[test]
    fn another_cipher_seals_in_the_same_layout() {
        let Some(aes) = Instructions::detect() else { return };
        let bench = Bench::new(64, &[[2, 64], [0, 5], [3, 0], [0, 0]]);
        bench.ring.index.set(3);
        assert_eq!(bench.run_with(Limit::AT_ONCE, aes), 3);
        for (slot, (id, bytes)) in [(2, 64), (0, 5), (3, 0)].into_iter().enumerate() {
            assert_eq!(bench.opened_with(slot, aes), (slot as u64 + 1, Some(bench.buffer(id, bytes))));
            assert_eq!(bench.opened(slot).1, None);
        }
    }

    #[test]
    fn no_two_records_have_the_same_ciphertext() {
        let bench = Bench::new(64, &[]);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..100 {
            let number = bench.progress.number.load(Ordering::Relaxed) as usize;
            bench.run(Limit::ON_REQUEST);
            let to = bench.to.borrow();
            assert!(seen.insert(to.0[number % 3 * 96 + 16..][..80].to_vec()));
        }
    }

    #[test]
    fn without_a_key_nothing_is_sealed_and_no_number_used() {
        let mut bench = Bench::new(64, &[]);
        bench.key.0[32..36].fill(0);
        let before = bench.to.clone().into_inner().0;
        assert_eq!(bench.run(Limit::AT_ONCE), 0);
        assert_eq!(bench.to.borrow().0, before);
        bench.key.0[32..36].copy_from_slice(&SALT_VALUE.to_le_bytes());
        assert_eq!(bench.run(Limit::AT_ONCE), 1);
        assert_eq!(bench.opened(0).0, 1);
    }

    #[test]
    fn a_key_that_its_owner_changes_is_not_used() {
        struct Changing<'a>(&'a Vector, Cell<u8>);
        impl Bytes for Changing<'_> {
            fn read<const N: usize>(&self, offset: usize, to: &mut Words<N>, count: usize) {
                self.0.read(offset, to, count);
                self.1.set(self.1.get() + 1);
                to.0[0][0] ^= self.1.get();
            }
        }
        let bench = Bench::new(64, &[]);
        let mut memory = Memory {
            key: Changing(&bench.key, Cell::new(0)),
            from: &bench.from,
            ring: &bench.ring,
            entries: 0,
            record_bytes: 64,
            from_bytes: 256,
            to: &bench.to,
            to_bytes: 96,
        };
        assert_eq!(memory.run(&bench.progress, Limit::AT_ONCE, Plain), 0);
    }

    #[test]
    fn after_the_last_number_nothing_is_sealed() {
        let bench = Bench::new(64, &[]);
        bench.progress.number.store(u64::MAX - 1, Ordering::Relaxed);
        assert_eq!(
            (bench.run(Limit::AT_ONCE), bench.run(Limit::AT_ONCE), bench.run(Limit::AT_ONCE)),
            (1, 0, 0)
        );
        assert_eq!(bench.opened((u64::MAX as usize - 1) % 3).0, u64::MAX);
    }

    #[test]
    fn a_ring_names_buffers_and_lengths() {
        let bench = Bench::new(64, &[[2, 64], [0, 5], [3, 0], [1, 63]]);
        assert_eq!(bench.run(Limit::AT_ONCE), 0);
        bench.ring.index.set(2);
        assert_eq!(bench.run(Limit::AT_ONCE), 2);
        assert_eq!(bench.opened(0), (1, Some(bench.buffer(2, 64))));
        assert_eq!(bench.opened(1), (2, Some(bench.buffer(0, 5))));
        bench.ring.index.set(4);
        assert_eq!((bench.run(Limit::AT_ONCE), bench.run(Limit::AT_ONCE)), (2, 0));
        assert_eq!(bench.opened(2), (3, Some(Vec::new())));
        assert_eq!(bench.opened(0), (4, Some(bench.buffer(1, 63))));
    }

    #[test]
    fn entries_outside_of_the_buffers_are_skipped() {
        let bench = Bench::new(64, &[[4, 1], [0, 65], [u32::MAX, u32::MAX], [3, 64]]);
        bench.ring.index.set(4);
        assert_eq!(bench.run(Limit::AT_ONCE), 1);
        assert_eq!(bench.opened(0), (1, Some(bench.buffer(3, 64))));
    }

    #[test]
    fn an_index_too_far_ahead_loses_what_was_overwritten() {
        let bench = Bench::new(64, &[[0, 1], [1, 2], [2, 3], [3, 4]]);
        for index in [6, 5, 0x8000, 0] {
            bench.ring.index.set(index);
            assert_eq!(bench.run(Limit::ON_REQUEST), 4, "{index}");
            assert_eq!(bench.run(Limit::ON_REQUEST), 0, "{index}");
        }
        bench.ring.index.set(2);
        assert_eq!(bench.run(Limit::ON_REQUEST), 2);
    }

    #[test]
    fn an_interrupt_leaves_what_exceeds_its_limit() {
        let bench = Bench::new(4096, &[[0, 4096]; 8]);
        bench.ring.index.set(8);
        assert_eq!((bench.run(Limit::AT_ONCE), bench.run(Limit::ON_REQUEST)), (1, 7));
        let bench = Bench::new(16, &[[0, 0]; 64]);
        bench.ring.index.set(64);
        assert_eq!((bench.run(Limit::AT_ONCE), bench.run(Limit::ON_REQUEST)), (4, 60));
        let bench = Bench::new(4096, &[[9, 0]; 64]);
        bench.ring.index.set(64);
        bench.run(Limit::AT_ONCE);
        assert_eq!(bench.progress.next.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn an_entry_that_an_interrupt_takes_is_sealed_once() {
        /// An interrupt seals after the index was read.
        struct Interrupted<'a>(&'a Bench, Cell<bool>);
        impl Ring for &Interrupted<'_> {
            fn word(&self, position: usize) -> u32 {
                let word = (&self.0.ring).word(position);
                if !self.1.replace(true) {
                    assert_eq!(self.0.run(Limit::AT_ONCE), 2);
                }
                word
            }
        }
        let bench = Bench::new(64, &[[0, 64], [1, 64]]);
        bench.ring.index.set(2);
        let ring = Interrupted(&bench, Cell::new(false));
        let mut memory = Memory {
            key: &bench.key,
            from: &bench.from,
            ring: &ring,
            entries: 2,
            record_bytes: 64,
            from_bytes: 256,
            to: &bench.to,
            to_bytes: 288,
        };
        assert_eq!(memory.run(&bench.progress, Limit::ON_REQUEST, Plain), 0);
        assert_eq!([bench.opened(0).0, bench.opened(1).0], [1, 2]);
    }
}
