//! Instructions that Rust has no name for, and what the processor calls them.

#![expect(unsafe_code, reason = "assembly")]

use core::arch::asm;

/// Stores zero at an address. The kernel turns an access that is not allowed into a fault of the program.
pub(crate) fn store_zero(address: u64) {
    // SAFETY: `crash` calls this with an address in the first page, which holds no Rust value, and never returns.
    unsafe { asm!("str wzr, [{}]", in(reg) address, options(nostack)) }
}

/// The place of the lowest set bit of a word that is not zero.
#[inline(always)]
pub(crate) const fn lowest_bit(word: u64) -> u8 {
    word.trailing_zeros() as u8
}

/// Reads the cycle counter after everything before is done.
#[inline(always)]
pub(crate) fn read_counter() -> u64 {
    let count: u64;
    // SAFETY: reads a register.
    unsafe { asm!("isb", "mrs {}, pmccntr_el0", out(reg) count, options(nostack)) }
    count
}

/// Whether number and code of an exception are those of a use of the floating-point unit while it is off: exception
/// class 7.
pub(crate) const fn is_fpu_use(number: u64, _code: u64) -> bool {
    number >> 26 == 7
}
