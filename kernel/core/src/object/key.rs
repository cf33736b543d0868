//! Static keys, as programs hold them: which programs hold a key, and how often.
//!
//! ```text
//!            inc or enable                             inc
//!   off  ------------------------------->  on, held once ----->  on, held n times
//!    ^                                        |        ^             |
//!    '--- dec or disable by a holder ---------'        '---- dec ----'
//!                (or the holder stops)
//! ```
//!
//! A key is on while it, or the key of its group, is held. A key that is on by default starts with one hold that belongs to no program. One
//! program at a time may release that default hold, and restores it when it holds the key again. So a program can undo
//! only its own changes, and its changes are undone when it is stopped or restarted.
//!
//! A group is a key that others name as theirs. One hold on it turns all of them on, without a change of their own counts:
//!
//! ```text
//!   scheduler (group) --+-- sched_switch    held: 0  on, because the group is held
//!     held: 1           '-- sched_wake      held: 2  stays on when the group is released
//! ```
//!
//! The machine patches a limited number of branches at a time, and interrupts may come in between. Until all branches
//! are patched, the system call of the program that changes the key restarts as [`Label::KeyFollow`], which only
//! continues the patching. The count changes at once, so if another program changes the key in the meantime, or stops
//! the first one, patching continues towards the new state.

use limen_abi::key::KeyWord;
use limen_abi::limits::{KEY_HOLDS, KEY_SITES_AT_ONCE, THREADS};
use limen_abi::{Label, MessageInfo};

use crate::arena::{KeyId, ThreadId};
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::{Kernel, Keys, MessageBuffers};
use crate::machine::{Context, Machine, Patching};
use crate::message::Answer;

/// A static key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// The holds of each program.
    holds: [u8; THREADS],
    /// The sum of all holds, including the default one.
    count: u16,
    default: DefaultHold,
    /// The key of its group.
    group: Option<KeyId>,
    role: Role,
    /// Whether branches on the key are taken, or will be once all are patched.
    state: bool,
    /// The thread whose system call patches branches; `None` if all are patched.
    patcher: Option<ThreadId>,
}

/// The default hold of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultHold {
    /// The key is off by default.
    Off,
    /// No program has released the default hold.
    Held,
    /// This program has released the default hold.
    TakenBy(ThreadId),
}

/// Whether other keys follow a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// None do.
    Single,
    /// It is the key of a group.
    Group,
}

/// To begin with a key costs as much as to patch this many branches.
const KEY_IN_SITES: usize = 4;

const _: () = assert!(THREADS * (KEY_HOLDS as usize) < u16::MAX as usize);

impl Key {
    /// Creates a key without a group in its default state.
    #[must_use]
    pub const fn new(state: bool) -> Self {
        let (count, default) = if state { (1, DefaultHold::Held) } else { (0, DefaultHold::Off) };
        Self { holds: [0; THREADS], count, default, group: None, role: Role::Single, state, patcher: None }
    }

    fn is_held(&self) -> bool {
        self.count > 0
    }

    /// Returns whether branches on the key are taken, or will be once all are patched.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.state
    }

    /// Returns whether all branches match the count.
    #[must_use]
    pub fn is_patched(&self) -> bool {
        self.patcher.is_none()
    }

    /// Sets the thread whose system call patches branches, and returns the one before.
    #[inline(always)]
    pub(crate) fn set_patcher(&mut self, patcher: Option<ThreadId>) -> Option<ThreadId> {
        core::mem::replace(&mut self.patcher, patcher)
    }

    /// Returns whether the count is the sum of the holds.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let holds: u16 = self.holds.iter().map(|holds| u16::from(*holds)).sum();
        self.count == holds + u16::from(self.default == DefaultHold::Held)
    }

    /// Returns the thread whose system call patches branches, if some are left.
    #[must_use]
    pub fn patcher(&self) -> Option<ThreadId> {
        self.patcher
    }

    /// Returns the key of its group.
    #[must_use]
    pub fn group(&self) -> Option<KeyId> {
        self.group
    }

    /// Returns the default hold.
    #[must_use]
    pub fn default_hold(&self) -> DefaultHold {
        self.default
    }

    /// Returns how often a program holds the key.
    #[must_use]
    pub fn holds(&self, thread: ThreadId) -> u8 {
        self.holds.get(position(thread)).copied().unwrap_or(0)
    }

    /// Checks that a program may add a hold.
    fn may_inc(&self, thread: ThreadId) -> Result<Change, InvokeError> {
        if self.holds(thread) == KEY_HOLDS {
            return Err(InvokeError::Range { min: 0, max: u64::from(KEY_HOLDS) });
        }
        Ok(Change::Inc)
    }

    /// Checks that a program has a hold to release, or may release the default one.
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

    /// Undoes all changes of a program. Returns whether that changes if the key is held.
    fn release(&mut self, thread: ThreadId) -> bool {
        if self.default == DefaultHold::TakenBy(thread) {
            self.default = DefaultHold::Held;
            self.count += 1;
            return self.count == 1;
        }
        match self.holds.get_mut(position(thread)) {
            Some(holds) if *holds > 0 => self.count -= u16::from(core::mem::take(holds)),
            _ => return false,
        }
        !self.is_held()
    }
}

