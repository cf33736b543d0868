//! Makes patched instructions visible to fetches.
//!
//! Source: The RISC-V Instruction Set Manual, volume I, "Zifencei", and volume II, `SFENCE.VMA`.

use core::arch::asm;

use limen_mmu::address::VirtAddr;

/// Nothing to do: others may execute what each step writes, see `Encoding::step`.
pub const fn note_steps(_: bool) {}

pub use super::cpu::publish_code as publish;
/// Makes this hart fetch what another one has patched.
pub use super::cpu::publish_code as synchronise;

/// Nothing to do: `fence.i` makes this hart's stores visible.
pub fn clean(_: VirtAddr) {}

/// Flushes the translation of a page, in every address space, after its entry was cleared.
pub fn forget_translation(page: VirtAddr) {
    // SAFETY: the hart walks the tables again when it needs the translation.
    unsafe { asm!("sfence.vma {}, zero", in(reg) page.0, options(nostack)) }
}
