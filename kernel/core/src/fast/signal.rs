//! A signal that is stored, or wakes a thread that waits alone and has time to run.

use limen_abi::Syscall;

use crate::arena::{EndpointId, Id, NotificationId, ThreadId};
use crate::cap::{Cap, ObjectKind};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::notification::{Notification, Signals};
use crate::object::thread::{State, Thread};

/// The origin of a signal.
#[derive(Clone, Copy)]
enum Origin {
    /// The system call `Send`. What it names is looked up again on rare ways, so that no register is saved on the others.
    Send,
    /// An interrupt, or another system call.
    Other,
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `Send` of the current thread; anything but a signal takes the slow path.
    #[inline(never)]
    pub extern "C" fn serve_send(&mut self) -> Option<&mut M::Context> {
        match self.plan_send() {
            Some((current, id, badge)) => self.signal_at_once(current, id, badge, Origin::Send),
            None => self.serve_other_send(),
        }
    }

    /// The current thread, the notification that it signals, and the badge.
    #[inline(always)]
    fn plan_send(&self) -> Option<(ThreadId, NotificationId, u64)> {
        if M::READS_AHEAD {
            M::read_ahead(self.threads.any(self.processor.current).context.cptr());
        }
        let current = self.processor.current?;
        let Thread { context, caps, .. } = &self.threads[current];
        let Cap::Notification { id, badge, rights } = *caps.lookup(context.cptr())? else { return None };
        if M::READS_AHEAD {
            M::read_ahead(Id::number(Some(id)) as u64);
            M::read_ahead(badge);
        }
        rights.can_send().then_some((current, id, badge))
    }

    /// Serves a signal to a notification of another processor, or a send that is no signal.
    #[inline(never)]
    fn serve_other_send(&mut self) -> Option<&mut M::Context> {
        if let Some(current) = self.processor.current
            && let Some(cap) = self.own_cap(current, self.threads[current].context.cptr())
            && let Some(object) = cap.as_elsewhere()
            && object.kind == ObjectKind::Notification
            && object.rights.can_send()
        {
            self.signal_elsewhere(object);
            return Some(&mut self.threads[current].context);
        }
        self.serve_slowly(Syscall::Send.as_raw())
    }

    /// Signals while `current` runs. A copy of its own keeps `Send` without a jump.
    #[inline(never)]
    pub(super) fn serve_signal(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        badge: u64,
    ) -> Option<&mut M::Context> {
        self.signal_at_once(current, id, badge, Origin::Other)
    }

    #[inline(always)]
    fn signal_at_once(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        badge: u64,
        origin: Origin,
    ) -> Option<&mut M::Context> {
        let Notification { state, thread: bound, .. } = self.notifications[id];
        match state {
            Signals::Active(bits) => self.store_signal(current, id, bits | badge),
            Signals::LoneWaiter(thread) => self.serve_wake((current, thread), id, badge, origin, |kernel| {
                kernel.notifications[id].state = Signals::Idle;
            }),
            Signals::Idle => match self.receiving(bound) {
                None => self.store_signal(current, id, badge),
                Some((thread, endpoint))
                    if matches!(self.endpoints[endpoint], Endpoint::LoneReceiver { .. }) =>
                {
                    if let Some(open) = self.processor.open_call
                        && self.may_serve(endpoint, open)
                    {
                        return self.signal_after_flush(current, id, badge, origin);
                    }
                    self.serve_wake((current, thread), id, badge, origin, |kernel| {
                        kernel.endpoints[endpoint] = Endpoint::Idle;
                    })
                }
                Some(_) => self.signal_otherwise(id, badge, origin),
            },
            Signals::WaiterQueue(_) => self.signal_otherwise(id, badge, origin),
        }
    }

    /// Signals when open calls are flushed.
    #[inline(always)]
    fn signal_after_flush(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        badge: u64,
        origin: Origin,
    ) -> Option<&mut M::Context> {
        match origin {
            Origin::Send => self.flush_and_serve_send(),
            Origin::Other => self.flush_and_signal(current, id, badge),
        }
    }

    #[inline(always)]
    fn signal_otherwise(
        &mut self,
        id: NotificationId,
        badge: u64,
        origin: Origin,
    ) -> Option<&mut M::Context> {
        match origin {
            Origin::Send => self.send_slowly(),
            Origin::Other => self.signal_slowly(id, badge),
        }
    }

    #[inline(never)]
    fn flush_and_serve_send(&mut self) -> Option<&mut M::Context> {
        self.flush_open_call();
        self.serve_send()
    }

