//! RISC-V: the vector extension, if boot has found it; otherwise plain code. No section saves its registers, because no program
//! has them: each routine uses them with interrupts off, and leaves zeros.

use core::sync::atomic::{AtomicBool, Ordering};

use super::plain;
use crate::{chacha20, memory};

core::arch::global_asm!(
    include_str!("../routine.S"),
    include_str!("vector.S"),
    DOUBLE_ROUNDS = const chacha20::DOUBLE_ROUNDS,
    REGISTERS = const limen_fpu::mask::ALL,
);

unsafe extern "C" {
    /// Returns the bytes of a vector register, or 0 without the extension.
    fn simd_vector_bytes() -> usize;
    /// Returns the bits that are set in any register.
    fn simd_vector_contents() -> u64;
    /// Xors the next blocks of the keystream into blocks. Returns how many, at least one; `blocks` is not zero.
    fn simd_chacha20_batch(
        state: *const chacha20::State,
        text: *mut [u8; chacha20::BLOCK_BYTES],
        blocks: usize,
    ) -> usize;
    /// Clears memory. `bytes` is not zero.
    fn simd_vector_clear(memory: *mut u8, bytes: usize);
}

/// Bytes of a vector register that the extension guarantees.
const LEAST_BYTES: usize = 16;

/// Whether the processor has the extension.
static HAS_VECTORS: AtomicBool = AtomicBool::new(false);

fn has_vectors() -> bool {
    HAS_VECTORS.load(Ordering::Relaxed)
}

/// Looks for the extension. Returns the bytes of a vector register.
///
/// # Safety
/// Only boot runs, with interrupts off.
pub unsafe fn detect() -> Option<usize> {
    // SAFETY: no interrupt can find the changed trap vector.
    let bytes = unsafe { simd_vector_bytes() };
    HAS_VECTORS.store(bytes >= LEAST_BYTES, Ordering::Relaxed);
    has_vectors().then_some(bytes)
}

/// Whether the vector registers hold zeros, as every routine leaves them.
pub fn are_clear() -> bool {
    // SAFETY: the processor has the extension.
    !has_vectors() || unsafe { simd_vector_contents() } == 0
}

/// Blocks of a keystream that take not much longer together than one.
pub(crate) fn blocks_at_once() -> usize {
    if has_vectors() { chacha20::LANES } else { plain::blocks_at_once() }
}

pub(crate) fn xor_fours(
    state: &chacha20::State,
    fours: &mut [[[u8; chacha20::BLOCK_BYTES]; chacha20::LANES]],
) {
    let is_aligned = fours.as_ptr().addr().is_multiple_of(size_of::<u32>());
    if !has_vectors() || !is_aligned {
        return plain::xor_fours(state, fours);
    }
    let (mut state, mut blocks) = (*state, fours.as_flattened_mut());
    while !blocks.is_empty() {
        // SAFETY: the processor has the extension, and the text is aligned. The routine changes these blocks only.
        let done = unsafe { simd_chacha20_batch(&state, blocks.as_mut_ptr(), blocks.len()) };
        state.skip(done);
        blocks = blocks.get_mut(done..).unwrap_or_default();
    }
    state.wipe();
}

pub(crate) fn clear(memory: &mut [u8]) {
    if !has_vectors() || memory.is_empty() {
        return memory::plain::clear(memory);
    }
    // SAFETY: the processor has the extension. The routine writes zeros to this memory only.
    unsafe { simd_vector_clear(memory.as_mut_ptr(), memory.len()) }
}
