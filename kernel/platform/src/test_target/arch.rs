//! A port without instructions: the registers of the core's own tests.

#[path = "../../../core/tests/kernel/support/context.rs"]
#[allow(dead_code, reason = "shared with the core's tests")]
mod registers;

/// The registers of a thread.
pub mod context {
    pub(crate) use super::registers::TestContext as Context;
}

/// The processor.
pub mod cpu {
    /// No time passes.
    pub(crate) const fn cycles() -> u64 {
        0
    }

    /// Does nothing.
    pub(crate) const fn relax() {}

    /// User memory is never reached here.
    pub(crate) const fn is_user_memory_closed() -> bool {
        true
    }
}

/// The clock, which stands still.
pub mod timer {
    /// No time passes.
    pub(crate) const fn now() -> u64 {
        0
    }
}
