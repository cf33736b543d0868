//! The debug console, which shows nothing here.

use core::fmt::Arguments;

/// Does nothing.
pub(crate) const fn line(_: Arguments<'_>) {}
