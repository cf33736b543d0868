//! The IPC buffer: message words that do not travel in registers, and a few words beside them.

use limen_abi::MessageInfo;
use limen_abi::limits::PAGE_BYTES;
use limen_abi::message::{BufferWord, MAX_LENGTH, REGISTER_WORDS};

use crate::arch::{SKIPS_EMPTY_MESSAGES, USER_TOP};

/// The buffer's address: the highest page, the same in every program.
pub(crate) const ADDRESS: u64 = USER_TOP + 1 - PAGE_BYTES;

/// The end of the program's stack: there is a guard page between it and the buffer.
#[cfg(target_os = "none")]
pub(crate) const STACK_TOP: u64 = ADDRESS - PAGE_BYTES;

/// Words that travel in registers.
pub(crate) type Words = [u64; REGISTER_WORDS];

/// The same value, hidden from the compiler, which then makes nothing of what it knows about it.
#[inline(always)]
pub(crate) fn hidden(mut value: u64) -> u64 {
    #[expect(unsafe_code, reason = "assembly")]
    // SAFETY: there is no instruction.
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

/// The buffer's address. The event loop keeps it in a register.
#[derive(Clone, Copy)]
pub(crate) struct Buffer(*mut u64);

impl Buffer {
    /// The program's buffer. Of an address that it knows, the compiler would make a constant for every word, of several
    /// instructions each.
    #[inline(always)]
    pub(crate) fn here() -> Self {
        Self(core::ptr::with_exposed_provenance_mut(hidden(ADDRESS) as usize))
    }

    #[inline(always)]
    fn read(self, index: usize) -> u64 {
        debug_assert!(index < BufferWord::COUNT);
        #[expect(unsafe_code, reason = "the buffer is at a fixed address")]
        // SAFETY: S11 of docs/soundness.md: the page is mapped in every program, no Rust value is in it, and callers keep
        // below its end.
        unsafe {
            self.0.add(index).read()
        }
    }

    #[inline(always)]
    fn write(self, index: usize, value: u64) {
        debug_assert!(index < BufferWord::COUNT);
        #[expect(unsafe_code, reason = "the buffer is at a fixed address")]
        // SAFETY: as in `read`.
        unsafe {
            self.0.add(index).write(value);
        }
    }

    /// The words that travel in registers.
    #[inline(always)]
    pub(crate) fn load_words(self) -> Words {
        [0, 1, 2, 3].map(|index| self.read(BufferWord::MESSAGE + index))
    }

    /// Keeps words that came in registers.
    #[inline(always)]
    pub(crate) fn store_words(self, words: Words) {
        self.store_first(words, words.len());
    }

    /// Keeps the first words that came in registers, where the others have not been loaded.
    #[inline(always)]
    pub(crate) fn store_first(self, words: Words, length: usize) {
        for (index, word) in words.into_iter().enumerate().take(length) {
            self.write(BufferWord::MESSAGE + index, word);
        }
    }
}

/// Whether a message has no words, on a port where that is worth a test before the buffer is touched.
#[inline(always)]
pub(crate) fn skips(message: MessageInfo) -> bool {
    SKIPS_EMPTY_MESSAGES && message.length() == 0
}

/// A message word, or `None` past the last.
#[inline(always)]
pub(crate) fn word(index: usize) -> Option<u64> {
    (index < MAX_LENGTH).then(|| Buffer::here().read(BufferWord::MESSAGE + index))
}

/// Sets a message word; whether there is such a word.
#[inline(always)]
pub(crate) fn set_word(index: usize, value: u64) -> bool {
    let exists = index < MAX_LENGTH;
    if exists {
        Buffer::here().write(BufferWord::MESSAGE + index, value);
    }
    exists
}

/// The word for the program's own use.
#[inline(always)]
pub(crate) fn user_data() -> u64 {
    Buffer::here().read(BufferWord::USER_DATA)
}
