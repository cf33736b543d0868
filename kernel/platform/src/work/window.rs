//! Windows in an address space of work.

use limen_services::window::{BLOCK_BYTES, Block, Window, WritableWindow};
use limen_simd::{Vectors, footprint, memory};

/// Whole pages of mapped memory. Valid only while the work that it belongs to runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct MappedWindow {
    start: u64,
    blocks: usize,
}

impl MappedWindow {
    /// An empty window.
    pub(super) const EMPTY: Self = Self { start: 0, blocks: 0 };

    /// The window of these bytes.
    pub(super) fn new(start: u64, bytes: u64) -> Self {
        Self { start, blocks: bytes as usize / BLOCK_BYTES }
    }

    /// The words of a block, aligned to eight bytes.
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

    /// Sets all of it to zero with vector registers. Interrupts must be off.
    pub(super) fn clear_with(self, registers: impl Vectors<footprint::Memory>) {
        let Some(words) = self.words(0) else { return };
        // SAFETY: the image's validator has checked that all of the window is mapped for this work and writable, and
        // that it holds nothing of the kernel. Programs may map the same memory, but with interrupts off on the only
        // processor none runs while this slice exists. The slice is only written, by assembly or as plain bytes, which
        // may have any value.
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
            // SAFETY: the image's validator has checked that all of the window is mapped for this work. Programs may
            // write it concurrently, hence the volatile reads.
            *bytes = unsafe { words.add(position).read_volatile() }.to_ne_bytes();
        }
    }
}

impl WritableWindow for MappedWindow {
    fn write(&mut self, block: usize, from: &Block) {
        let Some(words) = self.words(block) else { return };
        for (position, bytes) in from.0.as_chunks::<8>().0.iter().enumerate() {
            // SAFETY: as above, and writable: a window holds nothing of the kernel.
            unsafe { words.add(position).write_volatile(u64::from_ne_bytes(*bytes)) }
        }
    }
}
