//! Windows in an address space of work.

use core::sync::atomic::{Ordering, fence};

use limen_services::seal::{Bytes, Ring, Words, WritableBytes};
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

    /// Its bytes.
    pub(super) fn bytes(&self) -> usize {
        self.blocks * BLOCK_BYTES
    }

    /// Whole words at an offset, if all of them are in the window.
    #[inline(always)]
    fn words_at(&self, offset: usize, count: usize) -> Option<*mut u64> {
        let is_inside = offset.is_multiple_of(8) && offset + count * 8 <= self.bytes();
        let address = is_inside.then_some(self.start as usize + offset)?;
        Some(core::ptr::with_exposed_provenance_mut(address))
    }
}

impl Bytes for MappedWindow {
    fn read<const N: usize>(&self, offset: usize, to: &mut Words<N>, count: usize) {
        let Some(words) = self.words_at(offset, count) else { return to.0.fill([0; 8]) };
        for (position, bytes) in to.0.iter_mut().take(count).enumerate() {
            // SAFETY: as for `read` of a block below.
            *bytes = unsafe { words.add(position).read_volatile() }.to_ne_bytes();
        }
        fence(Ordering::Acquire);
    }
}

impl WritableBytes for MappedWindow {
    fn write<const N: usize>(&mut self, offset: usize, from: &Words<N>, count: usize) {
        let Some(words) = self.words_at(offset, count) else { return };
        fence(Ordering::Release);
        for (position, bytes) in from.0.iter().take(count).enumerate() {
            // SAFETY: as for `write` of a block below.
            unsafe { words.add(position).write_volatile(u64::from_ne_bytes(*bytes)) }
        }
    }
}

/// A mapped used ring. Valid only while the work that it belongs to runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct MappedRing {
    start: u64,
    bytes: usize,
}

impl MappedRing {
    /// No ring.
    pub(super) const NONE: Self = Self { start: 0, bytes: 0 };

    /// The ring in these bytes.
    pub(super) fn new(start: u64, bytes: u64) -> Self {
        Self { start, bytes: bytes as usize }
    }
}

impl Ring for MappedRing {
    fn word(&self, position: usize) -> u32 {
        let offset = position * size_of::<u32>();
        if offset + size_of::<u32>() > self.bytes {
            return 0;
        }
        let place = core::ptr::with_exposed_provenance::<u32>(self.start as usize + offset);
        // SAFETY: the image's validator has checked that all of the ring is mapped for this work, and its alignment to
        // four bytes. A device or program may write it concurrently, hence the volatile read.
        let word = unsafe { place.read_volatile() };
        fence(Ordering::Acquire);
        word
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
