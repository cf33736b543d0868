//! Stops the test.

use core::fmt::Arguments;

/// Stops the test with a reason.
#[expect(clippy::panic, reason = "a test may fail")]
pub(crate) fn fatal(reason: Arguments<'_>) -> ! {
    panic!("{reason}")
}
