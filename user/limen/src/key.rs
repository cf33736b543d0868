//! Static keys of the system that the program may switch.

use limen_abi::Label;
use limen_abi::key::KeyWord;
use limen_abi::limits::MAX_KEY_ID;
use limen_abi::slot::BASE_KEY;

use crate::invoke::{Error, invoke, invoke_plain};

/// A static key, by the id that the system description gives it: `<key name="..." id="..."/>`.
///
/// A key is on while at least one program holds it. A key that is on by default has one hold without an owner, which one
/// program may release. A program that is stopped or restarted releases its holds. All branches follow when the call
/// returns; the work runs on the caller's time. All methods fail with `InvalidCapability` for an id without a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key(u8);

/// The state of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyState {
    /// Whether it is on.
    pub is_enabled: bool,
    /// Holds of all programs, that of the default included.
    pub count: u64,
    /// Holds of the caller.
    pub own: u64,
}

impl Key {
    /// The key with this id, 0 to 31.
    ///
    /// # Panics
    /// When there is no such id. In a constant, the program then does not compile.
    #[must_use]
    #[inline]
    pub const fn new(id: u8) -> Self {
        assert!(id <= MAX_KEY_ID, "ids of static keys are 0 to 31");
        Self(id)
    }

    const fn slot(self) -> u64 {
        BASE_KEY + self.0 as u64
    }

    /// Takes a hold if the key is off.
    ///
    /// # Errors
    /// `IllegalOperation` if it is held more than once.
    pub fn enable(self) -> Result<(), Error> {
        invoke_plain(self.slot(), Label::KeyEnable)
    }

    /// Releases the only hold.
    ///
    /// # Errors
    /// `IllegalOperation` if the key is held more than once, or by another program.
    pub fn disable(self) -> Result<(), Error> {
        invoke_plain(self.slot(), Label::KeyDisable)
    }

    /// Takes another hold.
    ///
    /// # Errors
    /// `RangeError` if the caller holds it 255 times.
    pub fn inc(self) -> Result<(), Error> {
        invoke_plain(self.slot(), Label::KeyInc)
    }

    /// Releases a hold.
    ///
    /// # Errors
    /// `IllegalOperation` if the caller has none.
    pub fn dec(self) -> Result<(), Error> {
        invoke_plain(self.slot(), Label::KeyDec)
    }

    /// Reads the state.
    ///
    /// # Errors
    /// There is no such key.
    pub fn read(self) -> Result<KeyState, Error> {
        let words = invoke(self.slot(), Label::KeyRead, 0, [0; 4])?;
        Ok(KeyState {
            is_enabled: words[KeyWord::ENABLED] != 0,
            count: words[KeyWord::COUNT],
            own: words[KeyWord::OWN],
        })
    }
}
