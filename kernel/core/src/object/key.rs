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
//! did is undone when it is stopped or started again.
//!
//! The machine makes branches follow, some at a time, and between two times there may be interrupts: the system call of who
//! changes a key starts again until all do, as one that does nothing but go on ([`Label::KeyFollow`]). The count has changed
//! at once, so whoever else changes the key meanwhile, or stops that program, goes on from there and not against it.

use limen_abi::key::KeyWord;
use limen_abi::limits::{KEY_HOLDS, THREADS};
use limen_abi::{Label, MessageInfo};

use crate::arena::{KeyId, ThreadId};
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::{Kernel, Keys, MessageBuffers};
use crate::machine::{Context, Machine, Patching};
use crate::message::Answer;

/// A key.
#[derive(Debug)]
pub struct Key {
    /// Holds of each program.
    holds: [u8; THREADS],
    /// All of them, and that of the default.
    count: u16,
    default: DefaultHold,
    /// Whose system call makes branches follow, unless all do.
    patcher: Option<ThreadId>,
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
        Self { holds: [0; THREADS], count, default, patcher: None }
    }

    /// Whether branches on it are taken, or will be when all of them follow.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.count > 0
    }

    /// Whether all branches are as its count says.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.patcher.is_none()
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
    /// It is as wanted, or only some of its branches are.
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
            (Some(Label::KeyEnable), 1) | (Some(Label::KeyDisable), 0) | (Some(Label::KeyFollow), _) => {
                Change::None
            }
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
                kernel.change_key(key, caller, |key| match change {
                    Change::None => {}
                    Change::Inc => key.inc(caller),
                    Change::Dec => key.dec(caller),
                });
                let followed = kernel.finish_key(key, caller);
                if followed == Patching::More {
                    let rest = MessageInfo::new(Label::KeyFollow.as_raw(), 0);
                    kernel.threads[caller].context.set_info(rest);
                }
                (Answer::Empty.once(followed), Outcome::NOTHING)
            }
            Self::Read(key) => (Answer::Key(key), Outcome::NOTHING),
        }
    }
}

impl<M: Machine> Kernel<M> {
    /// Changes a key; if that turns it, `patcher` has to make its branches follow.
    fn change_key(&mut self, id: KeyId, patcher: ThreadId, change: impl FnOnce(&mut Key)) {
        let key = &mut self.keys[id];
        let was_held = key.is_held();
        change(key);
        if key.is_held() != was_held {
            key.patcher = Some(patcher);
        }
    }

    /// Makes more branches follow a key, unless all do. Its time is the caller's.
    fn finish_key(&mut self, id: KeyId, caller: ThreadId) -> Patching {
        let key = &mut self.keys[id];
        if key.is_followed() {
            return Patching::Done;
        }
        let followed = self.machine.follow_key(id, key.is_held());
        key.patcher = (followed == Patching::More).then_some(caller);
        followed
    }

    /// What a program sees of a key, in the order of [`KeyWord`].
    pub(crate) fn key_words(&self, id: KeyId, holder: ThreadId) -> [u64; KeyWord::LENGTH] {
        let key = &self.keys[id];
        let mut words = [0; KeyWord::LENGTH];
        words[KeyWord::ENABLED] = u64::from(key.is_held() && key.is_followed());
        words[KeyWord::COUNT] = u64::from(key.count);
        words[KeyWord::OWN] = u64::from(key.holds(holder));
        words
    }

    /// A program is stopped, or starts again: it holds nothing. Branches follow with [`Self::finish_keys`].
    #[inline(never)]
    pub(crate) fn release_keys(&mut self, thread: ThreadId) {
        for id in (0..self.key_count as u64).filter_map(Keys::id) {
            self.change_key(id, thread, |key| key.release(thread));
        }
    }

    /// Makes more branches follow the keys that `thread` has changed, until all do: those of one key at a time, so that the
    /// most is the same as for a change of one.
    #[inline(never)]
    pub(crate) fn finish_keys(&mut self, thread: ThreadId, caller: ThreadId) -> Patching {
        let mut others = Patching::Done;
        let mut first = None;
        for id in (0..self.key_count as u64).filter_map(Keys::id) {
            let key = &mut self.keys[id];
            if key.patcher == Some(thread) || key.patcher == Some(caller) {
                key.patcher = Some(caller);
                match first {
                    None => first = Some(id),
                    Some(_) => others = Patching::More,
                }
            }
        }
        match first.map_or(Patching::Done, |id| self.finish_key(id, caller)) {
            Patching::Done => others,
            Patching::More => Patching::More,
        }
    }
}
