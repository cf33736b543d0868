//! RAM at its physical addresses, during boot.
//!
//! The loader identity-maps all RAM in the lower half. Boot accesses page tables, the image and cleared regions through
//! this map. `arch::boot::leave_identity_map` removes it before the first program runs.

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use core::slice;

use limen_abi::limits::PAGE_BYTES;
use limen_image::{HEADER_WORDS, HeaderWord, Range};
use limen_mmu::address::{PhysAddr, VirtAddr};

use crate::arch;
use crate::page_table::{Table, Tables};

/// Header and tables of the boot image at `start`; `None` if they extend beyond RAM.
///
/// Nothing writes to them: the loader leaves them alone, and the image's validation keeps page tables and cleared
/// regions apart from them.
pub fn image_tables(start: PhysAddr) -> Option<&'static [u64]> {
    let header = words(start, HEADER_WORDS)?;
    words(start, usize::try_from(header.get(HeaderWord::TABLES_BYTES)? / 8).ok()?)
}

/// The same, mutable, for changes before the image is validated.
pub fn image_tables_mut(start: PhysAddr) -> Option<&'static mut [u64]> {
    let length = image_tables(start)?.len();
    // SAFETY: `image_tables` has found the words in the identity map and returned its borrow. Only a port whose images
    // are placed at boot calls this, once, before it reads the image.
    Some(unsafe { slice::from_raw_parts_mut(with_exposed_provenance_mut(start.0 as usize), length) })
}

fn words(start: PhysAddr, count: usize) -> Option<&'static [u64]> {
    let bytes = bytes(start, count.checked_mul(size_of::<u64>())?)?;
    if !start.0.is_multiple_of(align_of::<u64>() as u64) {
        return None;
    }
    // SAFETY: the bytes are borrowed for as long, and their address is aligned for words.
    Some(unsafe { slice::from_raw_parts(bytes.as_ptr().cast(), count) })
}

fn bytes(start: PhysAddr, length: usize) -> Option<&'static [u8]> {
    let last = start.0.checked_add(length as u64)?.checked_sub(1)?;
    for address in [start.0, last] {
        arch::cpu::translate(VirtAddr(address)).filter(|paddr| paddr.0 == address)?;
    }
    // SAFETY: the identity map is contiguous and contains both ends. Nothing writes to the image during boot; nothing
    // of the firmware's information is kept after regions have been filled.
    Some(unsafe { slice::from_raw_parts(with_exposed_provenance(start.0 as usize), length) })
}

/// Page tables, taken from a pool of pages in ascending order.
#[derive(Debug)]
pub struct TablePool {
    next: u64,
    end: u64,
}

impl TablePool {
    /// A pool without pages, to read and change existing tables.
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
        // SAFETY: `at` is a table (contract of `Tables`) that the loader or `allocate` made, so it is an aligned page
        // of RAM; the borrow of `self` prevents changes meanwhile.
        unsafe { &*with_exposed_provenance(at.0 as usize) }
    }

    #[inline(always)]
    fn table_mut(&mut self, at: PhysAddr) -> &mut Table {
        // SAFETY: as for `table`; only boot's one pool accesses tables.
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
    /// First byte of the kernel's code, where boot code starts; from the linker script.
    static __boot_start: u8;
    /// First byte after the kernel's code; from the linker script.
    static __text_end: u8;
    /// Clears memory from `start` up to `end`, both page-aligned; in the port's `boot.S`.
    fn clear_pages(start: u64, end: u64);
}

/// The physical memory of the kernel's code, including boot code.
pub fn code() -> Range {
    let (start, end) = ((&raw const __boot_start).addr(), (&raw const __text_end).addr());
    let paddr = arch::cpu::translate(VirtAddr(start as u64)).unwrap_or_default().0;
    Range { start: paddr, end: paddr + (end - start) as u64 }
}

/// Bytes that the firmware left in memory; `None` if they are not in the identity map.
pub fn firmware_bytes(start: PhysAddr, length: usize) -> Option<&'static [u8]> {
    bytes(start, length)
}

/// Copies a file of the image to the start of its region.
pub fn copy(from: Range, to: PhysAddr) {
    let bytes = (from.end - from.start) as usize;
    // SAFETY: the image was validated: the file is in its contents, and the region is RAM, large enough, and disjoint
    // from loader, kernel and image.
    unsafe {
        let (from, to) = (with_exposed_provenance::<u8>(from.start as usize), to.0 as usize);
        from.copy_to_nonoverlapping(with_exposed_provenance_mut(to), bytes);
    }
}

/// The memory of a region, to be filled.
pub fn region(range: Range) -> &'static mut [u8] {
    let bytes = (range.end - range.start) as usize;
    // SAFETY: the image was validated: the region is RAM, disjoint from other regions and from loader, kernel and
    // image. Only `boot_info` calls this, once for each region, and does not keep the borrow.
    unsafe { slice::from_raw_parts_mut(with_exposed_provenance_mut(range.start as usize), bytes) }
}

/// Clears RAM that is not in use yet: a page of the pool, or a region.
pub fn clear(range: Range) {
    // SAFETY: the image was validated: the pool and cleared regions are whole pages of RAM, disjoint from each other
    // and from loader, kernel and image.
    unsafe { clear_pages(range.start, range.end) }
}

/// Writes cached RAM back to memory, so that uncached accesses see it.
pub fn write_back(range: Range) {
    // SAFETY: the identity map is in place during boot.
    unsafe { arch::boot::write_back(range) }
}
