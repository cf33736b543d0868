//! The instruction sets: assembly if the base set has vector registers, otherwise plain code.

#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "assembly")]
mod aarch64;
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
#[expect(unsafe_code, reason = "calls assembly")]
mod assembly;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
mod plain;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "assembly")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64::has_aes;
#[cfg(target_arch = "x86_64")]
use x86_64::has_aes;

#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
pub use assembly::{AesInstructions, footprint};
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
pub(crate) use assembly::{
    BLOCKS_AT_ONCE, block, chunks, clear, first_difference, hash, parents, substitute, xor, xor_counters,
    xor_fours,
};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub use plain::{AesInstructions, footprint};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub(crate) use plain::{
    BLOCKS_AT_ONCE, block, chunks, clear, first_difference, hash, parents, substitute, xor, xor_counters,
    xor_fours,
};
