//! Static keys, as programs hold them: who wants a key on, and how often.
//!
//! ```text
//!            inc, enable by anybody                       inc
//!   off  ------------------------------->  on, held once ----->  on, held n times
//!    ^                                        |        ^             |
//!    '--- dec, disable by who holds it -------'        '---- dec ----'
//!                (or its holder stops)
//! ```
//!
//! A key is on as long as it is held. One that is on by default is held once by nobody in particular: one program may
//! take that hold away, and gives it back by holding the key again. So each program can undo only what it did, and what it
//! did is undone when it is stopped or started again. The machine makes branches follow.

use limen_abi::Label;
use limen_abi::key::KeyWord;
use limen_abi::limits::{KEY_HOLDS, THREADS};

use crate::arena::{KeyId, ThreadId};
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::{Kernel, Keys, MessageBuffers};
use crate::machine::Machine;
use crate::message::Answer;

/// A key.
#[derive(Debug)]
pub struct Key {
    /// Holds of each program.
    holds: [u8; THREADS],
    /// All of them, and that of the default.
    count: u16,
    default: DefaultHold,
}

/// The hold of a key that is on by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DefaultHold {
    /// There is none.
    Off,
    /// Nobody has taken it away.
    Held,
    /// This program has.
    TakenBy(ThreadId),
}

const _: () = assert!(THREADS * (KEY_HOLDS as usize) < u16::MAX as usize);

impl Key {
    /// A key that nobody has changed yet.
    #[must_use]
    pub const fn new(default: bool) -> Self {
        let (count, default) = if default { (1, DefaultHold::Held) } else { (0, DefaultHold::Off) };
        Self { holds: [0; THREADS], count, default }
    }

    /// Whether branches on it are taken.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.count > 0
    }

    /// Whether the count is the sum of the holds.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let holds: u16 = self.holds.iter().map(|holds| u16::from(*holds)).sum();
        self.count == holds + u16::from(self.default == DefaultHold::Held)
    }

    /// How often a program holds it.
    fn holds(&self, thread: ThreadId) -> u8 {
        self.holds.get(position(thread)).copied().unwrap_or(0)
    }

    /// Whether a program may hold it once more.
    fn may_inc(&self, thread: ThreadId) -> Result<Change, InvokeError> {
        if self.holds(thread) == KEY_HOLDS {
            return Err(InvokeError::Range { min: 0, max: u64::from(KEY_HOLDS) });
        }
        Ok(Change::Inc)
    }

    /// Whether a program has a hold to give back, or may take that of the default.
    fn may_dec(&self, thread: ThreadId) -> Result<Change, InvokeError> {
        if self.holds(thread) > 0 || self.default == DefaultHold::Held {
            Ok(Change::Dec)
        } else {
            Err(InvokeError::IllegalOperation)
        }
    }

    fn inc(&mut self, thread: ThreadId) {
        if self.default == DefaultHold::TakenBy(thread) {
            self.default = DefaultHold::Held;
        } else if let Some(holds) = self.holds.get_mut(position(thread)) {
            *holds += 1;
        }
        self.count += 1;
    }

    fn dec(&mut self, thread: ThreadId) {
        match self.holds.get_mut(position(thread)) {
            Some(holds) if *holds > 0 => *holds -= 1,
            _ => self.default = DefaultHold::TakenBy(thread),
        }
        self.count -= 1;
    }

    /// Undoes what a program did.
    fn release(&mut self, thread: ThreadId) {
        if self.default == DefaultHold::TakenBy(thread) {
            self.default = DefaultHold::Held;
            self.count += 1;
        }
        if let Some(holds) = self.holds.get_mut(position(thread)) {
            self.count -= u16::from(core::mem::take(holds));
        }
    }
}

fn position(thread: ThreadId) -> usize {
    MessageBuffers::index_of(thread)
}

/// What is done to a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It is as wanted.
    None,
    /// One more hold.
    Inc,
    /// One less.
    Dec,
}

/// A checked request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Hold a key more or less often.
    Change {
        /// Which.
        key: KeyId,
        /// Who asks.
        caller: ThreadId,
        /// What for.
        change: Change,
    },
    /// Say what it is.
    Read(KeyId),
}

impl Request {
    /// Looks at a message to the capability of a key. Out of line, as what follows: other requests are more frequent.
    #[inline(never)]
    pub(crate) fn decode<M: Machine>(
        kernel: &Kernel<M>,
        id: KeyId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        let (key, caller) = (&kernel.keys[id], arguments.caller());
        let change = match (arguments.label(), key.count) {
            (Some(Label::KeyInc), _) | (Some(Label::KeyEnable), 0) => key.may_inc(caller)?,
            (Some(Label::KeyDec), _) | (Some(Label::KeyDisable), 1) => key.may_dec(caller)?,
            (Some(Label::KeyEnable), 1) | (Some(Label::KeyDisable), 0) => Change::None,
            (Some(Label::KeyRead), _) => return Ok(Self::Read(id)),
            // Among others: on or off, of a key that is counted.
            _ => return Err(InvokeError::IllegalOperation),
        };
        Ok(Self::Change { key: id, caller, change })
    }

    /// Does what was decoded.
    #[inline(never)]
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        match self {
            Self::Change { key, caller, change } => {
                kernel.change_key(key, |key| match change {
                    Change::None => {}
                    Change::Inc => key.inc(caller),
                    Change::Dec => key.dec(caller),
                });
                (Answer::Empty, Outcome::NOTHING)
            }
            Self::Read(key) => (Answer::Key(key), Outcome::NOTHING),
        }
    }
}

impl<M: Machine> Kernel<M> {
    /// Changes a key, and what follows from it. Its time is the caller's.
    fn change_key(&mut self, id: KeyId, change: impl FnOnce(&mut Key)) {
        let was_on = self.keys[id].is_on();
        change(&mut self.keys[id]);
        let is_on = self.keys[id].is_on();
        if is_on != was_on {
            self.machine.set_key(id, is_on);
        }
    }

    /// What a program sees of a key, in the order of [`KeyWord`].
    pub(crate) fn key_words(&self, id: KeyId, holder: ThreadId) -> [u64; KeyWord::LENGTH] {
        let key = &self.keys[id];
        let mut words = [0; KeyWord::LENGTH];
        words[KeyWord::ENABLED] = u64::from(key.is_on());
        words[KeyWord::COUNT] = u64::from(key.count);
        words[KeyWord::OWN] = u64::from(key.holds(holder));
        words
    }

    /// A program was stopped, or starts again: it holds nothing.
    #[inline(never)]
    pub(crate) fn release_keys(&mut self, thread: ThreadId) {
        for id in (0..self.key_count as u64).filter_map(Keys::id) {
            self.change_key(id, |key| key.release(thread));
        }
    }
}
