//! Caches where programs need not maintain them: they are coherent, with devices as far as the architecture says.

use core::ops::Range;

use limen_core::machine::CacheOperation;

use crate::arch::cpu::SpaceRegister;

/// Address spaces have no methods.
pub const USER_END: Option<u64> = None;

/// Nobody asks.
pub fn is_read_only(_: SpaceRegister, _: u64) -> bool {
    false
}

/// Nobody asks.
pub fn maintain(_: SpaceRegister, _: CacheOperation, _: Range<u64>) {}
