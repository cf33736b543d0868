//! Services: work of the kernel for a program that is allowed less than a mapping would give.

use crate::named::named_numbers;

named_numbers! {
    /// What a service does.
    pub enum ServiceKind: u64 {
        /// Tells the BLAKE3 digest of memory that the program cannot read.
        Digest = 0 => "digest",
        /// Puts the memory of a stopped program back to its first contents.
        Reset = 1 => "reset",
        /// Tells the digest of the kernel's own code, whatever static keys have changed in it.
        KernelDigest = 2 => "kernel digest",
        /// Clears memory in the middle of an interrupt or fault. No program asks for it.
        Wipe = 3 => "wipe",
    }
}

/// Words of a digest in the answer to ServiceRun: 32 bytes, eight in each, the first in the lowest bits.
pub const DIGEST_WORDS: usize = 4;

impl ServiceKind {
    /// What a system description calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::Reset => "reset",
            Self::KernelDigest => "kernel digest",
            Self::Wipe => "wipe",
        }
    }
}
