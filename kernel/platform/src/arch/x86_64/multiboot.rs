//! What a Multiboot 1 loader says: where its modules are, and which memory there is.
//!
//! Source: Multiboot Specification 0.6.96, section 3.3.

use core::ffi::CStr;
use core::ptr::with_exposed_provenance;
use core::slice;

use limen_image::{Memory, MemoryKind, Range};

use super::boot::IDENTITY_BYTES;

/// What the loader leaves in a register.
pub const MAGIC: u32 = 0x2bad_b002;

/// Words of the information, by position.
const FLAGS: usize = 0;
const COMMAND_LINE: usize = 4;
const MODULE_COUNT: usize = 5;
const MODULES: usize = 6;
const MEMORY_BYTES: usize = 11;
const MEMORY: usize = 12;
const WORDS: usize = 13;

/// The words about modules and about memory mean something.
const HAS_MODULES_AND_MEMORY: u32 = 1 << 3 | 1 << 6;
/// The word about the command line means something.
const HAS_COMMAND_LINE: u32 = 1 << 2;
/// Bytes of a command line that are looked at.
const COMMAND_LINE_BYTES: usize = 1024;
/// Kinds of memory: RAM, and what the firmware reserves. All others it keeps: tables of ACPI, and defective RAM.
const AVAILABLE: u32 = 1;
const RESERVED: u32 = 2;
/// An entry of the memory map: its size after this word, base and length in two words each, kind.
const ENTRY_WORDS: usize = 6;

/// The information.
#[derive(Debug)]
pub struct Information(&'static [u32]);

impl Information {
    /// The information at this physical address; `None` if it says nothing about modules or memory.
    ///
    /// # Safety
    /// The identity map is in place, and a loader has left the information there.
    pub unsafe fn at(paddr: u32) -> Option<Self> {
        // SAFETY: the caller vouches for the memory.
        let words = unsafe { words(paddr, WORDS) }?;
        let complete = words[FLAGS] & HAS_MODULES_AND_MEMORY == HAS_MODULES_AND_MEMORY;
        complete.then_some(Self(words))
    }

    /// What the person who booted has to say, without the zero at the end; empty if it is too long.
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

    /// Where the first module is.
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

/// This many words at a physical address.
///
/// # Safety
/// The identity map is in place, and nobody writes to the words.
unsafe fn words(paddr: u32, count: usize) -> Option<&'static [u32]> {
    let aligned = (paddr as usize).is_multiple_of(size_of::<u32>()) && paddr != 0;
    // SAFETY: the caller vouches for the memory; an address of 32 bits is in the identity map.
    aligned.then(|| unsafe { slice::from_raw_parts(with_exposed_provenance(paddr as usize), count) })
}
