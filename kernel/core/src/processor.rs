//! The state of one processor.

use limen_fpu::Fpu;

use crate::arena::{SchedContextId, ThreadId};
use crate::fast::OpenCall;
use crate::machine::{CounterAccess, Ticks};
use crate::processors::mailbox::Mail;
use crate::sched::domain::DomainQueues;

/// The state of a processor between two events. The fields that every thread switch reads come first, within reach of
/// one instruction's offset.
#[derive(Debug)]
#[repr(C)]
pub struct Processor<Space> {
    /// The running thread; `None` while idle.
    pub current: Option<ThreadId>,
    /// The scheduling context that is charged; `None` until the next thread is selected.
    pub sched_context: Option<SchedContextId>,
    /// The running domain.
    pub domain: u8,
    /// The current access of user mode to the cycle counter.
    pub counter: CounterAccess,
    /// Whether that access differs between threads.
    pub counters_differ: bool,
    /// The open call that the current thread serves, if any.
    pub open_call: Option<OpenCall>,
    /// The state and owner of the floating-point unit.
    pub fpu: Fpu<ThreadId>,
    /// The time of the last charge.
    pub since: Ticks,
    /// The programmed time of the timer. Never later than the end of the current slice, the next release, and the end
    /// of the domain's slot.
    pub programmed: Ticks,
    /// The current address space; not used where the port does not compare spaces.
    pub space: Space,
    /// The end of the domain's slot.
    pub slot_end: Ticks,
    /// The threads of other processors that use objects of this one, one bit each.
    pub visiting: u64,
    /// The ready and postponed threads of the running domain.
    pub queues: DomainQueues,
    /// Its number.
    pub number: u8,
    /// Messages of other processors that have arrived.
    pub mail: Mail,
    /// The threads of this processor, one bit each.
    pub residents: u64,
}

impl<Space> Processor<Space> {
    /// Creates an idle processor in this address space.
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
            visiting: 0,
            queues: DomainQueues::EMPTY,
            number: 0,
            mail: Mail::NONE,
            residents: 0,
        }
    }
}
