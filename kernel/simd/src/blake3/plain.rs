//! Compresses chunks and parents one by one, without vector registers.

use super::chunk::Chunk;
use super::compress::Output;
use super::{CHUNK_BYTES, ChainingValue, LANES, Way};

/// Uses plain code.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Way for Plain {
    fn chunks(&mut self, input: &[u8; LANES * CHUNK_BYTES], first: u64) -> [ChainingValue; LANES] {
        chunks(input, first)
    }

    fn parents(&mut self, children: &[ChainingValue; 2 * LANES]) -> [ChainingValue; LANES] {
        parents(children)
    }
}

pub(crate) fn chunks(input: &[u8; LANES * CHUNK_BYTES], first: u64) -> [ChainingValue; LANES] {
    let (inputs, _) = input.as_chunks::<CHUNK_BYTES>();
    let mut values = [[0; 8]; LANES];
    for ((value, input), number) in values.iter_mut().zip(inputs).zip(first..) {
        let mut chunk = Chunk::new(number);
        chunk.fill(input);
        *value = chunk.output().value();
    }
    values
}

pub(crate) fn parents(children: &[ChainingValue; 2 * LANES]) -> [ChainingValue; LANES] {
    let (pairs, _) = children.as_chunks::<2>();
    let mut values = [[0; 8]; LANES];
    for (value, [left, right]) in values.iter_mut().zip(pairs) {
        *value = Output::of_parent(left, right).value();
    }
    values
}
