//! The cycle counter.

use crate::arch;
use crate::buffer;

/// The processor's cycle counter; in deterministic emulation it counts instructions. What the program does before the
/// call is complete when the counter is read, except on RISC-V.
///
/// Faults unless the system description has `<counter/>` or the configuration is benchmark.
#[must_use]
#[inline(always)]
pub fn counter() -> u64 {
    arch::read_counter()
}

/// The counter's value at the loader's first instruction, where boot starts.
#[must_use]
pub fn boot_stamp() -> u64 {
    buffer::user_data()
}
