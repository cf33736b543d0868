//! The floating-point registers, under the policy *semi-lazy*.

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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fpu {
    /// The owner of the registers in it.
    pub owner: Option<Owner>,
    /// Whether programs can use it.
    pub is_on: bool,
}

impl System {
    /// The unit follows the running thread: a thread that may use it becomes its owner, for others it is off. Idling
    /// changes nothing.
    pub(crate) fn switch_fpu(&mut self) {
        let Some(current) = self.current else { return };
        let thread = &self.threads[current];
        let user = match thread.works {
            Some(_) => Some(Owner::Work(current)),
            None => thread.may_use_fpu.then_some(Owner::Program(current)),
        };
        self.fpu = Fpu { owner: user.or(self.fpu.owner), is_on: user.is_some() };
    }

    /// The flag of a thread changes. Registers of a thread that may no longer use the unit are saved.
    pub(crate) fn allow_fpu(&mut self, thread: ThreadId, may_use: bool) {
        self.threads[thread].may_use_fpu = may_use;
        if !may_use {
            self.release_fpu(Owner::Program(thread));
        }
    }

    /// Registers that no thread needs any more do not stay: the unit has no owner.
    pub(crate) fn release_fpu(&mut self, owner: Owner) {
        if self.fpu.owner == Some(owner) {
            self.empty_fpu();
        }
    }

    /// Saves the owner's registers: the flag was set, or a domain's slot ends.
    pub(crate) fn empty_fpu(&mut self) {
        self.fpu = Fpu::default();
    }
}
