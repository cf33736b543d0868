//! A fault whose handler waits alone.

use crate::arena::{EndpointId, ThreadId};
use crate::cap::Cap;
use crate::event::Event;
use crate::fault::Fault;
use crate::kernel::Kernel;
use crate::machine::Machine;

struct Delivery {
    thread: ThreadId,
    receiver: ThreadId,
    endpoint: EndpointId,
    badge: u64,
}

impl<M: Machine> Kernel<M> {
    /// Serves a fault of the current thread. Returns the registers to return with; none means to idle. Both paths make their
    /// own fault, because the slow one takes it in memory.
    #[inline(always)]
    pub fn serve_fault(&mut self, fault: impl Fn() -> Fault) -> Option<&mut M::Context> {
        match self.plan_delivery() {
            Some(delivery) => self.carry_out_delivery(&delivery, fault()),
            None => self.serve_fault_slowly(fault()),
        }
    }

    /// Serves a fault of the current thread while the kernel prints faults or checks itself; the slow path prints. It has
    /// no branch on a static key, because its code may be unmapped.
    #[cold]
    #[inline(never)]
    pub fn serve_watched_fault(&mut self, fault: Fault, is_printing: bool) {
        if is_printing {
            self.serve_fault_slowly(fault);
        } else {
            self.serve_fault(|| fault);
        }
    }

    /// Serves a fault of the current thread on the slow path.
    #[inline(never)]
    pub fn serve_fault_slowly(&mut self, fault: Fault) -> Option<&mut M::Context> {
        self.handle_rarely(Event::Fault(fault));
        self.running()
    }

    #[inline(always)]
    fn plan_delivery(&self) -> Option<Delivery> {
        let thread = self.processor.current.filter(|_| self.processor.open_call.is_none())?;
        let Cap::Endpoint { id: endpoint, badge, rights } = self.threads[thread].fault_handler else {
            return None;
        };
        let receiver = self.receiver_for(endpoint, rights)?;
        Some(Delivery { thread, receiver, endpoint, badge })
    }

    #[inline(always)]
    fn carry_out_delivery(&mut self, delivery: &Delivery, fault: Fault) -> Option<&mut M::Context> {
        let Delivery { thread, receiver, endpoint, badge } = *delivery;
        self.write_fault(&fault, thread, receiver, badge);
        self.threads[thread].fault = Some(fault);
        self.open_call(thread, receiver, endpoint)
    }
}
