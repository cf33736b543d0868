//! Selects the port. All ports have the same modules with the same functions.

/// A port's section routines: the operands that only this port needs, and the assembly that follows.
macro_rules! section_code {
    ($after:literal, $($operand:tt)*) => {
        core::arch::global_asm!(
            include_str!("section.S"),
            include_str!("../section.S"),
            $after,
            COUNT = const REGISTERS,
            REGISTERS = const NUMBERED.start,
            $($operand)*
        );
    };
}

#[cfg(not(target_arch = "aarch64"))]
pub mod no_caches;
#[cfg(not(target_arch = "x86_64"))]
pub mod no_ports;

#[cfg(target_arch = "aarch64")]
pub mod aarch64;
#[cfg(target_arch = "aarch64")]
pub use aarch64::*;

#[cfg(target_arch = "riscv64")]
pub mod riscv64;
#[cfg(target_arch = "riscv64")]
pub use riscv64::*;

#[cfg(target_arch = "x86_64")]
pub mod x86_64;
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;
