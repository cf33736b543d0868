//! Making written instructions visible.
//!
//! Source: Arm Architecture Reference Manual (DDI 0487), B2.4 and D8.14.

use core::arch::asm;

use limen_mmu::address::VirtAddr;

/// The operand of a TLB instruction has the page's number.
const PAGE_BITS: u32 = 12;

/// Passes what was written at an address on to where fetches find it.
pub fn clean(address: VirtAddr) {
    // SAFETY: the address was just written.
    unsafe { asm!("dc cvau, {}", in(reg) address.0, options(nostack, preserves_flags)) }
}

/// Forgets what a page of the kernel's was translated to, after its entry was cleared.
pub fn forget_translation(page: VirtAddr) {
    // SAFETY: the processor reads the entry again when it needs it.
    unsafe {
        asm!(
            "dsb nshst",
            "tlbi vaae1, {}",
            "dsb nsh",
            "isb",
            in(reg) page.0 >> PAGE_BITS,
            options(nostack, preserves_flags)
        );
    }
}

/// Lets the next instruction that is fetched be what was written, wherever it is cached.
pub fn publish() {
    // SAFETY: forgets cached copies of instructions; memory is not changed.
    unsafe { asm!("dsb ish", "ic iallu", "dsb nsh", "isb", options(nostack, preserves_flags)) }
}
