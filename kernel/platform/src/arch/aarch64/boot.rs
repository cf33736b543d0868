//! The entry point, and what boot does with memory that needs special instructions.

use core::arch::global_asm;

use limen_image::Range;
use limen_mmu::aarch64::system::SCTLR_WXN;
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::cpu::{self, read_register, write_register};
use super::fpu;
use crate::address_space::AddressSpace;
use crate::boot_check::EntryArea;
use crate::console;

global_asm!(include_str!("boot.S"), start = sym start, FPU_OFF = const fpu::ACCESS_OFF);

/// The part of a top table that 40-bit addresses use, without entries.
#[repr(C, align(64))]
struct EmptyTable([u64; 2]);
static EMPTY_TABLE: EmptyTable = EmptyTable([0; 2]);

unsafe extern "C" {
    /// Writes cached lines from `start` up to `end` back to memory and forgets them.
    fn write_back_lines(start: u64, end: u64);
}

/// Called by the entry point with what the loader passes.
extern "C" fn start(image_paddr: u64, serial_kind: u64, device_tree: u64) -> ! {
    console::attach(serial_kind);
    // The loader has set the counter to zero.
    crate::boot::start(PhysAddr(image_paddr), 0, &[], PhysAddr(device_tree))
}

/// Makes what caches hold of RAM visible to accesses without cache.
///
/// # Safety
/// The identity map is in place.
pub unsafe fn write_back(range: Range) {
    // SAFETY: the memory is mapped; its contents do not change.
    unsafe { write_back_lines(range.start, range.end) }
}

/// Lets programs execute pages that they can write. The kernel's tables have none, with or without this.
pub fn allow_writable_code() {
    let value = read_register!("sctlr_el1") & !SCTLR_WXN;
    // SAFETY: takes away a second line of defence that the checked tables do not need; the first address space is
    // entered after `leave_identity_map`, which makes the processor forget what it cached under the old value.
    unsafe { write_register!("sctlr_el1", value) }
}

/// What of the kernel is mapped while programs run, if that is not its whole half. Here it always is.
pub fn entry_area() -> Option<EntryArea> {
    None
}

/// Removes the loader's identity map. The lower half is empty until an address space is entered.
pub fn leave_identity_map() {
    let empty = VirtAddr((&raw const EMPTY_TABLE).addr() as u64);
    let empty = AddressSpace { root: cpu::translate(empty).unwrap_or_default(), asid: 0 };
    if let Some(space) = cpu::SpaceRegister::new(empty) {
        cpu::switch_space(space);
    }
    cpu::forget_translations();
}
