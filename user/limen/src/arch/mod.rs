//! The parts that differ between instruction sets. No other module tests which one it is.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "riscv64")]
mod riscv64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

mod crossings;
#[cfg(target_os = "none")]
mod start;

#[cfg(target_arch = "aarch64")]
pub use aarch64::smc;
#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::{instructions::*, registers::*};
#[cfg(target_arch = "riscv64")]
pub(crate) use riscv64::{instructions::*, registers::*};
#[cfg(target_os = "none")]
pub(crate) use start::start;
#[cfg(target_arch = "x86_64")]
pub use x86_64::io_ports::IoPorts;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{instructions::*, registers::*};
