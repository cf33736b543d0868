//! An interrupt of a device, which signals a thread that waits alone.

use crate::event::Event;
use crate::kernel::Kernel;
use crate::machine::{Interrupt, Machine};
use crate::object::irq::State;

impl<M: Machine> Kernel<M> {
    /// Serves an interrupt. Returns the registers to return with; none means to idle.
    #[inline(never)]
    pub fn serve_interrupt(&mut self) -> Option<&mut M::Context> {
        let Some(current) = self.processor.current else { return self.serve_while_idle() };
        let interrupt = self.machine.acknowledge_interrupt();
        if let Some(Interrupt::Line(line)) = interrupt
            && let Some(&Some(id)) = self.irq_of_line.get(line.0 as usize)
            && self.irqs[id].state == State::Armed
        {
            let irq = &mut self.irqs[id];
            irq.state = State::Delivered;
            let (notification, badge) = (irq.notification, irq.badge);
            return self.serve_signal(current, notification, badge);
        }
        self.serve_acknowledged(interrupt)
    }

    /// Serves an interrupt while the processor idles, or the running thread is hidden.
    #[inline(never)]
    fn serve_while_idle(&mut self) -> Option<&mut M::Context> {
        if self.measures() {
            self.handle_rarely(Event::Interrupt);
        } else {
            self.stop_idling();
        }
        self.running()
    }

    /// Serves an interrupt on the slow path, after the machine has returned it.
    #[inline(never)]
    fn serve_acknowledged(&mut self, interrupt: Option<Interrupt>) -> Option<&mut M::Context> {
        self.flush_open_call();
        let outcome = self.interrupt(interrupt);
        self.schedule(outcome);
        self.running()
    }
}
