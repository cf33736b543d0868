//! AArch64: AdvSIMD. Registers 8 to 15 are not used, because the calling convention preserves half of each. Memory is
//! accessed in byte elements, so any address is aligned.

super::assembly::routines!();
