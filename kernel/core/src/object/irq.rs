//! Device interrupts: a line of the interrupt controller, and the notification that it signals.
//!
//! ```text
//!            deliver: signal                     deliver: remember, mask the line
//!   Armed -------------------------> Delivered ----------------------------------> DeliveredAgain
//!    ^                                 |   ^                                              |
//!    '---------- acknowledge ----------'   '------ acknowledge: unmask, signal -----------'
//! ```
//!
//! The machine keeps a line quiet from its interrupt until the program acknowledges it, so a device without a running
//! driver interrupts only once. If the controller would lose an edge in that time, the machine reports it at once and
//! the state records it; any number of edges becomes one more signal. So each acknowledgement allows at most two
//! interrupts, and no edge is lost. Lines start armed. What a line signals is fixed at build time.

use limen_abi::Label;

use crate::arena::{IrqId, NotificationId};
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Line, Machine};
use crate::message::Answer;

/// A device interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Irq {
    /// See the diagram above.
    pub state: State,
    /// Its line.
    pub line: Line,
    /// The notification that it signals.
    pub notification: NotificationId,
    /// The bits that it signals.
    pub badge: u64,
}

/// The state of an interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// The line may interrupt.
    Armed,
    /// The line has interrupted and has not been acknowledged.
    Delivered,
    /// As `Delivered`, and the line has interrupted again.
    DeliveredAgain,
}

impl Irq {
    /// An interrupt that the system does not use; no line refers to it.
    pub const UNUSED: Self =
        Self { state: State::Armed, line: Line(0), notification: NotificationId::ANY, badge: 0 };
}

/// A checked request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Request {
    /// Allow the line to interrupt again.
    Acknowledge(IrqId),
}

impl Request {
    /// Decodes an invocation of an interrupt.
    pub(crate) fn decode<M: Machine>(id: IrqId, arguments: &Arguments<'_, M>) -> Result<Self, InvokeError> {
        match arguments.label() {
            Some(Label::IrqHandlerAck) => Ok(Self::Acknowledge(id)),
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    /// Performs a decoded request.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        let Self::Acknowledge(id) = self;
        (Answer::Empty, kernel.acknowledge(id))
    }
}

impl<M: Machine> Kernel<M> {
    /// Handles an interrupt from a line. A line without an interrupt object stays as the machine left it.
    #[inline]
    pub(crate) fn deliver_interrupt(&mut self, line: Line) -> Outcome {
        match self.irq_of_line.get(line.0 as usize).copied().flatten() {
            Some(id) => self.deliver(id, line),
            None => self.serve_interrupting(line),
        }
    }

    /// Delivers an interrupt from its line.
    #[inline]
    pub(crate) fn deliver(&mut self, id: IrqId, line: Line) -> Outcome {
        let irq = &mut self.irqs[id];
        if irq.state == State::Armed {
            irq.state = State::Delivered;
            let (notification, badge) = (irq.notification, irq.badge);
            self.signal(notification, badge)
        } else {
            irq.state = State::DeliveredAgain;
            self.machine.mask_line(line);
            Outcome::NOTHING
        }
    }

    /// Acknowledges an interrupt for its driver. Does nothing if none is pending.
    fn acknowledge(&mut self, id: IrqId) -> Outcome {
        let irq = &mut self.irqs[id];
        let Irq { state, line, notification, badge } = *irq;
        match state {
            State::Armed => Outcome::NOTHING,
            State::Delivered => {
                irq.state = State::Armed;
                self.machine.complete_interrupt(line);
                Outcome::NOTHING
            }
            State::DeliveredAgain => {
                irq.state = State::Delivered;
                self.machine.unmask_line(line);
                self.signal(notification, badge)
            }
        }
    }
}
