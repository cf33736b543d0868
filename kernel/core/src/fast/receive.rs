//! A receive or wait that finds a signal, or waits alone and lets the most important ready thread run.

use limen_abi::Syscall;

use crate::arena::{EndpointId, NotificationId, ReplyId, ThreadId};
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::notification::Signals;
use crate::object::reply::Reply;
use crate::object::thread::{Restart, State};
use crate::sched::queue::{Links, Queue};

/// What a thread receives from.
#[derive(Clone, Copy)]
enum From {
    /// The signals of a notification, which is bound to it or to nobody.
    Signals(NotificationId),
    /// An endpoint, where the next caller will wait on this reply object.
    Endpoint(EndpointId, ReplyId),
}

/// What the receive comes to.
enum Effect {
    /// It found these signals.
    Finds(NotificationId, u64),
    /// It waits, and another thread runs.
    Waits(From),
}

impl<M: Machine> Kernel<M> {
    #[inline(never)]
    pub(super) fn serve_receive(&mut self) -> Option<&mut M::Context> {
        if self.core.open_call.is_some() {
            return self.settle_and_serve(Syscall::Recv.as_raw());
        }
        if let Some(current) = self.core.current
            && let Some(effect) = self.plan_receive(current, self.usual_inbox(current))
        {
            return self.carry_out_receive(current, effect);
        }
        self.serve_receive_elsewhere(Syscall::Recv.as_raw())
    }

    /// The same where event loops do not wait.
    #[inline(never)]
    pub(super) fn serve_receive_elsewhere(&mut self, number: i64) -> Option<&mut M::Context> {
        if self.core.open_call.is_some() {
            return self.settle_and_serve(number);
        }
        if let Some(current) = self.core.current
            && let inbox = self.named_inbox(current)
            // Without a reply object, an endpoint is for the general path.
            && (number == Syscall::Recv.as_raw() || matches!(inbox, Inbox::Notification(_)))
            && let Some(effect) = self.plan_receive(current, inbox)
        {
            return self.carry_out_receive(current, effect);
        }
        self.serve_in_general(number)
    }

    #[inline(always)]
    fn plan_receive(&self, current: ThreadId, inbox: Inbox) -> Option<Effect> {
        let from = match inbox {
            Inbox::Endpoint(id, reply) => {
                let is_simple = self.replies[reply] == Reply::Free && self.endpoints[id] == Endpoint::Idle;
                if !is_simple {
                    return None;
                }
                if let Some((id, badge)) = self.signal_for(current) {
                    return Some(Effect::Finds(id, badge));
                }
                From::Endpoint(id, reply)
            }
            Inbox::Notification(id) if self.may_wait(current, id) => match self.notifications[id].state {
                Signals::Active(badge) => return Some(Effect::Finds(id, badge)),
                Signals::Idle => From::Signals(id),
                Signals::Waiting(_) => return None,
            },
            _ => return None,
        };
        let id = self.threads[current].sched_context?;
        self.sched_contexts[id].heir.is_none().then_some(Effect::Waits(from))
    }

    #[inline(always)]
    fn carry_out_receive(&mut self, current: ThreadId, effect: Effect) -> Option<&mut M::Context> {
        match effect {
            Effect::Finds(id, badge) => {
                self.notifications[id].state = Signals::Idle;
                let context = &mut self.threads[current].context;
                context.set_badge(badge);
                Some(context)
            }
            Effect::Waits(from) => {
                let again = Restart::SystemCall;
                match from {
                    From::Signals(id) => {
                        self.links[current] = Links::NONE;
                        self.notifications[id].state = Signals::Waiting(Queue::of(current));
                        self.threads[current].state = State::Waiting { notification: id, again };
                    }
                    From::Endpoint(id, reply) => {
                        self.wait_alone(current, id, reply);
                        self.threads[current].state =
                            State::Receiving { endpoint: id, reply: Some(reply), again };
                    }
                }
                let waits_for = match from {
                    From::Signals(id) => Some(id),
                    From::Endpoint(..) => self.threads[current].notification,
                };
                // Nobody is woken: there is no heir.
                self.give_back_time(current, waits_for);
                self.run_next()
            }
        }
    }

    /// Puts a thread where nobody waits.
    #[inline(always)]
    pub(super) fn wait_alone(&mut self, thread: ThreadId, endpoint: EndpointId, reply: ReplyId) {
        self.endpoints[endpoint] = Endpoint::Receiver { thread, reply };
        if self.threads[thread].inbox != Inbox::Endpoint(endpoint, reply) {
            self.endpoints[endpoint].put_in_queue(&mut self.links);
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
