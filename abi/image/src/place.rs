//! Placement of images on machines whose memory map is known only at boot.
//!
//! The tool writes such an image without an address ([`UNPLACED`]). Its tables for RAM and reserved memory have room
//! but no ranges, its pool has the size as its end, and its [`Region`]s hold the known facts. Page contents and sites
//! of static keys have their offset in the image as physical address; [`RegionKind::Floating`] regions have their
//! alignment. [`RegionKind::Fixed`] regions follow all others. At boot, [`place`] writes the facts of the machine
//! into the tables:
//!
//! ```text
//!   RAM that the image lies in                                          more RAM
//! |  ...  | image | pool | floating regions, in their order | fixed |  | floating regions | ... |
//! ```
//!
//! Floating regions skip obstacles and continue in further RAM, never backwards. Fixed regions become RAM or devices.
//! After that the image is like any other, and [`crate::Image::validate`] checks it. A boot loader may wrap the image
//! in a file of its own format: the image then starts [`MODULE_OFFSET`] bytes into it.

use limen_abi::limits::PAGE_BYTES;

use crate::machine::{Machine, Misplaced, Ram};
use crate::record::{FixedRegion, FixedRegionFlags, KeySite, Range, Record, Region, RegionKind};
use crate::validate::{check_checksum, check_directory, check_format};
use crate::{HeaderWord, Image, ImageError, Table, UNPLACED, checksum};

/// Offset of the image in a boot module.
pub const MODULE_OFFSET: u64 = PAGE_BYTES;
/// Room for reserved ranges in the tables of an unplaced image: kernel and image.
pub const PLACED_RESERVED: usize = 2;

/// Places the image that starts with `tables` on a machine.
///
/// # Errors
/// The image is not one that is placed at boot, the machine has no room for it, or a region cannot have its fixed
/// address. The caller validates the result with [`crate::Image::validate`].
pub fn place(tables: &mut [u64], machine: &Machine<'_>) -> Result<(), ImageError> {
    let image = check_format(tables)?;
    check_checksum(&image)?;
    check_directory(&image)?;
    if image.paddr() != UNPLACED {
        return Err(ImageError::Placed);
    }
    let pool_bytes = image.pool().end;
    let end = (machine.image_paddr + image.image_bytes()).next_multiple_of(PAGE_BYTES);
    let image = Range { start: machine.image_paddr, end };
    let ram = machine.ram();
    if !ram.ranges().iter().any(|ram| ram.contains(&image)) {
        return Err(ImageError::NoRoom { bytes: end - image.start });
    }
    let first_fixed = place_fixed_regions(tables, machine, &ram, image)?;
    let mut free =
        FreeMemory { machine, ram: &ram, image, gap: Range { start: end, end }, fixed: first_fixed };
    let pool = free.take(tables, pool_bytes, PAGE_BYTES)?;
    place_regions(tables, first_fixed, &mut free)?;
    place_key_sites(tables, machine.image_paddr)?;
    let (first, second) =
        if image.start < machine.kernel.start { (image, machine.kernel) } else { (machine.kernel, image) };
    set_ranges(tables, Table::Ram, ram.ranges())?;
    set_ranges(tables, Table::Reserved, &[first, second])?;
    set_ranges(tables, Table::Pool, &[pool])?;
    set_word(tables, HeaderWord::IMAGE_PADDR, machine.image_paddr)?;
    let sum = checksum(tables);
    set_word(tables, HeaderWord::CHECKSUM, sum)
}

/// Decides the kinds of regions with a fixed address, and returns the index of the first.
fn place_fixed_regions(
    tables: &mut [u64],
    machine: &Machine<'_>,
    ram: &Ram,
    image: Range,
) -> Result<u64, ImageError> {
    let (offset, count) = Image { words: tables }.directory(Table::Regions);
    let fixed = Image { words: tables }.directory(Table::FixedRegions).1;
    let first = count.checked_sub(fixed).ok_or(wrong_kind(0))?;
    for (index, position) in (first..count).zip(0..) {
        let region = Image { words: tables }.region(index);
        if region.kind != RegionKind::Fixed as u64 {
            return Err(wrong_kind(index));
        }
        let facts = Image { words: tables }.record::<FixedRegion>(Table::FixedRegions, position);
        let facts = facts.ok_or(ImageError::Truncated)?;
        if facts.flags & !FixedRegionFlags::ALL != 0 {
            let what = "invalid flags";
            let (table, index) = (Table::FixedRegions as usize, position as usize);
            return Err(ImageError::Record { table, index, what });
        }
        let range = region.range();
        let kind = machine.kind_of(range, ram, image).and_then(|kind| {
            let needs_ram = facts.flags & FixedRegionFlags::NEEDS_RAM != 0;
            if needs_ram && kind == RegionKind::Device { Err(Misplaced::NeedsRam) } else { Ok(kind) }
        });
        let kind = kind.map_err(|why| ImageError::FixedRegion { name: facts.name, range, why })?;
        set_word(tables, region_word(offset, index) + Region::KIND, kind as u64)?;
    }
    Ok(first)
}

