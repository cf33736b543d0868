//! Caches that programs need not maintain, because the architecture keeps them coherent.

use core::ops::Range;

use limen_core::machine::CacheOperation;

use crate::arch::cpu::SpaceRegister;

/// Address spaces have no cache methods.
pub const USER_END: Option<u64> = None;

/// Never called.
pub fn is_read_only(_: SpaceRegister, _: u64) -> bool {
    false
}

/// Never called.
pub fn maintain(_: SpaceRegister, _: CacheOperation, _: Range<u64>) {}
