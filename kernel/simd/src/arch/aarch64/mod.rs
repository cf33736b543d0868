//! AArch64: AdvSIMD. Registers 8 to 15 are not used, half of which a calling convention would have preserved. Memory is
//! read in elements of bytes, so that any address is aligned.

super::assembly::routines!();
