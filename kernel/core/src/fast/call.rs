//! A call to a server that waits alone, passive or not.

use core::hint::cold_path;

use limen_abi::{MessageInfo, Syscall};

use super::open_call::OpenCall;
use crate::arena::{EndpointId, ThreadId};
use crate::cap::{Cap, Rights};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::thread::Thread;

pub(super) struct Call {
    caller: ThreadId,
    receiver: ThreadId,
    endpoint: EndpointId,
    badge: u64,
    info: MessageInfo,
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `Call` of the current thread.
    #[inline(never)]
    pub extern "C" fn serve_call(&mut self) -> Option<&mut M::Context> {
        match self.plan_call() {
            Some(call) if self.processor.open_call.is_none() => self.carry_out_call(call),
            Some(call) => {
                cold_path();
                self.serve_inner_call(call.caller, call.receiver, call.endpoint, call.badge, call.info)
            }
            None => self.serve_unplanned_call(),
        }
    }

    /// An acknowledgement of an interrupt, a call of another processor's object, or a call that is not planned.
    #[inline(never)]
    fn serve_unplanned_call(&mut self) -> Option<&mut M::Context> {
        if let Some(current) = self.processor.current {
            match self.own_cap(current, self.threads[current].context.cptr()) {
                Some(&Cap::Interrupt(id)) if self.is_acknowledgement(current, id) => {
                    self.acknowledge_at_once(id);
                    let context = &mut self.threads[current].context;
                    context.set_badge(0);
                    context.set_info(MessageInfo::new(0, 0));
                    return Some(context);
                }
                Some(Cap::Elsewhere { .. }) => return self.serve_call_elsewhere(current),
                _ => {}
            }
        }
        if self.processor.open_call.is_some() {
            return self.flush_and_serve(Syscall::Call.as_raw());
        }
        self.serve_slowly(Syscall::Call.as_raw())
    }

    /// Serves a call by a server whose caller's call is open. If its server has a higher priority, so that it is none
    /// that is serving an open call, it is left open as well.
    #[inline(never)]
    fn serve_inner_call(
        &mut self,
        caller: ThreadId,
        receiver: ThreadId,
        endpoint: EndpointId,
        badge: u64,
        info: MessageInfo,
    ) -> Option<&mut M::Context> {
        if self.threads[receiver].priority <= self.threads[caller].priority {
            return self.flush_and_serve(Syscall::Call.as_raw());
        }
        if self.has_most_open_calls() {
            return self.flush_oldest_and_serve_call();
        }
        self.threads[caller].serves = self.processor.open_call;
        self.carry_out_call(Call { caller, receiver, endpoint, badge, info })
    }

    #[inline(always)]
    fn plan_call(&self) -> Option<Call> {
        let caller = self.processor.current?;
        let Thread { context, caps, .. } = &self.threads[caller];
        let Cap::Endpoint { id: endpoint, badge, rights } = *caps.lookup(context.cptr())? else {
            return None;
        };
        let receiver = self.receiver_for(endpoint, rights)?;
        Some(Call { caller, receiver, endpoint, badge, info: context.info() })
    }

    /// The server that waits alone at an endpoint, if a call with these rights can be left open beside those that are, and
    /// switches to it.
    #[inline(always)]
    pub(super) fn receiver_for(&self, endpoint: EndpointId, rights: Rights) -> Option<ThreadId> {
        let Endpoint::LoneReceiver { thread: receiver, .. } = self.endpoints[endpoint] else { return None };
        if !rights.can_be_answered() {
            return None;
        }
        let is_passive = self.threads[receiver].sched_context.is_none();
        let can_go = self.outranks_ready(receiver) && (is_passive || self.keeps_time(receiver));
        can_go.then_some(receiver)
    }

    #[inline(always)]
    fn carry_out_call(&mut self, call: Call) -> Option<&mut M::Context> {
        let Call { caller, receiver, endpoint, badge, info } = call;
        self.transfer_short(
            (caller, receiver),
            badge,
            info,
            |kernel| kernel.open_call(caller, receiver, endpoint),
            |kernel| kernel.carry_out_long_call(receiver, caller, endpoint, badge, info),
        )
    }

    #[inline(never)]
    fn carry_out_long_call(
        &mut self,
        receiver: ThreadId,
        caller: ThreadId,
        endpoint: EndpointId,
        badge: u64,
        info: MessageInfo,
    ) -> Option<&mut M::Context> {
        self.transfer_long(caller, receiver, badge, info);
        self.open_call(caller, receiver, endpoint)
    }

    /// Opens a call whose message has been transferred, and switches to its server.
    #[inline(always)]
    pub(super) fn open_call(
        &mut self,
        caller: ThreadId,
        receiver: ThreadId,
        endpoint: EndpointId,
    ) -> Option<&mut M::Context> {
        self.processor.open_call = Some(OpenCall { caller, endpoint });
        if self.threads[receiver].sched_context.is_some() {
            return self.run_on_other_time(receiver);
        }
        self.enter_at_once(receiver)
    }
}
