//! A fault whose handler waits for it alone.

use crate::arena::{EndpointId, ThreadId};
use crate::cap::Cap;
use crate::event::Event;
use crate::fault::Fault;
use crate::kernel::Kernel;
use crate::machine::Machine;

struct Report {
    thread: ThreadId,
    receiver: ThreadId,
    endpoint: EndpointId,
    badge: u64,
}

impl<M: Machine> Kernel<M> {
    /// Serves a fault of the current thread. Gives the registers to return with; none means to idle.
    #[inline(always)]
    pub fn serve_fault(&mut self, fault: Fault) -> Option<&mut M::Context> {
        match self.plan_report() {
            Some(report) => self.carry_out_report(&report, fault),
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
    fn plan_report(&self) -> Option<Report> {
        let thread = self.processor.current?;
        let Cap::Endpoint { id: endpoint, badge, rights } = self.threads[thread].fault_handler else {
            return None;
        };
        let can_go = rights.can_be_answered() && self.processor.open_call.is_none();
        if !can_go {
            return None;
        }
        let receiver = self.lone_receiver(endpoint)?;
        Some(Report { thread, receiver, endpoint, badge })
    }

    #[inline(always)]
    fn carry_out_report(&mut self, report: &Report, fault: Fault) -> Option<&mut M::Context> {
        let Report { thread, receiver, endpoint, badge } = *report;
        self.write_fault(&fault, thread, receiver, badge);
        self.threads[thread].fault = Some(fault);
        self.open_call(thread, receiver, endpoint)
    }
}