fn position(thread: ThreadId) -> usize {
    MessageBuffers::index_of(thread)
}

/// A change of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// None: the key is in the wanted state, except that some branches may not be patched yet.
    None,
    /// Add a hold.
    Inc,
    /// Release a hold.
    Dec,
}

/// A checked request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Change the number of holds.
    Change {
        /// The key.
        key: KeyId,
        /// The calling thread.
        caller: ThreadId,
        /// The change.
        change: Change,
    },
    /// Read the state.
    Read(KeyId),
}

impl Request {
    /// Decodes an invocation of a key. Out of line, like `perform`, because other requests are more frequent.
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
            // This includes enabling and disabling a key that is held more than once.
            _ => return Err(InvokeError::IllegalOperation),
        };
        Ok(Self::Change { key: id, caller, change })
    }

    /// Performs a decoded request.
    #[inline(never)]
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        match self {
            Self::Change { key, caller, change } => {
                let patching = kernel.change_and_patch(key, caller, change);
                if patching == Patching::More {
                    let rest = MessageInfo::new(Label::KeyFollow.as_raw(), 0);
                    kernel.threads[caller].context.set_info(rest);
                }
                (Answer::Empty.once(patching), Outcome::NOTHING)
            }
            Self::Read(key) => (Answer::Key(key), Outcome::NOTHING),
        }
    }
}

impl<M: Machine> Kernel<M> {
    /// Changes the holds of a key, and patches branches.
    #[inline(always)]
    pub(crate) fn change_and_patch(&mut self, key: KeyId, caller: ThreadId, change: Change) -> Patching {
        if change != Change::None {
            self.change_key(key, caller, change);
        }
        match self.keys[key].role {
            Role::Single => self.patch_key(key, caller, &mut { KEY_SITES_AT_ONCE }),
            Role::Group => self.patch_group(key, caller),
        }
    }

    /// Makes a key follow that of its group, at boot.
    pub(crate) fn enter_group(&mut self, id: KeyId, group: KeyId) {
        self.keys[group].role = Role::Group;
        self.keys[id].group = Some(group);
        self.keys[id].state = self.is_on(id);
    }

    /// Returns whether a key, or the key of its group, is held.
    fn is_on(&self, id: KeyId) -> bool {
        let key = &self.keys[id];
        key.is_held() || key.group.is_some_and(|group| self.keys[group].is_held())
    }

    /// Returns whether the state of a key is the right one.
    pub(crate) fn key_follows(&self, id: KeyId) -> bool {
        self.keys[id].state == self.is_on(id)
    }

    /// Determines the state of a key again. If it changes, `patcher` must patch the branches.
    fn update_key(&mut self, id: KeyId, patcher: ThreadId) {
        let state = self.is_on(id);
        let key = &mut self.keys[id];
        if key.state != state {
            key.state = state;
            key.patcher = Some(patcher);
        }
    }

    #[inline(never)]
    fn update_keys(&mut self, patcher: ThreadId) {
        self.all_keys().for_each(|id| self.update_key(id, patcher));
    }

