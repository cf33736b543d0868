//! Methods of kernel objects: requests, and what comes of them.

use core::fmt;

use limen_abi::{ErrorCode, Label, MessageInfo};

use crate::buffer::{Buffer, Words};
use crate::trap::{self, Received};

/// Why the kernel has refused a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error(u64);

impl Error {
    /// The error with this code.
    pub(crate) const fn new(code: ErrorCode) -> Self {
        Self(code.as_raw())
    }

    /// The code of [`abi::ErrorCode`](crate::abi::ErrorCode), if it has a name.
    #[must_use]
    pub const fn code(self) -> Option<ErrorCode> {
        ErrorCode::from_raw(self.0)
    }

    /// Whether this is the reason.
    #[must_use]
    pub fn is(self, code: ErrorCode) -> bool {
        self.0 == code.as_raw()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code() {
            Some(code) => write!(f, "{code:?}"),
            None => write!(f, "error {}", self.0),
        }
    }
}

impl core::error::Error for Error {}

/// Carries out a method with the first `length` of these words; longer requests have the others in the buffer.
#[inline(always)]
pub(crate) fn invoke(target: u64, method: Label, length: usize, words: Words) -> Result<Words, Error> {
    outcome(trap::call(target, MessageInfo::new(method.as_raw(), length), words))
}

/// Carries out a method without words.
#[inline(always)]
pub(crate) fn invoke_plain(target: u64, method: Label) -> Result<(), Error> {
    invoke(target, method, 0, [0; 4]).map(drop)
}

/// The details of an error are kept in the first four message words.
#[inline(always)]
fn outcome(answer: Received) -> Result<Words, Error> {
    if answer.info.label() == ErrorCode::NoError.as_raw() {
        return Ok(answer.words);
    }
    Buffer::here().store_words(answer.words);
    Err(Error(answer.info.label()))
}
