//! BLAKE3: a digest of memory, computed for four chunks at once.
//!
//! ```text
//!               root                 A digest is the root of a tree. Its leaves are chunks of 1 KiB, each
//!             /      \               compressed block by block; a parent compresses two children's values.
//!        parent      parent          Chunks do not depend on each other, and neither do parents of one height:
//!       /     \     /      \         so a routine processes four of them with the same instructions.
//!    chunk  chunk  chunk  chunk
//! ```
//!
//! This file has the tree, in plain code; a [`Way`] compresses chunks and parents. Subtrees without a sibling wait on a
//! [`stack`](self): a pair is merged only when something follows it, because the last pair is the root.
//!
//! Source: the BLAKE3 specification (O'Connor, Aumasson, Neves, Wilcox-O'Hearn), sections 2 and 5.1.

mod chunk;
mod compress;
pub mod plain;
mod stack;

use crate::arch::{self, footprint};
use crate::vectors::Vectors;
use chunk::Chunk;
use stack::Stack;

/// Bytes of a digest.
pub const DIGEST_BYTES: usize = 32;
/// Bytes of a chunk.
pub const CHUNK_BYTES: usize = 1024;
/// Bytes of a block, the unit of compression.
pub const BLOCK_BYTES: usize = 64;
/// Blocks of a chunk.
pub const BLOCKS: usize = CHUNK_BYTES / BLOCK_BYTES;
/// Chunks or parents that a way processes at once.
pub const LANES: usize = 4;
/// Chunks whose parents are compressed in lanes as well.
const BATCH: usize = 4 * LANES;

/// The result of compressing a chunk or a parent.
pub type ChainingValue = [u32; 8];

/// The initial chaining value.
pub(crate) const IV: ChainingValue =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Flags of a block: first of a chunk, last of a chunk, parent, root.
pub(crate) const CHUNK_START: u32 = 1 << 0;
pub(crate) const CHUNK_END: u32 = 1 << 1;
pub(crate) const PARENT: u32 = 1 << 2;
pub(crate) const ROOT: u32 = 1 << 3;

/// An implementation that compresses chunks and parents.
pub trait Way {
    /// The chaining values of successive chunks, starting with this number.
    fn chunks(&mut self, input: &[u8; LANES * CHUNK_BYTES], first: u64) -> [ChainingValue; LANES];

    /// The chaining values of the parents of successive pairs.
    fn parents(&mut self, children: &[ChainingValue; 2 * LANES]) -> [ChainingValue; LANES];
}

/// Uses vector registers, if the processor's base set has them.
#[derive(Clone, Copy, Debug)]
pub struct Vector<V>(pub V);

impl<V: Vectors<footprint::Blake3>> Way for Vector<V> {
    fn chunks(&mut self, input: &[u8; LANES * CHUNK_BYTES], first: u64) -> [ChainingValue; LANES] {
        arch::chunks(input, first)
    }

    fn parents(&mut self, children: &[ChainingValue; 2 * LANES]) -> [ChainingValue; LANES] {
        arch::parents(children)
    }
}

/// The state of a digest. Takes one and a half KiB; an update takes as much again on the stack.
#[derive(Debug)]
pub struct Hasher<W> {
    way: W,
    stack: Stack,
    /// The last chunk, possibly empty.
    chunk: Chunk,
}

impl<W: Way> Hasher<W> {
    /// The state before any input.
    #[must_use]
    pub fn new(way: W) -> Self {
        Self { way, stack: Stack::EMPTY, chunk: Chunk::new(0) }
    }

    /// Adds bytes. Fastest in multiples of 16 KiB.
    pub fn update(&mut self, bytes: &[u8]) {
        Tree { stack: &mut self.stack, chunk: &mut self.chunk }.update(&mut self.way, bytes);
    }

    /// The digest of all bytes so far.
    #[must_use]
    pub fn finalize(&self) -> [u8; DIGEST_BYTES] {
        let root = self.stack.root(&self.chunk);
        let mut digest = [0; DIGEST_BYTES];
        let (places, _) = digest.as_chunks_mut::<4>();
        for (place, word) in places.iter_mut().zip(root) {
            *place = word.to_le_bytes();
        }
        digest
    }
}

/// The part that does not depend on the way. Not generic: it is large, and calls a way only for four chunks at once.
struct Tree<'h> {
    stack: &'h mut Stack,
    chunk: &'h mut Chunk,
}

impl Tree<'_> {
    #[inline(never)]
    fn update(&mut self, way: &mut dyn Way, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.chunk.is_full() {
                self.end_chunk();
            }
            bytes =
                self.take_batch(way, bytes).or_else(|| self.take_lanes(way, bytes)).unwrap_or_else(|| {
                    let bytes = self.chunk.fill(bytes);
                    self.stack.settle(self.chunk.number());
                    bytes
                });
        }
    }

    fn end_chunk(&mut self) {
        let number = self.chunk.number();
        self.stack.push(self.chunk.output().value(), number);
        *self.chunk = Chunk::new(number + 1);
    }

    /// Compresses sixteen whole chunks and their parents, if there are that many, and returns the rest.
    fn take_batch<'a>(&mut self, way: &mut dyn Way, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let first = self.chunk.number();
        let is_whole = self.chunk.is_empty() && first.is_multiple_of(BATCH as u64);
        let (batch, rest) = bytes.split_first_chunk::<{ BATCH * CHUNK_BYTES }>().filter(|_| is_whole)?;
        let mut chunks = [[0; 8]; BATCH];
        let (inputs, _) = batch.as_chunks::<{ LANES * CHUNK_BYTES }>();
        let (places, _) = chunks.as_chunks_mut::<LANES>();
        for ((input, place), number) in inputs.iter().zip(places).zip((first..).step_by(LANES)) {
            *place = way.chunks(input, number);
        }
        let mut pairs = [[0; 8]; BATCH / 2];
        pair(way, &chunks, &mut pairs);
        let mut values = [[0; 8]; BATCH / 4];
        pair(way, &pairs, &mut values);
        for (value, number) in values.into_iter().zip((first..).step_by(4)) {
            self.stack.push(value, number);
        }
        *self.chunk = Chunk::new(first + BATCH as u64);
        Some(rest)
    }

    /// Compresses four whole chunks, if there are that many, and returns the rest.
    fn take_lanes<'a>(&mut self, way: &mut dyn Way, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let is_whole = self.chunk.is_empty();
        let (input, rest) = bytes.split_first_chunk().filter(|_| is_whole)?;
        let first = self.chunk.number();
        for (value, number) in way.chunks(input, first).into_iter().zip(first..) {
            self.stack.push(value, number);
        }
        *self.chunk = Chunk::new(first + LANES as u64);
        Some(rest)
    }
}

fn pair(way: &mut dyn Way, children: &[ChainingValue], parents: &mut [ChainingValue]) {
    let (children, _) = children.as_chunks::<{ 2 * LANES }>();
    let (parents, _) = parents.as_chunks_mut::<LANES>();
    for (children, parents) in children.iter().zip(parents) {
        *parents = way.parents(children);
    }
}
