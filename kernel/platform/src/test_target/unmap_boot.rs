//! The end of boot, after which no code is unmapped here.

/// Nothing is optional.
#[derive(Clone, Copy, Debug)]
pub struct Parts;

/// Does nothing.
pub(crate) const fn end_boot(_: Parts) {}
