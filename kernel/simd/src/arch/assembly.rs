//! Safe wrappers of the assembly routines. Their callers own the registers.

use limen_fpu::mask::Mask;

use crate::blake3::{
    BLOCK_BYTES, BLOCKS, CHUNK_BYTES, CHUNK_END, CHUNK_START, ChainingValue, IV, LANES, PARENT,
};
use crate::{aes_gcm, chacha20, seal};

/// Assembles the routines of a port with the layout of the Rust types that they use.
macro_rules! routines {
    () => {
        core::arch::global_asm!(
            include_str!("../routine.S"),
            include_str!("../rounds.S"),
            include_str!("blake3.S"),
            CHAINING = const core::mem::offset_of!(super::assembly::Lanes, chaining),
            THIRD_ROW = const core::mem::offset_of!(super::assembly::Lanes, third_row),
            FOURTH_ROW = const core::mem::offset_of!(super::assembly::Lanes, fourth_row),
            WORDS = const core::mem::offset_of!(super::assembly::Lanes, words),
            REGISTERS = const super::assembly::registers_of::<super::footprint::Blake3>(),
        );
        core::arch::global_asm!(
            include_str!("../routine.S"),
            include_str!("chacha20.S"),
            DOUBLE_ROUNDS = const crate::chacha20::DOUBLE_ROUNDS,
            BLOCK_REGISTERS = const super::assembly::registers_of::<super::footprint::Chacha20Block>(),
            REGISTERS = const super::assembly::registers_of::<super::footprint::Chacha20>(),
        );
        core::arch::global_asm!(
            include_str!("../routine.S"),
            include_str!("aes_gcm.S"),
            POLYNOMIAL = const (crate::aes_gcm::MIRRORED >> 64) as u64,
            REGISTERS = const super::assembly::registers_of::<super::footprint::AesGcm>(),
        );
        core::arch::global_asm!(
            include_str!("../routine.S"),
            include_str!("memory.S"),
            REGISTERS = const super::assembly::registers_of::<super::footprint::Memory>(),
        );
    };
}
pub(super) use routines;

/// The number of registers in a set.
pub(super) const fn registers_of<M: Mask>() -> usize {
    M::REGISTERS
}

/// The registers that each routine changes.
pub mod footprint {
    use limen_fpu::mask;

    /// [`crate::aes_gcm`].
    pub type AesGcm = mask::Low8;
    /// [`crate::blake3`], four chunks at once.
    pub type Blake3 = mask::All;
    /// [`crate::chacha20`].
    pub type Chacha20 = mask::All;
    /// One block of it.
    pub type Chacha20Block = mask::Low8;
    /// [`crate::memory`].
    pub type Memory = mask::Low4;
}

unsafe extern "C" {
    /// Substitutes each byte of a word.
    fn simd_aes_sub_word(word: u32) -> u32;
    /// Xors encrypted counters into blocks, four in each. `blocks` is not zero.
    fn simd_aes_counter(
        keys: *const aes_gcm::Schedule,
        rounds: usize,
        counter: *const aes_gcm::Number,
        text: *mut [u8; seal::BLOCK_BYTES],
        blocks: usize,
    );
    /// Adds blocks to a hash. `count` is not zero.
    fn simd_ghash(
        sum: *mut aes_gcm::Number,
        powers: *const [aes_gcm::Number; 4],
        blocks: *const [u8; seal::TAGGED_BYTES],
        count: usize,
    );
    /// Compresses one block in each lane: the first at `input`, each next one `stride` bytes further.
    fn simd_blake3_four(lanes: *mut Lanes, input: *const u8, stride: usize);
    /// Computes a block of the keystream.
    fn simd_chacha20_block(state: *const chacha20::State, block: *mut [u8; chacha20::BLOCK_BYTES]);
    /// Xors the next blocks of the keystream into blocks, four times as many as `fours`, which is not zero.
    fn simd_chacha20_four(
        state: *const chacha20::State,
        text: *mut [u8; chacha20::BLOCK_BYTES],
        fours: usize,
    );
    /// Clears memory.
    fn simd_clear(memory: *mut u8, bytes: usize);
    /// Returns how many bytes at the start are equal.
    fn simd_first_difference(one: *const u8, other: *const u8, bytes: usize) -> usize;
    /// Xors the second operand into the first.
    fn simd_xor(to: *mut u8, from: *const u8, bytes: usize);
}

/// Whether registers that only the kernel uses hold zeros: there are none.
pub const fn are_clear() -> bool {
    true
}

/// Blocks of a keystream that take not much longer together than one.
pub(crate) const fn blocks_at_once() -> usize {
    chacha20::LANES
}

/// One word of each lane.
type Word = [u32; LANES];

/// The data of [`simd_blake3_four`].
#[repr(C, align(16))]
pub(super) struct Lanes {
    /// In: the chaining value before the block; out: after it.
    pub(super) chaining: [Word; 8],
    /// The next words of the state. Some ports compute on them in place.
    pub(super) third_row: [Word; 4],
    /// Number of the chunk, low and high, bytes of the block, flags.
    pub(super) fourth_row: [Word; 4],
    /// Scratch space for the words of the blocks.
    pub(super) words: [Word; 16],
}