    /// Patches more branches of a key unless all are done, at most `room`, on the caller's time.
    fn patch_key(&mut self, id: KeyId, caller: ThreadId, room: &mut usize) -> Patching {
        let key = &mut self.keys[id];
        if key.is_patched() {
            return Patching::Done;
        }
        if *room == 0 {
            key.patcher = Some(caller);
            return Patching::More;
        }
        let patching = self.machine.patch_key(id, key.state, room);
        key.patcher = (patching == Patching::More).then_some(caller);
        if self.is_recorded() {
            self.record_patching(patching, *room);
        }
        patching
    }

    /// Patches more branches of a key and of those that follow it, at most as many as those of one key.
    #[inline(never)]
    fn patch_group(&mut self, group: KeyId, caller: ThreadId) -> Patching {
        let mut room = KEY_SITES_AT_ONCE;
        for id in self.all_keys() {
            let key = &self.keys[id];
            if key.is_patched() || (id != group && key.group != Some(group)) {
                continue;
            }
            if self.patch_key(id, caller, &mut room) == Patching::More {
                return Patching::More;
            }
            room = room.saturating_sub(KEY_IN_SITES);
        }
        Patching::Done
    }

    /// Changes the holds of a key, and the states of the keys that follow it.
    #[inline]
    fn change_key(&mut self, id: KeyId, caller: ThreadId, change: Change) {
        let key = &mut self.keys[id];
        match change {
            Change::None => {}
            Change::Inc => key.inc(caller),
            Change::Dec => key.dec(caller),
        }
        if key.role == Role::Group {
            self.update_keys(caller);
        } else {
            self.update_key(id, caller);
        }
    }

    /// Returns the keys that are on, one bit each.
    #[inline(always)]
    pub(crate) fn keys_on(&self) -> u64 {
        self.all_keys().fold(0, |on, id| on | u64::from(self.keys[id].is_on()) << Keys::index_of(id))
    }

    pub(crate) fn all_keys(&self) -> impl Iterator<Item = KeyId> + use<M> {
        Keys::first(self.key_count)
    }

    /// Returns the state of a key as `holder` sees it, in the order of [`KeyWord`].
    pub(crate) fn key_words(&self, id: KeyId, holder: ThreadId) -> [u64; KeyWord::LENGTH] {
        let key = &self.keys[id];
        let mut words = [0; KeyWord::LENGTH];
        let follows = |other: KeyId| {
            let other_key = &self.keys[other];
            other_key.is_patched() || other_key.group != Some(id)
        };
        let is_patched = key.is_patched() && (key.role == Role::Single || self.all_keys().all(follows));
        words[KeyWord::ENABLED] = u64::from(key.state && is_patched);
        words[KeyWord::COUNT] = u64::from(key.count);
        words[KeyWord::OWN] = u64::from(key.holds(holder));
        words
    }

    /// Releases all holds of a program that is stopped or restarted. [`Self::patch_keys`] then patches the branches. With
    /// several processors, the keeper of keys does both.
    #[inline(never)]
    pub(crate) fn release_keys(&mut self, thread: ThreadId) {
        if self.holders.holding != 0 {
            return self.release_elsewhere(thread);
        }
        self.release_holds(thread);
    }

    /// Releases all holds of a program.
    pub(crate) fn release_holds(&mut self, thread: ThreadId) {
        let mut changed = false;
        for id in self.all_keys() {
            changed |= self.keys[id].release(thread);
        }
        if changed {
            self.update_keys(thread);
        }
    }

    /// Patches more branches of the keys that `thread` has changed.
    #[inline(never)]
    pub(crate) fn patch_keys(&mut self, thread: ThreadId, caller: ThreadId) -> Patching {
        let (mut room, mut all) = (KEY_SITES_AT_ONCE, Patching::Done);
        for id in self.all_keys() {
            let key = &mut self.keys[id];
            if key.patcher.is_some_and(|patcher| patcher == thread || patcher == caller) {
                key.patcher = Some(caller);
                if all == Patching::Done {
                    all = self.patch_key(id, caller, &mut room);
                    room = room.saturating_sub(KEY_IN_SITES);
                }
            }
        }
        all
    }
}
