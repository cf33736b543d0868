//! Scheduling contexts in letters: the caller of a passive server elsewhere lends it its time.
//!
//! While a scheduling context is away, its home keeps its place in stacks of calls and its bindings, and refuses its methods.
//! The letter of a call has a copy of budget, slice and refills. A server that needs time uses the copy, which is then moved to its
//! processor, and returns with the answer; otherwise the home goes on with its own. Each tick is thus charged at one processor.
//! Methods need no time.

use crate::arena::{SchedContextId, ThreadId};
use crate::kernel::{Kernel, SchedContexts};
use crate::machine::Machine;
use crate::object::sched_context::Slice;
use crate::processors::letter::Time;
use crate::processors::mailbox::bit;
use crate::sched::sporadic_server::SporadicServer;

impl<M: Machine> Kernel<M> {
    /// Moves the time of a visitor back to its letter. No thread holds it any more.
    pub(super) fn pack_time(&mut self, id: SchedContextId, thread: ThreadId) {
        self.copy_time(id, thread, true);
        if self.sporadic_servers[id].is_limited() {
            self.sporadic_servers[id] = SporadicServer::UNLIMITED;
        }
        self.slices[id] = Slice::UNUSED;
        self.sched_contexts[id].thread = None;
        self.use_slice(id, 0);
    }

    fn copy_time(&mut self, id: SchedContextId, thread: ThreadId, is_used: bool) {
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
        self.machine.mailboxes().letter(thread).write_time(time, &self.sporadic_servers[id], is_used);
    }

    /// Moves the time in the letter of a thread to this processor.
    #[inline(never)]
    fn unpack_time(&mut self, thread: ThreadId) -> Option<SchedContextId> {
        let letter = self.machine.mailboxes().letter(thread);
        let Time { index, budget, remaining, consumed, priority, is_limited } = letter.time()?;
        let id = SchedContexts::id(index)?;
        if is_limited {
            self.sporadic_servers[id] = letter.share();
        }
        letter.write_no_time();
        self.slices[id] = Slice { budget, counted: 0, consumed, priority };
        self.use_slice(id, remaining);
        self.sched_contexts[id].last_used = self.processor.since;
        Some(id)
    }

    /// Offers the time of a thread that leaves for another processor to a server there.
    pub(super) fn offer_time(&mut self, thread: ThreadId) {
        match self.put_away(thread) {
            Some(id) => self.copy_time(id, thread, false),
            None => self.machine.mailboxes().letter(thread).write_no_time(),
        }
    }

    /// Keeps the time of a thread that leaves for another processor from use.
    pub(super) fn keep_time(&mut self, thread: ThreadId) {
        let away = self.put_away(thread);
        if away.is_some() && self.processor.sched_context == away {
            self.stop_charging_here();
        }
        let letter = self.machine.mailboxes().letter(thread);
        match away {
            Some(id) => letter.write_kept_time(SchedContexts::index_of(id) as u64),
            None => letter.write_no_time(),
        }
    }

    fn put_away(&mut self, thread: ThreadId) -> Option<SchedContextId> {
        let id = self.threads[thread].sched_context.take()?;
        self.sched_contexts_away |= bit(id);
        self.sched_contexts[id].thread = None;
        Some(id)
    }

    /// Gives a thread back the time that it had when its letter left.
    pub(super) fn take_back(&mut self, thread: ThreadId) {
        let letter = self.machine.mailboxes().letter(thread);
        let Some(id) = letter.time_index().and_then(SchedContexts::id) else { return };
        if letter.is_time_used() {
            self.unpack_time(thread);
        } else {
            letter.write_no_time();
        }
        self.sched_contexts_away &= !bit(id);
        self.sched_contexts[id].thread = Some(thread);
        self.threads[thread].sched_context = Some(id);
    }

    /// Lends the time of a visitor to a server that has none. It is in the letter until a server needs it.
    #[cold]
    #[inline(never)]
    pub(crate) fn lend_time_of_visitor(&mut self, visitor: ThreadId, server: ThreadId) {
        if self.processor.visiting & bit(visitor) == 0 {
            return;
        }
        if self.machine.mailboxes().letter(visitor).is_time_offered() {
            self.visitors[visitor].time = self.unpack_time(visitor);
        }
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
