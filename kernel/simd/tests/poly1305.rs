//! Tags: compared with published ones, and with a multiplication that adds and doubles, for words at the bounds of
//! carries.

use limen_simd::poly1305::{BLOCK_BYTES, Poly1305};
use proptest::prelude::*;

/// The tag of a message in blocks, the last possibly shorter.
fn tag(multiplier: [u8; 16], pad: [u8; 16], message: &[u8]) -> [u8; 16] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(&multiplier);
    key[16..].copy_from_slice(&pad);
    let mut state = Poly1305::new(&key);
    let (blocks, last) = message.as_chunks();
    state.update(blocks);
    if !last.is_empty() {
        state.update_last(last);
    }
    state.tag()
}

/// A byte and zeros.
fn small(byte: u8) -> [u8; 16] {
    u128::from(byte).to_le_bytes()
}

#[test]
fn the_published_tag() {
    let multiplier =
        [0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8];
    let pad =
        [0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b];
    let expected =
        [0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6, 0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9];
    assert_eq!(tag(multiplier, pad, b"Cryptographic Forum Research Group"), expected);
}

/// RFC 8439, appendix A.3, vectors 7 to 9.
#[test]
fn published_tags_at_the_bounds_of_carries() {
    let full = [0xff; 16];
    assert_eq!(tag(small(2), small(0), &full), small(3), "not fully reduced");
    assert_eq!(tag(small(2), full, &small(2)), small(3), "the sum with the pad overflows");
    let mut message = [0xff; 48];
    message[16] = 0xf0;
    message[32..].copy_from_slice(&small(0x11));
    assert_eq!(tag(small(1), small(0), &message), small(5), "a carry from a lower word into ones");
}

/// 2^130 - 5 is `(3, u128::MAX - 4)`: bits from 128 on, and those below.
type Number = (u8, u128);

fn reduced((high, low): Number) -> Number {
    const PRIME_LOW: u128 = u128::MAX - 4;
    if high > 3 || high == 3 && low >= PRIME_LOW {
        let (low, borrow) = low.overflowing_sub(PRIME_LOW);
        (high - 3 - u8::from(borrow), low)
    } else {
        (high, low)
    }
}

fn sum(one: Number, other: Number) -> Number {
    let (low, carry) = one.1.overflowing_add(other.1);
    reduced((one.0 + other.0 + u8::from(carry), low))
}

/// The tag by definition, with one bit of the multiplier at a time.
fn slow_tag(multiplier: [u8; 16], pad: [u8; 16], message: &[u8]) -> [u8; 16] {
    let multiplier = u128::from_le_bytes(multiplier) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    let mut total = (0, 0);
    for block in message.chunks(BLOCK_BYTES) {
        let mut bytes = [0; 17];
        bytes[..block.len()].copy_from_slice(block);
        bytes[block.len()] = 1;
        let low = (0..16).rev().fold(0, |low, index| low << 8 | u128::from(bytes[index]));
        total = sum(total, (bytes[16], low));
        let mut product = (0, 0);
        for bit in (0..128).rev() {
            product = sum(product, product);
            if multiplier >> bit & 1 == 1 {
                product = sum(product, total);
            }
        }
        total = product;
    }
    total.1.wrapping_add(u128::from_le_bytes(pad)).to_le_bytes()
}

/// Sixteen bytes whose words are often at the bounds of a carry.
fn extreme() -> impl Strategy<Value = [u8; 16]> {
    let word =
        prop_oneof![any::<u64>(), Just(0), Just(u64::MAX), Just(1), Just(u64::MAX - 4), Just(u64::MAX - 1)];
    (word.clone(), word).prop_map(|(low, high)| (u128::from(high) << 64 | u128::from(low)).to_le_bytes())
}

#[test]
fn the_reduction_carries_into_the_top_word() {
    let multiplier = u128::from(u64::MAX - 4).to_le_bytes();
    let message = [&(u128::MAX - 1).to_le_bytes()[..], &[0]].concat();
    assert_eq!(tag(multiplier, small(0), &message), slow_tag(multiplier, small(0), &message));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn tags_match_the_definition(
        multiplier in extreme(),
        pad in extreme(),
        blocks in prop::collection::vec(extreme(), 0..6),
        last in prop::collection::vec(any::<u8>(), 0..16),
    ) {
        let message = [blocks.as_flattened(), &last].concat();
        prop_assert_eq!(tag(multiplier, pad, &message), slow_tag(multiplier, pad, &message));
    }
}
