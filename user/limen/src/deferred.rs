//! The one signal that is sent with the next receive.
//!
//! ```text
//!   None --set--> Waiting --take--> None        set again: replaced
//! ```

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use limen_abi::MessageInfo;

use crate::channel::Channel;
use crate::console::IS_PRINTING;
use crate::report;

/// A message without words, and its destination.
#[derive(Clone, Copy)]
pub(crate) struct Signal {
    pub(crate) to: u64,
    pub(crate) info: MessageInfo,
}

static IS_WAITING: AtomicBool = AtomicBool::new(false);
static TO: AtomicU64 = AtomicU64::new(0);
static INFO: AtomicU64 = AtomicU64::new(0);

/// Makes a signal pending, in place of an earlier one.
#[inline(always)]
pub(crate) fn set(function: &str, channel: Channel, signal: Signal) {
    if IS_PRINTING && IS_WAITING.load(Relaxed) && TO.load(Relaxed) != signal.to {
        report::lost_signal(function, channel);
    }
    put(signal);
}

/// Like [`set`], but replaces an earlier signal without a report.
#[inline(always)]
pub(crate) fn put(signal: Signal) {
    IS_WAITING.store(true, Relaxed);
    TO.store(signal.to, Relaxed);
    INFO.store(signal.info.as_raw(), Relaxed);
}

/// Drops a signal that the life before a restart has made pending.
pub(crate) fn forget() {
    IS_WAITING.store(false, Relaxed);
}

/// Whether a signal is pending.
#[inline(always)]
pub(crate) fn is_waiting() -> bool {
    IS_WAITING.load(Relaxed)
}

/// Takes the pending signal.
#[inline(always)]
pub(crate) fn take() -> Signal {
    IS_WAITING.store(false, Relaxed);
    Signal { to: TO.load(Relaxed), info: MessageInfo::from_raw(INFO.load(Relaxed)) }
}
