//! AArch64: AdvSIMD. Registers 8 to 15 are not used, because the calling convention preserves half of each. Memory is
//! accessed in byte elements, so any address is aligned.

super::assembly::routines!();

/// Whether the processor has FEAT_AES and FEAT_PMULL.
pub(super) fn has_aes() -> bool {
    /// The position of the field that counts both.
    const AES: u32 = 4;
    let features: u64;
    // SAFETY: reads a feature register; on Linux, the system answers.
    unsafe {
        core::arch::asm!("mrs {}, id_aa64isar0_el1", out(reg) features, options(nomem, nostack, preserves_flags))
    }
    features >> AES & 0xf >= 2
}
