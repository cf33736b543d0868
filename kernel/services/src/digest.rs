//! The BLAKE3 digest of memory.

use limen_simd::blake3::{Hasher, Way};

use crate::RESULT_WORDS;
use crate::window::{Block, Window};

/// The digest of a window, eight bytes in each word, the first in the lowest bits. Each block is copied before it is
/// digested. So every digested byte was in memory at some time, even if programs write concurrently.
pub fn run(target: &impl Window, way: impl Way) -> [u64; RESULT_WORDS] {
    let mut hasher = Hasher::new(way);
    let mut block = Block::ZERO;
    for position in 0..target.blocks() {
        target.read(position, &mut block);
        hasher.update(&block.0);
    }
    let digest = hasher.finalize();
    let mut words = [0; RESULT_WORDS];
    for (word, bytes) in words.iter_mut().zip(digest.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

#[cfg(test)]
mod tests {
    use limen_simd::blake3::plain::Plain;

    use super::*;
    use crate::window::host::Memory;

    #[test]
    fn the_digest_is_that_of_all_blocks_in_order() {
        for blocks in [0, 1, 5] {
            let memory = Memory((0..blocks).map(|number| Block::filled(number as u8 + 1)).collect());
            let mut hasher = Hasher::new(Plain);
            memory.0.iter().for_each(|block| hasher.update(&block.0));
            let words = run(&memory, Plain);
            assert_eq!(words.map(u64::to_le_bytes).as_flattened(), hasher.finalize());
        }
    }
}
