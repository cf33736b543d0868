//! The plan that the tool gives the loader: addresses of the boot image and RAM, and the kernel's mappings.
//!
//! The tool writes one [`LoaderPlan`] into the page that follows the loader's own image. The loader trusts it: the
//! same tool writes both, and an attacker who can change one can change the other.

/// First word of the plan: "LIMENLDR" in memory order.
pub const MAGIC: u64 = u64::from_le_bytes(*b"LIMENLDR");
/// Kernel segments that a plan can hold.
pub const MAX_SEGMENTS: usize = 4;
/// Ranges of RAM that a plan can hold.
pub const MAX_RAM: usize = 4;

/// RAM that boot code reaches by physical address; empty for an unused entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Ram {
    /// First address, page-aligned.
    pub start: u64,
    /// First address after the range.
    pub end: u64,
}

/// A segment of the kernel's ELF file, as the loader maps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct KernelSegment {
    /// Kernel virtual address, page-aligned.
    pub vaddr: u64,
    /// Physical address, page-aligned.
    pub paddr: u64,
    /// Size in bytes, a multiple of the page size; zero for an unused entry.
    pub bytes: u64,
    /// ELF program header flags: execute 1, write 2, read 4.
    pub flags: u64,
}

/// The whole plan, 64-bit little-endian words in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LoaderPlan {
    /// [`MAGIC`].
    pub magic: u64,
    /// Kernel virtual address of the kernel's first instruction.
    pub kernel_entry: u64,
    /// Physical address of the boot image.
    pub image_paddr: u64,
    /// Driver of the debug console: 1 = PL011, 2 = NS16550, 3 = SiFive's, 5 = Cadence's.
    pub serial_kind: u64,
    /// Physical address of its register page; zero if there is none.
    pub serial_paddr: u64,
    /// RAM.
    pub ram: [Ram; MAX_RAM],
    /// The kernel's segments.
    pub segments: [KernelSegment; MAX_SEGMENTS],
}

impl LoaderPlan {
    /// Words of the plan.
    pub const WORDS: usize = 5 + 2 * MAX_RAM + 4 * MAX_SEGMENTS;

    /// The plan as words, in the layout that the loader finds in memory.
    #[must_use]
    pub fn to_words(&self) -> [u64; Self::WORDS] {
        let mut words = [0; Self::WORDS];
        let head = [self.magic, self.kernel_entry, self.image_paddr, self.serial_kind, self.serial_paddr];
        let ram = self.ram.iter().flat_map(|ram| [ram.start, ram.end]);
        let segments = self.segments.iter().flat_map(|s| [s.vaddr, s.paddr, s.bytes, s.flags]);
        for (to, from) in words.iter_mut().zip(head.into_iter().chain(ram).chain(segments)) {
            *to = from;
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn words_and_layout_agree() {
        assert_eq!(size_of::<LoaderPlan>(), LoaderPlan::WORDS * 8);
        let mut plan = LoaderPlan { magic: MAGIC, serial_paddr: 7, ..LoaderPlan::default() };
        plan.ram[MAX_RAM - 1].end = 8;
        plan.segments[0].vaddr = 9;
        let words = plan.to_words();
        assert_eq!(words[0], MAGIC);
        assert_eq!(words[offset_of!(LoaderPlan, serial_paddr) / 8], 7);
        assert_eq!(words[offset_of!(LoaderPlan, segments) / 8 - 1..][..2], [8, 9]);
    }
}
