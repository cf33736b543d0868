//! The number of `membarrier(2)`, which depends on the instruction set.

/// The number of `membarrier(2)`.
#[cfg(target_arch = "x86_64")]
pub(crate) const MEMBARRIER: i64 = 324;
/// The number of `membarrier(2)`.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const MEMBARRIER: i64 = 283;
