//! A receive or wait that finds a signal, or blocks and dispatches the highest-priority ready thread.

use limen_abi::Syscall;

use crate::arena::{EndpointId, NotificationId, ReplyId, SchedContextId, ThreadId};
use crate::cap::Cap;
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::endpoint::Endpoint;
use crate::object::notification::Signals;
use crate::object::reply::Reply;
use crate::object::thread::{Restart, State};

/// The outcome of a receive.
#[derive(Clone, Copy)]
pub(super) enum Received {
    /// It found these signals.
    Signals(NotificationId, u64),
    /// It blocks, and its thread has this scheduling context, which was not lent to it.
    Nothing(SchedContextId),
}

impl<M: Machine> Kernel<M> {
    /// Serves the system call `Recv` of the current thread.
    #[inline(never)]
    pub extern "C" fn serve_recv(&mut self) -> Option<&mut M::Context> {
        if self.processor.open_call.is_some() {
            return self.flush_and_serve(Syscall::Recv.as_raw());
        }
        match self.processor.current {
            Some(current) => self.serve_recv_from(current, Self::usual_inbox, Self::serve_recv_elsewhere),
            None => self.serve_slowly(Syscall::Recv.as_raw()),
        }
    }

    /// Serves `Recv` from slots that event loops do not name.
    #[inline(never)]
    fn serve_recv_elsewhere(&mut self, current: ThreadId) -> Option<&mut M::Context> {
        self.serve_recv_from(current, Self::named_inbox, |kernel, _| {
            kernel.serve_slowly(Syscall::Recv.as_raw())
        })
    }

    #[inline(always)]
    fn serve_recv_from(
        &mut self,
        current: ThreadId,
        inbox_of: impl Fn(&Self, ThreadId) -> Inbox,
        otherwise: impl Fn(&mut Self, ThreadId) -> Option<&mut M::Context>,
    ) -> Option<&mut M::Context> {
        match inbox_of(self, current) {
            Inbox::Notification(id) => {
                if let Some(received) = self.plan_wait(current, id) {
                    return self.carry_out_wait(current, id, received);
                }
            }
            Inbox::Endpoint(endpoint, reply) => {
                if let Some(received) = self.plan_receive(current, endpoint, reply) {
                    return self.carry_out_receive(current, received, endpoint, reply);
                }
            }
            Inbox::None => {}
        }
        otherwise(self, current)
    }

    /// Serves the system call `Wait` of the current thread; on an endpoint, it takes the slow path.
    #[inline(never)]
    pub fn serve_wait(&mut self) -> Option<&mut M::Context> {
        if self.processor.open_call.is_some() {
            return self.flush_and_serve(Syscall::Wait.as_raw());
        }
        if let Some(current) = self.processor.current
            && let Some(&Cap::Notification { id, rights, .. }) =
                self.own_cap(current, self.threads[current].context.cptr())
            && rights.can_receive()
            && let Some(received) = self.plan_wait(current, id)
        {
            return self.carry_out_wait(current, id, received);
        }
        self.serve_slowly(Syscall::Wait.as_raw())
    }

    #[inline(always)]
    pub(super) fn plan_receive(
        &self,
        current: ThreadId,
        endpoint: EndpointId,
        reply: ReplyId,
    ) -> Option<Received> {
        let is_simple = self.replies[reply] == Reply::Free && self.endpoints[endpoint] == Endpoint::Idle;
        if !is_simple {
            return None;
        }
        match self.signal_for(current) {
            Some((id, badge)) => Some(Received::Signals(id, badge)),
            None => self.unlent_time(current).map(Received::Nothing),
        }
    }

    #[inline(always)]
    pub(super) fn plan_wait(&self, current: ThreadId, id: NotificationId) -> Option<Received> {
        if !self.may_wait(current, id) {
            return None;
        }
        if let Signals::Active(badge) = self.notifications[id].state {
            return Some(Received::Signals(id, badge));
        }
        let time = self.unlent_time(current)?;
        (self.notifications[id].state == Signals::Idle).then_some(Received::Nothing(time))
    }

