//! The floating-point unit: which threads may use it, the operations that were counted, and the switching policy.
//!
//! The policy is implemented in `limen-fpu`. Any operation other than a thread switch that may change the owner of the
//! unit prepares it again for the running thread.

use limen_abi::fpu::{FpuCounterWord, FpuOption, ThreadFlag};
use limen_abi::{FpuPolicy, Label};
use limen_fpu::{Options, Taken};

use crate::arena::ThreadId;
use crate::event::Outcome;
use crate::fault::Fault;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::message::Answer;

/// A request about the floating-point unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Read the counters since boot.
    ReadCounters,
    /// Set the policy and its options.
    SetPolicy(FpuPolicy, u64),
}

impl Request {
    /// Decodes an invocation of a capability to the counters.
    pub(crate) fn decode_read<M: Machine>(arguments: &Arguments<'_, M>) -> Result<Self, InvokeError> {
        match arguments.label() {
            Some(Label::FpuReadCounters) => Ok(Self::ReadCounters),
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    /// Decodes an invocation of a capability to the policy.
    pub(crate) fn decode_policy<M: Machine>(arguments: &Arguments<'_, M>) -> Result<Self, InvokeError> {
        if arguments.label() != Some(Label::FpuSetPolicy) {
            return Err(InvokeError::IllegalOperation);
        }
        let [policy, options] = arguments.words()?;
        let max = FpuPolicy::ALL.len() as u64 - 1;
        let policy = FpuPolicy::from_raw(policy).ok_or(InvokeError::Range { min: 0, max })?;
        if options > FpuOption::ALL {
            return Err(InvokeError::Range { min: 0, max: FpuOption::ALL });
        }
        Ok(Self::SetPolicy(policy, options))
    }

    /// Performs a decoded request.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        match self {
            Self::ReadCounters => (Answer::FpuCounters, Outcome::NOTHING),
            Self::SetPolicy(policy, options) => {
                kernel.set_fpu_policy(policy, options);
                kernel.prepare_fpu();
                (Answer::Empty, Outcome::NOTHING)
            }
        }
    }
}

impl<M: Machine> Kernel<M> {
    /// Clears, then sets flags of a thread. Returns the resulting flags. Takes effect at once, also on the caller.
    pub(crate) fn set_flags(&mut self, thread: ThreadId, clear: u64, set: u64) -> u64 {
        self.abandon_work(thread);
        let had = if self.threads[thread].fpu.is_none() { ThreadFlag::FPU_DISABLED } else { 0 };
        let flags = had & !clear | set & ThreadFlag::ALL;
        if flags != had {
            self.processor.fpu.release(&mut self.machine, thread);
            self.threads[thread].fpu = (flags & ThreadFlag::FPU_DISABLED == 0).then_some(thread);
            self.prepare_fpu();
        }
        flags
    }

    /// Sets the policy. Options that the processor needs are added.
    pub(crate) fn set_fpu_policy(&mut self, policy: FpuPolicy, options: u64) {
        let options = Options::from_bits(options | self.machine.fpu_options());
        self.processor.fpu.set_policy(&mut self.machine, policy, options);
    }

    /// Prepares the unit for the current thread.
    pub(crate) fn prepare_fpu(&mut self) {
        if let Some(current) = self.processor.current {
            self.processor.fpu.switch_to(&mut self.machine, current, self.threads[current].fpu);
        }
    }

    /// Handles the use of a disabled unit by the current thread: the thread gets the unit, or its fault is delivered.
    pub(crate) fn use_fpu(&mut self, current: ThreadId, fault: Fault) -> Outcome {
        match self.processor.fpu.take_over(&mut self.machine, self.threads[current].fpu) {
            Taken::Yes => Outcome::NOTHING,
            Taken::No => self.deliver_fault(current, fault),
        }
    }

    /// Returns the counters since boot, in the order of [`FpuCounterWord`].
    pub(crate) fn fpu_counts(&self) -> [u64; FpuCounterWord::LENGTH] {
        let counters = self.processor.fpu.counters();
        let mut counts = [0; FpuCounterWord::LENGTH];
        counts[FpuCounterWord::SAVES] = counters.saves();
        counts[FpuCounterWord::LOADS] = counters.loads();
        counts[FpuCounterWord::ENABLES] = counters.enables();
        counts[FpuCounterWord::DISABLES] = counters.disables();
        counts[FpuCounterWord::FAULTS] = counters.faults();
        counts
    }
}
