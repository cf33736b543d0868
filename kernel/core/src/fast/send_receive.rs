//! The system call `NbSendRecv`, with which event loops signal or acknowledge what a program deferred, and receive.

use limen_abi::{Label, Syscall};

use super::receive::Received;
use super::signal::Signaller;
use crate::arena::{IrqId, NotificationId, ThreadId};
use crate::cap::Cap;
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::irq::State;

/// A thread that receives after its signal, and the outcome of the receive.
#[derive(Clone, Copy)]
struct Receives {
    current: ThreadId,
    inbox: Inbox,
    received: Received,
}

impl<M: Machine> Signaller<M> for Receives {
    const CALL: Syscall = Syscall::NbSendRecv;

    #[inline(always)]
    fn go_on(self, kernel: &mut Kernel<M>) -> Option<&mut M::Context> {
        match self.received {
            Received::Signals(id, badge) => kernel.take_signals(self.current, id, badge),
            Received::Nothing(time) => {
                kernel.block_on(self.current, self.inbox, time);
                kernel.run_next()
            }
        }
    }

    #[inline(always)]
    fn wake(
        self,
        kernel: &mut Kernel<M>,
        thread: ThreadId,
        badge: u64,
        prepare: impl FnOnce(&mut Kernel<M>),
    ) -> Option<&mut M::Context> {
        let woken = kernel.threads[thread].priority;
        match self.received {
            Received::Nothing(time) if kernel.outranks_ready(thread) => {
                prepare(kernel);
                kernel.end_waiting(thread, badge);
                kernel.block_on(self.current, self.inbox, time);
                kernel.run_on_other_time(thread)
            }
            Received::Signals(id, own_badge)
                if woken <= kernel.threads[self.current].priority
                    && kernel
                        .processor
                        .queues
                        .ready
                        .surely_not_above(kernel.threads[self.current].priority) =>
            {
                prepare(kernel);
                kernel.end_waiting(thread, badge);
                kernel.take_signals(self.current, id, own_badge);
                kernel.wake_below(self.current, thread, woken)
            }
            _ => kernel.serve_slowly(Syscall::NbSendRecv.as_raw()),
        }
    }
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `NbSendRecv` of the current thread; anything but a signal or an acknowledgement takes the
    /// slow path.
    #[inline(never)]
    pub fn serve_nb_send_recv(&mut self) -> Option<&mut M::Context> {
        if let Some((current, cap)) = self.deferred()
            && let Some(receives) = self.plan_deferred(current)
        {
            match cap {
                Cap::Notification { id, badge, rights }
                    if rights.can_send() && !self.receives_from(current, receives.inbox, id) =>
                {
                    return self.serve_signal(receives, id, badge);
                }
                Cap::Interrupt(id) if self.is_acknowledgement(current, id) => {
                    self.acknowledge_at_once(id);
                    return receives.go_on(self);
                }
                _ => {}
            }
        }
        self.serve_slowly(Syscall::NbSendRecv.as_raw())
    }

    /// The current thread, and the capability that it sends to, if no call is open.
    #[inline(always)]
    fn deferred(&self) -> Option<(ThreadId, Cap)> {
        let current = self.processor.current.filter(|_| self.processor.open_call.is_none())?;
        let cap = self.own_cap(current, self.threads[current].context.send_cptr())?;
        Some((current, *cap))
    }

    #[inline(always)]
    fn plan_deferred(&self, current: ThreadId) -> Option<Receives> {
        let inbox = self.usual_inbox(current);
        let received = match inbox {
            Inbox::Endpoint(endpoint, reply) => self.plan_receive(current, endpoint, reply),
            Inbox::Notification(id) => self.plan_wait(current, id),
            Inbox::None => None,
        }?;
        Some(Receives { current, inbox, received })
    }

    /// Whether a signal to this notification is one to the thread itself.
    #[inline(always)]
    fn receives_from(&self, current: ThreadId, inbox: Inbox, id: NotificationId) -> bool {
        inbox == Inbox::Notification(id) || self.threads[current].notification == Some(id)
    }

    /// Whether the message of a thread acknowledges this interrupt, which has occurred once.
    #[inline(always)]
    pub(super) fn is_acknowledgement(&self, current: ThreadId, id: IrqId) -> bool {
        let info = self.threads[current].context.info();
        info.label() == Label::IrqHandlerAck.as_raw()
            && info.extra_caps() == 0
            && self.irqs[id].state == State::Delivered
    }

    #[inline(always)]
    pub(super) fn acknowledge_at_once(&mut self, id: IrqId) {
        self.irqs[id].state = State::Armed;
        self.machine.complete_interrupt(self.irqs[id].line);
    }
}
