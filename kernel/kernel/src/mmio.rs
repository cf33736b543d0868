//! Windows to the registers of the kernel's own devices.

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use limen_abi::limits::PAGE_BYTES;
use limen_core::address::VirtAddr;

/// A page of 32-bit device registers.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    base: usize,
}

impl Window {
    /// The window at a page of `arch::mmu` that is set aside for a device. Boot maps it before any driver runs.
    pub const fn at(base: VirtAddr) -> Self {
        Self { base: base.0 as usize }
    }

    /// Reads the register at this offset in bytes, which wraps within the page.
    #[inline]
    pub fn read(self, offset: u32) -> u32 {
        // SAFETY: `address` stays in the window; `boot` maps every window as device memory before its driver
        // is used, and nothing else is ever mapped there.
        unsafe { with_exposed_provenance::<u32>(self.address(offset)).read_volatile() }
    }

    /// Writes the register at this offset in bytes, which wraps within the page.
    #[inline]
    pub fn write(self, offset: u32, value: u32) {
        // SAFETY: as for `read`.
        unsafe { with_exposed_provenance_mut::<u32>(self.address(offset)).write_volatile(value) }
    }

    fn address(self, offset: u32) -> usize {
        self.base + (offset as usize & (PAGE_BYTES as usize - size_of::<u32>()))
    }
}
