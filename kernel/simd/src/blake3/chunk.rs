//! A chunk that is not complete yet.

use super::compress::{Output, words};
use super::{BLOCK_BYTES, BLOCKS, CHUNK_END, CHUNK_START, ChainingValue, IV};

/// The last bytes of the input, at most [`super::CHUNK_BYTES`].
#[derive(Debug)]
pub(super) struct Chunk {
    chaining: ChainingValue,
    number: u64,
    /// The number of compressed blocks. A chunk's last block is held back until it is known to be the last.
    blocks: usize,
    block: [u8; BLOCK_BYTES],
    /// Bytes in `block`.
    bytes: usize,
}

impl Chunk {
    /// The chunk with this number, empty.
    pub(super) fn new(number: u64) -> Self {
        Self { chaining: IV, number, blocks: 0, block: [0; BLOCK_BYTES], bytes: 0 }
    }

    /// The number of chunks before it.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether it has no bytes yet.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks == 0 && self.bytes == 0
    }

    /// Whether it has no more room.
    pub(super) fn is_full(&self) -> bool {
        self.blocks == BLOCKS - 1 && self.bytes == BLOCK_BYTES
    }

    /// Adds as many bytes as fit, and returns the rest.
    pub(super) fn fill<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        while !bytes.is_empty() && !self.is_full() {
            if self.bytes == BLOCK_BYTES {
                self.chaining = self.output_with(0).value();
                self.blocks += 1;
                (self.block, self.bytes) = ([0; BLOCK_BYTES], 0);
            }
            let room = self.block.get_mut(self.bytes..).unwrap_or_default();
            let count = room.len().min(bytes.len());
            let (taken, rest) = bytes.split_at(count);
            for (place, byte) in room.iter_mut().zip(taken) {
                *place = *byte;
            }
            self.bytes += count;
            bytes = rest;
        }
        bytes
    }

    /// The current block as the last one.
    pub(super) fn output(&self) -> Output {
        self.output_with(CHUNK_END)
    }

    fn output_with(&self, flags: u32) -> Output {
        let start = if self.blocks == 0 { CHUNK_START } else { 0 };
        Output {
            chaining: self.chaining,
            block: words(&self.block),
            counter: self.number,
            bytes: self.bytes as u32,
            flags: flags | start,
        }
    }
}