    /// The scheduling context of a thread, if blocking returns it to no other thread.
    #[inline(always)]
    fn unlent_time(&self, thread: ThreadId) -> Option<SchedContextId> {
        self.threads[thread].sched_context.filter(|id| self.sched_contexts[*id].heir.is_none())
    }

    #[inline(always)]
    fn carry_out_receive(
        &mut self,
        current: ThreadId,
        received: Received,
        endpoint: EndpointId,
        reply: ReplyId,
    ) -> Option<&mut M::Context> {
        match received {
            Received::Signals(id, badge) => self.take_signals(current, id, badge),
            Received::Nothing(time) => {
                self.block_on_endpoint(current, endpoint, reply, time);
                self.run_next()
            }
        }
    }

    #[inline(always)]
    fn carry_out_wait(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        received: Received,
    ) -> Option<&mut M::Context> {
        match received {
            Received::Signals(id, badge) => self.take_signals(current, id, badge),
            Received::Nothing(time) => {
                self.block_on_notification(current, id, time);
                self.run_next()
            }
        }
    }

    /// Blocks a thread whose receive finds nothing. `time` is its scheduling context.
    #[inline(always)]
    pub(super) fn block_on(&mut self, current: ThreadId, inbox: Inbox, time: SchedContextId) {
        match inbox {
            Inbox::Endpoint(endpoint, reply) => self.block_on_endpoint(current, endpoint, reply, time),
            Inbox::Notification(id) => self.block_on_notification(current, id, time),
            Inbox::None => {}
        }
    }

    #[inline(always)]
    fn block_on_endpoint(
        &mut self,
        current: ThreadId,
        endpoint: EndpointId,
        reply: ReplyId,
        time: SchedContextId,
    ) {
        self.wait_alone(current, endpoint, reply);
        self.return_to_notification(current, time, self.threads[current].notification);
    }

    #[inline(always)]
    fn block_on_notification(&mut self, current: ThreadId, id: NotificationId, time: SchedContextId) {
        self.notifications[id].state = Signals::LoneWaiter(current);
        self.threads[current].state = State::Waiting { notification: id, again: Restart::SystemCall };
        self.return_to_notification(current, time, Some(id));
    }

    #[inline(always)]
    pub(super) fn take_signals(
        &mut self,
        current: ThreadId,
        id: NotificationId,
        badge: u64,
    ) -> Option<&mut M::Context> {
        self.notifications[id].state = Signals::Idle;
        let context = &mut self.threads[current].context;
        context.set_badge(badge);
        Some(context)
    }

    /// Blocks a thread on an idle endpoint. The endpoint has a lone receiver only if that waits in its event loop.
    #[inline(always)]
    pub(crate) fn wait_alone(&mut self, thread: ThreadId, endpoint: EndpointId, reply: ReplyId) {
        let is_in_event_loop = self.threads[thread].inbox == Inbox::Endpoint(endpoint, reply);
        self.endpoints[endpoint] = Endpoint::LoneReceiver { thread, reply };
        self.threads[thread].state =
            State::Receiving { endpoint, reply: Some(reply), again: Restart::SystemCall };
        if !is_in_event_loop {
            self.endpoints[endpoint].queue_lone_receiver(&mut self.links);
        }
    }

    /// The notification that is bound to a thread, with its signals, if it has any.
    #[inline(always)]
    pub(crate) fn signal_for(&self, thread: ThreadId) -> Option<(NotificationId, u64)> {
        let id = self.threads[thread].notification?;
        let Signals::Active(badge) = self.notifications[id].state else { return None };
        Some((id, badge))
    }

    /// Whether a thread that blocks now keeps its scheduling context.
    #[inline(always)]
    pub(super) fn keeps_time(&self, thread: ThreadId) -> bool {
        self.threads[thread].sched_context.is_some_and(|id| {
            let sched_context = &self.sched_contexts[id];
            sched_context.heir.is_none() && sched_context.notification.is_none()
        })
    }
}
