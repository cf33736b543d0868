//! Maintaining caches by the addresses of user address spaces.
//!
//! The kernel asks the MMU about each page first: an instruction for an address without a page would be an exception.

use core::arch::asm;
use core::ops::Range;

use limen_abi::limits::PAGE_BYTES;
use limen_core::machine::CacheOperation;

use super::cpu::{self, SpaceRegister, read_register};
use super::mmu;

/// Where addresses end that these instructions take for programs.
pub const USER_END: Option<u64> = Some(mmu::USER_END);

/// PAR_EL1: the translation failed.
const TRANSLATION_FAILED: u64 = 1;
/// The smallest cache line that the architecture allows, in bytes. Doing a line twice is right, only slower.
const LEAST_LINE_BYTES: usize = 16;

/// Whether the MMU translates an address for an access of this kind.
macro_rules! translates {
    ($instruction:literal, $address:expr) => {{
        // SAFETY: asks the MMU, and changes nothing but the register with its answer.
        unsafe { asm!($instruction, "isb", in(reg) $address, options(nostack, preserves_flags)) }
        read_register!("par_el1") & TRANSLATION_FAILED == 0
    }};
}

/// Whether user mode has a page at this address of `space` that it may not write.
pub fn is_read_only(space: SpaceRegister, address: u64) -> bool {
    cpu::in_space(space, || may_read(address) && !may_write(address))
}

/// Maintains the caches for these addresses of `space`, as far as user mode may read them.
pub fn maintain(space: SpaceRegister, operation: CacheOperation, addresses: Range<u64>) {
    cpu::in_space(space, || maintain_pages(operation, addresses));
}

fn maintain_pages(operation: CacheOperation, addresses: Range<u64>) {
    let mut start = addresses.start;
    while start < addresses.end {
        let page_end = (start | (PAGE_BYTES - 1)) + 1;
        if may_read(start) {
            maintain_in_page(operation, start..page_end.min(addresses.end));
        }
        start = page_end;
    }
    finish(operation);
}

fn maintain_in_page(operation: CacheOperation, addresses: Range<u64>) {
    let line = line_bytes(operation);
    let first = addresses.start & !(line as u64 - 1);
    for address in (first..addresses.end).step_by(line) {
        // SAFETY: user mode may read the page, so there is one. Cleaning changes no data that anybody sees; whoever
        // forgets data may write there (`limen_core::object::vspace` checks it), so could have destroyed it as well.
        unsafe {
            match operation {
                CacheOperation::Clean => asm!("dc cvac, {}", in(reg) address, options(nostack)),
                CacheOperation::Invalidate => asm!("dc ivac, {}", in(reg) address, options(nostack)),
                CacheOperation::CleanInvalidate => asm!("dc civac, {}", in(reg) address, options(nostack)),
                CacheOperation::Unify => {
                    asm!("dc cvau, {0}", "dsb ish", "ic ivau, {0}", in(reg) address, options(nostack));
                }
            }
        }
    }
}

/// Makes what was done visible to whoever looks next.
fn finish(operation: CacheOperation) {
    // SAFETY: barriers.
    unsafe {
        match operation {
            CacheOperation::Unify => asm!("dsb ish", "isb", options(nostack)),
            _ => asm!("dsb sy", options(nostack)),
        }
    }
}

/// Bytes of the smallest cache line that the operation meets. CTR_EL0 has their logarithms, in words.
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
