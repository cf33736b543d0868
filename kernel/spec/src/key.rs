//! Static keys: who holds them, whether they are on, and who writes the branches.

use std::collections::BTreeMap;

use limen_abi::limits::KEY_HOLDS;
use limen_abi::{ErrorCode, KernelKey, Label, MessageInfo};

use crate::method::{Answer, Refusal};
use crate::state::{KeyId, System, ThreadId};

/// A static key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// How often each thread holds it; threads that do not are left out.
    pub holds: BTreeMap<ThreadId, u64>,
    /// The hold of no thread.
    pub default: DefaultHold,
    /// The key of its group, which turns it on as well.
    pub group: Option<KeyId>,
    /// The key of the kernel that it is.
    pub kernel: Option<KernelKey>,
    /// Whether branches on it are taken, or will be once all are written.
    pub is_on: bool,
    /// The thread whose system call writes the branches; `None` if all are written.
    pub writer: Option<ThreadId>,
}

/// The hold that a key has if it is on by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultHold {
    /// The key is off by default.
    None,
    /// It is there.
    Held,
    /// This thread has released it, and gives it back.
    TakenBy(ThreadId),
}

/// Whether all branches that a system call had to write are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Written {
    /// They are.
    All,
    /// The system call restarts.
    Some,
}

impl Key {
    fn count(&self) -> u64 {
        self.holds.values().sum::<u64>() + u64::from(self.default == DefaultHold::Held)
    }

    fn holds_of(&self, thread: ThreadId) -> u64 {
        self.holds.get(&thread).copied().unwrap_or(0)
    }

    fn inc(&mut self, thread: ThreadId) -> Result<(), Refusal> {
        if self.holds_of(thread) == u64::from(KEY_HOLDS) {
            return Err((ErrorCode::RangeError, vec![0, KEY_HOLDS.into()]));
        }
        if self.default == DefaultHold::TakenBy(thread) {
            self.default = DefaultHold::Held;
        } else {
            *self.holds.entry(thread).or_default() += 1;
        }
        Ok(())
    }

    /// A thread releases its own holds first, then the default one.
    fn dec(&mut self, thread: ThreadId) -> Result<(), Refusal> {
        match (self.holds_of(thread), self.default) {
            (0, DefaultHold::Held) => self.default = DefaultHold::TakenBy(thread),
            (0, _) => return Err((ErrorCode::IllegalOperation, Vec::new())),
            (1, _) => drop(self.holds.remove(&thread)),
            (holds, _) => drop(self.holds.insert(thread, holds - 1)),
        }
        Ok(())
    }
}

impl System {
    /// A method of a key. The call restarts, as one that only writes, until all branches are written.
    pub(crate) fn invoke_key(
        &mut self,
        caller: ThreadId,
        key: KeyId,
        label: Option<Label>,
    ) -> Result<Answer, Refusal> {
        let object = &mut self.keys[key];
        match (label, object.count()) {
            (Some(Label::KeyInc), _) | (Some(Label::KeyEnable), 0) => object.inc(caller)?,
            (Some(Label::KeyDec), _) | (Some(Label::KeyDisable), 1) => object.dec(caller)?,
            (Some(Label::KeyEnable), 1) | (Some(Label::KeyDisable), 0) | (Some(Label::KeyFollow), _) => {}
            (Some(Label::KeyRead), count) => {
                let own = object.holds_of(caller);
                let is_on = object.is_on;
                let is_written = self.group_of(key).iter().all(|key| self.keys[*key].writer.is_none());
                return Ok(Some(vec![u64::from(is_on && is_written), count, own]));
            }
            // To enable or disable it would change what others hold.
            _ => return Err((ErrorCode::IllegalOperation, Vec::new())),
        }
        self.follow_holds(caller);
        if self.write_branches(caller, &self.group_of(key)) == Written::All {
            return Ok(Some(Vec::new()));
        }
        let registers = &mut self.threads[caller].registers;
        let follow = MessageInfo::new(Label::KeyFollow.as_raw(), 0).as_raw();
        registers.set(registers.of.map().info, follow);
        self.restart_syscall(caller);
        Ok(None)
    }

    /// A key and those of its group, in order.
    fn group_of(&self, group: KeyId) -> Vec<KeyId> {
        let is_in = |key: &KeyId| *key == group || self.keys[*key].group == Some(group);
        (0..self.keys.len()).filter(is_in).collect()
    }

    /// Keys are on while they, or those of their groups, are held. The branches of those that change are to be written by a
    /// system call of this thread.
    fn follow_holds(&mut self, writer: ThreadId) {
        let is_held = |key: KeyId| self.keys[key].count() > 0;
        let states =
            (0..self.keys.len()).map(|key| is_held(key) || self.keys[key].group.is_some_and(is_held));
        let states: Vec<bool> = states.collect();
        for (key, state) in self.keys.iter_mut().zip(states) {
            if key.is_on != state {
                (key.is_on, key.writer) = (state, Some(writer));
            }
        }
    }

    /// A system call of `caller` writes branches of these keys, one key after the other. How far it comes is an input.
    fn write_branches(&mut self, caller: ThreadId, keys: &[KeyId]) -> Written {
        for key in keys.iter().copied().filter(|key| self.keys[*key].writer.is_some()).collect::<Vec<_>>() {
            let is_left = self.unwritten.contains(&key);
            self.keys[key].writer = is_left.then_some(caller);
            if is_left {
                return Written::Some;
            }
            self.switch_kernel(key);
        }
        Written::All
    }

    /// A thread that stops gives up its holds, and the default ones that it has released are there again.
    pub(crate) fn release_keys(&mut self, thread: ThreadId) {
        for key in &mut self.keys {
            key.holds.remove(&thread);
            if key.default == DefaultHold::TakenBy(thread) {
                key.default = DefaultHold::Held;
            }
        }
        self.follow_holds(thread);
    }

    /// A system call of `caller` also writes the branches that were left to `thread`.
    pub(crate) fn write_for(&mut self, thread: ThreadId, caller: ThreadId) -> Written {
        let is_for =
            |key: &KeyId| self.keys[*key].writer.is_some_and(|writer| [thread, caller].contains(&writer));
        let keys: Vec<_> = (0..self.keys.len()).filter(is_for).collect();
        for key in &keys {
            self.keys[*key].writer = Some(caller);
        }
        self.write_branches(caller, &keys)
    }
}
