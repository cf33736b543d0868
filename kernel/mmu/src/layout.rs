//! Where things lie in the kernel's addresses: on every architecture the same.
//!
//! The image starts two gigabytes below the top, which is a kernel address everywhere; the linker script has the same
//! number. Windows to device registers take the last large page of its first gigabyte, far above the image; the one
//! before it is for writing code, and the one before that shows which code of programs may be written.

use crate::address::VirtAddr;
use limen_abi::limits::PAGE_BYTES;

use crate::format::span_bytes;

/// First address of the kernel's image.
pub const IMAGE: u64 = 0xffff_ffff_8000_0000;
const WINDOWS: u64 = IMAGE + span_bytes(2) - span_bytes(1);

/// The page that shows code of the kernel while it is patched. It has a table of its own.
pub const PATCH_WINDOW: VirtAddr = VirtAddr(WINDOWS - span_bytes(1));

/// Where the boot image's sites of static keys in programs are read, at most a large page.
pub const KEY_SITES: VirtAddr = VirtAddr(PATCH_WINDOW.0 - span_bytes(1));

/// Registers of the debug console.
pub const CONSOLE: VirtAddr = VirtAddr(WINDOWS);

/// The page of this number that is set aside for the interrupt controller, below 100.
#[must_use]
pub const fn interrupt_controller(page: u64) -> VirtAddr {
    VirtAddr(WINDOWS + (1 + page) * PAGE_BYTES)
}
