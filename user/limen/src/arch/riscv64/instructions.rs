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
