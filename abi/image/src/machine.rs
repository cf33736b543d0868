//! A machine whose memory map is known only at boot. It decides which ranges are RAM and what a region with a fixed
//! address is.
//!
//! Three kinds of entries in the firmware's memory map matter. RAM is usable, except the first mebibyte and addresses
//! beyond the kernel's reach. Memory that the firmware keeps, such as ACPI tables, is never given to programs.
//! *Reserved* entries are ambiguous: firmware reserves RAM for itself, but also lists device registers. A reserved entry
//! counts as kept if it begins at or below the end of RAM on its side of 4 GiB; other entries are registers.

use core::fmt;

use limen_abi::limits::PAGE_BYTES;

use crate::record::{Range, RegionKind};

/// RAM ranges that the kernel uses on such a machine. Further ranges stay unused.
pub const RAM_RANGES: usize = 12;
/// RAM below this address is left to the firmware.
const LOW_MEMORY: u64 = 1 << 20;
/// Below this address RAM and devices alternate; RAM above it is a separate sequence.
const DEVICE_HOLE_END: u64 = 4 << 30;

/// Type of an entry of the firmware's memory map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryKind {
    /// RAM that the firmware does not use.
    Ram,
    /// Memory of the firmware, or registers of devices.
    Reserved,
    /// Memory that the firmware keeps, or defective memory.
    Kept,
}

/// An entry of the firmware's memory map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Addresses; not always whole pages.
    pub range: Range,
    /// Type.
    pub kind: MemoryKind,
}

/// Memory of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// Physical address of the image.
    pub image_paddr: u64,
    /// The firmware's memory map, in any order. Addresses that it does not list are for devices.
    pub memory: &'a [Memory],
    /// RAM that the kernel occupies.
    pub kernel: Range,
    /// First address that the kernel cannot reach at boot; RAM from here on stays unused.
    pub reach: u64,
    /// End of the physical addresses that the processor has.
    pub end: u64,
}

/// Why a region cannot have its fixed address on this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misplaced {
    /// The processor has no such address; its physical addresses end here.
    Beyond(u64),
    /// The kernel occupies the address.
    Kernel(Range),
    /// The boot loader put the image there.
    Image(Range),
    /// The firmware keeps this memory, or it is unusable.
    Kept,
    /// Only part of it is RAM.
    PartlyRam,
    /// It is not RAM, but the description uses it as RAM.
    NeedsRam,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beyond(end) => write!(
                f,
                "is beyond the physical addresses of this processor, which end at {end:#x}; choose a lower phys_addr"
            ),
            Self::Kernel(Range { start, end }) => {
                write!(f, "overlaps the kernel at [{start:#x}..{end:#x}); choose another phys_addr")
            }
            Self::Image(Range { start, end }) => {
                write!(f, "overlaps the boot image at [{start:#x}..{end:#x}); choose another phys_addr")
            }
            Self::Kept => {
                write!(f, "overlaps memory that is kept for the firmware; choose another phys_addr")
            }
            Self::PartlyRam => {
                write!(
                    f,
                    "lies only partly in RAM; change its phys_addr or size, or give the machine more memory"
                )
            }
            Self::NeedsRam => write!(
                f,
                "is a device here, but is prefilled, used by a service or used in several domains, which only RAM \
                 can be; choose a phys_addr in RAM"
            ),
        }
    }
}

impl Machine<'_> {
    /// Usable RAM: whole pages, ascending, adjacent ranges merged.
    pub(crate) fn ram(&self) -> Ram {
        let mut ram = Ram { ranges: [Range::default(); RAM_RANGES], count: 0 };
        for entry in self.memory.iter().filter(|entry| entry.kind == MemoryKind::Ram) {
            let start = entry.range.start.clamp(LOW_MEMORY, self.reach).next_multiple_of(PAGE_BYTES);
            let end = entry.range.end.min(self.reach) / PAGE_BYTES * PAGE_BYTES;
            if start < end {
                ram.insert(Range { start, end });
            }
        }
        ram
    }

    /// Memory that cannot hold regions, even if the map also lists it as RAM.
    pub(crate) fn obstacles(&self) -> impl Iterator<Item = Range> {
        self.memory.iter().filter(|entry| entry.kind != MemoryKind::Ram).map(|entry| entry.range)
    }

    /// The kind of `range`, if programs may have it. `image` is the range of the boot image.
    pub(crate) fn kind_of(&self, range: Range, ram: &Ram, image: Range) -> Result<RegionKind, Misplaced> {
        if range.end > self.end {
            return Err(Misplaced::Beyond(self.end));
        }
        if range.overlaps(&self.kernel) {
            return Err(Misplaced::Kernel(self.kernel));
        }
        if range.overlaps(&image) {
            return Err(Misplaced::Image(image));
        }
        let mut here = self.memory.iter().filter(|entry| entry.range.overlaps(&range));
        if here.clone().any(|entry| self.is_kept(entry)) {
            return Err(Misplaced::Kept);
        }
        if ram.ranges().iter().any(|ram| ram.contains(&range)) {
            return Ok(RegionKind::Zero);
        }
        if ram.ranges().iter().any(|ram| ram.overlaps(&range)) {
            return Err(Misplaced::PartlyRam);
        }
        // Unusable RAM: the first mebibyte, partial pages, addresses out of reach, and ranges beyond the limit.
        if here.any(|entry| entry.kind == MemoryKind::Ram) {
            return Err(Misplaced::Kept);
        }
        Ok(RegionKind::Device)
    }

    fn is_kept(&self, entry: &Memory) -> bool {
        let is_low = |address: u64| address < DEVICE_HOLE_END;
        let begins_in_ram = |ram: &Memory| {
            let same_side = is_low(ram.range.start) == is_low(entry.range.start);
            ram.kind == MemoryKind::Ram && same_side && entry.range.start <= ram.range.end
        };
        match entry.kind {
            MemoryKind::Ram => false,
            MemoryKind::Reserved => self.memory.iter().any(begins_in_ram),
            MemoryKind::Kept => true,
        }
    }
}

/// Ranges of RAM, ascending and not adjacent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ram {
    ranges: [Range; RAM_RANGES],
    count: usize,
}

impl Ram {
    /// The ranges.
    pub(crate) fn ranges(&self) -> &[Range] {
        self.ranges.get(..self.count).unwrap_or_default()
    }

    /// Adds a range and merges it with the ranges that it touches.
    fn insert(&mut self, mut range: Range) {
        let mut apart = 0;
        for index in 0..self.count {
            let other = self.ranges[index];
            if other.start <= range.end && range.start <= other.end {
                range = Range { start: range.start.min(other.start), end: range.end.max(other.end) };
            } else {
                self.ranges[apart] = other;
                apart += 1;
            }
        }
        self.count = apart;
        if apart == RAM_RANGES {
            return;
        }
        while apart > 0 && range.start < self.ranges[apart - 1].start {
            self.ranges[apart] = self.ranges[apart - 1];
            apart -= 1;
        }
        self.ranges[apart] = range;
        self.count += 1;
    }
}
