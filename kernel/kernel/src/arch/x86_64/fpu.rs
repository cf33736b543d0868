//! The x87 and SSE registers. AVX and what came after it stay off.
//!
//! Source: Intel SDM, volume 1, section 10.5 (FXSAVE area).

use core::arch::global_asm;

/// The x87 control word after FNINIT: full precision, no exceptions.
const INITIAL_CONTROL: u16 = 0x37f;
/// MXCSR after reset: round to nearest, no exceptions.
const INITIAL_MXCSR: u32 = 0x1f80;

/// What the unit holds for one thread.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Registers {
    control: u16,
    status: u16,
    tags: u16,
    opcode: u16,
    pointers: [u64; 2],
    mxcsr: u32,
    mxcsr_mask: u32,
    registers: [u128; 30],
}

impl Registers {
    /// Of a thread that has not used the unit.
    pub const INITIAL: Self = Self {
        control: INITIAL_CONTROL,
        status: 0,
        tags: 0,
        opcode: 0,
        pointers: [0; 2],
        mxcsr: INITIAL_MXCSR,
        mxcsr_mask: 0,
        registers: [0; 30],
    };
}

global_asm!(include_str!("fpu.S"));
