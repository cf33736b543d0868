//! AArch64 at EL1.

use limen_image::Architecture;

pub use super::no_ports as ports;

#[expect(unsafe_code, reason = "assembly entry point; clears memory, leaves the identity map")]
pub mod boot;
#[expect(unsafe_code, reason = "cache maintenance and address translation")]
pub mod cache;
pub mod context;
#[expect(unsafe_code, reason = "system registers and barriers")]
pub mod cpu;
#[expect(unsafe_code, reason = "calls the secure monitor")]
pub mod firmware;
#[expect(unsafe_code, reason = "assembly")]
pub mod fpu;
pub mod irq;
pub mod mmu;
pub mod serial;
#[expect(unsafe_code, reason = "calls the hypervisor")]
pub mod start;
#[expect(unsafe_code, reason = "cache maintenance and barriers")]
pub mod text;
#[expect(unsafe_code, reason = "system registers")]
pub mod timer;
#[expect(unsafe_code, reason = "declares symbols of assembly")]
pub mod work;

/// The architecture of the images that this kernel boots.
pub const ARCHITECTURE: Architecture = Architecture::Aarch64;
