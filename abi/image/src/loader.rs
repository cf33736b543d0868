//! The plan that the tool gives the loader: addresses of the boot image and RAM, and the kernel's mappings.
//!
//! The tool writes one [`LoaderPlan`] into the page that follows the loader's own image. The loader trusts it: the
//! same tool writes both, and an attacker who can change one can change the other.

/// First word of the plan: "LIMENLDR" in memory order.
pub const MAGIC: u64 = u64::from_le_bytes(*b"LIMENLDR");
/// Kernel segments that a plan can hold.
pub const MAX_SEGMENTS: usize = 4;

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
    /// First address of the RAM that boot code reaches by physical address.
    pub ram_start: u64,
    /// End of that RAM, exclusive.
    pub ram_end: u64,
    /// Driver of the debug console: 1 = PL011, 2 = NS16550, 3 = SiFive's, 5 = Cadence's.
    pub serial_kind: u64,
    /// Physical address of its register page; zero if there is none.
    pub serial_paddr: u64,
    /// The kernel's segments.
    pub segments: [KernelSegment; MAX_SEGMENTS],
}

impl LoaderPlan {
    /// Words of the plan.
    pub const WORDS: usize = 7 + 4 * MAX_SEGMENTS;

    /// The plan as words, in the layout that the loader finds in memory.
    #[must_use]
    pub fn to_words(&self) -> [u64; Self::WORDS] {
        let mut words = [0; Self::WORDS];
        let head = [
            self.magic,
            self.kernel_entry,
            self.image_paddr,
            self.ram_start,
            self.ram_end,
            self.serial_kind,
            self.serial_paddr,
        ];
        let tail = self.segments.iter().flat_map(|s| [s.vaddr, s.paddr, s.bytes, s.flags]);
        for (to, from) in words.iter_mut().zip(head.into_iter().chain(tail)) {
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
        let plan = LoaderPlan { magic: MAGIC, serial_paddr: 7, ..LoaderPlan::default() };
        assert_eq!(plan.to_words()[0], MAGIC);
        assert_eq!(plan.to_words()[offset_of!(LoaderPlan, serial_paddr) / 8], 7);
    }
}
