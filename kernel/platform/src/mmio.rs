//! Access to the registers of the kernel's own devices.

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use limen_abi::limits::PAGE_BYTES;
use limen_mmu::address::VirtAddr;

use crate::driver::ns16550;

/// A page of 32-bit or 8-bit device registers.
#[derive(Clone, Copy, Debug)]
pub struct DeviceWindow {
    base: usize,
}

impl DeviceWindow {
    /// The window at a page of `limen_mmu::layout` that is reserved for a device. Boot maps it before any driver runs.
    pub const fn at(base: VirtAddr) -> Self {
        Self { base: base.0 as usize }
    }

    /// Reads the register at this offset in bytes, which wraps within the page.
    #[inline]
    pub fn read(self, offset: u32) -> u32 {
        // SAFETY: `address` stays in the window; `boot` maps every window as device memory before its driver runs, and
        // nothing else is ever mapped there.
        unsafe { with_exposed_provenance::<u32>(self.address::<u32>(offset)).read_volatile() }
    }

    /// Writes the register at this offset in bytes, which wraps within the page.
    #[inline]
    pub fn write(self, offset: u32, value: u32) {
        // SAFETY: as for `read`.
        unsafe { with_exposed_provenance_mut::<u32>(self.address::<u32>(offset)).write_volatile(value) }
    }

    /// Writes the 8-bit register at this offset in bytes, which wraps within the page.
    #[inline]
    pub fn write_byte(self, offset: u32, value: u8) {
        // SAFETY: as for `read`.
        unsafe { with_exposed_provenance_mut::<u8>(self.address::<u8>(offset)).write_volatile(value) }
    }

    fn address<Register>(self, offset: u32) -> usize {
        self.base + (offset as usize & (PAGE_BYTES as usize - size_of::<Register>()))
    }
}

impl ns16550::Registers for DeviceWindow {
    fn read(&self, register: u16) -> u8 {
        // SAFETY: as for `DeviceWindow::read`.
        unsafe { with_exposed_provenance::<u8>(self.address::<u8>(u32::from(register))).read_volatile() }
    }

    fn write(&self, register: u16, value: u8) {
        self.write_byte(u32::from(register), value);
    }
}
