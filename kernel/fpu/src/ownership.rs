//! The owner of the unit's registers, and when registers are saved and loaded.
//!
//! ```text
//!            switch_to, take_over: load                     switch_to another: disable
//!    Empty ------------------------------> Open ------------------------------------------> Kept
//!      ^                                   | ^  <-----------------------------------------   |
//!      |                                   | |   switch_to, take_over: enable                |
//!      |                                   | '-- switch_to, take_over by another: exchange --|
//!      |                                   |                                                 |
//!      '--- release, leave_domain, set_policy, switch_to another under early-save: save -----'
//!
//!    Empty: off, no owner. Open: on, with its owner's registers. Kept: off, with its owner's registers, for reuse.
//! ```
//!
//! A thread's *user* is the thread itself if it may use the unit, otherwise none; so one comparison decides whether a
//! thread switch needs any work. The unit is on only while its owner runs, or no thread.

use limen_abi::FpuPolicy;
use limen_abi::fpu::FpuOption;

use crate::counters::{Counters, count};
use crate::unit::{FpuUnit, Name};

/// The floating-point unit of one processor, for threads `T`. See the picture above.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fpu<T> {
    /// The user for which the unit is set up. While the unit is on, that is the owner.
    set_up_for: Option<T>,
    /// The owner of the registers in the unit.
    owner: Option<T>,
    power: Power,
    policy: FpuPolicy,
    options: Options,
    counters: Counters,
}

/// Whether user mode can use the unit. One comparison distinguishes the most frequent case from all others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Power {
    /// It can, and the policy is semi-lazy.
    On,
    /// It can, and the policy is another one.
    OnByPolicy,
    /// It cannot.
    Off,
}

/// Options of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options(u8);

impl Options {
    /// No options.
    pub const NONE: Self = Self(0);

    /// These bits of [`FpuOption`]; others are ignored.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self((bits & FpuOption::ALL) as u8)
    }

    /// Whether no other thread's registers stay in the unit.
    #[must_use]
    pub const fn isolate(self) -> bool {
        self.0 & FpuOption::ISOLATE as u8 != 0
    }

    /// Whether a domain switch takes constant time.
    #[must_use]
    pub const fn constant_exit(self) -> bool {
        self.0 & FpuOption::CONSTANT_EXIT as u8 != 0
    }
}

impl<T: Name> Fpu<T> {
    /// A unit that is off and has no owner.
    pub const EMPTY: Self = Self {
        set_up_for: None,
        owner: None,
        power: Power::Off,
        policy: FpuPolicy::SemiLazy,
        options: Options::NONE,
        counters: Counters::ZERO,
    };

    /// The owner of the registers in the unit.
    #[must_use]
    pub fn owner(&self) -> Option<T> {
        self.owner
    }

