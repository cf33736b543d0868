//! The layout of kernel addresses, the same on every architecture.
//!
//! The image starts two gigabytes below the top, which is a kernel address everywhere; the linker script has the same
//! number. Device registers take the last large page of the image's first gigabyte, far above the image. The large page
//! before it holds the window through which code is patched; the one before that maps the list of key sites in
//! programs; the rings of the trace lie before those.

use crate::address::VirtAddr;
use limen_abi::limits::{PAGE_BYTES, PROCESSORS};
use limen_abi::trace::{MAX_BYTES, memory_bytes_of};

use crate::format::span_bytes;

/// First address of the kernel's image.
pub const IMAGE: u64 = 0xffff_ffff_8000_0000;
const WINDOWS: u64 = IMAGE + span_bytes(2) - span_bytes(1);

/// The page through which code is patched. It has its own table.
pub const PATCH_WINDOW: VirtAddr = VirtAddr(WINDOWS - span_bytes(1));

/// The boot image's list of static-key sites in programs, at most a large page.
pub const KEY_SITES: VirtAddr = VirtAddr(PATCH_WINDOW.0 - span_bytes(1));

/// Most bytes of the rings of the trace.
const TRACE_BYTES: u64 = memory_bytes_of(PROCESSORS as u64, MAX_BYTES);

/// The rings of the trace, one for each processor.
pub const TRACE: VirtAddr = VirtAddr(KEY_SITES.0 - TRACE_BYTES.next_multiple_of(span_bytes(1)));

/// Registers of the debug console.
pub const CONSOLE: VirtAddr = VirtAddr(WINDOWS);

/// The page with this number, below 100, of those reserved for the interrupt controller.
#[must_use]
pub const fn interrupt_controller(page: u64) -> VirtAddr {
    VirtAddr(WINDOWS + (1 + page) * PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: u64 = 0x20_0000;

    #[test]
    fn windows_take_the_last_large_pages_of_the_first_gigabyte() {
        assert_eq!(CONSOLE, VirtAddr(0xffff_ffff_bfe0_0000));
        assert_eq!(PATCH_WINDOW, VirtAddr(0xffff_ffff_bfc0_0000));
        assert_eq!(KEY_SITES, VirtAddr(0xffff_ffff_bfa0_0000));
    }

    #[test]
    fn the_trace_ends_in_the_large_page_before_the_sites() {
        let room = KEY_SITES.0 - TRACE.0;
        assert!(room.is_multiple_of(LARGE) && (room - LARGE..=room).contains(&TRACE_BYTES));
    }

    #[test]
    fn pages_of_the_interrupt_controller_follow_the_console() {
        let [first, last] = [0, 99].map(|page| interrupt_controller(page).0);
        assert_eq!((first, last), (CONSOLE.0 + 0x1000, CONSOLE.0 + 0x6_4000));
    }
}
