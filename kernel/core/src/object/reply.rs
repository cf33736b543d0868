//! Reply objects: the right to reply once to a caller.
//!
//! A reply object is Free, or Owed to a caller. The calls that run on one scheduling context form a stack: each Owed
//! reply object links to the one below (the older call) and the one above, and the scheduling context links to the
//! top. A reply to the top returns the scheduling context to its caller. A reply in the middle, or a cancelled call,
//! only unlinks that reply object.
//!
//! ```text
//!   client --call--> A --call--> B          scheduling context: held by B, top = reply of B
//!                                           reply of B: Owed to A, below = reply of A
//!                                           reply of A: Owed to client, below = none
//! ```

use limen_abi::MessageInfo;

use super::thread::{AfterSend, Restart, State};
use crate::arena::{ReplyId, SchedContextId, ThreadId};
use crate::kernel::Kernel;
use crate::machine::Machine;

/// A reply object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reply {
    /// No caller waits for a reply.
    #[default]
    Free,
    /// A caller waits for a reply.
    Owed {
        /// The caller.
        caller: ThreadId,
        /// The call's place in the stack of a scheduling context, if the caller lent its own.
        loan: Option<Loan>,
    },
}

/// A call's place in the stack of calls that run on one scheduling context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loan {
    /// The scheduling context that was lent.
    pub sched_context: SchedContextId,
    /// The older call.
    pub below: Option<ReplyId>,
    /// The newer call.
    pub above: Option<ReplyId>,
}

impl Reply {
    /// Returns the older call in the same stack.
    #[inline]
    pub(crate) fn below(&self) -> Option<ReplyId> {
        if let Self::Owed { loan: Some(loan), .. } = self { loan.below } else { None }
    }
}

impl<M: Machine> Kernel<M> {
    /// Blocks `caller` on the reply object of `callee`, and lends the callee a scheduling context if it has none.
    #[inline]
    pub(crate) fn await_reply(
        &mut self,
        caller: ThreadId,
        callee: ThreadId,
        reply: Option<ReplyId>,
        after: AfterSend,
        again: Restart,
    ) {
        let Some(reply) = reply.filter(|_| after != AfterSend::Stop) else {
            // No reply can ever come. If the caller is resumed, it repeats the system call or the faulting
            // instruction.
            let stopped = &mut self.threads[caller];
            stopped.state = State::Inactive;
            stopped.fault = None;
            if again == Restart::SystemCall {
                self.restart_syscall(caller);
            }
            return;
        };
        if after == AfterSend::AwaitReply {
            self.owe_and_lend(reply, caller, callee);
        } else {
            self.replies[reply] = Reply::Owed { caller, loan: None };
        }
        self.threads[caller].state = State::Calling { reply, again };
    }

    /// Marks the reply object as owed to the caller. If the callee has no scheduling context, it borrows the caller's,
    /// and the reply object is pushed onto that one's stack.
    #[inline(always)]
    pub(crate) fn owe_and_lend(&mut self, reply: ReplyId, caller: ThreadId, callee: ThreadId) {
        let Some(lent) = self.donate(caller, callee) else {
            self.replies[reply] = Reply::Owed { caller, loan: None };
            return;
        };
        let below = self.sched_contexts[lent].top.replace(reply);
        self.link_above(below, Some(reply));
        let loan = Loan { sched_context: lent, below, above: None };
        self.replies[reply] = Reply::Owed { caller, loan: Some(loan) };
    }

    /// Moves the scheduling context of `from` to `to` if `to` has none. Returns what was moved.
    #[inline]
    pub(crate) fn donate(&mut self, from: ThreadId, to: ThreadId) -> Option<SchedContextId> {
        if self.threads[to].sched_context.is_some() {
            return None;
        }
        let Some(moved) = self.threads[from].sched_context.take() else {
            if self.processor.visiting != 0 {
                self.lend_time_of_visitor(from, to);
            }
            return None;
        };
        self.threads[to].sched_context = Some(moved);
        self.sched_contexts[moved].thread = Some(to);
        Some(moved)
    }

