//! The same without vector registers, eight bytes at a time if both operands are aligned alike.

use core::hint::black_box;

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

/// Sets all bytes to zero; the compiler cannot remove it.
pub fn clear(memory: &mut [u8]) {
    memory.fill(0);
    black_box(memory);
}

/// Replaces a value; the compiler cannot remove it, even if the value is not used any more.
pub(crate) fn overwrite<T>(value: &mut T, by: T) {
    *value = by;
    black_box(value);
}

/// How many bytes at the start are equal.
#[must_use]
pub fn first_difference(one: &[u8], other: &[u8]) -> usize {
    let (head, words) = shape(one, other);
    let [first, second] = [one, other].map(|bytes| bytes.split_at(head));
    let in_head = equal(first.0, second.0);
    if in_head < head {
        return in_head;
    }
    let [first, second] = [first.1, second.1].map(|bytes| bytes.split_at(words * WORD));
    let in_words = equal(as_words(first.0), as_words(second.0));
    if in_words < words {
        let at = in_words * WORD;
        let rest = |bytes: &'_ [u8]| -> [u8; WORD] { core::array::from_fn(|index| bytes[at + index]) };
        return head + at + equal(&rest(first.0), &rest(second.0));
    }
    head + words * WORD + equal(first.1, second.1)
}

/// Xors the second operand into the first.
pub fn xor(to: &mut [u8], from: &[u8]) {
    let (head, words) = shape(to, from);
    let (to_head, to) = to.split_at_mut(head);
    let (from_head, from) = from.split_at(head);
    let (to_words, to_tail) = to.split_at_mut(words * WORD);
    let (from_words, from_tail) = from.split_at(words * WORD);
    to_head.iter_mut().zip(from_head).for_each(|(byte, by)| *byte ^= by);
    as_words_mut(to_words).iter_mut().zip(as_words(from_words)).for_each(|(word, by)| *word ^= by);
    to_tail.iter_mut().zip(from_tail).for_each(|(byte, by)| *byte ^= by);
}

/// The bytes before the first word, and the number of words, in both; no words if they are not aligned alike.
fn shape(one: &[u8], other: &[u8]) -> (usize, usize) {
    let bytes = one.len().min(other.len());
    let head = one.as_ptr().addr().wrapping_neg() % WORD;
    let is_alike = (one.as_ptr().addr() ^ other.as_ptr().addr()).is_multiple_of(WORD);
    if is_alike && head <= bytes { (head, (bytes - head) / WORD) } else { (0, 0) }
}

/// How many elements at the start are equal.
fn equal<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The aligned words of these bytes.
pub(crate) fn as_words(bytes: &[u8]) -> &[u64] {
    // SAFETY: any bytes are valid words.
    unsafe { bytes.align_to().1 }
}

fn as_words_mut(bytes: &mut [u8]) -> &mut [u64] {
    // SAFETY: as above, and any word is valid as bytes.
    unsafe { bytes.align_to_mut().1 }
}
