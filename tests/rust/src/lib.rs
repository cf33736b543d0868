//! What the programs of the suite share: orders in shared memory, and tests.

#![no_std]
#![forbid(unsafe_code)]

pub mod test;

use core::sync::atomic::{AtomicU8, AtomicU64};

limen::shared! {
    /// What tester and victim tell each other.
    pub struct Orders {
        /// An [`Order`], which the victim carries out when it is notified.
        pub order: AtomicU64,
        /// How often the victim has started.
        pub starts: AtomicU64,
        /// Whether the victim's data was as in its image when it last started.
        pub was_pristine: AtomicU64,
        /// Counts while the victim spins.
        pub spins: AtomicU64,
        /// The end of the victim's stack, as it has it at its start.
        pub stack: AtomicU64,
        /// Bytes, to fill what is left of 64.
        pub bytes: [AtomicU8; 24],
    }
}

/// What the victim does.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum Order {
    /// Panics.
    Panic = 1,
    /// Faults at address 4.
    Crash = 2,
    /// Uses the floating-point unit, then notifies.
    Float = 3,
    /// Spins for ever, after a notification.
    Spin = 4,
    /// Calls the default of an entry point.
    Missing = 5,
}

/// What the echo program is asked, as a label.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum Request {
    /// Answer with each word plus one, and the label plus 1000.
    Echo = 1,
    /// Notify the caller with the next receive.
    NotifyLater = 2,
    /// Say in word 0 which branches on keys are taken, in word 1 how often it was notified.
    Tell = 3,
}
