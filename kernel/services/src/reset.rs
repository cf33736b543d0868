//! Puts the memory of a stopped program back to what it had when the system started.

use crate::window::{Block, Window, WritableWindow};

/// Writes the first contents to the beginning of the target, and zeros behind them.
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
    fn first_contents_come_first_and_zeros_behind_them() {
        for (first, expected) in
            [(&[][..], [0, 0, 0]), (&[7], [7, 0, 0]), (&[7, 8], [7, 8, 0]), (&[7, 8, 9], [7, 8, 9])]
        {
            let mut target = memory(&[1, 2, 3]);
            run(&mut target, &memory(first));
            assert_eq!(target, memory(&expected));
        }
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        let mut target = memory(&[1]);
        run(&mut target, &memory(&[4, 5]));
        assert_eq!(target, memory(&[4]));
    }
}
