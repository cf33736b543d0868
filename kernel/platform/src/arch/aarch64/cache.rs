//! Cache maintenance by user virtual address.
//!
//! The kernel translates each page first: a maintenance instruction on an unmapped address would fault.

use core::arch::asm;
use core::ops::Range;

use limen_core::machine::CacheOperation;

use super::cpu::{self, SpaceRegister, read_register};
use super::mmu;

/// The end of the addresses that programs may maintain.
pub const USER_END: Option<u64> = Some(mmu::USER_END);

/// PAR_EL1: the translation failed.
const TRANSLATION_FAILED: u64 = 1;
/// The smallest cache line that the architecture allows, in bytes. Maintaining a line twice is harmless, only slower.
const LEAST_LINE_BYTES: usize = 16;

/// Whether the MMU translates an address for this kind of access.
macro_rules! translates {
    ($instruction:literal, $address:expr) => {{
        // SAFETY: an address translation changes only the result register.
        unsafe { asm!($instruction, "isb", in(reg) $address, options(nostack, preserves_flags)) }
        read_register!("par_el1") & TRANSLATION_FAILED == 0
    }};
}

/// Whether `space` maps a page at this address that user mode may read but not write.
pub fn is_read_only(space: SpaceRegister, address: u64) -> bool {
    cpu::in_space(space, || may_read(address) && !may_write(address))
}

/// Executes one instruction for each line of these addresses, which user mode may read.
macro_rules! each_line {
    ($instruction:literal, $addresses:expr, $line:expr) => {
        for address in $addresses.step_by($line) {
            // SAFETY: user mode may read the page, so it is mapped. Dirty lines are written back before they are
            // invalidated, so no data changes.
            unsafe { asm!($instruction, in(reg) address, options(nostack, preserves_flags)) }
        }
    };
}

macro_rules! barrier {
    ($instruction:literal) => {
        // SAFETY: a barrier.
        unsafe { asm!($instruction, options(nostack, preserves_flags)) }
    };
}

/// Maintains the caches for these addresses of a page of `space`, if user mode may read it.
pub fn maintain(space: SpaceRegister, operation: CacheOperation, addresses: Range<u64>) {
    cpu::in_space(space, || {
        if may_read(addresses.start) {
            maintain_lines(operation, addresses);
        }
    });
}

fn maintain_lines(operation: CacheOperation, addresses: Range<u64>) {
    let line = line_bytes(operation);
    let lines = addresses.start & !(line as u64 - 1)..addresses.end;
    match operation {
        CacheOperation::Clean => each_line!("dc cvac, {}", lines, line),
        // Invalidation cleans first. Otherwise a program could discard zeros that the kernel wrote and that are still
        // only in the cache, and read what the memory held before it was cleared or wiped. A driver cleans lines before
        // it gives the memory to a device; those are not dirty, so cleaning does not overwrite its data.
        CacheOperation::Invalidate | CacheOperation::CleanInvalidate => {
            each_line!("dc civac, {}", lines, line);
        }
        CacheOperation::Unify => {
            each_line!("dc cvau, {}", lines.clone(), line);
            barrier!("dsb ish");
            each_line!("ic ivau, {}", lines, line);
            barrier!("dsb ish");
            return barrier!("isb");
        }
    }
    barrier!("dsb sy");
}

/// The size in bytes of the smallest cache line that the operation affects. CTR_EL0 holds log2 of the words.
fn line_bytes(operation: CacheOperation) -> usize {
    let sizes = read_register!("ctr_el0");
    let (data, instructions) = (sizes >> 16 & 0xf, sizes & 0xf);
    let words = if operation == CacheOperation::Unify { data.min(instructions) } else { data };
    LEAST_LINE_BYTES.max(4 << words)
}

fn may_read(address: u64) -> bool {
    translates!("at s1e0r, {}", address)
}

fn may_write(address: u64) -> bool {
    translates!("at s1e0w, {}", address)
}
