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
        /// Encrypts and authenticates records, during an interrupt or at the program's request.
        Seal = 4 => "seal",
    }
}

named_numbers! {
    /// Ciphers of seals, and how the kernel computes them.
    pub enum SealCipher: u64 {
        /// ChaCha20-Poly1305, with vector registers where the processor has them.
        ChaCha20Poly1305 = 0 => "chacha20_poly1305",
        /// The same in plain code.
        PlainChaCha20Poly1305 = 1 => "chacha20_poly1305 in plain code",
        /// AES-256-GCM. The kernel starts only on a processor with instructions for it.
        Aes256Gcm = 2 => "aes_256_gcm",
    }
}

impl SealCipher {
    /// The name in messages of the tool.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Words of a digest in the answer to ServiceRun: 32 bytes, eight per word, the first in the lowest bits.
pub const DIGEST_WORDS: usize = 4;

/// Bytes of the key of a seal. Its page starts with them, and the salt follows: 32 bits, zero while there is no key.
pub const SEAL_KEY_BYTES: usize = 32;
/// Bytes in front of the ciphertext of a sealed record: its number (64 bits), length and salt (32 bits each), and the
/// tag.
pub const SEALED_HEADER_BYTES: usize = 32;
/// Offset of the tag in that header.
pub const SEALED_TAG: usize = 16;

impl ServiceKind {
    /// The name in messages of the tool.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::Reset => "reset",
            Self::KernelDigest => "kernel digest",
            Self::Wipe => "wipe",
            Self::Seal => "seal",
        }
    }
}