    /// Whether user mode can use the unit now.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.power != Power::Off
    }

    /// Whether the unit is set up correctly while this user runs, or a thread that may not use it.
    #[must_use]
    pub fn is_valid_for(&self, user: Option<T>) -> bool {
        let may_ask = self.policy == FpuPolicy::FaultLazy;
        if self.is_on() { self.owner == user } else { user.is_none_or(|user| may_ask && !user.is_trusted()) }
    }

    /// The policy, and its options.
    #[must_use]
    pub fn policy(&self) -> (FpuPolicy, Options) {
        (self.policy, self.options)
    }

    /// The counters since boot.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Whether the unit is already set up for this user, or for none.
    #[inline(always)]
    #[must_use]
    pub fn is_for(&self, user: Option<T>) -> bool {
        T::same(self.set_up_for, user)
    }

    /// Sets up the unit for `next`, which runs from now on. `user` is the same thread, possibly by its name at work, or
    /// none if it may not use the unit.
    #[inline(always)]
    pub fn switch_to(&mut self, unit: &mut impl FpuUnit<T>, next: T, user: Option<T>) {
        if !self.is_for(user) {
            self.change(unit, next, user);
        }
    }

    #[inline(never)]
    fn change(&mut self, unit: &mut impl FpuUnit<T>, next: T, user: Option<T>) {
        if !self.pass(unit, user) {
            self.set_up(unit, next, user);
        }
    }

    /// The frequent changes under the semi-lazy policy, for a user for which [`Self::is_for`] is false: exchanges
    /// registers, or turns the unit off, or on for the same owner. Returns false and does nothing in all other cases.
    #[inline(always)]
    pub fn pass(&mut self, unit: &mut impl FpuUnit<T>, user: Option<T>) -> bool {
        match (self.power, user) {
            (Power::On, Some(to)) => {
                // While the unit is on, the user it is set up for is its owner.
                unit.exchange(self.set_up_for, to);
                count(&mut self.counters.exchanges);
                (self.owner, self.set_up_for) = (user, user);
                true
            }
            (Power::On, None) => {
                self.turn_off(unit);
                self.set_up_for = None;
                true
            }
            (Power::Off, Some(_)) if self.policy == FpuPolicy::SemiLazy && T::same(self.owner, user) => {
                self.turn_on(unit, Power::On);
                self.set_up_for = user;
                true
            }
            _ => false,
        }
    }

    /// The other changes, for a user for which [`Self::pass`] has returned false.
    #[inline(never)]
    pub fn set_up(&mut self, unit: &mut impl FpuUnit<T>, next: T, user: Option<T>) {
        if self.policy != FpuPolicy::SemiLazy {
            return self.set_up_by_policy(unit, next, user);
        }
        // The unit is off here.
        self.turn_on(unit, Power::On);
        if let Some(user) = user {
            self.bring(unit, user);
        }
        self.set_up_for = user;
    }

    #[cold]
    fn set_up_by_policy(&mut self, unit: &mut impl FpuUnit<T>, next: T, user: Option<T>) {
        match (self.policy, user) {
            (FpuPolicy::Eager, _) => return self.follow(unit, next, user),
            (FpuPolicy::FaultLazy, Some(user)) if self.owner == Some(user) || user.is_trusted() => {
                self.open(unit, user);
            }
            (FpuPolicy::FaultLazy, _) => self.step_aside(unit),
            (_, Some(user)) => self.open(unit, user),
            (_, None) => self.empty(unit),
        }
        self.set_up_for = user;
    }

    /// Eager: the running thread's registers are in the unit, even if it cannot use them.
    fn follow(&mut self, unit: &mut impl FpuUnit<T>, next: T, user: Option<T>) {
        let next = user.unwrap_or(next);
        if self.owner != Some(next) {
            self.power_on(unit);
            self.bring(unit, next);
        }
        match user {
            Some(_) => self.power_on(unit),
            None => self.close(unit),
        }
        // Not `user`: the next thread that may not use the unit also needs a change.
        self.set_up_for = Some(next);
    }

    /// Fault-lazy: the running thread gets the unit only when it uses it.
    fn step_aside(&mut self, unit: &mut impl FpuUnit<T>) {
        if self.options.isolate() {
            self.empty(unit);
        } else {
            self.close(unit);
        }
    }

    /// Handles a use of the disabled unit by the running thread. If the thread may not use the unit, that is its fault.
    #[cold]
    pub fn take_over(&mut self, unit: &mut impl FpuUnit<T>, user: Option<T>) -> Taken {
        count(&mut self.counters.faults);
        match user {
            Some(user) if self.power == Power::Off => {
                self.open(unit, user);
                self.set_up_for = Some(user);
                Taken::Yes
            }
            _ => Taken::No,
        }
    }

    /// Drops a thread that no longer needs its registers in the unit, or may no longer use it. The caller calls
    /// [`Self::switch_to`] for the thread that runs afterwards.
    pub fn release(&mut self, unit: &mut impl FpuUnit<T>, thread: T) {
        if self.owner == Some(thread) {
            self.empty(unit);
        }
        if self.set_up_for == Some(thread) {
            self.set_up_for = None;
        }
    }

    /// Ends a domain's time slice: saves the last user's registers, so that the next domain starts without an owner.
    pub fn leave_domain(&mut self, unit: &mut impl FpuUnit<T>) {
        if self.options.constant_exit() {
            self.renew(unit);
        } else {
            self.empty(unit);
        }
        self.set_up_for = None;
    }

    /// Branch-free: the next domain finds the same state after the same time, whichever thread used the unit.
    fn renew(&mut self, unit: &mut impl FpuUnit<T>) {
        unit.renew(self.owner.take());
        self.power = Power::Off;
        let done = &mut self.counters;
        for counter in [&mut done.saves, &mut done.loads, &mut done.enables, &mut done.disables] {
            count(counter);
        }
    }

    /// Sets the policy. The unit has no owner afterwards; the caller calls [`Self::switch_to`] for the thread that
    /// runs.
    pub fn set_policy(&mut self, unit: &mut impl FpuUnit<T>, policy: FpuPolicy, options: Options) {
        self.empty(unit);
        self.set_up_for = None;
        self.options = options;
        if options.isolate() {
            // The unit still holds registers that were saved before.
            self.power_on(unit);
            self.clear(unit);
            self.close(unit);
        }
        self.policy = match policy {
            // Isolation requires that registers leave the unit early.
            FpuPolicy::SemiLazy if options.isolate() => FpuPolicy::EarlySave,
            policy => policy,
        };
    }

    /// Turns the unit on for `user` and makes it the owner. If the unit is on, it has another owner.
    fn open(&mut self, unit: &mut impl FpuUnit<T>, user: T) {
        if self.power == Power::Off {
            self.power_on(unit);
            if self.owner == Some(user) {
                return;
            }
        }
        self.bring(unit, user);
    }

    #[inline(never)]
    fn bring(&mut self, unit: &mut impl FpuUnit<T>, user: T) {
        match self.owner {
            Some(from) => self.exchange(unit, from, user),
            None => {
                unit.load(Some(user));
                count(&mut self.counters.loads);
                self.owner = Some(user);
            }
        }
    }

    #[inline]
    fn exchange(&mut self, unit: &mut impl FpuUnit<T>, from: T, to: T) {
        unit.exchange(Some(from), to);
        count(&mut self.counters.exchanges);
        self.owner = Some(to);
    }

    /// Saves the owner's registers and turns the unit off.
    #[cold]
    fn empty(&mut self, unit: &mut impl FpuUnit<T>) {
        if let Some(owner) = self.owner.take() {
            self.power_on(unit);
            unit.save(owner);
            count(&mut self.counters.saves);
            if self.options.isolate() {
                self.clear(unit);
            }
        }
        self.close(unit);
    }

    fn clear(&mut self, unit: &mut impl FpuUnit<T>) {
        unit.load(None);
        count(&mut self.counters.loads);
    }

    #[inline]
    fn power_on(&mut self, unit: &mut impl FpuUnit<T>) {
        if self.power == Power::Off {
            let is_plain = self.policy == FpuPolicy::SemiLazy;
            self.turn_on(unit, if is_plain { Power::On } else { Power::OnByPolicy });
        }
    }

    #[inline(always)]
    fn turn_on(&mut self, unit: &mut impl FpuUnit<T>, power: Power) {
        unit.enable();
        self.power = power;
        count(&mut self.counters.enables);
    }

    #[inline]
    fn close(&mut self, unit: &mut impl FpuUnit<T>) {
        if self.power != Power::Off {
            self.turn_off(unit);
        }
    }

    #[inline(always)]
    fn turn_off(&mut self, unit: &mut impl FpuUnit<T>) {
        unit.disable();
        self.power = Power::Off;
        count(&mut self.counters.disables);
    }
}

/// Whether a thread gets the unit that it used while it was off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Taken {
    /// It does, and repeats the instruction.
    Yes,
    /// It may not use the unit.
    No,
}

#[cfg(test)]
mod exploration;
#[cfg(test)]
pub(crate) mod model;