impl Lanes {
    fn new(numbers: [u64; LANES]) -> Self {
        let (low, high) = (numbers.map(|number| number as u32), numbers.map(|number| (number >> 32) as u32));
        Self {
            chaining: IV.map(|word| [word; LANES]),
            third_row: [[0; LANES]; 4],
            fourth_row: [low, high, [BLOCK_BYTES as u32; LANES], [0; LANES]],
            words: [[0; LANES]; 16],
        }
    }

    fn compress(&mut self, input: *const u8, stride: usize, flags: u32) {
        let [first, second, third, fourth, ..] = IV;
        self.third_row = [first, second, third, fourth].map(|word| [word; LANES]);
        self.fourth_row[3] = [flags; LANES];
        // SAFETY: both callers pass a block at `input` and at each of the next three strides.
        unsafe { simd_blake3_four(self, input, stride) }
    }

    /// The chaining value of each lane.
    fn values(&self) -> [ChainingValue; LANES] {
        let [w0, w1, w2, w3, w4, w5, w6, w7] = &self.chaining;
        core::array::from_fn(|lane| [w0, w1, w2, w3, w4, w5, w6, w7].map(|word| word[lane]))
    }
}

/// The chaining values of successive chunks.
pub(crate) fn chunks(input: &[u8; LANES * CHUNK_BYTES], first: u64) -> [ChainingValue; LANES] {
    let mut lanes = Lanes::new([first, first + 1, first + 2, first + 3]);
    for block in 0..BLOCKS {
        let flags = match block {
            0 => CHUNK_START,
            _ if block == BLOCKS - 1 => CHUNK_END,
            _ => 0,
        };
        lanes.compress(input.as_ptr().wrapping_add(block * BLOCK_BYTES), CHUNK_BYTES, flags);
    }
    lanes.values()
}

/// The chaining values of parents of successive pairs.
pub(crate) fn parents(children: &[ChainingValue; 2 * LANES]) -> [ChainingValue; LANES] {
    let mut lanes = Lanes::new([0; LANES]);
    lanes.compress(children.as_ptr().cast(), BLOCK_BYTES, PARENT);
    lanes.values()
}

pub(crate) fn block(state: &chacha20::State) -> [u8; chacha20::BLOCK_BYTES] {
    let mut block = [0; chacha20::BLOCK_BYTES];
    // SAFETY: both have the size that the routine expects.
    unsafe { simd_chacha20_block(state, &mut block) }
    block
}

pub(crate) fn xor_fours(
    state: &chacha20::State,
    fours: &mut [[[u8; chacha20::BLOCK_BYTES]; chacha20::LANES]],
) {
    if !fours.is_empty() {
        // SAFETY: the routine changes this many blocks only.
        unsafe { simd_chacha20_four(state, fours.as_mut_ptr().cast(), fours.len()) }
    }
}

/// The proof that the processor has instructions for AES and for products of polynomials.
#[derive(Clone, Copy, Debug)]
pub struct AesInstructions(());

impl AesInstructions {
    /// `None` if the processor has none.
    #[must_use]
    pub fn detect() -> Option<Self> {
        super::has_aes().then_some(Self(()))
    }
}

pub(crate) fn substitute(_: AesInstructions, word: u32) -> u32 {
    // SAFETY: the processor has the instructions.
    unsafe { simd_aes_sub_word(word) }
}

pub(crate) fn xor_counters(
    _: AesInstructions,
    schedule: &aes_gcm::Schedule,
    counter: &aes_gcm::Number,
    blocks: &mut [[u8; seal::BLOCK_BYTES]],
) {
    if !blocks.is_empty() {
        // SAFETY: the processor has the instructions. The schedule starts with its keys, of which there is one more than
        // rounds. The routine changes these blocks only.
        unsafe { simd_aes_counter(schedule, schedule.rounds, counter, blocks.as_mut_ptr(), blocks.len()) }
    }
}

pub(crate) fn hash(
    _: AesInstructions,
    sum: &mut aes_gcm::Number,
    powers: &[aes_gcm::Number; 4],
    blocks: &[[u8; seal::TAGGED_BYTES]],
) {
    if !blocks.is_empty() {
        // SAFETY: the processor has the instructions. The routine changes the sum only.
        unsafe { simd_ghash(sum, powers, blocks.as_ptr(), blocks.len()) }
    }
}

pub(crate) fn clear(memory: &mut [u8]) {
    // SAFETY: the routine writes zeros to this memory only.
    unsafe { simd_clear(memory.as_mut_ptr(), memory.len()) }
}

pub(crate) fn first_difference(one: &[u8], other: &[u8]) -> usize {
    // SAFETY: both have as many bytes as the shorter one.
    unsafe { simd_first_difference(one.as_ptr(), other.as_ptr(), one.len().min(other.len())) }
}

pub(crate) fn xor(to: &mut [u8], from: &[u8]) {
    // SAFETY: as above.
    unsafe { simd_xor(to.as_mut_ptr(), from.as_ptr(), to.len().min(from.len())) }
}
