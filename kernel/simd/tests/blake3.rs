//! Digests: compared with published ones, and with another implementation for lengths around the bounds of blocks,
//! chunks and batches.

use limen_simd::blake3::plain::Plain;
use limen_simd::blake3::{CHUNK_BYTES, Hasher, Vector, Way};
use limen_simd::vectors::CallingConvention;
use proptest::prelude::*;

/// The input of the published test vectors.
fn input(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

fn digest(way: impl Way, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Hasher::new(way);
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

fn both(parts: &[&[u8]]) -> [u8; 32] {
    let plain = digest(Plain, parts);
    assert_eq!(digest(Vector(CallingConvention), parts), plain, "by vectors and in plain code");
    plain
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn published_digests() {
    for (bytes, expected) in [
        (0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
        (1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"),
        (1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"),
        (1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"),
        (102_400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"),
    ] {
        assert_eq!(hexadecimal(&both(&[&input(bytes)])), expected, "of {bytes} bytes");
    }
}

#[test]
fn digests_match_another_implementation_at_every_bound() {
    let bounds = [1, 64, CHUNK_BYTES, 4 * CHUNK_BYTES, 5 * CHUNK_BYTES, 8 * CHUNK_BYTES, 16 * CHUNK_BYTES];
    let multiples = bounds.iter().flat_map(|bound| [*bound, 2 * bound, 3 * bound, 7 * bound]);
    for bytes in multiples.flat_map(|bound| [bound - 1, bound, bound + 1]) {
        let input = input(bytes);
        assert_eq!(&both(&[&input]), blake3::hash(&input).as_bytes(), "of {bytes} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn splits_and_offsets_do_not_matter(
        seed in any::<u8>(),
        skipped in 0..17_usize,
        lengths in prop::collection::vec(prop_oneof![0..70_usize, 1000..1050_usize, 4000..4200_usize, 16000..40000_usize], 0..6),
    ) {
        let total: usize = lengths.iter().sum();
        let memory: Vec<u8> = (0..total + skipped).map(|index| (index as u8).wrapping_mul(31) ^ seed).collect();
        let whole = &memory[skipped..];
        let mut rest = whole;
        let parts: Vec<&[u8]> = lengths.iter().map(|length| {
            let (part, after) = rest.split_at(*length);
            rest = after;
            part
        }).collect();
        let expected = blake3::hash(whole);
        prop_assert_eq!(&both(&parts), expected.as_bytes());
    }
}
