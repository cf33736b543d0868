//! What the boot loader tells: a device tree, in a register, or without a word at the start of RAM.

use limen_abi::boot_info::BootInfo;
use limen_core::address::PhysAddr;
use limen_image::Image;

use crate::boot_info::Piece;
use crate::device_tree;

/// Adds a piece; `None` if the boot loader does not tell it.
pub fn tell(kind: BootInfo, image: &Image<'_>, firmware: PhysAddr, piece: &mut Piece<'_>) -> Option<()> {
    if kind != BootInfo::DeviceTree {
        return None;
    }
    let ram = image.ram().next().map(|range| PhysAddr(range.start))?;
    device_tree::tell(firmware, piece).or_else(|| device_tree::tell(ram, piece))
}
