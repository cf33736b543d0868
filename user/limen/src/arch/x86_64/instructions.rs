//! Instructions that Rust has no name for, and what the processor calls them.

#![expect(unsafe_code, reason = "assembly")]

use core::arch::asm;

/// The vector of an instruction that needs the floating-point unit.
const DEVICE_NOT_AVAILABLE: u64 = 7;

/// Stores zero at an address. The kernel turns an access that is not allowed into a fault of the program.
pub(crate) fn store_zero(address: u64) {
    // SAFETY: `crash` calls this with an address in the first page, which holds no Rust value, and never returns.
    unsafe { asm!("mov dword ptr [{}], 0", in(reg) address, options(nostack)) }
}

/// The place of the lowest set bit of a word that is not zero.
#[inline(always)]
pub(crate) const fn lowest_bit(word: u64) -> u8 {
    word.trailing_zeros() as u8
}

/// Reads the time-stamp counter after everything before is done.
#[inline(always)]
pub(crate) fn read_counter() -> u64 {
    let (low, high): (u64, u64);
    // SAFETY: reads a register.
    unsafe { asm!("lfence", "rdtsc", out("rax") low, out("rdx") high, options(nostack)) }
    high << 32 | low
}

/// Whether number and code of an exception are those of a use of the floating-point unit while it is off.
pub(crate) const fn is_fpu_use(number: u64, _code: u64) -> bool {
    number == DEVICE_NOT_AVAILABLE
}
