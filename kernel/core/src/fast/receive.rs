//! A receive or wait that finds a signal, or waits alone and lets the most important ready thread run.

use limen_abi::Syscall;

use crate::arena::{EndpointId, NotificationId, ReplyId, SchedContextId, ThreadId};
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::notification::Signals;
use crate::object::reply::Reply;
use crate::object::thread::{Restart, State};

/// What the receive comes to.
enum Effect {
    /// It found these signals.
    Finds(NotificationId, u64),
    /// It waits, and another thread runs. What it runs on was not lent to it.
    Waits(SchedContextId),
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `Recv` of the current thread.
    #[inline(never)]
    pub extern "C" fn serve_receive(&mut self) -> Option<&mut M::Context> {
        if self.processor.open_call.is_some() {
            return self.flush_and_serve(Syscall::Recv.as_raw());
        }
        if let Some(current) = self.processor.current {
            match self.usual_inbox(current) {
                Inbox::Notification(id) => {
                    if let Some(effect) = self.plan_wait(current, id) {
                        return self.carry_out_wait(current, id, effect);
                    }
                }
                Inbox::Endpoint(endpoint, reply) => {
                    if let Some(effect) = self.plan_receive(current, endpoint, reply) {
                        return self.carry_out_receive(current, effect, |kernel| {
                            kernel.wait_in_event_loop(current, endpoint, reply);
                        });
                    }
                }
                Inbox::None => {}
            }
        }
        self.serve_receive_elsewhere(Syscall::Recv.as_raw())
    }

    /// The same where event loops do not wait, and `Wait`.
    #[inline(never)]
    pub(super) fn serve_receive_elsewhere(&mut self, number: i64) -> Option<&mut M::Context> {
        if self.processor.open_call.is_some() {
            return self.flush_and_serve(number);
        }
        if let Some(current) = self.processor.current {
            match self.named_inbox(current) {
                Inbox::Notification(id) => {
                    if let Some(effect) = self.plan_wait(current, id) {
                        return self.carry_out_wait(current, id, effect);
                    }
                }
                // Without a reply object, an endpoint is for the general path.
                Inbox::Endpoint(endpoint, reply) if number == Syscall::Recv.as_raw() => {
                    if let Some(effect) = self.plan_receive(current, endpoint, reply) {
                        return self.carry_out_receive(current, effect, |kernel| {
                            kernel.wait_alone(current, endpoint, reply);
                        });
                    }
                }
                Inbox::Endpoint(..) | Inbox::None => {}
            }
        }
        self.serve_slowly(number)
    }

    #[inline(always)]
    fn plan_receive(&self, current: ThreadId, endpoint: EndpointId, reply: ReplyId) -> Option<Effect> {
        let is_simple = self.replies[reply] == Reply::Free && self.endpoints[endpoint] == Endpoint::Idle;
        if !is_simple {
            return None;
        }
        match self.signal_for(current) {
            Some((id, badge)) => Some(Effect::Finds(id, badge)),
            None => self.unlent_time(current).map(Effect::Waits),
        }
    }

    #[inline(always)]
    fn plan_wait(&self, current: ThreadId, id: NotificationId) -> Option<Effect> {
        if !self.may_wait(current, id) {
            return None;
        }
        if let Signals::Active(badge) = self.notifications[id].state {
            return Some(Effect::Finds(id, badge));
        }
        if self.notifications[id].state == Signals::Idle {
            return self.unlent_time(current).map(Effect::Waits);
        }
        None
    }

    /// What a thread runs on, if nobody is woken when it gives that back.
    #[inline(always)]
    fn unlent_time(&self, thread: ThreadId) -> Option<SchedContextId> {
        self.threads[thread].sched_context.filter(|id| self.sched_contexts[*id].heir.is_none())
    }

    #[inline(always)]
    fn carry_out_receive(
        &mut self,
        current: ThreadId,
        effect: Effect,
        wait: impl FnOnce(&mut Self),
    ) -> Option<&mut M::Context> {
        match effect {
            Effect::Finds(id, badge) => self.find(current, id, badge),
            Effect::Waits(time) => {
                wait(self);
                self.return_to_notification(current, time, self.threads[current].notification);
                self.run_next()
            }
        }
    }

    #[inline(always)]
    fn carry_out_wait(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        effect: Effect,
    ) -> Option<&mut M::Context> {
        match effect {
            Effect::Finds(id, badge) => self.find(current, id, badge),
            Effect::Waits(time) => {
                self.notifications[id].state = Signals::LoneWaiter(current);
                self.threads[current].state = State::Waiting { notification: id, again: Restart::SystemCall };
                self.return_to_notification(current, time, Some(id));
                self.run_next()
            }
        }
    }

    #[inline(always)]
    fn find(&mut self, current: ThreadId, id: NotificationId, badge: u64) -> Option<&mut M::Context> {
        self.notifications[id].state = Signals::Idle;
        let context = &mut self.threads[current].context;
        context.set_badge(badge);
        Some(context)
    }

    /// Lets a thread wait where its event loop does, and nobody else.
    #[inline(always)]
    fn wait_in_event_loop(&mut self, thread: ThreadId, endpoint: EndpointId, reply: ReplyId) {
        self.endpoints[endpoint] = Endpoint::LoneReceiver { thread, reply };
        self.threads[thread].state =
            State::Receiving { endpoint, reply: Some(reply), again: Restart::SystemCall };
    }

    /// Lets a thread wait where nobody does.
    #[inline(always)]
    pub(super) fn wait_alone(&mut self, thread: ThreadId, endpoint: EndpointId, reply: ReplyId) {
        self.wait_in_event_loop(thread, endpoint, reply);
        if self.threads[thread].inbox != Inbox::Endpoint(endpoint, reply) {
            self.endpoints[endpoint].queue_lone_receiver(&mut self.links);
        }
    }

    /// The notification that is bound to a thread, with its signals, if there are any.
    #[inline(always)]
    pub(crate) fn signal_for(&self, thread: ThreadId) -> Option<(NotificationId, u64)> {
        let id = self.threads[thread].notification?;
        let Signals::Active(badge) = self.notifications[id].state else { return None };
        Some((id, badge))
    }

    /// Whether a thread that waits now keeps what it runs on.
    #[inline(always)]
    pub(super) fn keeps_time(&self, thread: ThreadId) -> bool {
        self.threads[thread].sched_context.is_some_and(|id| {
            let sched_context = &self.sched_contexts[id];
            sched_context.heir.is_none() && sched_context.notification.is_none()
        })
    }
}
