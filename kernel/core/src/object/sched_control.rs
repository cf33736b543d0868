//! Scheduling control: the right to change budget and period of scheduling contexts at run time.
//!
//! A change never grants the same time twice: what is left of the old budget, but no more than the new one, may be
//! used at once, and the rest is available one period later.

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

/// A request to scheduling control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Set budget and period.
    Configure {
        /// The scheduling context.
        id: SchedContextId,
        /// Microseconds.
        budget_us: u64,
        /// Microseconds.
        period_us: u64,
        /// The data word of its timeout faults.
        data: u64,
    },
}

/// The largest number of extra refills a caller may request. A share always has more than that; the limit is that of a
/// scheduling context of 256 bytes in the reference.
const MAX_EXTRA_REFILLS: u64 = 8;

impl Request {
    /// Decodes an invocation of scheduling control.
    pub(crate) fn decode<M: Machine>(
        kernel: &Kernel<M>,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
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
        if kernel.is_away(id) {
            return Err(InvokeError::IllegalOperation);
        }
        Ok(Self::Configure { id, budget_us, period_us, data })
    }

    /// Performs a decoded request.
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
    /// Returns what could be used now of a scheduling context.
    fn left_now(&mut self, id: SchedContextId) -> Ticks {
        if self.sporadic_servers[id].is_limited() {
            self.settle_share(id, 0);
            self.sporadic_servers[id].begin(self.processor.since)
        } else {
            self.sched_contexts[id].remaining
        }
    }

    /// Sets budget and period; `left` may be used at once.
    pub(crate) fn configure(&mut self, id: SchedContextId, budget_us: u64, period_us: u64, left: Ticks) {
        let budget = self.machine.ticks_from_us(budget_us);
        self.slices[id].budget = budget;
        if budget_us == period_us {
            self.use_slice(id, left.min(budget));
            self.sporadic_servers[id] = SporadicServer::UNLIMITED;
            return;
        }
        let period = self.machine.ticks_from_us(period_us);
        let least = self.machine.ticks_from_us(limits::MIN_BUDGET_US);
        self.use_slice(id, 0);
        self.slices[id].priority = 0;
        self.sporadic_servers[id] = SporadicServer::new(left, budget, period, least, self.processor.since);
    }

    /// Rechecks whether the thread that runs on a scheduling context with a new budget may run.
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
        Outcome { current: Next::Continues, woken: Some(holder) }
    }
}
