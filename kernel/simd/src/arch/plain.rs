//! Plain code for RISC-V, whose base set has no vector registers, and for all other instruction sets.

use crate::blake3::{CHUNK_BYTES, ChainingValue, LANES, plain};
use crate::{chacha20, memory};

pub(crate) use chacha20::plain as block;
pub(crate) use memory::plain::{clear, first_difference, xor};

/// The registers that each routine changes.
pub mod footprint {
    use limen_fpu::mask;

    /// [`crate::blake3`], four chunks at once.
    pub type Blake3 = mask::Nothing;
    /// [`crate::chacha20`].
    pub type Chacha20 = mask::Nothing;
    /// One block of it.
    pub type Chacha20Block = mask::Nothing;
    /// [`crate::memory`].
    pub type Memory = mask::Nothing;
}

pub(crate) fn xor_fours(state: &chacha20::State, fours: &mut [[[u8; chacha20::BLOCK_BYTES]; 4]]) {
    chacha20::xor_with(block, xor, &mut state.clone(), fours.as_flattened_mut());
}

pub(crate) fn chunks(input: &[u8; LANES * CHUNK_BYTES], first: u64) -> [ChainingValue; LANES] {
    plain::chunks(input, first)
}

pub(crate) fn parents(children: &[ChainingValue; 2 * LANES]) -> [ChainingValue; LANES] {
    plain::parents(children)
}
