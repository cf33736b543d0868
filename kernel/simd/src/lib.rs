//! Vector code of the kernel.
//!
//! The kernel is compiled for targets without floating point, so the compiler cannot use a register that belongs to a
//! program. Vector code is assembly: leaf routines that access only their arguments and change only the registers that
//! they declare in [`footprint`]. The caller of a routine proves with a [`Vectors`] that it owns these registers.
//!
//! * [`blake3`]: digests of memory.
//! * [`memory`]: clear, compare, xor.
//! * [`chacha20`]: a keystream.
//! * [`seal`]: authenticated encryption, with [`chacha20poly1305`] or [`aes_gcm`].
//!
//! Each except AES has a plain version as well, which tests compare with, and which the RISC-V port uses: its base set has no
//! vector registers. Where its processor has the extension, that computes ChaCha20 and clears memory.

#![no_std]

pub mod aes_gcm;
pub mod arch;
pub mod blake3;
pub mod chacha20;
pub mod chacha20poly1305;
pub mod memory;
pub mod poly1305;
pub mod seal;
#[expect(unsafe_code, reason = "grants the right to change registers that the compiler does not know")]
pub mod vectors;

pub use arch::footprint;
pub use vectors::Vectors;
