//! RISC-V in supervisor mode.

use limen_image::Architecture;

pub use super::{no_caches as cache, no_ports as ports};

#[expect(unsafe_code, reason = "assembly entry point; clears memory, leaves the identity map")]
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
#[expect(unsafe_code, reason = "calls the firmware")]
pub mod start;
#[expect(unsafe_code, reason = "flushes translations")]
pub mod text;
#[expect(unsafe_code, reason = "system registers and calls to the firmware")]
pub mod timer;
#[expect(unsafe_code, reason = "declares symbols of assembly")]
pub mod work;

/// The architecture of the images that this kernel boots.
pub const ARCHITECTURE: Architecture = Architecture::Riscv64;
