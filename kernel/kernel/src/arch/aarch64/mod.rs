//! AArch64 at EL1.

use limen_image::Architecture;

#[expect(unsafe_code, reason = "the entry point is assembly; clearing and leaving the identity map are")]
pub mod boot;
pub mod context;
#[expect(unsafe_code, reason = "system registers and barriers")]
pub mod cpu;
#[expect(unsafe_code, reason = "registers that the compiler does not know, saved by assembly")]
pub mod fpu;
pub mod irq;
pub mod mmu;
pub mod ports;
pub mod serial;
#[expect(unsafe_code, reason = "system registers")]
pub mod timer;
#[expect(unsafe_code, reason = "trap entry and return are assembly")]
pub mod trap;

/// The architecture of images that this kernel can carry out.
pub const ARCHITECTURE: Architecture = Architecture::Aarch64;
