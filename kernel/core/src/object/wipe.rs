//! Wipes: memory that the kernel clears on an interrupt or a fault, before anything else happens.
//!
//! A protection domain with secrets loses them when a tamper line interrupts, for example because the case is opened,
//! or when the protection domain faults. The kernel clears the memory while it handles the interrupt or fault; the
//! signal or message follows. The time is proportional to the size, with interrupts off, so only little memory may be
//! wiped.
//!
//! Other interrupts and faults pay nothing: a wiping line has no entry in `irq_of_line`, and a thread whose faults
//! wipe has a null fault handler. The paths for those cases look here.

use limen_image::NONE;

use crate::arena::{IrqId, ServiceId, ThreadId};
use crate::cap::Cap;
use crate::event::Outcome;
use crate::kernel::{Irqs, Kernel, Threads};
use crate::machine::{Line, Machine};

/// An interrupt that wipes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WipingInterrupt {
    /// Its line.
    pub line: Line,
    /// The interrupt.
    pub irq: IrqId,
    service: ServiceId,
}

/// A thread whose faults wipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WipingFault {
    service: ServiceId,
    /// The actual fault handler.
    handler: Cap,
}

impl<M: Machine> Kernel<M> {
    /// Makes an interrupt or the faults of a thread wipe, as the image's record says.
    pub(crate) fn populate_wipe(&mut self, service: ServiceId, record: &limen_image::Service) {
        if record.interrupt == NONE {
            let Some(thread) = Threads::<M>::id(record.thread) else { return };
            let handler = core::mem::take(&mut self.threads[thread].fault_handler);
            self.wiping_faults[thread] = Some(WipingFault { service, handler });
            return;
        }
        let Some(irq) = Irqs::id(record.interrupt) else { return };
        let line = self.irqs[irq].line;
        if let Some(place) = self.wiping_interrupts.iter_mut().find(|place| place.is_none()) {
            *place = Some(WipingInterrupt { line, irq, service });
            self.irq_of_line.get_mut(line.0 as usize).into_iter().for_each(|irq| *irq = None);
        }
    }

    /// Handles an interrupt from a line without an entry in `irq_of_line`.
    #[cold]
    pub(crate) fn wipe_for_line(&mut self, line: Line) -> Outcome {
        let wiping = self.wiping_interrupts.iter().flatten().find(|wiping| wiping.line == line).copied();
        let Some(WipingInterrupt { irq, service, .. }) = wiping else { return Outcome::NOTHING };
        self.wipe(service);
        self.deliver(irq, line)
    }

    /// Handles a fault of a thread with a null fault handler. Returns the handler that follows a wipe, or `Null`.
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
