//! What the programs of this system share.

#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::AtomicU64;

/// Label of a call to the sorter: sort so many numbers (word 0).
pub const SORT: u64 = 1;
/// Label of an answer: done, and the sum of the numbers is in word 0.
pub const SORTED: u64 = 2;
/// Label of an answer: that cannot be sorted.
pub const REFUSED: u64 = 3;
/// Label of a call to the parent, and of its answer: which price is wanted (word 0).
pub const PRICE: u64 = 4;

limen::shared! {
    /// What client and sorter share.
    pub struct Numbers {
        /// Numbers that the sorter has ever sorted.
        pub sorted: AtomicU64,
        /// The numbers.
        pub values: [AtomicU64; 8],
    }
}
