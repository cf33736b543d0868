//! The parts that differ between boards: the interrupt of the serial port, and instructions of the floating-point unit.

#[cfg(target_arch = "aarch64")]
#[path = "aarch64.rs"]
mod port;
#[cfg(target_arch = "riscv64")]
#[path = "riscv64.rs"]
mod port;
#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod port;

#[allow(unused_imports, reason = "each program uses some")]
pub use port::{device, use_fpu};
