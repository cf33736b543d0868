//! 64-bit x86, on one processor.

use limen_image::Architecture;

pub use super::no_caches as cache;

#[expect(unsafe_code, reason = "the entry point is assembly; clearing and leaving the identity map are")]
pub mod boot;
pub mod context;
#[expect(unsafe_code, reason = "control registers and waiting")]
pub mod cpu;
#[expect(unsafe_code, reason = "memory that the processor and the trap code use, and nobody else")]
pub mod entry_area;
pub mod firmware;
#[expect(unsafe_code, reason = "assembly")]
pub mod fpu;
pub mod irq;
pub mod mmu;
#[expect(unsafe_code, reason = "reads what the boot loader has left in memory")]
pub mod multiboot;
#[expect(unsafe_code, reason = "instructions for ports")]
pub mod ports;
#[expect(unsafe_code, reason = "tables that the processor reads by itself")]
pub mod segments;
pub mod serial;
#[expect(unsafe_code, reason = "forgets translations")]
pub mod text;
pub mod timer;
#[expect(unsafe_code, reason = "names what is assembly")]
pub mod work;

/// The architecture of images that this kernel can carry out.
pub const ARCHITECTURE: Architecture = Architecture::X86_64;
