//! Makes patched instructions visible to fetches.
//!
//! Source: Intel SDM, volume 3, 9.1.3, "Handling Self- and Cross-Modifying Code".

use core::arch::asm;
use core::arch::x86_64::__cpuid;
use core::sync::atomic::{AtomicBool, Ordering};

use limen_mmu::address::VirtAddr;

/// Whether code that other processors execute may have breakpoints of a change (`Encoding::step`). Until a processor has
/// synchronised with the last step, it may execute one, and finds this set.
pub static HAS_STEPS: AtomicBool = AtomicBool::new(false);

/// Notes that a change of code begins, or that all processors have synchronised with its last step.
pub fn note_steps(begin: bool) {
    HAS_STEPS.store(begin, Ordering::SeqCst);
}

/// Nothing to do: caches are coherent.
pub fn clean(_: VirtAddr) {}

/// Flushes the translation of a page after its entry was cleared.
pub fn forget_translation(page: VirtAddr) {
    // SAFETY: the processor walks the tables again when it needs the translation.
    unsafe { asm!("invlpg [{}]", in(reg) page.0, options(nostack, preserves_flags)) }
}

/// Makes the next fetch see the patched instructions, also those written through another address: `cpuid` serialises.
pub fn publish() {
    let _ = __cpuid(0);
}

/// Makes this processor drop instructions that it has fetched before another one has patched them.
pub fn synchronise() {
    let _ = __cpuid(0);
}
