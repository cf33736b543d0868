//! Immediate services: what the kernel does in an interrupt or a fault, before anything else happens.
//!
//! * A wipe clears secrets when a tamper line interrupts, for example because the case is opened, or when the
//!   protection domain faults.
//! * A seal encrypts what a device has left before any program can read it.
//!
//! The signal or message follows. The time is proportional to the size, with interrupts off, so the size is limited.
//!
//! Other interrupts and faults pay nothing: the line of such an interrupt has no entry in `irq_of_line`, and a thread
//! with such faults has a null fault handler. The paths for those cases look here.

use limen_abi::ServiceKind;
use limen_image::NONE;

use crate::arena::{IrqId, ServiceId, ThreadId};
use crate::cap::Cap;
use crate::event::Outcome;
use crate::kernel::{Irqs, Kernel, Threads};
use crate::machine::{Line, Machine};

/// An interrupt with an immediate service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServedInterrupt {
    /// Its line.
    pub line: Line,
    /// The interrupt.
    pub irq: IrqId,
    service: ServiceId,
}

/// The immediate service of a thread's faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServedFault {
    service: ServiceId,
    /// The actual fault handler.
    handler: Cap,
}

impl ServedInterrupt {
    /// Returns the service.
    pub(crate) fn service(&self) -> ServiceId {
        self.service
    }
}

impl ServedFault {
    /// Returns the service.
    pub(crate) fn service(&self) -> ServiceId {
        self.service
    }
}

impl<M: Machine> Kernel<M> {
    /// Makes a service immediate, if it has a trigger: an interrupt, or for a wipe the faults of a thread.
    pub(crate) fn populate_trigger(&mut self, service: ServiceId, record: &limen_image::Service) {
        if record.interrupt == NONE {
            let wipes = record.kind == ServiceKind::Wipe.as_raw();
            let Some(thread) = Threads::<M>::id(record.thread).filter(|_| wipes) else { return };
            let handler = core::mem::take(&mut self.threads[thread].fault_handler);
            self.served_faults[thread] = Some(ServedFault { service, handler });
            return;
        }
        let Some(irq) = Irqs::id(record.interrupt) else { return };
        let line = self.irqs[irq].line;
        if let Some(place) = self.served_interrupts.iter_mut().find(|place| place.is_none()) {
            *place = Some(ServedInterrupt { line, irq, service });
            self.irq_of_line.get_mut(line.0 as usize).into_iter().for_each(|irq| *irq = None);
        }
    }

    /// Handles an interrupt from a line without an entry in `irq_of_line`.
    #[cold]
    pub(crate) fn serve_interrupting(&mut self, line: Line) -> Outcome {
        let served = self.served_interrupts.iter().flatten().find(|served| served.line == line).copied();
        let Some(ServedInterrupt { irq, service, .. }) = served else { return Outcome::NOTHING };
        self.serve(service);
        self.deliver(irq, line)
    }

    /// Handles a fault of a thread with a null fault handler. Returns the handler that follows the service, or `Null`.
    #[cold]
    pub(crate) fn serve_faulting(&mut self, thread: ThreadId) -> Cap {
        let Some(ServedFault { service, handler }) = self.served_faults[thread] else { return Cap::Null };
        self.serve(service);
        handler
    }

    fn serve(&mut self, service: ServiceId) {
        self.machine.serve_at_once(&mut self.processor.fpu, service);
    }
}
