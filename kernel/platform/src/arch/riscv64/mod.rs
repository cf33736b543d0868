//! RISC-V in supervisor mode.

use limen_image::Architecture;

pub use super::{no_caches as cache, no_ports as ports};

#[expect(unsafe_code, reason = "the entry point is assembly; clearing and leaving the identity map are")]
pub mod boot;
pub mod context;
#[expect(unsafe_code, reason = "system registers and barriers")]
pub mod cpu;
pub mod firmware;
pub mod float_instruction;
#[expect(unsafe_code, reason = "assembly and a control register")]
pub mod fpu;
#[expect(unsafe_code, reason = "system registers")]
pub mod irq;
pub mod mmu;
pub mod serial;
#[expect(unsafe_code, reason = "forgets translations")]
pub mod text;
#[expect(unsafe_code, reason = "system registers and calls of the firmware")]
pub mod timer;
#[expect(unsafe_code, reason = "names what is assembly")]
pub mod work;

/// The architecture of images that this kernel can carry out.
pub const ARCHITECTURE: Architecture = Architecture::Riscv64;
