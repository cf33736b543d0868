//! The instruction sets: assembly if the base set has vector registers, otherwise plain code. RISC-V has some assembly for an
//! extension.

#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "assembly")]
mod aarch64;
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
#[expect(unsafe_code, reason = "calls assembly")]
mod assembly;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
mod plain;
#[cfg(target_arch = "riscv64")]
#[expect(unsafe_code, reason = "assembly")]
mod riscv64;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "assembly")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64::has_aes;
#[cfg(target_arch = "x86_64")]
use x86_64::has_aes;

#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
use assembly as port;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use plain as port;

#[cfg(not(target_arch = "riscv64"))]
pub use port::are_clear;
pub use port::{AesInstructions, footprint};
pub(crate) use port::{block, chunks, first_difference, hash, parents, substitute, xor, xor_counters};
#[cfg(not(target_arch = "riscv64"))]
pub(crate) use port::{blocks_at_once, clear, xor_fours};
#[cfg(target_arch = "riscv64")]
pub use riscv64::{are_clear, detect};
#[cfg(target_arch = "riscv64")]
pub(crate) use riscv64::{blocks_at_once, clear, xor_fours};
