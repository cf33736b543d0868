//! What one processor owns.

use crate::arena::{SchedContextId, ThreadId};
use crate::machine::{CounterAccess, Ticks};
use crate::sched::ready::ReadyQueues;

/// The state of a processor between two events.
#[derive(Debug)]
pub struct Core<Space> {
    /// The thread that runs; none while the processor idles.
    pub current: Option<ThreadId>,
    /// What it runs on. Also while idle: the last one used.
    pub sched_context: Option<SchedContextId>,
    /// When time was last charged.
    pub since: Ticks,
    /// What the timer is set to. Never later than the end of the current slice.
    pub programmed: Ticks,
    /// The address space that is entered.
    pub space: Option<Space>,
    /// The thread whose floating-point registers are in the unit.
    pub fpu_owner: Option<ThreadId>,
    /// Whether user mode may read the cycle counter now.
    pub counter: CounterAccess,
    /// Who else could run.
    pub ready: ReadyQueues,
}

impl<Space> Core<Space> {
    /// A processor that idles.
    pub const IDLE: Self = Self {
        current: None,
        sched_context: None,
        since: 0,
        programmed: Ticks::MAX,
        space: None,
        fpu_owner: None,
        counter: CounterAccess::Denied,
        ready: ReadyQueues::EMPTY,
    };
}
