//! The system call `NbSendRecv`, with which event loops signal or acknowledge what a program deferred, and receive.

use limen_abi::{Label, Syscall};

use super::receive::Received;
use crate::arena::{EndpointId, IrqId, NotificationId, SchedContextId, ThreadId};
use crate::cap::Cap;
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::irq::State;
use crate::object::notification::Signals;

/// A receive that is known to succeed or block.
struct Receive {
    inbox: Inbox,
    received: Received,
}

/// The effect of a signal.
enum Signal {
    /// These bits are stored, because no thread waits.
    Stored(u64),
    /// A thread that waits alone is woken. It waits at this endpoint or at the notification, and may take the scheduling
    /// context that is bound to the notification.
    Wakes(ThreadId, Option<EndpointId>, Option<SchedContextId>),
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `NbSendRecv` of the current thread; anything but a signal or an acknowledgement takes the
    /// slow path.
    #[inline(never)]
    pub fn serve_nb_send_recv(&mut self) -> Option<&mut M::Context> {
        if let Some((current, cap)) = self.deferred()
            && let Some(receive) = self.plan_deferred(current)
        {
            match cap {
                Cap::Notification { id, badge, rights }
                    if rights.can_send() && !self.receives_from(current, receive.inbox, id) =>
                {
                    return self.serve_deferred_signal(current, &receive, id, badge);
                }
                Cap::Interrupt(id) if self.is_acknowledgement(current, id) => {
                    self.acknowledge_at_once(id);
                    return self.serve_planned_receive(current, &receive);
                }
                _ => {}
            }
        }
        self.serve_slowly(Syscall::NbSendRecv.as_raw())
    }

    #[inline(always)]
    fn serve_deferred_signal(
        &mut self,
        current: ThreadId,
        receive: &Receive,
        id: NotificationId,
        badge: u64,
    ) -> Option<&mut M::Context> {
        let running = self.threads[current].priority;
        match (self.plan_signal(id, badge), &receive.received) {
            (Some(Signal::Stored(bits)), _) => {
                self.notifications[id].state = Signals::Active(bits);
                self.serve_planned_receive(current, receive)
            }
            (Some(Signal::Wakes(woken, at, lent)), Received::Nothing(time)) if self.outranks_ready(woken) => {
                self.wake_from(woken, id, badge, at, lent);
                self.block_on(current, receive.inbox, *time);
                self.run_on_other_time(woken)
            }
            (Some(Signal::Wakes(woken, at, lent)), Received::Signals(own, bits))
                if self.threads[woken].priority <= running
                    && self.processor.queues.ready.surely_not_above(running) =>
            {
                self.wake_from(woken, id, badge, at, lent);
                self.take_signals(current, *own, *bits);
                self.wake_below(current, woken, self.threads[woken].priority)
            }
            _ => self.serve_slowly(Syscall::NbSendRecv.as_raw()),
        }
    }

    #[inline(always)]
    fn serve_planned_receive(&mut self, current: ThreadId, receive: &Receive) -> Option<&mut M::Context> {
        match receive.received {
            Received::Signals(id, badge) => self.take_signals(current, id, badge),
            Received::Nothing(time) => {
                self.block_on(current, receive.inbox, time);
                self.run_next()
            }
        }
    }

    #[inline(always)]
    fn plan_signal(&self, id: NotificationId, badge: u64) -> Option<Signal> {
        let (thread, at) = match self.notifications[id].state {
            Signals::Active(bits) => return Some(Signal::Stored(bits | badge)),
            Signals::LoneWaiter(thread) => (thread, None),
            Signals::Idle => match self.receiving(self.notifications[id].thread) {
                None => return Some(Signal::Stored(badge)),
                Some((thread, endpoint)) => {
                    let is_alone = matches!(self.endpoints[endpoint], Endpoint::LoneReceiver { .. });
                    (thread, is_alone.then_some(Some(endpoint))?)
                }
            },
            Signals::WaiterQueue(_) => return None,
        };
        if self.threads[thread].sched_context.is_some() {
            return Some(Signal::Wakes(thread, at, None));
        }
        let bound = self.notifications[id].sched_context?;
        self.sched_contexts[bound].thread.is_none().then_some(Signal::Wakes(thread, at, Some(bound)))
    }

    #[inline(always)]
    fn wake_from(
        &mut self,
        thread: ThreadId,
        id: NotificationId,
        badge: u64,
        at: Option<EndpointId>,
        lent: Option<SchedContextId>,
    ) {
        match at {
            Some(endpoint) => self.endpoints[endpoint] = Endpoint::Idle,
            None => self.notifications[id].state = Signals::Idle,
        }
        if let Some(lent) = lent {
            self.sched_contexts[lent].thread = Some(thread);
            self.threads[thread].sched_context = Some(lent);
        }
        self.end_waiting(thread, badge);
    }

    /// The current thread, and the capability that it sends to, if no call is open.
    #[inline(always)]
    fn deferred(&self) -> Option<(ThreadId, Cap)> {
        let current = self.processor.current.filter(|_| self.processor.open_call.is_none())?;
        let cap = self.own_cap(current, self.threads[current].context.send_cptr())?;
        Some((current, *cap))
    }

    #[inline(always)]
    fn plan_deferred(&self, current: ThreadId) -> Option<Receive> {
        let inbox = self.usual_inbox(current);
        let received = match inbox {
            Inbox::Endpoint(endpoint, reply) => self.plan_receive(current, endpoint, reply),
            Inbox::Notification(id) => self.plan_wait(current, id),
            Inbox::None => None,
        }?;
        Some(Receive { inbox, received })
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
