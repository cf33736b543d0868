//! An answer to a caller that only waits for it, by a server that then waits for the next message.

use limen_abi::{FaultLabel, MessageInfo, Syscall};

use crate::arena::{EndpointId, Id, ReplyId, SchedContextId, ThreadId};
use crate::cap::Cap;
use crate::fault::Fault;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::reply::Reply;
use crate::object::thread::{Restart, State};

struct Answer {
    server: ThreadId,
    caller: ThreadId,
    endpoint: EndpointId,
    reply: ReplyId,
    lent: Option<SchedContextId>,
    info: MessageInfo,
}

impl<M: Machine> Kernel<M> {
    #[inline(always)]
    pub(super) fn serve_answer(&mut self) -> Option<&mut M::Context> {
        match self.plan_answer(|fault| fault.is_none()) {
            Some(answer) => self.carry_out_answer(&answer, |kernel, Answer { server, caller, info, .. }| {
                kernel.transfer(*server, *caller, 0, *info);
                kernel.threads[*caller].state = State::Runnable;
            }),
            None => self.serve_answer_to_fault(),
        }
    }

    /// A handler that lets the faulting thread go on.
    #[inline(never)]
    fn serve_answer_to_fault(&mut self) -> Option<&mut M::Context> {
        let answer = self.plan_answer(|fault| fault.is_some());
        match answer {
            // Another label stops threads after some faults.
            Some(answer) if answer.info.label() == FaultLabel::NullFault.as_raw() => {
                self.carry_out_answer(&answer, |kernel, Answer { server, caller, info, .. }| {
                    kernel.answer_fault(*server, *caller, *info);
                })
            }
            _ => self.serve_in_general(Syscall::ReplyRecv.as_raw()),
        }
    }

    #[inline(always)]
    fn plan_answer(&self, is_wanted: impl Fn(&Option<Fault>) -> bool) -> Option<Answer> {
        let server = self.core.current?;
        let context = &self.threads[server].context;
        let info = context.info();
        let Cap::Reply(reply) = *self.own_cap(server, context.reply_cptr())? else { return None };
        let Reply::Owed { caller, loan } = &self.replies[reply] else { return None };
        let (caller, lent) = (*caller, loan.as_ref().map(|loan| loan.sched_context));
        if !is_wanted(&self.threads[caller].fault) {
            return None;
        }
        let Cap::Endpoint { id: endpoint, rights, .. } = *self.own_cap(server, context.cptr())? else {
            return None;
        };
        let can_go = rights.can_receive()
            && self.endpoints[endpoint] == Endpoint::Idle
            && self.core.queues.ready.none_from(self.threads[caller].priority)
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
            self.take_back(caller, lent, below);
        }
        self.replies[reply] = Reply::Free;
        hand_over(self, answer);
        self.threads[server].state =
            State::Receiving { endpoint, reply: Some(reply), again: Restart::SystemCall };
        self.endpoints[endpoint] = Endpoint::Receiver { thread: server, reply };
        self.run(caller)
    }
}