/// Assigns addresses to the regions before index `end`.
fn place_regions(tables: &mut [u64], end: u64, free: &mut FreeMemory<'_>) -> Result<(), ImageError> {
    let offset = Image { words: tables }.directory(Table::Regions).0;
    for index in 0..end {
        let region = Image { words: tables }.region(index);
        let at = region_word(offset, index);
        match RegionKind::from_raw(region.kind) {
            Some(RegionKind::Contents) => {
                let paddr = region.paddr.checked_add(free.image.start);
                set_word(tables, at, paddr.ok_or(wrong_kind(index))?)?;
            }
            Some(RegionKind::Floating) => {
                let range = free.take(tables, region.bytes, region.paddr.max(1))?;
                set_word(tables, at, range.start)?;
                set_word(tables, at + Region::KIND, RegionKind::Zero as u64)?;
            }
            _ => return Err(wrong_kind(index)),
        }
    }
    Ok(())
}

/// The image may not choose RAM or device itself; the machine decides.
fn wrong_kind(region: u64) -> ImageError {
    let what = "not a region kind that is placed at boot";
    ImageError::Record { table: Table::Regions as usize, index: region as usize, what }
}

fn region_word(offset: u64, index: u64) -> usize {
    (offset + index * Region::WORDS as u64) as usize
}

/// RAM after the image.
struct FreeMemory<'a> {
    machine: &'a Machine<'a>,
    ram: &'a Ram,
    image: Range,
    /// The unused rest of the current range.
    gap: Range,
    /// Index of a region with a fixed address; all earlier ones lie below the gap.
    fixed: u64,
}

impl FreeMemory<'_> {
    /// Allocates memory after all earlier allocations. `tables` has the regions with a fixed address.
    fn take(&mut self, tables: &[u64], bytes: u64, alignment: u64) -> Result<Range, ImageError> {
        let no_room = ImageError::NoRoom { bytes };
        loop {
            let start = self.gap.start.checked_next_multiple_of(alignment).ok_or(no_room)?;
            let end = start.checked_add(bytes).ok_or(no_room)?;
            if end <= self.gap.end {
                self.gap.start = end;
                return Ok(Range { start, end });
            }
            self.gap = self.next_gap(&Image { words: tables }).ok_or(no_room)?;
        }
    }

    /// The next free range of pages after the gap.
    fn next_gap(&mut self, image: &Image<'_>) -> Option<Range> {
        let regions = image.directory(Table::Regions).1;
        let mut start = self.gap.end;
        loop {
            let ram = self.ram.ranges().iter().find(|ram| start < ram.end)?;
            start = start.max(ram.start);
            while self.fixed < regions && image.region(self.fixed).range().end <= start {
                self.fixed += 1;
            }
            let fixed = (self.fixed < regions).then(|| image.region(self.fixed).range());
            let taken = [self.machine.kernel, self.image].into_iter().chain(fixed);
            let taken = taken.chain(self.machine.obstacles()).map(|range| range.pages());
            let mut end = ram.end;
            let mut behind = start;
            for range in taken {
                if range.contains(&Range { start, end: start }) && start < range.end {
                    behind = behind.max(range.end);
                } else if start < range.start {
                    end = end.min(range.start);
                }
            }
            if behind == start {
                return Some(Range { start, end });
            }
            start = behind;
        }
    }
}

/// Writes the address of every site of a static key.
fn place_key_sites(tables: &mut [u64], image_paddr: u64) -> Result<(), ImageError> {
    for record in (Image { words: tables }).key_site_words().step_by(KeySite::LENGTH) {
        let paddr = tables.get_mut(record + KeySite::PADDR).ok_or(ImageError::Truncated)?;
        *paddr = paddr.checked_add(image_paddr).ok_or(ImageError::Truncated)?;
    }
    Ok(())
}

/// Replaces the ranges of a table, whose room suffices.
fn set_ranges(tables: &mut [u64], table: Table, ranges: &[Range]) -> Result<(), ImageError> {
    let (offset, room) = Image { words: tables }.directory(table);
    if ranges.len() as u64 > room {
        return Err(ImageError::MemoryMap);
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
