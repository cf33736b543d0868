//! Making written instructions visible.
//!
//! Source: The RISC-V Instruction Set Manual, volume I, "Zifencei", and volume II, `SFENCE.VMA`.

use core::arch::asm;

use limen_mmu::address::VirtAddr;

pub use super::cpu::publish_code as publish;

/// Nothing: `fence.i` looks for what this hart has written.
pub fn clean(_: VirtAddr) {}

/// Forgets what a page was translated to, in every address space, after its entry was cleared.
pub fn forget_translation(page: VirtAddr) {
    // SAFETY: the hart reads the entry again when it needs it.
    unsafe { asm!("sfence.vma {}, zero", in(reg) page.0, options(nostack)) }
}
