//! A signal that is stored, or wakes a thread that waits alone and has time to run.

use limen_abi::Syscall;

use crate::arena::{EndpointId, NotificationId, ThreadId};
use crate::cap::Cap;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::notification::Signals;
use crate::object::thread::State;

/// What a thread does after its signal.
pub(super) trait Signaller<M: Machine>: Copy {
    /// The system call, for the slow path.
    const CALL: Syscall;

    /// The signal was stored, because no thread waits.
    fn go_on(self, kernel: &mut Kernel<M>) -> Option<&mut M::Context>;

    /// The signal wakes a thread that waits alone and has time to run; `prepare` removes it from where it waits. Must
    /// change nothing before it falls back to the slow path.
    fn wake(
        self,
        kernel: &mut Kernel<M>,
        thread: ThreadId,
        badge: u64,
        prepare: impl FnOnce(&mut Kernel<M>),
    ) -> Option<&mut M::Context>;
}

/// A thread that only signals.
#[derive(Clone, Copy)]
struct Continues(ThreadId);

impl<M: Machine> Signaller<M> for Continues {
    const CALL: Syscall = Syscall::Send;

    #[inline(always)]
    fn go_on(self, kernel: &mut Kernel<M>) -> Option<&mut M::Context> {
        Some(&mut kernel.threads[self.0].context)
    }

    #[inline(always)]
    fn wake(
        self,
        kernel: &mut Kernel<M>,
        thread: ThreadId,
        badge: u64,
        prepare: impl FnOnce(&mut Kernel<M>),
    ) -> Option<&mut M::Context> {
        let (running, woken) = (kernel.threads[self.0].priority, kernel.threads[thread].priority);
        if woken > running {
            if kernel.outranks_ready(self.0) {
                if kernel.processor.open_call.is_some() {
                    return kernel.flush_and_serve(Syscall::Send.as_raw());
                }
                prepare(kernel);
                kernel.end_waiting(thread, badge);
                return kernel.preempt_for(self.0, thread);
            }
        } else if kernel.processor.queues.ready.surely_not_above(running) {
            prepare(kernel);
            kernel.end_waiting(thread, badge);
            return kernel.wake_below(self.0, thread, woken);
        }
        kernel.serve_slowly(Syscall::Send.as_raw())
    }
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `Send` of the current thread; anything but a signal takes the slow path.
    #[inline(never)]
    pub extern "C" fn serve_send(&mut self) -> Option<&mut M::Context> {
        if let Some(current) = self.processor.current
            && let Some(&Cap::Notification { id, badge, rights }) =
                self.own_cap(current, self.threads[current].context.cptr())
            && rights.can_send()
        {
            return self.serve_signal(Continues(current), id, badge);
        }
        self.serve_slowly(Syscall::Send.as_raw())
    }

    #[inline(always)]
    pub(super) fn serve_signal<S: Signaller<M>>(
        &mut self,
        sender: S,
        id: NotificationId,
        badge: u64,
    ) -> Option<&mut M::Context> {
        match self.notifications[id].state {
            Signals::Active(bits) => self.store_signal(sender, id, bits | badge),
            Signals::LoneWaiter(thread) => self.serve_wake(sender, thread, id, badge, |kernel| {
                kernel.notifications[id].state = Signals::Idle;
            }),
            Signals::Idle => match self.receiving_for(id) {
                None => self.store_signal(sender, id, badge),
                Some((thread, endpoint))
                    if matches!(self.endpoints[endpoint], Endpoint::LoneReceiver { .. }) =>
                {
                    if let Some(open) = self.processor.open_call
                        && self.may_serve(endpoint, open)
                    {
                        return self.flush_and_serve(S::CALL.as_raw());
                    }
                    self.serve_wake(sender, thread, id, badge, |kernel| {
                        kernel.endpoints[endpoint] = Endpoint::Idle;
                    })
                }
                Some(_) => self.serve_slowly(S::CALL.as_raw()),
            },
            Signals::WaiterQueue(_) => self.serve_slowly(S::CALL.as_raw()),
        }
    }

    /// The thread that a notification is bound to and the endpoint, if it is receiving there.
    #[inline(always)]
    fn receiving_for(&self, id: NotificationId) -> Option<(ThreadId, EndpointId)> {
        let bound = self.notifications[id].thread?;
        let State::Receiving { endpoint, .. } = self.threads[bound].state else { return None };
        Some((bound, endpoint))
    }

    /// Stores these bits, because no thread waits.
    #[inline(always)]
    fn store_signal(
        &mut self,
        sender: impl Signaller<M>,
        id: NotificationId,
        bits: u64,
    ) -> Option<&mut M::Context> {
        self.notifications[id].state = Signals::Active(bits);
        sender.go_on(self)
    }

    /// Wakes a thread that waits alone, after `leave` has removed it from the object that it waits on. It has a scheduling
    /// context, or takes the one that is bound to the notification.
    #[inline(always)]
    fn serve_wake<S: Signaller<M>>(
        &mut self,
        sender: S,
        thread: ThreadId,
        id: NotificationId,
        badge: u64,
        leave: impl FnOnce(&mut Self),
    ) -> Option<&mut M::Context> {
        if self.threads[thread].sched_context.is_some() {
            return sender.wake(self, thread, badge, leave);
        }
        match self.notifications[id].sched_context {
            Some(bound) if self.sched_contexts[bound].thread.is_none() => {
                sender.wake(self, thread, badge, |kernel| {
                    leave(kernel);
                    kernel.sched_contexts[bound].thread = Some(thread);
                    kernel.threads[thread].sched_context = Some(bound);
                })
            }
            _ => self.serve_slowly(S::CALL.as_raw()),
        }
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
