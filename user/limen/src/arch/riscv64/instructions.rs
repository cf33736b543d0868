//! Instructions that Rust has no name for, and what the processor calls them.

#![expect(unsafe_code, reason = "assembly")]

use core::arch::asm;

use limen_abi::fault::RISCV_CODE_FPU_OFF;

/// An instruction that does not exist.
const ILLEGAL_INSTRUCTION: u64 = 2;

/// Stores zero at an address. The kernel turns an access that is not allowed into a fault of the program.
pub(crate) fn store_zero(address: u64) {
    // SAFETY: `crash` calls this with an address in the first page, which holds no Rust value, and never returns.
    unsafe { asm!("sw zero, 0({})", in(reg) address, options(nostack)) }
}

/// The place of the lowest set bit of a word that is not zero. The boards' instruction set has no instruction for it, and compilers
/// count the bits below, with twice as many instructions: any six neighbouring bits of a de Bruijn sequence occur once in it.
#[inline(always)]
pub(crate) const fn lowest_bit(word: u64) -> u8 {
    const SEQUENCE: u64 = 0x0218_a392_cd3d_5dbf;
    static PLACES: [u8; 64] = {
        let mut places = [0; 64];
        let mut place = 0;
        while place < 64 {
            places[(SEQUENCE << place >> 58) as usize] = place as u8;
            place += 1;
        }
        places
    };
    PLACES[((word & word.wrapping_neg()).wrapping_mul(SEQUENCE) >> 58) as usize]
}

/// Reads the cycle counter.
#[inline(always)]
pub(crate) fn read_counter() -> u64 {
    let count: u64;
    // SAFETY: reads a register.
    unsafe { asm!("rdcycle {}", out(reg) count, options(nostack)) }
    count
}

/// Whether number and code of an exception are those of a use of the floating-point unit while it is off.
pub(crate) const fn is_fpu_use(number: u64, code: u64) -> bool {
    number == ILLEGAL_INSTRUCTION && code == RISCV_CODE_FPU_OFF
}
