//! Plain code for RISC-V, whose base set has no vector registers, and for all other instruction sets.

use crate::blake3::{CHUNK_BYTES, ChainingValue, LANES, plain};
use crate::{aes_gcm, chacha20, memory, seal};

pub(crate) use chacha20::plain as block;
#[cfg(not(target_arch = "riscv64"))]
pub(crate) use memory::plain::clear;
pub(crate) use memory::plain::{first_difference, xor};

/// Whether registers that only the kernel uses hold zeros: there are none.
#[cfg(not(target_arch = "riscv64"))]
pub const fn are_clear() -> bool {
    true
}

/// Blocks of a keystream that take not much longer together than one.
pub(crate) const fn blocks_at_once() -> usize {
    1
}

/// The registers that each routine changes.
pub mod footprint {
    use limen_fpu::mask;

    /// [`crate::aes_gcm`].
    pub type AesGcm = mask::Nothing;
    /// [`crate::blake3`], four chunks at once.
    pub type Blake3 = mask::Nothing;
    /// [`crate::chacha20`].
    pub type Chacha20 = mask::Nothing;
    /// One block of it.
    pub type Chacha20Block = mask::Nothing;
    /// [`crate::memory`].
    pub type Memory = mask::Nothing;
}

pub(crate) fn xor_fours(
    state: &chacha20::State,
    fours: &mut [[[u8; chacha20::BLOCK_BYTES]; chacha20::LANES]],
) {
    chacha20::xor_with(block, xor, &mut state.clone(), fours.as_flattened_mut());
}

/// The proof that the processor has instructions for AES and for products of polynomials.
#[derive(Clone, Copy, Debug)]
pub struct AesInstructions(core::convert::Infallible);

impl AesInstructions {
    /// `None`: no routine would use them.
    #[must_use]
    pub fn detect() -> Option<Self> {
        None
    }
}

pub(crate) fn substitute(instructions: AesInstructions, _: u32) -> u32 {
    match instructions.0 {}
}

pub(crate) fn xor_counters(
    instructions: AesInstructions,
    _: &aes_gcm::Schedule,
    _: &aes_gcm::Number,
    _: &mut [[u8; seal::BLOCK_BYTES]],
) {
    match instructions.0 {}
}

pub(crate) fn hash(
    instructions: AesInstructions,
    _: &mut aes_gcm::Number,
    _: &[aes_gcm::Number; 4],
    _: &[[u8; seal::TAGGED_BYTES]],
) {
    match instructions.0 {}
}

pub(crate) fn chunks(input: &[u8; LANES * CHUNK_BYTES], first: u64) -> [ChainingValue; LANES] {
    plain::chunks(input, first)
}

pub(crate) fn parents(children: &[ChainingValue; 2 * LANES]) -> [ChainingValue; LANES] {
    plain::parents(children)
}
