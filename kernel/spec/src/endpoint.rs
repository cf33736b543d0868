//! Endpoints: sending and receiving messages.

use crate::state::{AfterSend, EndpointId, ReplyId, State, System, ThreadId};

impl System {
    /// A thread sends its message or fault. If none waits to receive it, the sender waits.
    pub(crate) fn send_from(
        &mut self,
        sender: ThreadId,
        endpoint: EndpointId,
        badge: u64,
        then: AfterSend,
        restarts: bool,
    ) {
        if self.send_at_once(sender, endpoint, badge, then) {
            return;
        }
        self.threads[sender].state = State::Sending { endpoint, badge, then, restarts };
        self.enqueue_at(endpoint, sender);
    }

    /// A thread sends to the first receiver, if there is one.
    pub(crate) fn send_at_once(
        &mut self,
        sender: ThreadId,
        endpoint: EndpointId,
        badge: u64,
        then: AfterSend,
    ) -> bool {
        let Some(&receiver) = self.endpoints[endpoint].first() else { return false };
        let State::Receiving { reply, .. } = self.threads[receiver].state else { return false };
        self.endpoints[endpoint].remove(0);
        self.deliver(sender, receiver, badge);
        self.threads[receiver].state = State::Runnable;
        self.after_send(sender, then, receiver, reply);
        self.wake(receiver);
        true
    }

    /// Changes the state of a sender whose message was received: a caller waits for the reply, if one can reach it.
    fn after_send(&mut self, sender: ThreadId, then: AfterSend, receiver: ThreadId, reply: Option<ReplyId>) {
        let restarts = self.threads[sender].fault.is_none();
        match (then, reply) {
            (AfterSend::Continue, _) => {
                if self.threads[sender].state != State::Runnable {
                    self.threads[sender].state = State::Runnable;
                    self.wake(sender);
                }
            }
            (AfterSend::Call | AfterSend::CallWithoutTime, Some(reply)) => {
                let was_waiting = match self.threads[sender].state {
                    State::Sending { restarts, .. } => Some(restarts),
                    _ => None,
                };
                let restarts = was_waiting.unwrap_or(restarts);
                self.threads[sender].state = State::Calling { reply, restarts };
                self.owe(reply, sender, receiver, then == AfterSend::Call);
            }
            (AfterSend::Stop, _) | (_, None) => {
                let restarts = match self.threads[sender].state {
                    State::Sending { restarts, .. } => restarts,
                    _ => self.threads[sender].fault.is_none(),
                };
                if restarts {
                    self.restart_syscall(sender);
                }
                self.threads[sender].state = State::Inactive;
                self.threads[sender].fault = None;
            }
        }
    }

    /// A thread receives: first a signal of its own notification, then the first message. A caller that still waits on
    /// the reply object loses its call.
    pub(crate) fn receive(
        &mut self,
        thread: ThreadId,
        endpoint: EndpointId,
        reply: Option<ReplyId>,
        blocking: bool,
    ) {
        if let Some(caller) = reply.and_then(|reply| self.replies[reply]) {
            self.stop(caller);
        }
        if let Some(notification) = self.threads[thread].notification
            && self.take_signal(thread, notification)
        {
            return;
        }
        let first = self.endpoints[endpoint].first().copied();
        let message = first.map(|sender| (sender, self.threads[sender].state));
        match message {
            Some((sender, State::Sending { badge, then, .. })) => {
                self.endpoints[endpoint].remove(0);
                self.deliver(sender, thread, badge);
                self.after_send(sender, then, thread, reply);
            }
            _ if blocking => {
                self.threads[thread].state = State::Receiving { endpoint, reply, restarts: true };
                self.enqueue_at(endpoint, thread);
                self.return_time(thread, self.threads[thread].notification);
            }
            _ => self.threads[thread].registers.set_badge(0),
        }
    }

    /// Adds a thread behind those of the same or a higher priority that wait at an endpoint.
    pub(crate) fn enqueue_at(&mut self, endpoint: EndpointId, thread: ThreadId) {
        let priority = self.threads[thread].priority;
        let queue = &self.endpoints[endpoint];
        let place = queue.iter().position(|other| self.threads[*other].priority < priority);
        let place = place.unwrap_or(queue.len());
        self.endpoints[endpoint].insert(place, thread);
    }
}
