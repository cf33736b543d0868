//! The floating-point and SIMD registers: 32 of 128 bits, with control and status.

use core::arch::global_asm;

/// What the unit holds for one thread.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Registers {
    status: u64,
    control: u64,
    vectors: [u128; 32],
}

impl Registers {
    /// Of a thread that has not used the unit.
    pub const INITIAL: Self = Self { status: 0, control: 0, vectors: [0; 32] };
}

global_asm!(include_str!("fpu.S"));
