//! 64-bit x86.

use limen_image::Architecture;

pub use super::no_caches as cache;

#[expect(unsafe_code, reason = "assembly entry point; clears memory, leaves the identity map")]
pub mod boot;
pub mod context;
#[expect(unsafe_code, reason = "control registers and waiting")]
pub mod cpu;
#[expect(unsafe_code, reason = "memory that only the processor and the trap code use")]
pub mod entry_area;
pub mod firmware;
#[expect(unsafe_code, reason = "assembly")]
pub mod fpu;
#[expect(unsafe_code, reason = "a static in the private part of the processor")]
pub mod irq;
pub mod mmu;
#[expect(unsafe_code, reason = "reads the boot loader's information in memory")]
pub mod multiboot;
#[expect(unsafe_code, reason = "port I/O instructions")]
pub mod ports;
#[expect(unsafe_code, reason = "tables that the processor reads")]
pub mod segments;
pub mod serial;
#[expect(unsafe_code, reason = "copies the first instructions of further processors")]
pub mod start;
#[expect(unsafe_code, reason = "flushes translations")]
pub mod text;
pub mod timer;
#[expect(unsafe_code, reason = "declares symbols of assembly")]
pub mod work;

/// The architecture of the images that this kernel boots.
pub const ARCHITECTURE: Architecture = Architecture::X86_64;
