//! RAM at its physical addresses, as long as boot lasts.
//!
//! The loader maps all RAM to itself in the lower half. Page tables, image and cleared regions are reached
//! through it. It is gone before the first program runs (`arch::boot::leave_identity_map`).

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use core::slice;

use limen_abi::limits::PAGE_BYTES;
use limen_image::{HEADER_WORDS, HeaderWord, Range};
use limen_mmu::address::{PhysAddr, VirtAddr};

use crate::arch;
use crate::page_table::{Table, Tables};

/// Header and tables of the boot image at `start`; `None` if they reach beyond RAM.
///
/// Nobody writes to them: the loader leaves them alone, and the image's own check keeps page tables and
/// cleared regions away from them.
pub fn image_tables(start: PhysAddr) -> Option<&'static [u64]> {
    let header = words(start, HEADER_WORDS)?;
    words(start, usize::try_from(header.get(HeaderWord::TABLES_BYTES)? / 8).ok()?)
}

/// The same, to be changed before anybody else reads it.
pub fn image_tables_mut(start: PhysAddr) -> Option<&'static mut [u64]> {
    let length = image_tables(start)?.len();
    // SAFETY: `image_tables` has found the words in the identity map, and has not kept them. Only a port whose images
    // are placed at boot asks, once, before it reads the image.
    Some(unsafe { slice::from_raw_parts_mut(with_exposed_provenance_mut(start.0 as usize), length) })
}

fn words(start: PhysAddr, count: usize) -> Option<&'static [u64]> {
    let bytes = bytes(start, count.checked_mul(size_of::<u64>())?)?;
    if !start.0.is_multiple_of(align_of::<u64>() as u64) {
        return None;
    }
    // SAFETY: these are the bytes of a borrow that lasts as long, at an address for words.
    Some(unsafe { slice::from_raw_parts(bytes.as_ptr().cast(), count) })
}

fn bytes(start: PhysAddr, length: usize) -> Option<&'static [u8]> {
    let last = start.0.checked_add(length as u64)?.checked_sub(1)?;
    for address in [start.0, last] {
        arch::cpu::translate(VirtAddr(address)).filter(|paddr| paddr.0 == address)?;
    }
    // SAFETY: the identity map is contiguous and both ends are in it. The image lies where nobody writes while boot
    // lasts; of what the firmware has left nothing is kept after regions have been filled.
    Some(unsafe { slice::from_raw_parts(with_exposed_provenance(start.0 as usize), length) })
}

/// Page tables, taken from a pool of pages in ascending order.
#[derive(Debug)]
pub struct TablePool {
    next: u64,
    end: u64,
}

impl TablePool {
    /// No pages: for looking at tables and changing them.
    #[inline(always)]
    pub fn empty() -> Self {
        Self { next: 0, end: 0 }
    }

    /// All pages of `pool`.
    pub fn new(pool: Range) -> Self {
        Self { next: pool.start, end: pool.end }
    }
}

impl Tables for TablePool {
    #[inline(always)]
    fn table(&self, at: PhysAddr) -> &Table {
        // SAFETY: `at` is a table (contract of `Tables`) that the loader or `allocate` has made, so it is an
        // aligned page of RAM; the borrow of `self` keeps it from being changed meanwhile.
        unsafe { &*with_exposed_provenance(at.0 as usize) }
    }

    #[inline(always)]
    fn table_mut(&mut self, at: PhysAddr) -> &mut Table {
        // SAFETY: as for `table`; tables are reached only through the one pool that boot makes.
        unsafe { &mut *with_exposed_provenance_mut(at.0 as usize) }
    }

    fn allocate(&mut self) -> Option<PhysAddr> {
        let page = self.next;
        if page >= self.end {
            return None;
        }
        self.next = page + PAGE_BYTES;
        clear(Range { start: page, end: self.next });
        Some(PhysAddr(page))
    }
}

unsafe extern "C" {
    /// First byte of the kernel's code, which is that of boot; from the linker script.
    static __boot_start: u8;
    /// First byte after the kernel's code; from the linker script.
    static __text_end: u8;
    /// Clears memory from `start` up to `end`, both page-aligned; in the port's `boot.S`.
    fn clear_pages(start: u64, end: u64);
}

/// Where the kernel's code lies in physical memory, with that of boot.
pub fn code() -> Range {
    let (start, end) = ((&raw const __boot_start).addr(), (&raw const __text_end).addr());
    let paddr = arch::cpu::translate(VirtAddr(start as u64)).unwrap_or_default().0;
    Range { start: paddr, end: paddr + (end - start) as u64 }
}

/// What the firmware has left in memory; `None` if it is not in the identity map.
pub fn firmware_bytes(start: PhysAddr, length: usize) -> Option<&'static [u8]> {
    bytes(start, length)
}

/// Copies a file of the image to the start of its region.
pub fn copy(from: Range, to: PhysAddr) {
    let bytes = (from.end - from.start) as usize;
    // SAFETY: the image was validated: the file is in its contents, the region is RAM apart from everything that
    // loader, kernel and image occupy, and large enough.
    unsafe {
        let (from, to) = (with_exposed_provenance::<u8>(from.start as usize), to.0 as usize);
        from.copy_to_nonoverlapping(with_exposed_provenance_mut(to), bytes);
    }
}

/// The memory of a region, to be filled.
pub fn region(range: Range) -> &'static mut [u8] {
    let bytes = (range.end - range.start) as usize;
    // SAFETY: the image was validated: the region is RAM, apart from other regions and from everything that loader,
    // kernel and image occupy. Only `boot_info` asks, once for each region, and does not keep it.
    unsafe { slice::from_raw_parts_mut(with_exposed_provenance_mut(range.start as usize), bytes) }
}

/// Clears RAM that belongs to nobody yet: a page of the pool, or a region that the image wants cleared.
pub fn clear(range: Range) {
    // SAFETY: the image was validated: pool and cleared regions are RAM in whole pages, apart from each other
    // and from everything that loader, kernel and image occupy.
    unsafe { clear_pages(range.start, range.end) }
}

/// Makes what caches hold of RAM visible to accesses without cache.
pub fn write_back(range: Range) {
    // SAFETY: the identity map is in place while boot lasts.
    unsafe { arch::boot::write_back(range) }
}
