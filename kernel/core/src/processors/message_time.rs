//! Scheduling contexts in letters: the caller of a passive server elsewhere lends it its time.
//!
//! While a scheduling context is away, its home keeps its place in stacks of calls and its bindings, and refuses its methods;
//! budget, slice and refills are where it is used. Each tick is thus charged at one processor.

use crate::arena::{SchedContextId, ThreadId};
use crate::kernel::{Kernel, SchedContexts};
use crate::machine::Machine;
use crate::object::sched_context::Slice;
use crate::processors::letter::Time;
use crate::processors::mailbox::bit;
use crate::sched::sporadic_server::SporadicServer;

impl<M: Machine> Kernel<M> {
    /// Moves the time of a scheduling context from this processor to the letter of a thread. No thread holds it any more.
    pub(super) fn pack_time(&mut self, id: SchedContextId, thread: ThreadId) {
        if self.processor.sched_context == Some(id) {
            self.stop_charging_here();
        }
        let is_limited = self.sporadic_servers[id].is_limited();
        if is_limited && self.sched_contexts[id].remaining != 0 {
            self.settle_share(id, 0);
        }
        self.count_consumed(id);
        let Slice { budget, consumed, priority, .. } = self.slices[id];
        let remaining = self.sched_contexts[id].remaining;
        let index = SchedContexts::index_of(id) as u64;
        let time = Time { index, budget, remaining, consumed, priority, is_limited };
        self.machine.mailboxes().letter(thread).write_time(time, &self.sporadic_servers[id]);
        if is_limited {
            self.sporadic_servers[id] = SporadicServer::UNLIMITED;
        }
        self.slices[id] = Slice::UNUSED;
        self.sched_contexts[id].thread = None;
        self.use_slice(id, 0);
    }

    /// Moves the time of a scheduling context, if there is one, from the letter of a thread to this processor. Returns it; no thread
    /// holds it yet.
    pub(super) fn unpack_time(&mut self, thread: ThreadId) -> Option<SchedContextId> {
        let letter = self.machine.mailboxes().letter(thread);
        let Time { index, budget, remaining, consumed, priority, is_limited } = letter.time()?;
        let id = SchedContexts::id(index)?;
        if is_limited {
            self.sporadic_servers[id] = letter.share();
        }
        self.slices[id] = Slice { budget, counted: 0, consumed, priority };
        self.use_slice(id, remaining);
        self.sched_contexts[id].last_used = self.processor.since;
        Some(id)
    }

    /// Lends the time of a thread that leaves for another processor, if it has any.
    pub(super) fn lend_away(&mut self, thread: ThreadId) {
        match self.threads[thread].sched_context.take() {
            Some(id) => {
                self.sched_contexts_away |= bit(id);
                self.pack_time(id, thread);
            }
            None => self.machine.mailboxes().letter(thread).write_no_time(),
        }
    }

    /// Gives a thread the time back that was lent with its letter.
    pub(super) fn take_back(&mut self, thread: ThreadId) {
        if let Some(id) = self.unpack_time(thread) {
            self.sched_contexts_away &= !bit(id);
            self.sched_contexts[id].thread = Some(thread);
            self.threads[thread].sched_context = Some(id);
        }
    }

    /// Lends the time of a visitor to a server that has none.
    #[cold]
    #[inline(never)]
    pub(crate) fn lend_time_of_visitor(&mut self, visitor: ThreadId, server: ThreadId) {
        if let Some(id) = self.visitors[visitor].time
            && self.sched_contexts[id].thread.is_none()
        {
            self.sched_contexts[id].thread = Some(server);
            self.threads[server].sched_context = Some(id);
        }
    }

    /// Takes back the time that a visitor has lent, from whichever thread runs on it. Returns a thread that continues on
    /// other time.
    pub(super) fn reclaim(&mut self, id: SchedContextId) -> Option<ThreadId> {
        let holder = self.sched_contexts[id].thread;
        let parted = holder.and_then(|holder| self.leave_sched_context(holder));
        self.forget_loans(id);
        parted
    }
}
