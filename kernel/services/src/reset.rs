//! Restores the memory of a stopped program to its contents at system start.

use crate::window::{Block, Window, WritableWindow};

/// Writes the initial contents to the start of the target, and zeros after them.
pub fn run(target: &mut impl WritableWindow, first_contents: &impl Window) {
    let mut block = Block::ZERO;
    let filled = first_contents.blocks();
    for position in 0..target.blocks() {
        if position < filled {
            first_contents.read(position, &mut block);
        } else if position == filled {
            block = Block::ZERO;
        }
        target.write(position, &block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::host::Memory;

    fn memory(blocks: &[u8]) -> Memory {
        Memory(blocks.iter().map(|byte| Block::filled(*byte)).collect())
    }

    #[test]
    fn initial_contents_are_followed_by_zeros() {
        for (first, expected) in
            [(&[][..], [0, 0, 0]), (&[7], [7, 0, 0]), (&[7, 8], [7, 8, 0]), (&[7, 8, 9], [7, 8, 9])]
        {
            let mut target = memory(&[1, 2, 3]);
            run(&mut target, &memory(first));
            assert_eq!(target, memory(&expected));
        }
    }

    #[test]
    fn excess_contents_are_left_out() {
        let mut target = memory(&[1]);
        run(&mut target, &memory(&[4, 5]));
        assert_eq!(target, memory(&[4]));
    }
}
