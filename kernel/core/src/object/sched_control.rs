//! Scheduling control: the right to give scheduling contexts another budget and period while the system runs.
//!
//! A change never gives time twice: what is left of the old budget, but not more than the new one, may be used at once,
//! and the rest comes a period later.

use limen_abi::{Label, limits};

use crate::arena::SchedContextId;
use crate::cap::Cap;
use crate::event::{Next, Outcome};
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};
use crate::message::Answer;
use crate::object::thread::State;
use crate::sched::sporadic_server::SporadicServer;

/// What can be asked of scheduling control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Another budget and period.
    Configure {
        /// For what.
        id: SchedContextId,
        /// Microseconds.
        budget_us: u64,
        /// Microseconds.
        period_us: u64,
        /// What a timeout fault says.
        data: u64,
    },
}

/// Most refills that can be asked for on top of those that every scheduling context has. A share always has more than
/// that; the number is that of a scheduling context of 256 bytes of the reference.
const MAX_EXTRA_REFILLS: u64 = 8;

impl Request {
    /// Looks at a message to a scheduling-control capability.
    pub(crate) fn decode<M: Machine>(arguments: &Arguments<'_, M>) -> Result<Self, InvokeError> {
        if arguments.label() != Some(Label::SchedControlConfigureFlags) {
            return Err(InvokeError::IllegalOperation);
        }
        let target = arguments.extra_cap(0)?;
        let [budget_us, period_us, extra_refills, data, _flags] = arguments.words()?;
        in_range(budget_us, limits::MIN_BUDGET_US, limits::MAX_PERIOD_US)?;
        in_range(period_us, limits::MIN_BUDGET_US, limits::MAX_PERIOD_US)?;
        in_range(budget_us, limits::MIN_BUDGET_US, period_us)?;
        let Cap::SchedContext(id) = target else { return Err(InvokeError::InvalidCapability { index: 1 }) };
        in_range(extra_refills, 0, MAX_EXTRA_REFILLS)?;
        Ok(Self::Configure { id, budget_us, period_us, data })
    }

    /// Does what was decoded.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        let Self::Configure { id, budget_us, period_us, data } = self;
        kernel.charge_current();
        let left = kernel.left_now(id);
        kernel.configure(id, budget_us, period_us, left);
        kernel.sporadic_servers[id].data = data;
        (Answer::Empty, kernel.reconsider(id))
    }
}

fn in_range(value: u64, min: u64, max: u64) -> Result<(), InvokeError> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(InvokeError::Range { min, max }) }
}

impl<M: Machine> Kernel<M> {
    /// What of a scheduling context could be used at once.
    fn left_now(&mut self, id: SchedContextId) -> Ticks {
        if self.sporadic_servers[id].is_limited() {
            self.sporadic_servers[id].begin(self.processor.since)
        } else {
            self.sched_contexts[id].remaining
        }
    }

    /// Sets budget and period, of which `left` may be used at once.
    pub(crate) fn configure(&mut self, id: SchedContextId, budget_us: u64, period_us: u64, left: Ticks) {
        let budget = self.machine.ticks_from_us(budget_us);
        self.sched_contexts[id].budget = budget;
        if budget_us == period_us {
            self.sched_contexts[id].remaining = left.min(budget);
            self.sporadic_servers[id] = SporadicServer::UNLIMITED;
            return;
        }
        let period = self.machine.ticks_from_us(period_us);
        let least = self.machine.ticks_from_us(limits::MIN_BUDGET_US);
        self.sched_contexts[id].remaining = 0;
        self.sporadic_servers[id] = SporadicServer::new(left, budget, period, least, self.processor.since);
    }

    /// Whoever runs on a scheduling context with a new budget is looked at again.
    fn reconsider(&mut self, id: SchedContextId) -> Outcome {
        let Some(holder) = self.sched_contexts[id].thread else { return Outcome::NOTHING };
        if self.processor.current == Some(holder) {
            self.processor.sched_context = None;
            return self.outcome_for(holder, None);
        }
        if self.threads[holder].state != State::Postponed {
            return Outcome::NOTHING;
        }
        self.end_postponement(holder);
        Outcome { current: Next::GoesOn, woken: Some(holder) }
    }
}
