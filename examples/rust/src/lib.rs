//! Labels and shared memory of the programs of this system.

#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::AtomicU64;

/// Label of a call to the sorter: sort the numbers, as many as word 0 says.
pub const SORT: u64 = 1;
/// Label of an answer: sorted; word 0 has the sum of the numbers.
pub const SORTED: u64 = 2;
/// Label of an answer: the count is too high.
pub const REFUSED: u64 = 3;
/// Label of a call to the parent, and of its answer: word 0 has the index of the wanted price.
pub const PRICE: u64 = 4;

limen::shared! {
    /// Memory shared by client and sorter.
    pub struct Numbers {
        /// Total of numbers sorted.
        pub sorted: AtomicU64,
        /// The numbers.
        pub values: [AtomicU64; 8],
    }
}
