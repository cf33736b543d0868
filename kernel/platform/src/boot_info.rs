//! Regions with initial contents: files from the image, and information from the firmware.
//!
//! A piece of firmware information follows a header of two words: its kind, and the size of header and piece in bytes.
//! It is truncated at the end of the region; the header has the full size. Without the piece, the region is zero.

use limen_abi::boot_info::{BootInfo, HEADER_BYTES};
use limen_image::{Image, Range};
use limen_mmu::address::PhysAddr;

use crate::arch::firmware;
use crate::identity_map;

/// A piece of information that is being written.
#[derive(Debug)]
pub struct Piece<'a> {
    room: &'a mut [u8],
    length: usize,
}

impl Piece<'_> {
    /// Appends bytes, as many as fit.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(room) = self.room.get_mut(self.length..) {
            for (to, from) in room.iter_mut().zip(bytes) {
                *to = *from;
            }
        }
        self.length += bytes.len();
    }
}

/// Fills every region that has initial contents. `firmware` is the address of the boot loader's information.
///
/// Runs before regions are cleared: the firmware's information may lie in their memory.
pub fn fill_regions(image: &Image<'_>, firmware: PhysAddr) {
    for region in image.regions().filter(limen_image::Region::is_filled) {
        let range = Range { start: region.paddr, end: region.paddr + region.bytes };
        if region.source_bytes != 0 {
            let start = image.paddr() + region.source;
            identity_map::copy(Range { start, end: start + region.source_bytes }, PhysAddr(range.start));
            let rest = Range { start: range.start + region.source_bytes, ..range };
            if rest.start < rest.end {
                identity_map::clear(rest);
            }
        } else if let Some(kind) = BootInfo::from_raw(region.source) {
            identity_map::clear(range);
            write_piece(kind, image, firmware, identity_map::region(range));
        }
    }
}

fn write_piece(kind: BootInfo, image: &Image<'_>, firmware: PhysAddr, memory: &mut [u8]) {
    let Some((header, room)) = memory.split_at_mut_checked(HEADER_BYTES as usize) else { return };
    let mut piece = Piece { room, length: 0 };
    if firmware::tell(kind, image, firmware, &mut piece).is_some() {
        let length = HEADER_BYTES + piece.length as u64;
        let words = [kind.as_raw().to_le_bytes(), length.to_le_bytes()];
        header.copy_from_slice(words.as_flattened());
    }
}
