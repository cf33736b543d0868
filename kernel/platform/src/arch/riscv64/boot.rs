//! The entry point, and the memory operations of boot that need special instructions.

use core::arch::global_asm;
use core::cell::UnsafeCell;

use limen_image::Range;
use limen_mmu::address::{PhysAddr, VirtAddr};
use limen_mmu::riscv64::system;

use super::cpu;
use super::mmu::Descriptors;
use super::start::{further, set_first};
use crate::boot_check::EntryArea;
use crate::console;
use crate::identity_map::TablePool;
use crate::page_table::{ENTRIES, Root, Table, share_kernel};

global_asm!(include_str!("boot.S"), start = sym start, further = sym further);

/// The top table that is active while no address space is. Each processor has one.
#[repr(C, align(4096))]
struct TopTable(UnsafeCell<Table>);

// SAFETY: `leave_identity_map` writes that of its hart once, with interrupts off.
unsafe impl Sync for TopTable {}

#[unsafe(link_section = ".data.private")]
static KERNEL_ONLY: TopTable = TopTable(UnsafeCell::new([0; ENTRIES]));

/// Called by the entry point with the loader's arguments.
extern "C" fn start(
    image_paddr: u64,
    hart: u64,
    first_cycle: u64,
    serial_kind: u64,
    device_tree: u64,
    loader_entry: u64,
) -> ! {
    console::attach(serial_kind);
    set_first(hart, loader_entry);
    crate::boot::start(PhysAddr(image_paddr), first_cycle, &[], PhysAddr(device_tree))
}

/// Makes cached RAM visible to uncached accesses. Nothing to do: cacheability follows from the physical address.
///
/// # Safety
/// None is needed; other architectures need the identity map.
pub unsafe fn write_back(_: Range) {}

/// Lets programs execute pages that they can write. Nothing forbids that here.
pub fn allow_writable_code() {}

/// The part of the kernel that is mapped while programs run. `None`: the whole kernel half always is.
pub fn entry_area() -> Option<EntryArea> {
    None
}

/// Removes the loader's identity map. The lower half is empty until an address space is entered.
pub fn leave_identity_map() {
    let vaddr = VirtAddr(KERNEL_ONLY.0.get().addr() as u64);
    if let Some(table) = cpu::translate(vaddr) {
        let root = Root { table, ..cpu::kernel_root() };
        share_kernel::<Descriptors>(&mut TablePool::empty(), cpu::kernel_root(), root);
        // SAFETY: the table maps the kernel as the loader's does, and no reference into the lower half is left.
        unsafe { cpu::write_register!("satp", system::satp(table, 0)) }
    }
    cpu::forget_translations();
}
