//! Memory that a service sees through copies.

/// Bytes that are copied at once.
pub const BLOCK_BYTES: usize = 1024;

/// Words that are copied at once.
pub type Block = [u64; BLOCK_BYTES / 8];

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

    /// Memory of a test.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct Memory(pub(crate) Vec<Block>);

    impl Window for Memory {
        fn blocks(&self) -> usize {
            self.0.len()
        }

        fn read(&self, block: usize, to: &mut Block) {
            *to = self.0.get(block).copied().unwrap_or([0; BLOCK_BYTES / 8]);
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
