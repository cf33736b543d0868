//! An answer to a caller that only waits for it, by a server that then waits for the next message.

use limen_abi::{FaultLabel, MessageInfo, Syscall};

use super::open::OpenCall;
use crate::arena::{EndpointId, Id, ReplyId, SchedContextId, ThreadId};
use crate::fault::Fault;
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::reply::Reply;
use crate::object::thread::State;

struct Answer {
    server: ThreadId,
    caller: ThreadId,
    endpoint: EndpointId,
    reply: ReplyId,
    lent: Option<SchedContextId>,
    info: MessageInfo,
}

/// The answer to the open call.
struct Return {
    server: ThreadId,
    caller: ThreadId,
    info: MessageInfo,
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `ReplyRecv` of the current thread.
    #[inline(never)]
    pub extern "C" fn serve_answer(&mut self) -> Option<&mut M::Context> {
        let Some(Return { server, caller, info }) = self.plan_return() else {
            return self.serve_flushed_answer();
        };
        if self.threads[caller].fault.is_some() {
            return self.serve_answer_to_open_fault(caller, server, info);
        }
        self.processor.open_call = None;
        self.transfer_short(
            (server, caller),
            0,
            info,
            |kernel| kernel.go_back(server, caller),
            |kernel| kernel.give_long_answer(caller, server, info),
        )
    }

    #[inline(never)]
    fn give_long_answer(
        &mut self,
        caller: ThreadId,
        server: ThreadId,
        info: MessageInfo,
    ) -> Option<&mut M::Context> {
        self.transfer_long(server, caller, 0, info);
        self.go_back(server, caller)
    }

    /// A handler that lets the faulting thread go on. Another label stops threads after some faults.
    #[inline(never)]
    fn serve_answer_to_open_fault(
        &mut self,
        caller: ThreadId,
        server: ThreadId,
        info: MessageInfo,
    ) -> Option<&mut M::Context> {
        let is_usual = self.threads[caller].fault.is_none_or(Fault::has_short_answer::<M::Context>);
        if !is_usual || info.label() != FaultLabel::NullFault.as_raw() {
            return self.serve_flushed_answer();
        }
        self.processor.open_call = None;
        self.answer_usual_fault(caller, server, info);
        self.go_back(server, caller)
    }

    /// The answer to the open call. The call has found that nothing stands in its way, and nothing has happened since.
    #[inline(always)]
    fn plan_return(&self) -> Option<Return> {
        let OpenCall { caller, .. } = self.processor.open_call?;
        let server = self.processor.current?;
        let can_go = self.is_in_event_loop(server)
            && self.processor.queues.ready.surely_below(self.threads[caller].priority);
        can_go.then_some(Return { server, caller, info: self.threads[server].context.info() })
    }

    /// Lets the caller run whose open call was answered. If the server is passive, that is on the time that the caller had
    /// all along.
    #[inline(always)]
    fn go_back(&mut self, server: ThreadId, caller: ThreadId) -> Option<&mut M::Context> {
        if self.threads[server].sched_context.is_some() {
            return self.run_on_other_time(caller);
        }
        self.enter_at_once(caller)
    }

    /// An answer after something else has happened.
    #[inline(never)]
    fn serve_flushed_answer(&mut self) -> Option<&mut M::Context> {
        self.flush_open_call();
        match self.plan_answer(Self::usual_inbox, |fault| fault.is_none()) {
            Some(answer) => self.carry_out_answer(&answer, Self::hand_over_message),
            None => self.serve_flushed_answer_to_fault(),
        }
    }

    #[inline(never)]
    fn serve_flushed_answer_to_fault(&mut self) -> Option<&mut M::Context> {
        match self.plan_answer(Self::usual_inbox, |fault| fault.is_some()) {
            Some(answer) if answer.info.label() == FaultLabel::NullFault.as_raw() => {
                self.carry_out_answer(&answer, |kernel, Answer { server, caller, info, .. }| {
                    kernel.answer_fault(*caller, *server, *info);
                })
            }
            _ => self.serve_answer_elsewhere(),
        }
    }

    /// An answer to a call, by a server that does not wait where event loops do.
    #[inline(never)]
    fn serve_answer_elsewhere(&mut self) -> Option<&mut M::Context> {
        match self.plan_answer(Self::named_inbox, |fault| fault.is_none()) {
            Some(answer) => self.carry_out_answer(&answer, Self::hand_over_message),
            None => self.serve_slowly(Syscall::ReplyRecv.as_raw()),
        }
    }

    #[inline(always)]
    fn hand_over_message(&mut self, &Answer { server, caller, info, .. }: &Answer) {
        self.transfer(server, caller, 0, info);
        self.threads[caller].state = State::Runnable;
    }

    #[inline(always)]
    fn plan_answer(
        &self,
        inbox_of: impl Fn(&Self, ThreadId) -> Inbox,
        is_wanted: impl Fn(&Option<Fault>) -> bool,
    ) -> Option<Answer> {
        let server = self.processor.current?;
        let Inbox::Endpoint(endpoint, reply) = inbox_of(self, server) else { return None };
        let info = self.threads[server].context.info();
        let Reply::Owed { caller, loan } = &self.replies[reply] else { return None };
        let (caller, lent) = (*caller, loan.as_ref().map(|loan| loan.sched_context));
        if !is_wanted(&self.threads[caller].fault) {
            return None;
        }
        let can_go = self.endpoints[endpoint] == Endpoint::Idle
            && self.processor.queues.ready.surely_below(self.threads[caller].priority)
            && self.signal_for(server).is_none()
            && self.time_comes_back(server, caller, reply, lent);
        can_go.then_some(Answer { server, caller, endpoint, reply, lent, info })
    }

    /// Whether the answer brings back just what the call lent, or nothing was lent and both keep what they have.
    #[inline(always)]
    fn time_comes_back(
        &self,
        server: ThreadId,
        caller: ThreadId,
        reply: ReplyId,
        lent: Option<SchedContextId>,
    ) -> bool {
        let caller_has_time = self.threads[caller].sched_context.is_some();
        match lent {
            Some(lent) => {
                let sched_context = &self.sched_contexts[lent];
                Id::same(sched_context.top, Some(reply))
                    && Id::same(sched_context.thread, Some(server))
                    && !caller_has_time
            }
            None => caller_has_time && self.keeps_time(server),
        }
    }

    #[inline(always)]
    fn carry_out_answer(
        &mut self,
        answer: &Answer,
        hand_over: impl Fn(&mut Self, &Answer),
    ) -> Option<&mut M::Context> {
        let Answer { server, caller, endpoint, reply, lent, .. } = *answer;
        if let Some(lent) = lent {
            let below = self.replies[reply].below();
            self.threads[server].sched_context = None;
            self.return_to_caller(caller, lent, below);
        }
        self.replies[reply] = Reply::Free;
        hand_over(self, answer);
        self.wait_alone(server, endpoint, reply);
        self.run(caller)
    }
}
