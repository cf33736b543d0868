//! Windows at addresses of the address space in which work is done.

use limen_services::window::{BLOCK_BYTES, Block, Window, WritableWindow};
use limen_simd::{Vectors, footprint, memory};

/// Mapped memory, of whole pages. Means something only while the work runs that it is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct MappedWindow {
    start: u64,
    blocks: usize,
}

impl MappedWindow {
    /// None.
    pub(super) const EMPTY: Self = Self { start: 0, blocks: 0 };

    /// These bytes.
    pub(super) fn new(start: u64, bytes: u64) -> Self {
        Self { start, blocks: bytes as usize / BLOCK_BYTES }
    }

    /// The words of a block, whose addresses are multiples of eight.
    fn words(&self, block: usize) -> Option<*mut u64> {
        let offset = (block < self.blocks).then_some(block * BLOCK_BYTES)?;
        Some(core::ptr::with_exposed_provenance_mut(self.start as usize + offset))
    }

    /// Sets all of it to zero.
    pub(super) fn clear(self) {
        for block in 0..self.blocks {
            let Some(words) = self.words(block) else { return };
            for position in 0..BLOCK_BYTES / size_of::<u64>() {
                // SAFETY: as for `write`.
                unsafe { words.add(position).write_volatile(0) }
            }
        }
    }

    /// Sets all of it to zero with vector registers. Only with interrupts off.
    pub(super) fn clear_with(self, registers: impl Vectors<footprint::Memory>) {
        let Some(words) = self.words(0) else { return };
        // SAFETY: the validator of the image has found all of the window mapped for this work and writable, and nothing of the
        // kernel is in it. Programs may map the same memory, but with interrupts off on the only processor none of them
        // runs while this slice exists, and it is only written, by assembly or as plain bytes, which may have any value.
        let memory = unsafe { core::slice::from_raw_parts_mut(words.cast(), self.blocks * BLOCK_BYTES) };
        memory::wipe(registers, memory);
    }
}

impl Window for MappedWindow {
    fn blocks(&self) -> usize {
        self.blocks
    }

    fn read(&self, block: usize, to: &mut Block) {
        let Some(words) = self.words(block) else { return *to = Block::ZERO };
        for (position, bytes) in to.0.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            // SAFETY: the validator of the image has found all of the window mapped for this work. Programs may write
            // it at the same time, which is why it is read like a device.
            *bytes = unsafe { words.add(position).read_volatile() }.to_ne_bytes();
        }
    }
}

impl WritableWindow for MappedWindow {
    fn write(&mut self, block: usize, from: &Block) {
        let Some(words) = self.words(block) else { return };
        for (position, bytes) in from.0.as_chunks::<8>().0.iter().enumerate() {
            // SAFETY: as above, and writable: nothing of the kernel is in a window.
            unsafe { words.add(position).write_volatile(u64::from_ne_bytes(*bytes)) }
        }
    }
}
