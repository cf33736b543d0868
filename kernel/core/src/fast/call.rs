//! A call to a server that waits alone, passive or not.

use limen_abi::{MessageInfo, Syscall};

use crate::arena::{EndpointId, ReplyId, ThreadId};
use crate::cap::Cap;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::thread::{Restart, State};

struct Call {
    caller: ThreadId,
    receiver: ThreadId,
    endpoint: EndpointId,
    reply: ReplyId,
    badge: u64,
    info: MessageInfo,
}

impl<M: Machine> Kernel<M> {
    #[inline(always)]
    pub(super) fn serve_call(&mut self) -> Option<&mut M::Context> {
        match self.plan_call() {
            Some(call) => self.carry_out_call(&call),
            None => self.serve_in_general(Syscall::Call.as_raw()),
        }
    }

    #[inline(always)]
    fn plan_call(&self) -> Option<Call> {
        let caller = self.core.current?;
        let context = &self.threads[caller].context;
        let info = context.info();
        let Cap::Endpoint { id: endpoint, badge, rights } = *self.own_cap(caller, context.cptr())? else {
            return None;
        };
        if !rights.can_send() || !rights.can_call() {
            return None;
        }
        let (receiver, reply) = self.lone_receiver(endpoint)?;
        Some(Call { caller, receiver, endpoint, reply, badge, info })
    }

    /// The thread that waits alone at an endpoint, and would run at once, with the reply object that it waits with.
    #[inline(always)]
    pub(super) fn lone_receiver(&self, endpoint: EndpointId) -> Option<(ThreadId, ReplyId)> {
        let Endpoint::Receiver { thread: receiver, reply } = self.endpoints[endpoint] else { return None };
        self.core.queues.ready.none_from(self.threads[receiver].priority).then_some((receiver, reply))
    }

    #[inline(always)]
    fn carry_out_call(&mut self, call: &Call) -> Option<&mut M::Context> {
        let Call { caller, receiver, endpoint, reply, badge, info } = *call;
        self.endpoints[endpoint] = Endpoint::Idle;
        self.transfer(caller, receiver, badge, info);
        self.threads[receiver].state = State::Runnable;
        self.owe_and_lend(reply, caller, receiver);
        self.threads[caller].state = State::Calling { reply, again: Restart::SystemCall };
        self.run(receiver)
    }
}
