//! A reply to a caller or a faulting thread, by a server that then waits for the next message.

use limen_abi::{FaultLabel, MessageInfo, Syscall};

use super::open_call::OpenCall;
use crate::arena::{EndpointId, Id, ReplyId, SchedContextId, ThreadId};
use crate::fault::Fault;
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::reply::Reply;
use crate::object::thread::{State, Thread};

/// The reply to the open call.
struct Return {
    server: ThreadId,
    caller: ThreadId,
    /// Whether the server ran on the caller's time.
    is_passive: bool,
    info: MessageInfo,
}

/// A reply to a call that is not open any more.
struct FlushedReply {
    server: ThreadId,
    caller: ThreadId,
    endpoint: EndpointId,
    reply: ReplyId,
    lent: Option<SchedContextId>,
    info: MessageInfo,
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `ReplyRecv` of the current thread.
    #[inline(never)]
    pub extern "C" fn serve_reply_recv(&mut self) -> Option<&mut M::Context> {
        let Some(Return { server, caller, is_passive, info }) = self.plan_return() else {
            return self.serve_flushed_reply();
        };
        if self.threads[caller].fault.is_some() {
            return self.serve_return_to_fault(caller, server, is_passive, info);
        }
        self.processor.open_call = self.threads[caller].serves.take();
        self.transfer_short(
            (server, caller),
            0,
            info,
            |kernel| kernel.go_back(caller, is_passive),
            |kernel| kernel.carry_out_long_return(caller, server, is_passive, info),
        )
    }

    #[inline(never)]
    fn carry_out_long_return(
        &mut self,
        caller: ThreadId,
        server: ThreadId,
        is_passive: bool,
        info: MessageInfo,
    ) -> Option<&mut M::Context> {
        self.transfer_long(server, caller, 0, info);
        self.go_back(caller, is_passive)
    }

    /// A handler's reply that resumes the faulting thread. Other labels stop the thread after some faults.
    #[inline(never)]
    fn serve_return_to_fault(
        &mut self,
        caller: ThreadId,
        server: ThreadId,
        is_passive: bool,
        info: MessageInfo,
    ) -> Option<&mut M::Context> {
        let is_usual = self.threads[caller].fault.is_none_or(Fault::has_short_answer::<M::Context>)
            && info.label() == FaultLabel::NullFault.as_raw();
        if !is_usual {
            return self.serve_flushed_reply();
        }
        self.processor.open_call = self.threads[caller].serves.take();
        self.end_short_fault(caller, server, info);
        self.go_back(caller, is_passive)
    }

    /// The call has found everything in its usual state, and nothing has happened since.
    #[inline(always)]
    fn plan_return(&self) -> Option<Return> {
        // Both are read before either is tested.
        if M::READS_AHEAD && self.processor.open_call.is_none() | self.processor.current.is_none() {
            return None;
        }
        let OpenCall { caller, .. } = self.processor.open_call?;
        let server = self.processor.current?;
        let Thread { context, sched_context, .. } = &self.threads[server];
        let can_go = self.is_in_event_loop(server) & self.outranks_ready(caller);
        let is_passive = sched_context.is_none();
        can_go.then_some(Return { server, caller, is_passive, info: context.info() })
    }

    /// Switches to the caller whose open call was replied to. Of a passive server, the time has been the caller's all along.
    #[inline(always)]
    fn go_back(&mut self, caller: ThreadId, is_passive: bool) -> Option<&mut M::Context> {
        if is_passive { self.enter_at_once(caller) } else { self.run_on_other_time(caller) }
    }

    #[inline(never)]
    fn serve_flushed_reply(&mut self) -> Option<&mut M::Context> {
        self.flush_open_call();
        if self.processor.visiting != 0 {
            return self.serve_reply_beside_visitors();
        }
        self.serve_reply_here()
    }

    /// A reply to a thread of this processor.
    #[inline(never)]
    pub(crate) fn serve_reply_here(&mut self) -> Option<&mut M::Context> {
        match self.plan_flushed_reply() {
            Some(reply) if self.threads[reply.caller].fault.is_some() => self.carry_out_fault_reply(&reply),
            Some(reply) => {
                self.carry_out_flushed_reply(&reply, |kernel, &FlushedReply { server, caller, info, .. }| {
                    kernel.transfer(server, caller, 0, info);
                    kernel.threads[caller].state = State::Runnable;
                })
            }
            None => self.serve_slowly(Syscall::ReplyRecv.as_raw()),
        }
    }

    #[inline(never)]
    fn carry_out_fault_reply(&mut self, planned: &FlushedReply) -> Option<&mut M::Context> {
        self.carry_out_flushed_reply(planned, |kernel, &FlushedReply { server, caller, info, .. }| {
            kernel.answer_fault(caller, server, info);
        })
    }

    #[inline(always)]
    fn plan_flushed_reply(&self) -> Option<FlushedReply> {
        let server = self.processor.current?;
        let Inbox::Endpoint(endpoint, reply) = self.usual_inbox(server) else { return None };
        let Reply::Owed { caller, loan } = &self.replies[reply] else { return None };
        let (caller, lent) = (*caller, loan.as_ref().map(|loan| loan.sched_context));
        let info = self.threads[server].context.info();
        let has_no_fault = self.threads[caller].fault.is_none();
        let resumes = has_no_fault || info.label() == FaultLabel::NullFault.as_raw();
        let server_waits_alone =
            self.endpoints[endpoint] == Endpoint::Idle && self.signal_for(server).is_none();
        let can_go = resumes
            && server_waits_alone
            && self.outranks_ready(caller)
            && self.time_returns(server, caller, reply, lent);
        can_go.then_some(FlushedReply { server, caller, endpoint, reply, lent, info })
    }

    /// Whether the reply returns exactly what the call lent, or nothing was lent and both threads keep what they have.
    #[inline(always)]
    fn time_returns(
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
    fn carry_out_flushed_reply(
        &mut self,
        planned: &FlushedReply,
        deliver: impl Fn(&mut Self, &FlushedReply),
    ) -> Option<&mut M::Context> {
        let FlushedReply { server, caller, endpoint, reply, lent, .. } = *planned;
        if let Some(lent) = lent {
            let below = self.replies[reply].below();
            self.threads[server].sched_context = None;
            self.return_to_caller(caller, lent, below);
        }
        self.replies[reply] = Reply::Free;
        deliver(self, planned);
        self.wait_alone(server, endpoint, reply);
        self.run(caller)
    }
}
