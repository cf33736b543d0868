//! A signal that is added to others, is left for later, or wakes a thread that waits alone and has time of its own.

use limen_abi::Syscall;

use crate::arena::{EndpointId, NotificationId, ThreadId};
use crate::cap::Cap;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::notification::Signals;
use crate::object::thread::State;

impl<M: Machine> Kernel<M> {
    /// Serves the system call `Send` of the current thread; what is not a signal is left to the general path.
    #[inline(never)]
    pub extern "C" fn serve_send(&mut self) -> Option<&mut M::Context> {
        if self.processor.open_call.is_some() {
            return self.flush_and_serve(Syscall::Send.as_raw());
        }
        if let Some(current) = self.processor.current
            && let Some(&Cap::Notification { id, badge, rights }) =
                self.own_cap(current, self.threads[current].context.cptr())
            && rights.can_send()
        {
            return self.serve_signal(current, id, badge);
        }
        self.serve_slowly(Syscall::Send.as_raw())
    }

    #[inline(always)]
    fn serve_signal(&mut self, current: ThreadId, id: NotificationId, badge: u64) -> Option<&mut M::Context> {
        match self.notifications[id].state {
            Signals::Active(bits) => self.leave_signal(current, id, bits | badge),
            Signals::LoneWaiter(thread) => self.serve_wake(current, thread, id, badge, |kernel| {
                kernel.notifications[id].state = Signals::Idle;
            }),
            Signals::Idle => match self.receiving_for(id) {
                None => self.leave_signal(current, id, badge),
                Some((thread, endpoint))
                    if matches!(self.endpoints[endpoint], Endpoint::LoneReceiver { .. }) =>
                {
                    self.serve_wake(current, thread, id, badge, |kernel| {
                        kernel.endpoints[endpoint] = Endpoint::Idle;
                    })
                }
                Some(_) => self.serve_slowly(Syscall::Send.as_raw()),
            },
            Signals::WaiterQueue(_) => self.serve_slowly(Syscall::Send.as_raw()),
        }
    }

    /// The thread that a notification is bound to, if it waits for a message, and where.
    #[inline(always)]
    fn receiving_for(&self, id: NotificationId) -> Option<(ThreadId, EndpointId)> {
        let bound = self.notifications[id].thread?;
        let State::Receiving { endpoint, .. } = self.threads[bound].state else { return None };
        Some((bound, endpoint))
    }

    /// Nobody waits: these bits wait for somebody.
    #[inline(always)]
    fn leave_signal(&mut self, current: ThreadId, id: NotificationId, bits: u64) -> Option<&mut M::Context> {
        self.notifications[id].state = Signals::Active(bits);
        Some(&mut self.threads[current].context)
    }

    /// A thread wakes that waits alone; `leave` takes it out of where it waits. It has time of its own, or runs on what the
    /// notification keeps.
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
            return self.wake_alone(current, thread, badge, leave);
        }
        match self.notifications[id].sched_context {
            Some(kept) if self.sched_contexts[kept].thread.is_none() => {
                self.wake_alone(current, thread, badge, |kernel| {
                    leave(kernel);
                    kernel.sched_contexts[kept].thread = Some(thread);
                    kernel.threads[thread].sched_context = Some(kept);
                })
            }
            _ => self.serve_slowly(Syscall::Send.as_raw()),
        }
    }

    #[inline(always)]
    fn wake_alone(
        &mut self,
        current: ThreadId,
        thread: ThreadId,
        badge: u64,
        prepare: impl FnOnce(&mut Self),
    ) -> Option<&mut M::Context> {
        let (running, woken) = (self.threads[current].priority, self.threads[thread].priority);
        if woken > running {
            if self.processor.queues.ready.surely_below(running) {
                prepare(self);
                self.end_waiting(thread, badge);
                return self.run_above(current, thread);
            }
        } else if self.processor.queues.ready.surely_not_above(running) {
            prepare(self);
            self.end_waiting(thread, badge);
            return self.wake_below(current, thread, woken);
        }
        self.serve_slowly(Syscall::Send.as_raw())
    }

    #[inline(always)]
    fn end_waiting(&mut self, thread: ThreadId, badge: u64) {
        let woken = &mut self.threads[thread];
        woken.state = State::Runnable;
        woken.context.set_badge(badge);
    }

    /// Adds a thread to those that are ready, and goes on with the current one.
    #[inline(always)]
    fn wake_below(&mut self, current: ThreadId, thread: ThreadId, priority: u8) -> Option<&mut M::Context> {
        if self.processor.queues.ready.push_bypass(thread, priority) {
            return Some(&mut self.threads[current].context);
        }
        self.wake_below_others(current, thread, priority)
    }

    /// The same where other threads were added before.
    #[inline(never)]
    fn wake_below_others(
        &mut self,
        current: ThreadId,
        thread: ThreadId,
        priority: u8,
    ) -> Option<&mut M::Context> {
        self.processor.queues.ready.enqueue(&mut self.links, thread, priority);
        Some(&mut self.threads[current].context)
    }
}
