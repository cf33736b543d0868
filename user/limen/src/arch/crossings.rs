//! Crossings of probes: the code of `libmicrokit`, by the same names.

#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "assembly")]
#![allow(bad_asm_style, reason = "compilers of C expect the other syntax")]

macro_rules! crossings {
    ($port:literal) => {
        // SAFETY: functions of their own, which keep to the calling convention; the macros are forgotten.
        core::arch::global_asm!(
            include_str!($port),
            include_str!("../../../libmicrokit/src/crossings.h"),
            include_str!("forget_macros.S"),
            options(raw)
        );
    };
}

#[cfg(target_arch = "aarch64")]
crossings!("../../../libmicrokit/src/aarch64/probe.S");
#[cfg(target_arch = "riscv64")]
crossings!("../../../libmicrokit/src/riscv64/probe.S");
#[cfg(target_arch = "x86_64")]
crossings!("../../../libmicrokit/src/x86_64/probe.S");