    #[inline(never)]
    fn send_slowly(&mut self) -> Option<&mut M::Context> {
        match self.plan_send() {
            Some((_, id, badge)) => self.signal_slowly(id, badge),
            None => self.serve_other_send(),
        }
    }

    /// Flushes the open calls of the server `current`, and signals.
    #[inline(never)]
    fn flush_and_signal(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        badge: u64,
    ) -> Option<&mut M::Context> {
        self.flush_open_call();
        self.serve_signal(current, id, badge)
    }

    /// Signals on the slow path.
    #[inline(never)]
    fn signal_slowly(&mut self, id: NotificationId, badge: u64) -> Option<&mut M::Context> {
        self.flush_open_call();
        let outcome = self.signal(id, badge);
        self.schedule(outcome);
        self.running()
    }

    /// The thread that a notification is bound to, and the endpoint at which it is receiving.
    #[inline(always)]
    pub(super) fn receiving(&self, bound: Option<ThreadId>) -> Option<(ThreadId, EndpointId)> {
        let bound = bound?;
        let State::Receiving { endpoint, .. } = self.threads[bound].state else { return None };
        Some((bound, endpoint))
    }

    /// Stores these bits, because no thread waits.
    #[inline(always)]
    fn store_signal(&mut self, current: ThreadId, id: NotificationId, bits: u64) -> Option<&mut M::Context> {
        self.notifications[id].state = Signals::Active(bits);
        Some(&mut self.threads[current].context)
    }

    /// Wakes a thread that waits alone, after `leave` has removed it from the object that it waits on. It has a scheduling
    /// context, or takes the one that is bound to the notification.
    #[inline(always)]
    fn serve_wake(
        &mut self,
        (current, thread): (ThreadId, ThreadId),
        id: NotificationId,
        badge: u64,
        origin: Origin,
        leave: impl FnOnce(&mut Self),
    ) -> Option<&mut M::Context> {
        if M::READS_AHEAD {
            let woken = &self.threads[thread];
            M::read_ahead(u64::from(self.threads[current].priority));
            self.processor.queues.ready.read_ahead::<M>();
            M::read_ahead(Id::number(woken.sched_context) as u64);
            M::read_ahead(u64::from(woken.priority));
        }
        if self.threads[thread].sched_context.is_some() {
            return self.wake_alone((current, thread), id, badge, origin, leave);
        }
        match self.notifications[id].sched_context {
            Some(bound) if self.sched_contexts[bound].thread.is_none() => {
                self.wake_alone((current, thread), id, badge, origin, |kernel| {
                    leave(kernel);
                    kernel.sched_contexts[bound].thread = Some(thread);
                    kernel.threads[thread].sched_context = Some(bound);
                })
            }
            _ => self.signal_otherwise(id, badge, origin),
        }
    }

    #[inline(always)]
    fn wake_alone(
        &mut self,
        (current, thread): (ThreadId, ThreadId),
        id: NotificationId,
        badge: u64,
        origin: Origin,
        prepare: impl FnOnce(&mut Self),
    ) -> Option<&mut M::Context> {
        let (running, woken) = (self.threads[current].priority, self.threads[thread].priority);
        if woken > running {
            if self.outranks_ready(current) {
                if self.processor.open_call.is_some() {
                    return self.signal_after_flush(current, id, badge, origin);
                }
                prepare(self);
                self.end_waiting(thread, badge);
                return self.preempt_for(current, thread);
            }
        } else if self.processor.queues.ready.surely_not_above(running) {
            prepare(self);
            self.end_waiting(thread, badge);
            return self.wake_below(current, thread, woken);
        }
        self.signal_otherwise(id, badge, origin)
    }

    #[inline(always)]
    pub(super) fn end_waiting(&mut self, thread: ThreadId, badge: u64) {
        let woken = &mut self.threads[thread];
        woken.state = State::Runnable;
        woken.context.set_badge(badge);
    }

    /// Enqueues a woken thread, and continues with the current one.
    #[inline(always)]
    pub(super) fn wake_below(
        &mut self,
        current: ThreadId,
        thread: ThreadId,
        priority: u8,
    ) -> Option<&mut M::Context> {
        if self.processor.queues.ready.push_bypass(thread, priority) {
            return Some(&mut self.threads[current].context);
        }
        self.wake_below_queued(current, thread, priority)
    }

    /// Enqueues a woken thread that cannot take the bypass of the ready queues.
    #[inline(never)]
    fn wake_below_queued(
        &mut self,
        current: ThreadId,
        thread: ThreadId,
        priority: u8,
    ) -> Option<&mut M::Context> {
        self.processor.queues.ready.enqueue(&mut self.links, thread, priority);
        Some(&mut self.threads[current].context)
    }
}
