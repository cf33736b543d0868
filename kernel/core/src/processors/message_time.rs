//! Scheduling contexts in letters: the caller of a passive server elsewhere lends it its time.
//!
//! While a scheduling context is away, its home keeps its place in stacks of calls and its bindings, and refuses its methods.
//! The letter of a call has a copy of budget, slice and refills. If a server needs time, its processor takes the copy as a *guest*,
//! which returns with the answer; otherwise the home goes on with its own. Each tick is thus charged at one processor.
//! Methods need no time.
//!
//! A guest has an entry of its own, whose scheduling context belongs to another processor or does not exist: a call may come back to
//! a processor where its time is away, and the entry there has a stack of calls already.

use crate::arena::{SchedContextId, ThreadId};
use crate::kernel::{Kernel, SchedContexts};
use crate::machine::Machine;
use crate::object::sched_context::{SchedContext, Slice};
use crate::processors::letter::Time;
use crate::processors::mailbox::{bit, take_lowest};
use crate::sched::sporadic_server::SporadicServer;

impl<M: Machine> Kernel<M> {
    /// Returns the time of a visitor with its letter. No thread holds it any more.
    pub(super) fn return_guest(&mut self, id: SchedContextId, thread: ThreadId) {
        let time = self.settled_time(id);
        self.machine.mailboxes().letter(thread).return_time(time, &self.sporadic_servers[id]);
        if time.is_limited {
            self.sporadic_servers[id] = SporadicServer::UNLIMITED;
        }
        self.slices[id] = Slice::UNUSED;
        self.sched_contexts[id] = SchedContext::UNUSED;
        self.guest_entries |= bit(id);
    }

    fn settled_time(&mut self, id: SchedContextId) -> Time {
        if self.processor.sched_context == Some(id) {
            self.stop_charging_here();
        }
        let is_limited = self.sporadic_servers[id].is_limited();
        if is_limited && self.sched_contexts[id].remaining != 0 {
            self.settle_share(id, 0);
        }
        self.count_consumed(id);
        let Slice { budget, consumed, priority, .. } = self.slices[id];
        Time { budget, remaining: self.sched_contexts[id].remaining, consumed, priority, is_limited }
    }

    /// Uses the time in the letter of a thread as this scheduling context.
    #[inline(never)]
    fn unpack_time(&mut self, thread: ThreadId, id: SchedContextId) {
        let letter = self.machine.mailboxes().letter(thread);
        let Time { budget, remaining, consumed, priority, is_limited } = letter.time();
        if is_limited {
            self.sporadic_servers[id] = letter.share();
        }
        self.slices[id] = Slice { budget, counted: 0, consumed, priority };
        self.use_slice(id, remaining);
        self.sched_contexts[id].last_used = self.processor.since;
    }

    /// Offers the time of a thread that leaves for another processor to a server there.
    pub(super) fn offer_time(&mut self, thread: ThreadId) {
        let Some(id) = self.put_away(thread) else {
            return self.machine.mailboxes().letter(thread).write_no_time();
        };
        let time = self.settled_time(id);
        let index = SchedContexts::index_of(id) as u64;
        self.machine.mailboxes().letter(thread).offer_time(index, time, &self.sporadic_servers[id]);
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

    /// Returns whether a thread has a scheduling context, here or away.
    pub(crate) fn has_time(&self, thread: ThreadId) -> bool {
        let is_away = || {
            self.sched_contexts_away != 0 && self.machine.mailboxes().letter(thread).time_index().is_some()
        };
        self.threads[thread].sched_context.is_some() || is_away()
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
            self.unpack_time(thread, id);
        }
        self.machine.mailboxes().letter(thread).write_no_time();
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
        if self.machine.mailboxes().letter(visitor).accept_time()
            && let Some(id) = take_lowest(&mut self.guest_entries)
        {
            self.unpack_time(visitor, id);
            self.visitors[visitor].time = Some(id);
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
