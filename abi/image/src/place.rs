//! Images for machines whose memory is known only at boot.
//!
//! The tool writes such an image without an address ([`UNPLACED`]): tables for RAM and reserved memory with room but
//! without ranges, no pool, and [`Region`]s that say what is known. Page contents have their offset in the image as
//! physical address, and so have sites of static keys; [`RegionKind::Floating`] regions have their alignment. At boot, [`place`] writes what the
//! machine has into the tables:
//!
//! ```text
//!  RAM range that the image lies in
//! |  ...  | image | floating regions, in their order | pool: up to the end, or to the next fixed region | ... |
//! ```
//!
//! After that the image is like any other, and [`crate::Image::validate`] decides about it. A boot loader may put the
//! image into a file of its own kind: it starts [`MODULE_OFFSET`] bytes into it.

use limen_abi::limits::PAGE_BYTES;

use crate::record::{KeySite, Range, Record, Region, RegionKind};
use crate::validate::{check_checksum, check_directory, check_format};
use crate::{HeaderWord, Image, ImageError, Table, checksum};

/// The address of an image that is placed at boot.
pub const UNPLACED: u64 = u64::MAX;
/// Where in a boot module the image starts.
pub const MODULE_OFFSET: u64 = PAGE_BYTES;
/// Ranges that the tables of an unplaced image have room for.
pub const PLACED_RANGES: usize = 8;

/// What a machine has.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// Where the image lies.
    pub image_paddr: u64,
    /// RAM that may be used, in whole pages and ascending.
    pub ram: &'a [Range],
    /// RAM that the kernel takes.
    pub kernel: Range,
}

/// Gives the image that starts with `tables` its place in a machine.
///
/// # Errors
/// This is not an image that is placed at boot, or the machine has no room for it. Whether the result can be carried
/// out is for [`crate::Image::validate`] to say.
pub fn place(tables: &mut [u64], machine: &Machine<'_>) -> Result<(), ImageError> {
    let image = check_format(tables)?;
    check_checksum(&image)?;
    check_directory(&image)?;
    if image.paddr() != UNPLACED {
        return Err(ImageError::Placed);
    }
    let end = (machine.image_paddr + image.image_bytes()).next_multiple_of(PAGE_BYTES);
    let contains = |ram: &&Range| ram.start <= machine.image_paddr && end <= ram.end;
    let ram = machine.ram.iter().find(contains).copied().ok_or(ImageError::NoRoom)?;
    let pool = place_regions(tables, machine.image_paddr, Range { start: end, end: ram.end })?;
    place_key_sites(tables, machine.image_paddr)?;
    let image = Range { start: machine.image_paddr, end };
    let (first, second) =
        if image.start < machine.kernel.start { (image, machine.kernel) } else { (machine.kernel, image) };
    set_ranges(tables, Table::Ram, machine.ram)?;
    set_ranges(tables, Table::Reserved, &[first, second])?;
    set_ranges(tables, Table::Pool, &[pool])?;
    set_word(tables, HeaderWord::IMAGE_PADDR, machine.image_paddr)?;
    let sum = checksum(tables);
    set_word(tables, HeaderWord::CHECKSUM, sum)
}

/// Gives every region its address; `free` is RAM after the image. Returns what is left of it.
fn place_regions(tables: &mut [u64], image_paddr: u64, free: Range) -> Result<Range, ImageError> {
    let (offset, count) = Image { words: tables }.directory(Table::Regions);
    let mut left = free;
    for index in 0..count {
        let region = Image { words: tables }.region(index);
        let at = (offset + index * Region::WORDS as u64) as usize;
        match RegionKind::from_raw(region.kind) {
            Some(RegionKind::Contents) => {
                set_word(tables, at, region.paddr.checked_add(image_paddr).ok_or(ImageError::NoRoom)?)?;
            }
            Some(RegionKind::Floating) => {
                let start =
                    left.start.checked_next_multiple_of(region.paddr.max(1)).ok_or(ImageError::NoRoom)?;
                left.start = start.checked_add(region.bytes).ok_or(ImageError::NoRoom)?;
                set_word(tables, at, start)?;
                set_word(tables, at + Region::KIND, RegionKind::Zero as u64)?;
            }
            _ if region.paddr >= free.start => left.end = left.end.min(region.paddr),
            _ => {}
        }
    }
    if left.start < left.end { Ok(left) } else { Err(ImageError::NoRoom) }
}

/// Gives every site of a static key its address.
fn place_key_sites(tables: &mut [u64], image_paddr: u64) -> Result<(), ImageError> {
    for record in (Image { words: tables }).key_site_words().step_by(KeySite::LENGTH) {
        let paddr = tables.get_mut(record + KeySite::PADDR).ok_or(ImageError::Truncated)?;
        *paddr = paddr.checked_add(image_paddr).ok_or(ImageError::NoRoom)?;
    }
    Ok(())
}

/// Replaces the ranges of a table that has room for them.
fn set_ranges(tables: &mut [u64], table: Table, ranges: &[Range]) -> Result<(), ImageError> {
    let (offset, room) = Image { words: tables }.directory(table);
    if ranges.len() as u64 > room {
        return Err(ImageError::NoRoom);
    }
    for (index, range) in ranges.iter().enumerate() {
        set_word(tables, offset as usize + 2 * index, range.start)?;
        set_word(tables, offset as usize + 2 * index + 1, range.end)?;
    }
    set_word(tables, Image::count_word(table), ranges.len() as u64)
}

fn set_word(words: &mut [u64], index: usize, value: u64) -> Result<(), ImageError> {
    *words.get_mut(index).ok_or(ImageError::Truncated)? = value;
    Ok(())
}