    /// Replies to the caller with the message of `server`. Returns the caller if it is schedulable. A caller whose
    /// scheduling context was unbound meanwhile continues on the one that its notification keeps.
    #[inline(always)]
    pub(crate) fn answer(&mut self, server: ThreadId, reply: ReplyId, info: MessageInfo) -> Option<ThreadId> {
        let Reply::Owed { caller, loan } = self.replies[reply] else { return None };
        self.replies[reply] = Reply::Free;
        let parted = loan.and_then(|loan| self.end_loan(caller, reply, loan));
        if self.threads[caller].fault.is_some() {
            self.answer_fault(caller, server, info);
        } else {
            self.transfer(server, caller, 0, info);
            self.threads[caller].state = State::Runnable;
        }
        let can_run = self.threads[caller].state == State::Runnable;
        let woken = if can_run { self.with_time(caller) } else { None };
        if parted.is_some() { self.add_parted(parted, woken) } else { woken }
    }

    /// Combines a thread that a reply has parted from its scheduling context with the woken caller: if both can run, the
    /// first is enqueued.
    #[cold]
    fn add_parted(&mut self, parted: Option<ThreadId>, woken: Option<ThreadId>) -> Option<ThreadId> {
        if woken.is_some() {
            parted.into_iter().for_each(|parted| self.enqueue(parted));
            return woken;
        }
        parted
    }

    /// Removes a reply object from its stack. If it is the top, the scheduling context returns to the caller. Returns a
    /// thread other than the current one that held it, if that can run on another scheduling context.
    #[inline(always)]
    fn end_loan(&mut self, caller: ThreadId, reply: ReplyId, loan: Loan) -> Option<ThreadId> {
        let sched_context = &mut self.sched_contexts[loan.sched_context];
        if sched_context.top != Some(reply) {
            self.unlink(loan);
            return None;
        }
        if self.threads[caller].sched_context.is_some() {
            sched_context.top = loan.below;
            self.link_above(loan.below, None);
            return None;
        }
        let holder = sched_context.thread;
        let parted = holder.and_then(|holder| self.leave_sched_context(holder));
        self.return_to_caller(caller, loan.sched_context, loan.below);
        parted
    }

    /// Returns a scheduling context that no thread holds to the caller of the newest call that runs on it. `below` is
    /// the next older call.
    #[inline(always)]
    pub(crate) fn return_to_caller(
        &mut self,
        caller: ThreadId,
        lent: SchedContextId,
        below: Option<ReplyId>,
    ) {
        let sched_context = &mut self.sched_contexts[lent];
        sched_context.top = below;
        sched_context.thread = Some(caller);
        self.link_above(below, None);
        self.threads[caller].sched_context = Some(lent);
    }

    /// Cancels the call that waits on this reply object. The server keeps the borrowed scheduling context until it
    /// next blocks. If the caller was its owner and had not borrowed it, it goes back to the caller then.
    pub(crate) fn release_reply(&mut self, reply: ReplyId) {
        let Reply::Owed { caller, loan } = core::mem::take(&mut self.replies[reply]) else { return };
        let Some(loan) = loan else { return };
        let sched_context = &mut self.sched_contexts[loan.sched_context];
        if sched_context.top == Some(reply) {
            sched_context.top = loan.below;
        }
        if loan.below.is_none() {
            sched_context.heir.get_or_insert(caller);
        }
        self.unlink(loan);
    }

    /// Unlinks every call that runs on this scheduling context; replies will not return it.
    pub(crate) fn forget_loans(&mut self, sched_context: SchedContextId) {
        self.sched_contexts[sched_context].heir = None;
        let mut next = self.sched_contexts[sched_context].top.take();
        while let Some(reply) = next {
            let Reply::Owed { loan, .. } = &mut self.replies[reply] else { return };
            next = loan.take().and_then(|loan| loan.below);
        }
    }

    /// Links the neighbours of a call that leaves the middle of its stack.
    #[cold]
    fn unlink(&mut self, loan: Loan) {
        self.link_above(loan.below, loan.above);
        if let Some(above) = loan.above
            && let Reply::Owed { loan: Some(other), .. } = &mut self.replies[above]
        {
            other.below = loan.below;
        }
    }

    #[inline]
    fn link_above(&mut self, below: Option<ReplyId>, above: Option<ReplyId>) {
        if let Some(below) = below
            && let Reply::Owed { loan: Some(loan), .. } = &mut self.replies[below]
        {
            loan.above = above;
        }
    }
}
