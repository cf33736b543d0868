//! The instruction sets. Each file has the encoding, which is tested on any host, and the assembly of a site.

pub mod aarch64;
pub mod riscv64;
pub mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::Aarch64 as Native;
#[cfg(target_arch = "riscv64")]
pub use riscv64::Riscv64 as Native;
#[cfg(target_arch = "x86_64")]
pub use x86_64::X86_64 as Native;
