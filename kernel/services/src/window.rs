//! Memory that a service sees through copies.

/// Bytes that are copied at once: a page, which is also four chunks of a digest.
pub const BLOCK_BYTES: usize = 4096;

/// A copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(16))]
pub struct Block(pub [u8; BLOCK_BYTES]);

impl Block {
    /// Zeros.
    pub const ZERO: Self = Self([0; BLOCK_BYTES]);
}

/// Memory that can be read. Its size is a multiple of [`BLOCK_BYTES`].
pub trait Window {
    /// How many blocks there are.
    fn blocks(&self) -> usize;

    /// Copies a block; zeros past the end.
    fn read(&self, block: usize, to: &mut Block);
}

/// Memory that can also be written.
pub trait WritableWindow: Window {
    /// Writes a block; nothing past the end.
    fn write(&mut self, block: usize, from: &Block);
}

#[cfg(test)]
pub(crate) mod host {
    use super::*;

    impl Block {
        /// The same byte everywhere.
        pub(crate) fn filled(byte: u8) -> Self {
            Self([byte; BLOCK_BYTES])
        }
    }

    /// Memory of a test.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct Memory(pub(crate) Vec<Block>);

    impl Window for Memory {
        fn blocks(&self) -> usize {
            self.0.len()
        }

        fn read(&self, block: usize, to: &mut Block) {
            *to = self.0.get(block).copied().unwrap_or(Block::ZERO);
        }
    }

    impl WritableWindow for Memory {
        fn write(&mut self, block: usize, from: &Block) {
            if let Some(to) = self.0.get_mut(block) {
                *to = *from;
            }
        }
    }
}
