//! The keystream: compared with the published block and with plain code, also where the counter wraps around.

use limen_simd::chacha20::{BLOCK_BYTES, Plain, State, Vector, Way, block, plain};
use limen_simd::vectors::CallingConvention;
use proptest::prelude::*;

#[test]
fn the_published_block() {
    let key = std::array::from_fn(|index| index as u8);
    let state = State::new(&key, 1, &[0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0]);
    let expected = [
        0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f, 0xa3, 0x20, 0x71, 0xc4, 0xc7,
        0xd1, 0xf4, 0xc7, 0x33, 0xc0, 0x68, 0x03, 0x04, 0x22, 0xaa, 0x9a, 0xc3, 0xd4, 0x6c, 0x4e, 0xd2, 0x82,
        0x64, 0x46, 0x07, 0x9f, 0xaa, 0x09, 0x14, 0xc2, 0xd7, 0x05, 0xd9, 0x8b, 0x02, 0xa2, 0xb5, 0x12, 0x9c,
        0xd1, 0xde, 0x16, 0x4e, 0xb9, 0xcb, 0xd0, 0x83, 0xe8, 0xa2, 0x50, 0x3c, 0x4e,
    ];
    assert_eq!(plain(&state), expected);
    assert_eq!(block(CallingConvention, &state), expected);
}

/// Xors the keystream into the first blocks, then into the others.
fn xored(
    mut way: impl Way,
    mut state: State,
    mut blocks: Vec<[u8; BLOCK_BYTES]>,
    first: usize,
) -> Vec<[u8; BLOCK_BYTES]> {
    let (first, second) = blocks.split_at_mut(first);
    way.xor(&mut state, first);
    way.xor(&mut state, second);
    blocks
}

proptest! {
    #[test]
    fn vectors_and_plain_code_agree(key in any::<[u8; 32]>(), counter in any::<u32>(), nonce in any::<[u8; 12]>()) {
        let state = State::new(&key, counter, &nonce);
        prop_assert_eq!(block(CallingConvention, &state), plain(&state));
    }

    #[test]
    fn a_text_is_xored_with_successive_blocks(
        key in any::<[u8; 32]>(),
        counter in prop_oneof![any::<u32>(), u32::MAX - 20..=u32::MAX],
        nonce in any::<[u8; 12]>(),
        before in 0..6_usize,
        count in 0..20_usize,
        text in any::<u8>(),
    ) {
        let expected: Vec<_> = (0..before + count)
            .map(|number| plain(&State::new(&key, counter.wrapping_add(number as u32), &nonce)).map(|byte| byte ^ text))
            .collect();
        let state = State::new(&key, counter, &nonce);
        let blocks = vec![[text; BLOCK_BYTES]; before + count];
        prop_assert_eq!(xored(Vector(CallingConvention), state, blocks.clone(), before), expected.clone());
        prop_assert_eq!(xored(Plain, state, blocks, before), expected);
    }
}
