//! A signal that is stored, or wakes a thread that waits alone and has time to run.

use limen_abi::Syscall;

use crate::arena::{EndpointId, NotificationId, ThreadId};
use crate::cap::{Cap, ObjectKind};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::notification::Signals;
use crate::object::thread::{State, Thread};

impl<M: Machine> Kernel<M> {
    /// Serves the system call `Send` of the current thread; anything but a signal takes the slow path.
    #[inline(never)]
    pub extern "C" fn serve_send(&mut self) -> Option<&mut M::Context> {
        if let Some(current) = self.processor.current
            && let Thread { context, caps, .. } = &self.threads[current]
            && let Some(&Cap::Notification { id, badge, rights }) = caps.lookup(context.cptr())
            && rights.can_send()
        {
            return self.signal_at_once(current, id, badge);
        }
        self.serve_other_send()
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
        self.signal_at_once(current, id, badge)
    }

    #[inline(always)]
    fn signal_at_once(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        badge: u64,
    ) -> Option<&mut M::Context> {
        match self.notifications[id].state {
            Signals::Active(bits) => self.store_signal(current, id, bits | badge),
            Signals::LoneWaiter(thread) => self.serve_wake(current, thread, id, badge, |kernel| {
                kernel.notifications[id].state = Signals::Idle;
            }),
            Signals::Idle => match self.receiving_for(id) {
                None => self.store_signal(current, id, badge),
                Some((thread, endpoint))
                    if matches!(self.endpoints[endpoint], Endpoint::LoneReceiver { .. }) =>
                {
                    if let Some(open) = self.processor.open_call
                        && self.may_serve(endpoint, open)
                    {
                        return self.flush_and_signal(current, id, badge);
                    }
                    self.serve_wake(current, thread, id, badge, |kernel| {
                        kernel.endpoints[endpoint] = Endpoint::Idle;
                    })
                }
                Some(_) => self.signal_slowly(id, badge),
            },
            Signals::WaiterQueue(_) => self.signal_slowly(id, badge),
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

    /// The thread that a notification is bound to and the endpoint, if it is receiving there.
    #[inline(always)]
    pub(super) fn receiving_for(&self, id: NotificationId) -> Option<(ThreadId, EndpointId)> {
        let bound = self.notifications[id].thread?;
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
        current: ThreadId,
        thread: ThreadId,
        id: NotificationId,
        badge: u64,
        leave: impl FnOnce(&mut Self),
    ) -> Option<&mut M::Context> {
        if self.threads[thread].sched_context.is_some() {
            return self.wake_alone(current, thread, id, badge, leave);
        }
        match self.notifications[id].sched_context {
            Some(bound) if self.sched_contexts[bound].thread.is_none() => {
                self.wake_alone(current, thread, id, badge, |kernel| {
                    leave(kernel);
                    kernel.sched_contexts[bound].thread = Some(thread);
                    kernel.threads[thread].sched_context = Some(bound);
                })
            }
            _ => self.signal_slowly(id, badge),
        }
    }

    #[inline(always)]
    fn wake_alone(
        &mut self,
        current: ThreadId,
        thread: ThreadId,
        id: NotificationId,
        badge: u64,
        prepare: impl FnOnce(&mut Self),
    ) -> Option<&mut M::Context> {
        let (running, woken) = (self.threads[current].priority, self.threads[thread].priority);
        if woken > running {
            if self.outranks_ready(current) {
                if self.processor.open_call.is_some() {
                    return self.flush_and_signal(current, id, badge);
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
        self.signal_slowly(id, badge)
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
