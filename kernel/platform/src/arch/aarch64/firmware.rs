//! Information from the boot loader: a device tree, whose address is in a register, or which lies at the start of RAM.
//! Also calls to the secure monitor.

use core::arch::asm;

use limen_abi::boot_info::BootInfo;
use limen_core::object::secure_monitor::REGISTERS;
use limen_image::Image;
use limen_mmu::address::PhysAddr;

use crate::boot_info::Piece;
use crate::device_tree;

/// Adds a piece; `None` if the boot loader does not provide it.
pub fn tell(kind: BootInfo, image: &Image<'_>, firmware: PhysAddr, piece: &mut Piece<'_>) -> Option<()> {
    if kind != BootInfo::DeviceTree {
        return None;
    }
    let ram = image.ram().next().map(|range| PhysAddr(range.start))?;
    device_tree::tell(firmware, piece).or_else(|| device_tree::tell(ram, piece))
}

/// Calls the secure monitor.
pub fn call_secure_monitor(registers: [u64; REGISTERS]) -> [u64; REGISTERS] {
    let [mut x0, mut x1, mut x2, mut x3, mut x4, mut x5, mut x6, mut x7] = registers;
    // SAFETY: the capability's grantor is responsible for what the monitor does to memory. The monitor preserves the
    // registers of its calling convention. The tool grants the capability only on boards that have a monitor.
    unsafe {
        asm!(
            "smc #0",
            inout("x0") x0, inout("x1") x1, inout("x2") x2, inout("x3") x3,
            inout("x4") x4, inout("x5") x5, inout("x6") x6, inout("x7") x7,
            out("x8") _, out("x9") _, out("x10") _, out("x11") _, out("x12") _, out("x13") _,
            out("x14") _, out("x15") _, out("x16") _, out("x17") _,
            options(nostack)
        );
    }
    [x0, x1, x2, x3, x4, x5, x6, x7]
}
