//! The floating-point registers: 32 of 64 bits, with control and status.

use core::arch::global_asm;

/// What the unit holds for one thread.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Registers {
    values: [u64; 32],
    control: u64,
}

impl Registers {
    /// Of a thread that has not used the unit.
    pub const INITIAL: Self = Self { values: [0; 32], control: 0 };
}

global_asm!(include_str!("fpu.S"));
