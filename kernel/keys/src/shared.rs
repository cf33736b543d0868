//! Keys that several cores change concurrently.
//!
//! Two locks are taken, always in this order: the one that keeps cores from going online or offline, and the lock of
//! all writers of code. A caller that already holds the first proves it with a [`CpusLocked`], which borrows the
//! [`Cpus`] of its context. So the usual operations, which would deadlock, do not compile there:
//!
//! ```compile_fail,E0499
//! # use limen_keys::shared::{Cpus, CpuSet, Locks, Shared};
//! # fn f<'k, L: Locks<'k>>(keys: &Shared<L>, key: &limen_keys::BranchKey, cpus: &mut Cpus<'_, impl CpuSet>) {
//! let locked = cpus.lock();
//! let _ = keys.enable(key, cpus);
//! drop(locked);
//! # }
//! ```

use core::fmt;

use crate::branch::{BUILD, Build};
use crate::call::StaticCall;
use crate::count::{self, Decision, Operation};
use crate::encoding::Encoding;
use crate::engine::Engine;
use crate::key::BranchKey;
use crate::keys::{KeyError, Keys};

/// The set of online cores.
pub trait CpuSet {
    /// Keeps cores from going online or offline.
    fn lock(&self);
    /// Releases the lock.
    fn unlock(&self);
}

/// The right to take the lock of [`CpuSet`]; each thread of control has one.
pub struct Cpus<'s, S: CpuSet>(&'s S);

/// The held lock: no core goes online or offline while it exists.
#[must_use]
pub struct CpusLocked<'c, S: CpuSet>(&'c S);

impl<'s, S: CpuSet> Cpus<'s, S> {
    /// The context of a thread of control that does not hold the lock. A second one for the same thread would bring
    /// back the deadlock that this type prevents.
    pub fn new(set: &'s S) -> Self {
        Self(set)
    }

    /// Keeps cores from going online or offline.
    pub fn lock(&mut self) -> CpusLocked<'_, S> {
        self.0.lock();
        CpusLocked(self.0)
    }
}

impl<S: CpuSet> Drop for CpusLocked<'_, S> {
    fn drop(&mut self) {
        self.0.unlock();
    }
}

impl<S: CpuSet> fmt::Debug for Cpus<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cpus")
    }
}

impl<S: CpuSet> fmt::Debug for CpusLocked<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CpusLocked")
    }
}

/// The lock of all writers of code, and the keys that it guards.
pub trait Locks<'k> {
    /// The instruction set.
    type Encoding: Encoding;
    /// The machine.
    type Engine: Engine;
    /// Calls `act` with the lock held.
    fn with<R>(&self, act: impl FnOnce(&mut Keys<'k, Self::Encoding, Self::Engine>) -> R) -> R;
}

/// Keys behind the lock. While a key stays on, counting takes no lock.
#[derive(Debug)]
pub struct Shared<L>(L);

impl<L> Shared<L> {
    /// Keys behind this lock.
    pub const fn new(lock: L) -> Self {
        Self(lock)
    }

    /// The lock.
    pub fn lock(&self) -> &L {
        &self.0
    }
}

/// Defines an operation, and its form for callers that hold the first lock.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $locked_name:ident $operation:ident)+) => {
        impl<'k, L: Locks<'k>> Shared<L> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// See [`KeyError`]; the key is unchanged.
            pub fn $name<S: CpuSet>(&self, key: &BranchKey, cpus: &mut Cpus<'_, S>) -> Result<(), KeyError> {
                self.change(key, Operation::$operation, cpus)
            }

            $(#[$doc])*
            /// The caller holds the lock of [`CpuSet`].
            ///
            /// # Errors
            /// See [`KeyError`]; the key is unchanged.
            pub fn $locked_name<S: CpuSet>(
                &self,
                key: &BranchKey,
                cpus: &CpusLocked<'_, S>,
            ) -> Result<(), KeyError> {
                self.change_cpuslocked(key, Operation::$operation, cpus)
            }
        )+}
    };
}

operations! {
    /// Adds a holder of the key.
    inc inc_cpuslocked Inc
    /// Removes a holder of the key.
    dec dec_cpuslocked Dec
    /// Turns a key on that is not counted.
    enable enable_cpuslocked Enable
    /// Turns a key off that is not counted.
    disable disable_cpuslocked Disable
}

impl<'k, L: Locks<'k>> Shared<L> {
    /// Exchanges the target of a [static call](crate::static_call), for all of its callers at once.
    ///
    /// # Errors
    /// See [`KeyError`]; the target is unchanged.
    pub fn set_call<C: StaticCall, S: CpuSet>(
        &self,
        target: C::Target,
        cpus: &mut Cpus<'_, S>,
    ) -> Result<(), KeyError> {
        self.set_call_cpuslocked::<C, S>(target, &cpus.lock())
    }

    /// As [`Self::set_call`]. The caller holds the lock of [`CpuSet`].
    ///
    /// # Errors
    /// See [`KeyError`]; the target is unchanged.
    pub fn set_call_cpuslocked<C: StaticCall, S: CpuSet>(
        &self,
        target: C::Target,
        _: &CpusLocked<'_, S>,
    ) -> Result<(), KeyError> {
        self.0.with(|keys| keys.set_call::<C>(target))
    }

    /// Performs an operation.
    ///
    /// # Errors
    /// See [`KeyError`]; the key is unchanged.
    pub fn change<S: CpuSet>(
        &self,
        key: &BranchKey,
        operation: Operation,
        cpus: &mut Cpus<'_, S>,
    ) -> Result<(), KeyError> {
        match count_without_lock(key, operation) {
            Some(outcome) => outcome,
            None => self.change_cpuslocked(key, operation, &cpus.lock()),
        }
    }

    /// As [`Self::change`]. The caller holds the lock of [`CpuSet`].
    ///
    /// # Errors
    /// See [`KeyError`]; the key is unchanged.
    pub fn change_cpuslocked<S: CpuSet>(
        &self,
        key: &BranchKey,
        operation: Operation,
        _: &CpusLocked<'_, S>,
    ) -> Result<(), KeyError> {
        count_without_lock(key, operation).unwrap_or_else(|| self.0.with(|keys| keys.change(key, operation)))
    }
}

/// Performs an operation that only counts; `None` if it needs the lock. Read-only keys always do, because of sealing.
fn count_without_lock(key: &BranchKey, operation: Operation) -> Option<Result<(), KeyError>> {
    if BUILD == Build::None || key.is_read_only() {
        return None;
    }
    loop {
        let count = key.load();
        match count::decide_without_lock(operation, count)? {
            Decision::Replace(wanted) if key.exchange(count, wanted) => return Some(Ok(())),
            Decision::Refuse(error) => return Some(Err(KeyError::Count(error))),
            // The count has changed meanwhile.
            _ => {}
        }
    }
}
