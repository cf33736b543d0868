//! What the kernel computes with vector registers.
//!
//! The kernel is compiled for targets without floating point, so that no compiler can use a register that belongs to a
//! program. What computes with vectors is assembly: leaf routines that touch no memory but their arguments and change no
//! registers but those that they declare in [`footprint`]. Whoever calls one shows by a [`Vectors`] that these registers
//! are its own.
//!
//! * [`blake3`]: digests of memory.
//! * [`memory`]: clear, compare, exclusive or.
//! * [`chacha20`]: one block of a keystream.
//!
//! Each exists as plain code as well: that is what the RISC-V port uses, since its base has no vector registers, and what
//! tests compare with.

#![no_std]

pub mod arch;
pub mod blake3;
pub mod chacha20;
pub mod memory;
#[expect(unsafe_code, reason = "declares who may change registers that the compiler does not know")]
pub mod vectors;

pub use arch::footprint;
pub use vectors::Vectors;
