//! Message words: arguments before a protected call, results after it.
//!
//! A call carries a label and up to 120 words. They are set before the call and read after it, on both sides. Every call
//! uses the same words, so a program that calls inside [`Program::protected`](crate::Program::protected) sets its results
//! last. Words beyond the length of a message are not delivered: the receiver finds what it left there.

use crate::buffer;
use crate::report;

/// Words that a message can hold.
pub use limen_abi::message::MAX_LENGTH;

/// A message word, 0 to 119. Others are reported on the debug console and read as 0.
#[must_use]
#[inline(always)]
pub fn word(index: usize) -> u64 {
    buffer::word(index).unwrap_or_else(|| {
        report::word("word", index);
        0
    })
}

/// Sets a message word, 0 to 119. Others are reported on the debug console, and nothing happens.
#[inline(always)]
pub fn set_word(index: usize, value: u64) {
    if !buffer::set_word(index, value) {
        report::word("set_word", index);
    }
}
