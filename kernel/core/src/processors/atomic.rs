//! The atomics of memory that processors share. A test of all orders of accesses replaces this module.

pub(super) use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
