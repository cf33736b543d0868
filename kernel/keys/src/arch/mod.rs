//! The instruction sets. Each file has the encoding, which the host tests on any machine, and what a site looks like in
//! assembly.

pub mod aarch64;
pub mod riscv64;
pub mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::Aarch64 as Native;
#[cfg(target_arch = "riscv64")]
pub use riscv64::Riscv64 as Native;
#[cfg(target_arch = "x86_64")]
pub use x86_64::X86_64 as Native;
