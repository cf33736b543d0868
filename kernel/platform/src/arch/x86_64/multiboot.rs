//! The information of a Multiboot 1 loader: modules, memory map and command line.
//!
//! Source: Multiboot Specification 0.6.96, section 3.3.

use core::ffi::CStr;
use core::ptr::with_exposed_provenance;
use core::slice;

use limen_image::{Memory, MemoryKind, Range};

use super::boot::IDENTITY_BYTES;

/// The magic number that the loader passes in eax.
pub const MAGIC: u32 = 0x2bad_b002;

/// Indices of the information's words.
const FLAGS: usize = 0;
const COMMAND_LINE: usize = 4;
const MODULE_COUNT: usize = 5;
const MODULES: usize = 6;
const MEMORY_BYTES: usize = 11;
const MEMORY: usize = 12;
const WORDS: usize = 13;

/// Flag: the module and memory map fields are valid.
const HAS_MODULES_AND_MEMORY: u32 = 1 << 3 | 1 << 6;
/// Flag: the command line field is valid.
const HAS_COMMAND_LINE: u32 = 1 << 2;
/// The most bytes of a command line that the kernel reads.
const COMMAND_LINE_BYTES: usize = 1024;
/// Kinds of memory: RAM, and memory that the firmware reserves. Other kinds are kept: ACPI tables, defective RAM.
const AVAILABLE: u32 = 1;
const RESERVED: u32 = 2;
/// Words of a memory map entry: the size of the rest, base and length in two words each, kind.
const ENTRY_WORDS: usize = 6;

/// The Multiboot information.
#[derive(Debug)]
pub struct Information(&'static [u32]);

impl Information {
    /// The information at this physical address; `None` without modules or a memory map.
    ///
    /// # Safety
    /// The identity map is in place, and a loader put the information there.
    pub unsafe fn at(paddr: u32) -> Option<Self> {
        // SAFETY: the caller guarantees the memory.
        let words = unsafe { words(paddr, WORDS) }?;
        let complete = words[FLAGS] & HAS_MODULES_AND_MEMORY == HAS_MODULES_AND_MEMORY;
        complete.then_some(Self(words))
    }

    /// The command line without its terminating zero; empty if it is too long.
    pub fn command_line(&self) -> &'static [u8] {
        let start = self.0[COMMAND_LINE] as usize;
        let covered = start + COMMAND_LINE_BYTES <= IDENTITY_BYTES as usize;
        if self.0[FLAGS] & HAS_COMMAND_LINE == 0 || start == 0 || !covered {
            return &[];
        }
        // SAFETY: see `at`; the identity map covers the bytes.
        let bytes = unsafe { slice::from_raw_parts(with_exposed_provenance(start), COMMAND_LINE_BYTES) };
        CStr::from_bytes_until_nul(bytes).map_or(&[], CStr::to_bytes)
    }

    /// The first module.
    pub fn module(&self) -> Option<Range> {
        if self.0[MODULE_COUNT] == 0 {
            return None;
        }
        // SAFETY: see `at`; the information is complete.
        let module = unsafe { words(self.0[MODULES], 2) }?;
        Some(Range { start: u64::from(module[0]), end: u64::from(module[1]) })
    }

    /// The memory map, in its order.
    pub fn memory(&self) -> impl Iterator<Item = Memory> {
        // SAFETY: see `at`; the information is complete.
        let map = unsafe { words(self.0[MEMORY], self.0[MEMORY_BYTES] as usize / size_of::<u32>()) };
        let entries = map.unwrap_or_default().as_chunks::<ENTRY_WORDS>().0;
        entries.iter().map(|[_, base_low, base_high, low, high, kind]| {
            let start = u64::from(*base_low) | u64::from(*base_high) << 32;
            let end = start.saturating_add(u64::from(*low) | u64::from(*high) << 32);
            let kind = match *kind {
                AVAILABLE => MemoryKind::Ram,
                RESERVED => MemoryKind::Reserved,
                _ => MemoryKind::Kept,
            };
            Memory { range: Range { start, end }, kind }
        })
    }
}

/// `count` words at a physical address.
///
/// # Safety
/// The identity map is in place, and nothing writes to the words.
unsafe fn words(paddr: u32, count: usize) -> Option<&'static [u32]> {
    let aligned = (paddr as usize).is_multiple_of(size_of::<u32>()) && paddr != 0;
    // SAFETY: the caller guarantees the memory; a 32-bit address is in the identity map.
    aligned.then(|| unsafe { slice::from_raw_parts(with_exposed_provenance(paddr as usize), count) })
}
