//! Wipes: memory that an interrupt or a fault clears, before anything else happens.
//!
//! A protection domain that holds keys loses them when a line says that somebody opens the case, or when it does something
//! that it should not. The kernel clears them in the middle of the interrupt or fault; the signal or message of that comes
//! after it. It takes as long as there are bytes, with interrupts off, so there may not be many.
//!
//! Neither an interrupt nor a fault without a wipe asks whether there is one: a line that wipes leads to no interrupt, and a
//! thread whose faults wipe has no fault handler, until it is looked up here.

use limen_image::NONE;

use crate::arena::{IrqId, ServiceId, ThreadId};
use crate::cap::Cap;
use crate::event::Outcome;
use crate::kernel::{Irqs, Kernel, Threads};
use crate::machine::{Line, Machine};

/// An interrupt that wipes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WipingInterrupt {
    /// The line that it comes from.
    pub line: Line,
    /// The interrupt.
    pub irq: IrqId,
    service: ServiceId,
}

/// A thread whose faults wipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WipingFault {
    service: ServiceId,
    /// Where the fault goes then.
    handler: Cap,
}

impl<M: Machine> Kernel<M> {
    /// Makes an interrupt or the faults of a thread wipe, as an image's record says.
    pub(crate) fn populate_wipe(&mut self, service: ServiceId, record: &limen_image::Service) {
        if record.owner == NONE {
            let Some(thread) = Threads::<M>::id(record.thread) else { return };
            let handler = core::mem::take(&mut self.threads[thread].fault_handler);
            self.wiping_faults[thread] = Some(WipingFault { service, handler });
            return;
        }
        let Some(irq) = Irqs::id(record.owner) else { return };
        let line = self.irqs[irq].line;
        if let Some(place) = self.wiping_interrupts.iter_mut().find(|place| place.is_none()) {
            *place = Some(WipingInterrupt { line, irq, service });
            self.irq_of_line.get_mut(line.0 as usize).into_iter().for_each(|irq| *irq = None);
        }
    }

    /// A line has interrupted that leads to no interrupt.
    #[cold]
    pub(crate) fn wipe_for_line(&mut self, line: Line) -> Outcome {
        let wiping = self.wiping_interrupts.iter().flatten().find(|wiping| wiping.line == line).copied();
        let Some(WipingInterrupt { irq, service, .. }) = wiping else { return Outcome::NOTHING };
        self.wipe(service);
        self.deliver(irq, line)
    }

    /// A thread without a fault handler has faulted: it may have one behind a wipe.
    #[cold]
    pub(crate) fn wipe_for_fault(&mut self, thread: ThreadId) -> Cap {
        let Some(WipingFault { service, handler }) = self.wiping_faults[thread] else { return Cap::Null };
        self.wipe(service);
        handler
    }

    fn wipe(&mut self, service: ServiceId) {
        self.machine.wipe(&mut self.processor.fpu, service);
    }
}
