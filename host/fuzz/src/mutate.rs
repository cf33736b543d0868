//! Mutations of an input.

use crate::random::Random;

/// Maximum length of an input, so that inputs do not grow without bound.
const MOST_BYTES: usize = 1 << 17;
/// Longest run of bytes to copy or remove.
const MOST_COPIED: u64 = 256;
/// Boundary values.
const NUMBERS: [u64; 10] =
    [0, 1, 0xff, 0x1000, 0x20_0000, 1 << 31, 1 << 48, u64::MAX >> 1, u64::MAX - 0xfff, u64::MAX];

/// Applies one mutation. `other` is another input to copy from; `words` are fragments of the format.
pub(crate) fn mutate(input: &mut Vec<u8>, other: &[u8], words: &[&[u8]], random: &mut Random) {
    match random.below(8) {
        0 => flip_bit(input, random),
        1 => set_byte(input, random),
        2 => set_number(input, random),
        3 => remove(input, random),
        4 => copy(input, other, random),
        5 => {
            let from = input.clone();
            copy(input, &from, random);
        }
        6 => input.truncate(random.position(input.len() + 1)),
        _ => {
            let word = random.choose(words).copied().unwrap_or_default();
            insert(input, word, random);
        }
    }
}

fn flip_bit(input: &mut [u8], random: &mut Random) {
    let (position, bit) = (random.position(input.len()), random.below(8));
    if let Some(byte) = input.get_mut(position) {
        *byte ^= 1 << bit;
    }
}

fn set_byte(input: &mut [u8], random: &mut Random) {
    let (position, value) = (random.position(input.len()), random.number());
    if let Some(byte) = input.get_mut(position) {
        *byte = value as u8;
    }
}

/// Sets a number of 1, 2, 4 or 8 bytes at an aligned offset, as in most formats.
fn set_number(input: &mut [u8], random: &mut Random) {
    let bytes = 1 << random.below(4);
    let value = random.choose(&NUMBERS).copied().unwrap_or(0).wrapping_add(random.below(3)).to_le_bytes();
    let position = random.position(input.len() / bytes) * bytes;
    for (to, from) in input.iter_mut().skip(position).take(bytes).zip(value) {
        *to = from;
    }
}

fn remove(input: &mut Vec<u8>, random: &mut Random) {
    let start = random.position(input.len());
    let end = input.len().min(start + random.below(MOST_COPIED) as usize);
    input.drain(start..end);
}

fn copy(input: &mut Vec<u8>, from: &[u8], random: &mut Random) {
    let start = random.position(from.len());
    let end = from.len().min(start + random.below(MOST_COPIED) as usize);
    insert(input, from.get(start..end).unwrap_or_default(), random);
}

fn insert(input: &mut Vec<u8>, piece: &[u8], random: &mut Random) {
    if input.len() + piece.len() <= MOST_BYTES {
        let at = random.position(input.len() + 1);
        input.splice(at..at, piece.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_accept_empty_inputs() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            mutate(&mut Vec::new(), &[], &[], &mut random);
        }
    }

    #[test]
    fn inputs_stay_short() {
        let mut random = Random::new(4);
        let mut input = vec![0; MOST_BYTES];
        for _ in 0..1000 {
            mutate(&mut input, &[1; 300], &[b"word"], &mut random);
            assert!(input.len() <= MOST_BYTES);
        }
    }
}
