//! Information from the firmware: a device tree, whose address it passes in a register.

use limen_abi::boot_info::BootInfo;
use limen_core::object::secure_monitor::REGISTERS;
use limen_image::Image;
use limen_mmu::address::PhysAddr;

use crate::boot_info::Piece;
use crate::device_tree;

/// Adds a piece; `None` if the firmware does not provide it.
pub fn tell(kind: BootInfo, _: &Image<'_>, firmware: PhysAddr, piece: &mut Piece<'_>) -> Option<()> {
    if kind == BootInfo::DeviceTree { device_tree::tell(firmware, piece) } else { None }
}

/// Does nothing: there is no secure monitor, and no image has a capability to one.
pub fn call_secure_monitor(registers: [u64; REGISTERS]) -> [u64; REGISTERS] {
    registers
}
