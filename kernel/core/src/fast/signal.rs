//! A signal that is added to others, is left for later, or wakes a thread that waits alone and has time of its own.

use limen_abi::Syscall;

use crate::arena::{EndpointId, NotificationId, ThreadId};
use crate::cap::Cap;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::notification::Signals;
use crate::object::thread::State;

/// What a signal does.
enum Effect {
    /// Nobody waits: these bits wait for somebody.
    Left(u64),
    /// A thread wakes, and is not above the current one.
    WakesBelow(ThreadId, Place),
    /// A thread wakes and runs, because it is above the current one.
    WakesAbove(ThreadId, Place),
}

/// Where a thread waits.
#[derive(Clone, Copy)]
enum Place {
    Notification,
    Endpoint(EndpointId),
}

impl<M: Machine> Kernel<M> {
    /// A send; what is not a signal is left to the general path.
    #[inline(never)]
    pub(super) fn serve_send(&mut self) -> Option<&mut M::Context> {
        if self.core.open_call.is_some() {
            return self.settle_and_serve(Syscall::Send.as_raw());
        }
        if let Some(current) = self.core.current
            && let Some(&Cap::Notification { id, badge, rights }) =
                self.own_cap(current, self.threads[current].context.cptr())
            && rights.can_send()
            && let Some(effect) = self.plan_signal(current, id, badge)
        {
            return self.carry_out_signal(current, id, badge, effect);
        }
        self.serve_in_general(Syscall::Send.as_raw())
    }

    #[inline(always)]
    fn plan_signal(&self, current: ThreadId, id: NotificationId, badge: u64) -> Option<Effect> {
        let notification = &self.notifications[id];
        let (thread, place) = match notification.state {
            Signals::Active(bits) => return Some(Effect::Left(bits | badge)),
            Signals::Waiting(queue) => (queue.only()?, Place::Notification),
            Signals::Idle => {
                let Some(bound) = notification.thread else { return Some(Effect::Left(badge)) };
                let State::Receiving { endpoint, .. } = self.threads[bound].state else {
                    return Some(Effect::Left(badge));
                };
                let Endpoint::Receiver { .. } = self.endpoints[endpoint] else { return None };
                (bound, Place::Endpoint(endpoint))
            }
        };
        if self.threads[thread].sched_context.is_none() {
            // It would run on what the notification keeps, if nobody runs on that.
            let kept = notification.sched_context?;
            if self.sched_contexts[kept].thread.is_some() {
                return None;
            }
        }
        let (running, woken) = (self.threads[current].priority, self.threads[thread].priority);
        let ready = &self.core.queues.ready;
        if woken <= running {
            ready.none_above(running).then_some(Effect::WakesBelow(thread, place))
        } else {
            ready.none_from(running).then_some(Effect::WakesAbove(thread, place))
        }
    }

    #[inline(always)]
    fn carry_out_signal(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        badge: u64,
        effect: Effect,
    ) -> Option<&mut M::Context> {
        match effect {
            Effect::Left(bits) => self.notifications[id].state = Signals::Active(bits),
            Effect::WakesBelow(thread, place) => {
                self.end_waiting(thread, id, badge, place);
                let priority = self.threads[thread].priority;
                self.core.queues.ready.push_back(&mut self.links, thread, priority);
            }
            Effect::WakesAbove(thread, place) => {
                self.end_waiting(thread, id, badge, place);
                return self.run_above(current, thread);
            }
        }
        Some(&mut self.threads[current].context)
    }

    #[inline(always)]
    fn end_waiting(&mut self, thread: ThreadId, id: NotificationId, badge: u64, place: Place) {
        match place {
            Place::Notification => self.notifications[id].state = Signals::Idle,
            Place::Endpoint(endpoint) => self.endpoints[endpoint] = Endpoint::Idle,
        }
        let woken = &mut self.threads[thread];
        woken.state = State::Runnable;
        woken.context.set_badge(badge);
        if woken.sched_context.is_none() {
            self.lend_from_notification(id, thread);
        }
    }
}
