//! Reads the length of a device tree; its contents are for programs.
//!
//! Source: Devicetree Specification 0.4, section 5.2.

use limen_mmu::address::PhysAddr;

use crate::boot_info::Piece;
use crate::identity_map::firmware_bytes;

/// The first bytes of a device tree; its length follows, big-endian.
const MAGIC: [u8; 4] = [0xd0, 0x0d, 0xfe, 0xed];
/// The alignment of device trees in bytes.
const ALIGNMENT: u64 = 8;

/// Adds the device tree at this address; `None` if there is none.
pub fn tell(at: PhysAddr, piece: &mut Piece<'_>) -> Option<()> {
    let header = firmware_bytes(at, MAGIC.len() + size_of::<u32>())?;
    let (magic, length) = header.split_at_checked(MAGIC.len())?;
    if magic != MAGIC || !at.0.is_multiple_of(ALIGNMENT) {
        return None;
    }
    let length = u32::from_be_bytes(length.try_into().ok()?);
    piece.push(firmware_bytes(at, length as usize)?);
    Some(())
}
