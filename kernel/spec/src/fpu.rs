//! The floating-point registers: their owner, and when a policy moves them.

use limen_abi::fpu::FpuOption;
use limen_abi::{ErrorCode, FpuPolicy};

use crate::method::Refusal;
use crate::state::{System, ThreadId};

/// An owner of registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The program of a thread.
    Program(ThreadId),
    /// The work of a thread for a service, which is another user.
    Work(ThreadId),
}

/// The floating-point unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fpu {
    /// The owner of the registers in it.
    pub owner: Option<Owner>,
    /// Whether programs can use it.
    pub is_on: bool,
    /// When registers move.
    pub policy: FpuPolicy,
    /// Whether no other thread's registers stay in the unit.
    pub isolates: bool,
    /// Whether the end of a domain's slot does the same whether the unit has an owner or not.
    pub exits_in_constant_time: bool,
    /// The options that the processor needs with every policy: bits of [`FpuOption`].
    pub needs: u64,
    /// Numbers of operations since boot.
    pub counts: Counts,
}

/// How often something was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Registers were saved.
    pub saves: u64,
    /// Registers were loaded.
    pub loads: u64,
    /// The unit was turned on.
    pub enables: u64,
    /// The unit was turned off.
    pub disables: u64,
    /// A program used the unit while it was off.
    pub faults: u64,
}

impl Fpu {
    fn turn_on(&mut self) {
        if !self.is_on {
            self.is_on = true;
            self.counts.enables += 1;
        }
    }

    fn turn_off(&mut self) {
        if self.is_on {
            self.is_on = false;
            self.counts.disables += 1;
        }
    }

    /// The unit is on and has the registers of `user`; those of another owner are saved.
    fn give_to(&mut self, user: Owner) {
        self.turn_on();
        if self.owner != Some(user) {
            self.counts.saves += u64::from(self.owner.is_some());
            self.counts.loads += 1;
            self.owner = Some(user);
        }
    }

    /// The unit is off and has no owner, whose registers are saved. Isolation also clears them, which is a load.
    fn empty(&mut self) {
        if self.owner.take().is_some() {
            self.turn_on();
            self.counts.saves += 1;
            self.counts.loads += u64::from(self.isolates);
        }
        self.turn_off();
    }
}

impl System {
    /// The user of the unit while a thread runs: its work, or its program if that may use the unit.
    fn user_of_fpu(&self, thread: ThreadId) -> Option<Owner> {
        match self.threads[thread].works {
            Some(_) => Some(Owner::Work(thread)),
            None => self.threads[thread].may_use_fpu.then_some(Owner::Program(thread)),
        }
    }

    /// The unit follows the running thread, as the policy says. Idling changes nothing.
    pub(crate) fn switch_fpu(&mut self) {
        let Some(current) = self.current else { return };
        let user = self.user_of_fpu(current);
        let fpu = &mut self.fpu;
        match (fpu.policy, user) {
            // The first use traps. Work does not trap.
            (FpuPolicy::FaultLazy, None | Some(Owner::Program(_))) if user != fpu.owner => {
                if fpu.isolates {
                    fpu.empty()
                } else {
                    fpu.turn_off()
                }
            }
            (_, Some(user)) => fpu.give_to(user),
            (FpuPolicy::Eager, None) => {
                // Also the registers of a thread that may not use the unit, once the unit has an owner.
                if fpu.owner.is_some_and(|owner| owner != Owner::Program(current)) {
                    fpu.give_to(Owner::Program(current));
                }
                fpu.turn_off();
            }
            (FpuPolicy::EarlySave, None) => fpu.empty(),
            (FpuPolicy::SemiLazy | FpuPolicy::FaultLazy, None) => fpu.turn_off(),
        }
    }

    /// The current thread uses the unit, which is off. Whether it gets the unit; if not, that is its fault.
    pub(crate) fn use_fpu(&mut self, current: ThreadId) -> bool {
        self.fpu.counts.faults += 1;
        match self.user_of_fpu(current) {
            Some(user) if !self.fpu.is_on => {
                self.fpu.give_to(user);
                true
            }
            _ => false,
        }
    }

    /// The flag of a thread is set or cleared.
    pub(crate) fn allow_fpu(&mut self, thread: ThreadId, may_use: bool) {
        if self.threads[thread].may_use_fpu != may_use {
            self.release_fpu(Owner::Program(thread));
            self.threads[thread].may_use_fpu = may_use;
            self.switch_fpu();
        }
    }

    /// Registers that no thread needs any more do not stay: the unit has no owner.
    pub(crate) fn release_fpu(&mut self, owner: Owner) {
        if self.fpu.owner == Some(owner) {
            self.fpu.empty();
        }
    }

    /// Another domain follows.
    pub(crate) fn leave_domain_fpu(&mut self) {
        if self.fpu.exits_in_constant_time {
            (self.fpu.owner, self.fpu.is_on) = (None, false);
            let counts = &mut self.fpu.counts;
            for count in [&mut counts.saves, &mut counts.loads, &mut counts.enables, &mut counts.disables] {
                *count += 1;
            }
        } else {
            self.fpu.empty();
        }
    }

    /// A program sets the policy and its options.
    pub(crate) fn set_fpu_policy(&mut self, [policy, options]: [u64; 2]) -> Result<(), Refusal> {
        let most = FpuPolicy::ALL.len() as u64 - 1;
        let Some(policy) = FpuPolicy::from_raw(policy) else {
            return Err((ErrorCode::RangeError, vec![0, most]));
        };
        if options > FpuOption::ALL {
            return Err((ErrorCode::RangeError, vec![0, FpuOption::ALL]));
        }
        let options = options | self.fpu.needs;
        let fpu = &mut self.fpu;
        fpu.empty();
        fpu.isolates = options & FpuOption::ISOLATE != 0;
        fpu.exits_in_constant_time = options & FpuOption::CONSTANT_EXIT != 0;
        if fpu.isolates {
            // Registers that were saved before are still in the unit.
            fpu.turn_on();
            fpu.counts.loads += 1;
            fpu.turn_off();
        }
        // Isolation saves registers early.
        let is_early = policy == FpuPolicy::SemiLazy && fpu.isolates;
        fpu.policy = if is_early { FpuPolicy::EarlySave } else { policy };
        self.switch_fpu();
        Ok(())
    }

    /// The counts, in the order of [`limen_abi::fpu::FpuCounterWord`].
    pub(crate) fn fpu_counts(&self) -> Vec<u64> {
        let Counts { saves, loads, enables, disables, faults } = self.fpu.counts;
        vec![saves, loads, enables, disables, faults]
    }
}
