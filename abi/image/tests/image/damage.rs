//! Damaged images: the validator detects every single-bit error. With a matching checksum, the worst outcome is a
//! refusal.

use limen_image::{Image, ImageError};

use crate::sample::{fix_checksum, judge, sample, words_of};
use crate::soundness;

/// An image with one bit changed.
fn flipped(image: &[u64], bit: usize) -> Vec<u64> {
    let mut damaged = image.to_vec();
    damaged[bit / 64] ^= 1 << (bit % 64);
    damaged
}

#[test]
fn every_flipped_bit_is_found() {
    let image = words_of(&sample());
    for bit in 0..image.len() * 64 {
        assert!(judge(&flipped(&image, bit)).is_err(), "bit {} of word {}", bit % 64, bit / 64);
    }
}

#[test]
fn a_flipped_bit_with_a_matching_checksum_is_refused_or_harmless() {
    let image = words_of(&sample());
    let mut accepted = 0;
    for bit in 0..image.len() * 64 {
        let mut damaged = flipped(&image, bit);
        fix_checksum(&mut damaged);
        if let Ok(image) = Image::validate(&damaged) {
            soundness::check(&image);
            accepted += 1;
        }
    }
    assert!(accepted > 0, "names and badges may be anything");
}

#[test]
fn every_shorter_image_is_refused() {
    let image = words_of(&sample());
    for length in 0..image.len() {
        assert_eq!(judge(&image[..length]), Err(ImageError::Truncated), "{length} words");
    }
}

#[test]
fn bytes_after_the_tables_do_not_matter() {
    let mut image = words_of(&sample());
    image.extend([u64::MAX; 100]);
    assert_eq!(judge(&image), Ok(()));
}
