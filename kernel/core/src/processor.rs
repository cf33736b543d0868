//! What one processor owns.

use limen_fpu::Fpu;

use crate::arena::{SchedContextId, ThreadId};
use crate::fast::OpenCall;
use crate::machine::{CounterAccess, Ticks};
use crate::sched::domain::DomainQueues;

/// The state of a processor between two events. What every switch looks at comes first, where it is in reach of one
/// instruction.
#[derive(Debug)]
#[repr(C)]
pub struct Processor<Space> {
    /// The thread that runs; none while the processor idles.
    pub current: Option<ThreadId>,
    /// What it runs on. Also while idle: the last one used.
    pub sched_context: Option<SchedContextId>,
    /// The domain whose threads run.
    pub domain: u8,
    /// Whether user mode may read the cycle counter now.
    pub counter: CounterAccess,
    /// Whether that is not the same for all threads.
    pub counters_differ: bool,
    /// The call that the current thread serves, if it is not written down yet.
    pub open_call: Option<OpenCall>,
    /// Whose floating-point registers are in the unit.
    pub fpu: Fpu<ThreadId>,
    /// When time was last charged.
    pub since: Ticks,
    /// What the timer is set to. Never later than the end of the current slice, the next release, and the end of the
    /// domain's slot.
    pub programmed: Ticks,
    /// The address space that is entered, where it matters.
    pub space: Space,
    /// When the slot of the domain ends.
    pub slot_end: Ticks,
    /// Who else could run, or will.
    pub queues: DomainQueues,
}

impl<Space> Processor<Space> {
    /// A processor that idles in this address space.
    pub const fn idle(space: Space) -> Self {
        Self {
            current: None,
            sched_context: None,
            domain: 0,
            counter: CounterAccess::Denied,
            counters_differ: true,
            open_call: None,
            fpu: Fpu::EMPTY,
            since: 0,
            programmed: Ticks::MAX,
            space,
            slot_end: Ticks::MAX,
            queues: DomainQueues::EMPTY,
        }
    }
}
