//! Subtrees that wait for their siblings.

use super::chunk::Chunk;
use super::compress::Output;
use super::{ChainingValue, ROOT};

/// The stack's depth: the subtrees of 2^38 chunks, more than an address can reach, and one that is not merged yet.
const DEPTH: usize = 40;

/// Subtrees, the largest and leftmost first. It may hold complete pairs that are not merged yet.
#[derive(Debug)]
pub(super) struct Stack {
    values: [ChainingValue; DEPTH],
    count: usize,
}

impl Stack {
    pub(super) const EMPTY: Self = Self { values: [[0; 8]; DEPTH], count: 0 };

    /// Adds a subtree after this many chunks.
    pub(super) fn push(&mut self, value: ChainingValue, chunks_before: u64) {
        self.settle(chunks_before);
        if let Some(place) = self.values.get_mut(self.count) {
            *place = value;
            self.count += 1;
        }
    }

    /// Merges the pairs that are complete after this many chunks: something follows, so none is the root. Afterwards
    /// the stack holds one subtree for each set bit of the number.
    pub(super) fn settle(&mut self, chunks: u64) {
        while self.count > chunks.count_ones() as usize {
            let Some([left, right]) = self.top() else { return };
            self.count -= 2;
            if let Some(place) = self.values.get_mut(self.count) {
                *place = Output::of_parent(&left, &right).value();
                self.count += 1;
            }
        }
    }

    /// The root of all subtrees and the chunk that follows them.
    pub(super) fn root(&self, chunk: &Chunk) -> ChainingValue {
        let (mut output, waiting) = match self.top() {
            Some([left, right]) if chunk.is_empty() => (Output::of_parent(&left, &right), self.count - 2),
            _ => (chunk.output(), self.count),
        };
        for left in self.values.iter().take(waiting).rev() {
            output = Output::of_parent(left, &output.value());
        }
        output.value_with(ROOT)
    }

    fn top(&self) -> Option<[ChainingValue; 2]> {
        self.values.get(..self.count)?.last_chunk().copied()
    }
}
