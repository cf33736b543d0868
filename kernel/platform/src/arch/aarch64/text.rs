//! Makes patched instructions visible to fetches.
//!
//! Source: Arm Architecture Reference Manual (DDI 0487), B2.4 and D8.14.

use core::arch::asm;

use limen_mmu::address::VirtAddr;

/// Nothing to do: others may execute a branch or a no-op while one replaces the other.
pub const fn note_steps(_: bool) {}

/// A TLB instruction takes a page number.
const PAGE_BITS: u32 = 12;

/// Cleans the line at an address that was just patched to the point of unification.
pub fn clean(address: VirtAddr) {
    // SAFETY: the address was just written.
    unsafe { asm!("dc cvau, {}", in(reg) address.0, options(nostack, preserves_flags)) }
}

/// Flushes the translation of a kernel page after its entry was cleared.
pub fn forget_translation(page: VirtAddr) {
    // SAFETY: the processor walks the tables again when it needs the translation.
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

/// Makes the next fetch see the patched instructions, in the caches of all processors.
pub fn publish() {
    // SAFETY: invalidates instruction caches; memory does not change.
    unsafe { asm!("dsb ish", "ic ialluis", "dsb ish", "isb", options(nostack, preserves_flags)) }
}

/// Makes this processor drop instructions that it has fetched before another one has patched them.
pub fn synchronise() {
    // SAFETY: has no other effect.
    unsafe { asm!("isb", options(nostack, preserves_flags)) }
}
