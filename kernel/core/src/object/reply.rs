//! Reply objects: a right to answer, once, whoever called.
//!
//! A reply object is Free, or Owed to a caller. The calls that run on one scheduling context form a stack: each
//! Owed reply object knows the one below it (the older call) and the one above, and the scheduling context knows
//! the top. Answering the top gives the scheduling context back to its caller; answering one in the middle, or
//! cancelling a call, only takes that reply object out.
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
use crate::machine::{Context, Machine};

/// A reply object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reply {
    /// Nobody waits for an answer.
    #[default]
    Free,
    /// A thread waits for an answer.
    Owed {
        /// Who waits.
        caller: ThreadId,
        /// The call's place in the stack of a scheduling context, if the caller lent its own.
        loan: Option<Loan>,
    },
}

/// A call's place in the stack of calls that run on one scheduling context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loan {
    /// What was lent.
    pub sched_context: SchedContextId,
    /// The older call.
    pub below: Option<ReplyId>,
    /// The newer call.
    pub above: Option<ReplyId>,
}

impl Reply {
    /// The older call in the same stack.
    #[inline]
    pub(crate) fn below(&self) -> Option<ReplyId> {
        if let Self::Owed { loan: Some(loan), .. } = self { loan.below } else { None }
    }
}

impl<M: Machine> Kernel<M> {
    /// Makes `caller` wait on the reply object of `callee`, and lends the callee a scheduling context if it has none.
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
            // Nobody will ever be able to answer: if it is resumed, it starts again with what it did.
            let caller = &mut self.threads[caller];
            caller.state = State::Inactive;
            caller.fault = None;
            if again == Restart::SystemCall {
                caller.context.rewind_syscall();
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

    /// Owes the caller an answer. A callee without a scheduling context gets the caller's, and the reply object a place
    /// on its stack.
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

    /// Moves the scheduling context of `from` to `to` if `to` has none.
    #[inline]
    pub(crate) fn donate(&mut self, from: ThreadId, to: ThreadId) -> Option<SchedContextId> {
        if self.threads[to].sched_context.is_some() {
            return None;
        }
        let moved = self.threads[from].sched_context.take()?;
        self.threads[to].sched_context = Some(moved);
        self.sched_contexts[moved].thread = Some(to);
        Some(moved)
    }

    /// Answers the caller with the message of `server`. Gives the caller if it can run now. One whose time was taken away
    /// meanwhile goes on on what its notification keeps for it.
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

    /// Beside the caller, a thread can run that the answer has parted from its time: one of them is queued.
    #[cold]
    fn add_parted(&mut self, parted: Option<ThreadId>, woken: Option<ThreadId>) -> Option<ThreadId> {
        if woken.is_some() {
            parted.into_iter().for_each(|parted| self.enqueue(parted));
            return woken;
        }
        parted
    }

    /// Takes a reply object out of its stack; the top one brings the scheduling context back to the caller. Gives a thread
    /// other than the current one that held it, if it can run on something else.
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
        self.take_back(caller, loan.sched_context, loan.below);
        parted
    }

    /// Brings a scheduling context that nobody holds back from the newest call that runs on it; `below` is the next.
    #[inline(always)]
    pub(crate) fn take_back(&mut self, caller: ThreadId, lent: SchedContextId, below: Option<ReplyId>) {
        let sched_context = &mut self.sched_contexts[lent];
        sched_context.top = below;
        sched_context.thread = Some(caller);
        self.link_above(below, None);
        self.threads[caller].sched_context = Some(lent);
    }

    /// Forgets that somebody waits on this reply object. The server goes on with what it borrowed until it next
    /// waits; then it goes back to the caller if it was its own, and not itself borrowed.
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

    /// Forgets every call that runs on this scheduling context: the answers will not bring it back.
    pub(crate) fn forget_loans(&mut self, sched_context: SchedContextId) {
        self.sched_contexts[sched_context].heir = None;
        let mut next = self.sched_contexts[sched_context].top.take();
        while let Some(reply) = next {
            let Reply::Owed { loan, .. } = &mut self.replies[reply] else { return };
            next = loan.take().and_then(|loan| loan.below);
        }
    }

    /// Joins the neighbours of a call that leaves the middle of its stack.
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
