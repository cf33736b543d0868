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

#[cfg(test)]
mod tests {
    use core::cell::{Cell, RefCell};

    use super::*;
    use crate::arch::aarch64::Aarch64;
    use crate::count::CountError;
    use crate::test_program::{Called, Log, PLAN, Plan, Program, SITE};

    /// A set of cores that counts how often it was locked.
    #[derive(Default)]
    struct Cores {
        is_locked: Cell<bool>,
        locks: Cell<u32>,
    }

    impl CpuSet for Cores {
        fn lock(&self) {
            assert!(!self.is_locked.replace(true));
            self.locks.set(self.locks.get() + 1);
        }

        fn unlock(&self) {
            assert!(self.is_locked.replace(false));
        }
    }

    /// The writers' lock, which counts how often it was taken.
    struct Writers<'k> {
        keys: RefCell<Keys<'k, Aarch64, Log<'k>>>,
        locks: Cell<u32>,
    }

    impl<'k> Locks<'k> for Writers<'k> {
        type Encoding = Aarch64;
        type Engine = Log<'k>;

        fn with<R>(&self, act: impl FnOnce(&mut Keys<'k, Aarch64, Log<'k>>) -> R) -> R {
            self.locks.set(self.locks.get() + 1);
            act(&mut self.keys.borrow_mut())
        }
    }

    fn shared<'k>(keys: Keys<'k, Aarch64, Log<'k>>) -> Shared<Writers<'k>> {
        Shared::new(Writers { keys: RefCell::new(keys), locks: Cell::new(0) })
    }

    const UNDERFLOW: Result<(), KeyError> = Err(KeyError::Count(CountError::Underflow));
    const COUNTED: Result<(), KeyError> = Err(KeyError::Count(CountError::Counted));

    /// Operations on a key that is off at first, their results, the counts after them, and how often they take each lock.
    const STEPS: [(Operation, Result<(), KeyError>, u32, u32); 8] = [
        (Operation::Inc, Ok(()), 1, 1),
        (Operation::Inc, Ok(()), 2, 0),
        (Operation::Enable, COUNTED, 2, 0),
        (Operation::Dec, Ok(()), 1, 0),
        (Operation::Enable, Ok(()), 1, 1),
        (Operation::Dec, Ok(()), 0, 1),
        (Operation::Dec, UNDERFLOW, 0, 0),
        (Operation::Disable, Ok(()), 0, 1),
    ];

    #[test]
    fn locks_are_taken_only_where_code_may_be_patched() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let (view, keys) = program.start::<Aarch64>();
        let (shared, key, cores) = (shared(keys), &view.keys()[0], Cores::default());
        let mut cpus = Cpus::new(&cores);
        for (step, (operation, outcome, count, locks)) in STEPS.into_iter().enumerate() {
            assert_eq!((shared.change(key, operation, &mut cpus), key.count()), (outcome, count), "{step}");
            assert_eq!(cores.locks.take(), locks, "{step}");
            assert_eq!(shared.lock().locks.take(), locks, "{step}");
        }
        let locked = cpus.lock();
        for (step, (operation, outcome, count, locks)) in STEPS.into_iter().enumerate() {
            assert_eq!(
                (shared.change_cpuslocked(key, operation, &locked), key.count()),
                (outcome, count),
                "{step}"
            );
            assert_eq!(shared.lock().locks.take(), locks, "{step}");
        }
        drop(locked);
        assert_eq!((cores.locks.get(), cores.is_locked.get()), (1, false));
    }

    #[test]
    fn each_name_performs_its_operation() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let (view, keys) = program.start::<Aarch64>();
        let (shared, key, cores) = (shared(keys), &view.keys()[0], Cores::default());
        let mut cpus = Cpus::new(&cores);
        assert_eq!((shared.enable(key, &mut cpus), key.count()), (Ok(()), 1));
        assert_eq!((shared.inc(key, &mut cpus), key.count()), (Ok(()), 2));
        assert_eq!((shared.dec(key, &mut cpus), key.count()), (Ok(()), 1));
        assert_eq!((shared.disable(key, &mut cpus), key.count()), (Ok(()), 0));
        assert_eq!(shared.disable(key, &mut cpus), Ok(()));
        let locked = cpus.lock();
        assert_eq!((shared.enable_cpuslocked(key, &locked), key.count()), (Ok(()), 1));
        assert_eq!((shared.inc_cpuslocked(key, &locked), key.count()), (Ok(()), 2));
        assert_eq!((shared.dec_cpuslocked(key, &locked), key.count()), (Ok(()), 1));
        assert_eq!((shared.disable_cpuslocked(key, &locked), key.count()), (Ok(()), 0));
        assert_eq!(shared.disable_cpuslocked(key, &locked), Ok(()));
    }

    #[test]
    fn a_read_only_key_is_counted_only_until_keys_are_sealed() {
        let mut program = Program::with::<Aarch64>(4, &[Plan { key: 2, ..PLAN }]);
        let (view, keys) = program.start::<Aarch64>();
        let (shared, key, cores) = (shared(keys), &view.keys()[2], Cores::default());
        let mut cpus = Cpus::new(&cores);
        assert_eq!((shared.inc(key, &mut cpus), shared.inc(key, &mut cpus)), (Ok(()), Ok(())));
        shared.lock().keys.borrow_mut().seal();
        assert_eq!((shared.inc(key, &mut cpus), key.count()), (Err(KeyError::Sealed), 2));
    }

    #[test]
    #[cfg_attr(not(limen_keys = "patched"), ignore = "only this build patches code, and Miri has another")]
    fn a_static_call_is_exchanged_under_both_locks() {
        let mut program = Program::with::<Aarch64>(4, &[PLAN]);
        let site = program.view().site(&PLAN);
        let (view, mut keys) = program.start::<Aarch64>();
        keys.enable(&view.keys()[0]).unwrap();
        let (shared, cores) = (shared(keys), Cores::default());
        let mut cpus = Cpus::new(&cores);
        SITE.set(site.address);
        let before = view.code()[8];
        let word = |distance| Aarch64::jump(4, distance).expect("a target in reach").insert(before, 0);
        assert_eq!(shared.set_call::<Called, _>(site.address + 64, &mut cpus), Ok(()));
        assert_eq!((view.code()[8], cores.locks.get(), cores.is_locked.get()), (word(64), 1, false));
        assert_eq!(shared.set_call_cpuslocked::<Called, _>(site.address + 96, &cpus.lock()), Ok(()));
        assert_eq!((view.code()[8], shared.lock().locks.get()), (word(96), 2));
    }

    #[test]
    fn locks_have_names() {
        let cores = Cores::default();
        let mut cpus = Cpus::new(&cores);
        assert_eq!(std::format!("{cpus:?}"), "Cpus");
        assert_eq!(std::format!("{:?}", cpus.lock()), "CpusLocked");
    }
}
