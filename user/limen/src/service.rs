//! Services of the kernel: digests, resets and seals. See the book's chapter on services.
//!
//! The kernel works on the caller's time and at its priority. A caller that is stopped meanwhile repeats its call
//! when it is resumed.

use limen_abi::Label;
use limen_abi::limits::MAX_SERVICE_ID;
use limen_abi::service::DIGEST_WORDS;
use limen_abi::slot::BASE_SERVICE;

use crate::invoke::{Error, invoke};

/// A digest, reset or seal, by the id that the system description gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service(u8);

impl Service {
    /// The service with this id, 0 to 15.
    ///
    /// # Panics
    /// When there is no such id. In a constant, the program then does not compile.
    #[must_use]
    #[inline]
    pub const fn new(id: u8) -> Self {
        assert!(id <= MAX_SERVICE_ID, "ids of services are 0 to 15");
        Self(id)
    }

    /// The service with an id that the tool has set, or `None` if there is no such id.
    #[must_use]
    pub const fn from_id(id: u64) -> Option<Self> {
        if id <= MAX_SERVICE_ID as u64 { Some(Self(id as u8)) } else { None }
    }
}

/// Computes the BLAKE3 digest of memory: 32 bytes in four words, the first byte in the lowest bits of the first.
///
/// # Errors
/// `InvalidCapability` if there is no such digest.
pub fn digest(service: Service) -> Result<[u64; DIGEST_WORDS], Error> {
    invoke(BASE_SERVICE + u64::from(service.0), Label::ServiceRun, 0, [0; 4])
}

/// Restores data, stack and registers of a child to their initial contents. The child must be stopped or wait for the answer to a
/// fault. Its memory regions keep their contents. [Restart](crate::Child::restart) it afterwards.
///
/// # Errors
/// `IllegalOperation` while the child could run, `InvalidCapability` if there is no such reset.
pub fn reset(service: Service) -> Result<(), Error> {
    digest(service).map(drop)
}

/// Seals the record, or those in the ring that no interrupt has sealed, at most 1024. Returns how many.
///
/// # Errors
/// `InvalidCapability` if there is no such seal.
pub fn seal(service: Service) -> Result<u64, Error> {
    digest(service).map(|[sealed, ..]| sealed)
}
