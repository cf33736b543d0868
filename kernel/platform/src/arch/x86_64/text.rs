//! Making written instructions visible.
//!
//! Source: Intel SDM, volume 3, 9.1.3, "Handling Self- and Cross-Modifying Code".

use core::arch::asm;
use core::arch::x86_64::__cpuid;

use limen_mmu::address::VirtAddr;

/// Nothing: caches are coherent.
pub fn clean(_: VirtAddr) {}

/// Forgets what a page was translated to, after its entry was cleared.
pub fn forget_translation(page: VirtAddr) {
    // SAFETY: the processor reads the entry again when it needs it.
    unsafe { asm!("invlpg [{}]", in(reg) page.0, options(nostack, preserves_flags)) }
}

/// Lets the next instruction that is fetched be what was written, also through another address: `cpuid` serialises.
pub fn publish() {
    let _ = __cpuid(0);
}
