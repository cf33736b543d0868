//! A fault whose handler waits for it alone.

use crate::arena::{EndpointId, ThreadId};
use crate::cap::Cap;
use crate::event::Event;
use crate::fault::Fault;
use crate::kernel::Kernel;
use crate::machine::Machine;

struct FaultCall {
    thread: ThreadId,
    receiver: ThreadId,
    endpoint: EndpointId,
    badge: u64,
}

impl<M: Machine> Kernel<M> {
    /// Serves a fault of the current thread. Gives the registers to return with; none means to idle.
    #[inline(always)]
    pub fn serve_fault(&mut self, fault: Fault) -> Option<&mut M::Context> {
        match self.plan_fault() {
            Some(fault_call) => self.carry_out_fault(&fault_call, fault),
            None => self.serve_fault_slowly(fault),
        }
    }

    /// The same in every state.
    #[inline(never)]
    pub fn serve_fault_slowly(&mut self, fault: Fault) -> Option<&mut M::Context> {
        self.handle_rarely(Event::Fault(fault));
        self.running()
    }

    #[inline(always)]
    fn plan_fault(&self) -> Option<FaultCall> {
        let thread = self.processor.current?;
        let Cap::Endpoint { id: endpoint, badge, rights } = self.threads[thread].fault_handler else {
            return None;
        };
        let can_go = rights.can_be_answered() && self.processor.open_call.is_none();
        if !can_go {
            return None;
        }
        let receiver = self.lone_receiver(endpoint)?;
        Some(FaultCall { thread, receiver, endpoint, badge })
    }

    #[inline(always)]
    fn carry_out_fault(&mut self, fault_call: &FaultCall, fault: Fault) -> Option<&mut M::Context> {
        let FaultCall { thread, receiver, endpoint, badge } = *fault_call;
        self.write_fault(&fault, thread, receiver, badge);
        self.threads[thread].fault = Some(fault);
        self.open_call(thread, receiver, endpoint)
    }
}
