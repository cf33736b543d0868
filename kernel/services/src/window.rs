//! Memory that services access by copying.

/// Bytes per copy: a page, which is also four chunks of a digest.
pub const BLOCK_BYTES: usize = 4096;

/// A copied block of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(16))]
pub struct Block(pub [u8; BLOCK_BYTES]);

impl Block {
    /// A block of zeros.
    pub const ZERO: Self = Self([0; BLOCK_BYTES]);
}

/// Memory that can be read. Its size is a multiple of [`BLOCK_BYTES`].
pub trait Window {
    /// The number of blocks.
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
        /// A block that repeats a byte.
        pub(crate) fn filled(byte: u8) -> Self {
            Self([byte; BLOCK_BYTES])
        }
    }

    /// A window in a test's memory.
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
