//! The entry point, and the memory operations of boot that need special instructions.

use core::arch::global_asm;

use limen_image::Range;
use limen_mmu::aarch64::system::SCTLR_WXN;
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::cpu::{self, read_register, write_register};
use super::fpu;
use super::start::{further, set_loader_entry};
use crate::address_space::AddressSpace;
use crate::boot_check::EntryArea;
use crate::console;

global_asm!(
    include_str!("boot.S"),
    start = sym start,
    further = sym further,
    FPU_OFF = const fpu::ACCESS_OFF,
);

/// The part of a top table that 40-bit addresses index; all entries are empty.
#[repr(C, align(64))]
struct EmptyTable([u64; 2]);
static EMPTY_TABLE: EmptyTable = EmptyTable([0; 2]);

unsafe extern "C" {
    /// Cleans and invalidates the cache lines from `start` up to `end`.
    fn write_back_lines(start: u64, end: u64);
}

/// Called by the entry point with the loader's arguments.
extern "C" fn start(image_paddr: u64, serial_kind: u64, device_tree: u64, loader_entry: u64) -> ! {
    console::attach(serial_kind);
    set_loader_entry(loader_entry);
    // The loader set the counter to zero.
    crate::boot::start(PhysAddr(image_paddr), 0, &[], PhysAddr(device_tree))
}

/// Writes cached RAM back to memory, so that uncached accesses see it.
///
/// # Safety
/// The identity map is in place.
pub unsafe fn write_back(range: Range) {
    // SAFETY: the memory is mapped; its contents do not change.
    unsafe { write_back_lines(range.start, range.end) }
}

/// Lets programs execute pages that they can write. The kernel's own tables have no such page, with or without WXN.
pub fn allow_writable_code() {
    let value = read_register!("sctlr_el1") & !SCTLR_WXN;
    // SAFETY: clears WXN, a second line of defence that the checked tables do not need. The first address space is
    // entered after `leave_identity_map`, which flushes what the TLB cached under the old value.
    unsafe { write_register!("sctlr_el1", value) }
}

/// The part of the kernel that is mapped while programs run. `None`: the whole kernel half always is.
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
