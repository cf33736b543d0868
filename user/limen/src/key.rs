//! Static keys of the system that the program may switch.

use limen_abi::key::KeyWord;
use limen_abi::limits::MAX_KEY_ID;
use limen_abi::slot::BASE_KEY;
use limen_abi::{ErrorCode, Label};

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

/// A hold on a key that is released late, for a program that turns the key on and off often: code is patched at most
/// twice in each delay. The program passes the time, in a unit of its choice, and calls [`Self::flush`] at [`Self::due`] or
/// later.
#[derive(Debug)]
pub struct DeferredKey {
    key: Key,
    delay: u64,
    holders: u64,
    /// When the key is released; `None` while it has holders, and when it is released.
    due: Option<u64>,
}

impl DeferredKey {
    /// No hold on the key. Holds are released `delay` after the last holder is removed.
    #[must_use]
    pub const fn new(key: Key, delay: u64) -> Self {
        Self { key, delay, holders: 0, due: None }
    }

    /// Adds a holder. Takes a hold on the key only if there is none.
    ///
    /// # Errors
    /// Those of [`Key::inc`].
    pub fn inc(&mut self) -> Result<(), Error> {
        if self.holders == 0 && self.due.is_none() {
            self.key.inc()?;
        }
        self.holders += 1;
        self.due = None;
        Ok(())
    }

    /// Removes a holder. After the last one, the hold is due a delay later.
    ///
    /// # Errors
    /// `IllegalOperation` if there is no holder.
    pub const fn dec(&mut self, now: u64) -> Result<(), Error> {
        match self.holders {
            0 => return Err(Error::new(ErrorCode::IllegalOperation)),
            1 => self.due = Some(now.wrapping_add(self.delay)),
            _ => {}
        }
        self.holders -= 1;
        Ok(())
    }

    /// When the hold is to be released, if it has no holders.
    #[must_use]
    pub const fn due(&self) -> Option<u64> {
        self.due
    }

    /// Releases the hold if it is due.
    ///
    /// # Errors
    /// Those of [`Key::dec`].
    pub fn flush(&mut self, now: u64) -> Result<(), Error> {
        // A clock may wrap around.
        let is_due = |due: u64| now.wrapping_sub(due).cast_signed() >= 0;
        if self.due.is_some_and(is_due) { self.release() } else { Ok(()) }
    }

    /// Releases the hold if it has no holders, due or not.
    ///
    /// # Errors
    /// Those of [`Key::dec`].
    pub fn release(&mut self) -> Result<(), Error> {
        if self.due.take().is_some() { self.key.dec() } else { Ok(()) }
    }
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
