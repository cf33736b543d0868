//! x86_64: SSE2, which every x86_64 processor has, in its legacy encoding: the upper parts of AVX registers do not
//! change. On Linux, the calling convention makes all sixteen registers caller-saved.

super::assembly::routines!();

/// Whether the processor has AES-NI, PCLMULQDQ, and the instruction that reorders bytes (SSSE3). Miri knows no assembly.
pub(super) fn has_aes() -> bool {
    const AES: u32 = 1 << 25;
    const SSSE3: u32 = 1 << 9;
    const PCLMULQDQ: u32 = 1 << 1;
    const ALL: u32 = AES | SSSE3 | PCLMULQDQ;
    !cfg!(miri) && core::arch::x86_64::__cpuid(1).ecx & ALL == ALL
}
