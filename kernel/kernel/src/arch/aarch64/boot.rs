//! The entry point, and what boot does with memory that needs special instructions.

use core::arch::{asm, global_asm};

use limen_core::address::{PhysAddr, VirtAddr};
use limen_image::Range;

use crate::arch::cpu;

/// Bytes of the kernel's stack. Nothing in the kernel recurses deeper than page tables are high.
const STACK_BYTES: usize = 16 << 10;

global_asm!(include_str!("boot.S"), start = sym start, STACK_BYTES = const STACK_BYTES);

/// The part of a top table that 40-bit addresses use, without entries.
#[repr(C, align(64))]
struct EmptyTable([u64; 2]);
static EMPTY_TABLE: EmptyTable = EmptyTable([0; 2]);

unsafe extern "C" {
    /// Clears memory from `start` up to `end`, both page-aligned.
    fn clear_pages(start: u64, end: u64);
    /// Writes cached lines from `start` up to `end` back to memory and forgets them.
    fn write_back_lines(start: u64, end: u64);
}

/// Called by the entry point with the address that the loader passes.
extern "C" fn start(image_paddr: u64) -> ! {
    crate::boot::start(PhysAddr(image_paddr))
}

/// Clears whole pages of RAM.
///
/// # Safety
/// The identity map is in place, and nobody refers to the memory.
pub unsafe fn clear(range: Range) {
    // SAFETY: the caller vouches for the memory.
    unsafe { clear_pages(range.start, range.end) }
}

/// Makes what caches hold of RAM visible to accesses without cache.
///
/// # Safety
/// The identity map is in place.
pub unsafe fn write_back(range: Range) {
    // SAFETY: the memory is mapped; its contents do not change.
    unsafe { write_back_lines(range.start, range.end) }
}

/// Removes the loader's identity map: the lower half is empty until an address space is entered.
pub fn leave_identity_map() {
    let empty = VirtAddr((&raw const EMPTY_TABLE).addr() as u64);
    let empty = cpu::translate(empty).unwrap_or_default();
    // SAFETY: boot is over; nobody holds a reference to an address of the lower half.
    unsafe {
        asm!(
            "msr ttbr0_el1, {empty}",
            "isb",
            "tlbi vmalle1",
            "dsb nsh",
            "isb",
            empty = in(reg) empty.0,
            options(nostack, preserves_flags)
        );
    }
}
