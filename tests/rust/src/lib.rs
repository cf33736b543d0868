//! Shared by the programs of the suite: orders in shared memory, and the test harness.

#![no_std]
#![forbid(unsafe_code)]

pub mod test;

use core::sync::atomic::{AtomicU8, AtomicU64};

limen::shared! {
    /// Memory shared by tester and victim.
    pub struct Orders {
        /// An [`Order`], which the victim carries out when it is notified.
        pub order: AtomicU64,
        /// The victim's number of starts.
        pub starts: AtomicU64,
        /// True if the victim's data matched its image at the last start.
        pub was_pristine: AtomicU64,
        /// Counts while the victim spins.
        pub spins: AtomicU64,
        /// The end of the victim's stack, as it has it at its start.
        pub stack: AtomicU64,
        /// Bytes, to fill what is left of 64.
        pub bytes: [AtomicU8; 24],
    }
}

/// Orders to the victim.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum Order {
    /// Panics.
    Panic = 1,
    /// Faults at address 4.
    Crash = 2,
    /// Uses the floating-point unit, then notifies.
    Float = 3,
    /// Spins without end, after a notification.
    Spin = 4,
    /// Calls the default of an entry point.
    Missing = 5,
}

/// Requests to the echo program, as labels.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum Request {
    /// Answer with each word plus one, and the label plus 1000.
    Echo = 1,
    /// Notify the caller with the next receive.
    NotifyLater = 2,
    /// Return the branches on keys that are taken in word 0, and the number of notifications in word 1.
    Tell = 3,
    /// Cause word 0 breakpoints that stay armed, then read their samples from the ring. Return in words 0 and 1 how many
    /// were read and lost, in word 2 how many crossings a sample follows at once, and in word 3 whether all is well.
    Follow = 4,
}
