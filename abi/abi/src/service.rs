//! Services: work that the kernel does for a program on memory that the program may not map.

use crate::named::named_numbers;

named_numbers! {
    /// Kinds of services.
    pub enum ServiceKind: u64 {
        /// Computes the BLAKE3 digest of memory that the program cannot read.
        Digest = 0 => "digest",
        /// Restores the initial contents of a stopped program's memory.
        Reset = 1 => "reset",
        /// Computes the digest of the kernel's own code. It does not depend on the state of static keys.
        KernelDigest = 2 => "kernel digest",
        /// Clears memory during an interrupt or fault. No program requests it.
        Wipe = 3 => "wipe",
    }
}

/// Words of a digest in the answer to ServiceRun: 32 bytes, eight per word, the first in the lowest bits.
pub const DIGEST_WORDS: usize = 4;

impl ServiceKind {
    /// The name in messages of the tool.
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
