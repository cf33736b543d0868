//! Endpoints: where threads send and receive messages.
//!
//! An endpoint queues threads that wait to send or threads that wait to receive, never both. Each queue is ordered by
//! priority, and first come, first served among equals. A server that waits alone needs no queue: the endpoint then
//! holds all that a call needs to know.

use limen_abi::MessageInfo;

use super::thread::{AfterSend, Restart, State};
use crate::arena::{EndpointId, ReplyId, ThreadId};
use crate::cap::Rights;
use crate::event::{Blocking, Next, Outcome};
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::sched::queue::{Links, Queue, ThreadLinks};

/// An endpoint. Its size is a power of two so that indexing takes no multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(8))]
pub enum Endpoint {
    /// No thread waits.
    #[default]
    Idle,
    /// One thread waits for a message in its event loop, and is in no queue. No signal is pending for it.
    LoneReceiver {
        /// The thread.
        thread: ThreadId,
        /// The reply object on which the next caller will wait.
        reply: ReplyId,
    },
    /// Threads wait to send.
    SenderQueue(Queue),
    /// Threads wait to receive.
    ReceiverQueue(Queue),
}

impl Endpoint {
    /// Removes a thread that waits here.
    pub(crate) fn remove(&mut self, links: &mut ThreadLinks, thread: ThreadId) {
        match self {
            Self::Idle => {}
            Self::LoneReceiver { .. } => *self = Self::Idle,
            Self::SenderQueue(queue) | Self::ReceiverQueue(queue) => {
                queue.remove(links, thread);
                if queue.is_empty() {
                    *self = Self::Idle;
                }
            }
        }
    }

    /// Returns the first waiting thread, if any.
    #[must_use]
    pub fn first(&self) -> Option<ThreadId> {
        match self {
            Self::Idle => None,
            Self::LoneReceiver { thread, .. } => Some(*thread),
            Self::SenderQueue(queue) | Self::ReceiverQueue(queue) => queue.head(),
        }
    }

    #[inline]
    fn take_receiver(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        let queue = match self {
            Self::ReceiverQueue(queue) => queue,
            Self::LoneReceiver { thread, .. } => {
                let thread = *thread;
                *self = Self::Idle;
                return Some(thread);
            }
            Self::Idle | Self::SenderQueue(_) => return None,
        };
        let thread = queue.pop_front(links);
        if queue.is_empty() {
            *self = Self::Idle;
        }
        thread
    }

    /// Adds a thread that waits for a message. `usual` is its reply object if it waits in its event loop.
    #[inline]
    fn add_receiver(
        &mut self,
        links: &mut ThreadLinks,
        receiver: ThreadId,
        usual: Option<ReplyId>,
        priority_of: impl Fn(ThreadId) -> u8,
    ) {
        self.queue_lone_receiver(links);
        let mut queue = match (*self, usual) {
            (Self::ReceiverQueue(queue), _) => queue,
            (_, Some(reply)) => {
                *self = Self::LoneReceiver { thread: receiver, reply };
                return;
            }
            (_, None) => Queue::EMPTY,
        };
        queue.insert_by_priority(links, receiver, priority_of);
        *self = Self::ReceiverQueue(queue);
    }

    /// Moves the lone receiver into a queue.
    pub(crate) fn queue_lone_receiver(&mut self, links: &mut ThreadLinks) {
        if let Self::LoneReceiver { thread, .. } = *self {
            links[thread] = Links::NONE;
            *self = Self::ReceiverQueue(Queue::of(thread));
        }
    }

    #[inline]
    fn take_sender(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        let Self::SenderQueue(queue) = self else { return None };
        let thread = queue.pop_front(links);
        if queue.is_empty() {
            *self = Self::Idle;
        }
        thread
    }
}

/// How a message is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SendMode {
    /// Wait until the message is received.
    Send,
    /// Drop the message if no thread waits for it.
    NonBlocking,
    /// Drop the message if no thread waits for it. With the grant right, a receiver without a scheduling context keeps
    /// the sender's.
    Donating,
    /// Also wait for the reply; a receiver without a scheduling context borrows the caller's.
    Call,
}

impl<M: Machine> Kernel<M> {
    /// Sends the message in the registers and buffer of `sender`.
    #[inline(always)]
    pub(crate) fn send(
        &mut self,
        sender: ThreadId,
        endpoint: EndpointId,
        badge: u64,
        rights: Rights,
        info: MessageInfo,
        mode: SendMode,
    ) -> Outcome {
        let after = match mode {
            SendMode::Call if rights.can_call() => AfterSend::AwaitReply,
            SendMode::Call => AfterSend::Stop,
            _ => AfterSend::Continue,
        };
        let Some(receiver) = self.endpoints[endpoint].take_receiver(&mut self.links) else {
            return match mode {
                SendMode::Send | SendMode::Call => {
                    self.block_sending(sender, endpoint, badge, after, Restart::SystemCall)
                }
                SendMode::NonBlocking | SendMode::Donating => Outcome::NOTHING,
            };
        };
        self.transfer(sender, receiver, badge, info);
        let reply = self.end_receiving(receiver);
        let current = if mode == SendMode::Call {
            self.await_reply(sender, receiver, reply, after, Restart::SystemCall);
            Next::Blocks
        } else {
            Next::Continues
        };
        if mode == SendMode::Donating && rights.can_grant() {
            self.donate(sender, receiver);
        }
        Outcome { current, woken: self.with_time(receiver) }
    }

    /// Blocks a sender until a thread receives from the endpoint.
    pub(crate) fn block_sending(
        &mut self,
        sender: ThreadId,
        endpoint: EndpointId,
        badge: u64,
        then: AfterSend,
        again: Restart,
    ) -> Outcome {
        self.threads[sender].state = State::Sending { endpoint, badge, then, again };
        let mut queue =
            if let Endpoint::SenderQueue(queue) = self.endpoints[endpoint] { queue } else { Queue::EMPTY };
        let threads = &self.threads;
        queue.insert_by_priority(&mut self.links, sender, |thread| threads[thread].priority);
        self.endpoints[endpoint] = Endpoint::SenderQueue(queue);
        Outcome::BLOCKS
    }

    /// Makes a receiver Runnable and returns the reply object that it waited with.
    #[inline]
    pub(crate) fn end_receiving(&mut self, receiver: ThreadId) -> Option<ReplyId> {
        let state = core::mem::replace(&mut self.threads[receiver].state, State::Runnable);
        if let State::Receiving { reply, .. } = state { reply } else { None }
    }

    /// Dequeues the first thread that waits to receive here.
    pub(crate) fn take_receiver(&mut self, endpoint: EndpointId) -> Option<ThreadId> {
        self.endpoints[endpoint].take_receiver(&mut self.links)
    }

    /// Receives from an endpoint: a signal of the bound notification first, then the first sender; otherwise blocks.
    #[inline(always)]
    pub(crate) fn receive(
        &mut self,
        receiver: ThreadId,
        endpoint: EndpointId,
        reply: Option<ReplyId>,
        blocking: Blocking,
    ) -> Outcome {
        if let Some(notification) = self.threads[receiver].notification
            && let Some(outcome) = self.take_signal(receiver, notification)
        {
            return outcome;
        }
        if let Some(sender) = self.endpoints[endpoint].take_sender(&mut self.links) {
            return self.receive_from(receiver, sender, reply);
        }
        if blocking == Blocking::No {
            self.threads[receiver].context.set_badge(0);
            return Outcome::NOTHING;
        }
        self.threads[receiver].state = State::Receiving { endpoint, reply, again: Restart::SystemCall };
        let threads = &self.threads;
        let priority_of = |thread| threads[thread].priority;
        let usual = reply.filter(|reply| threads[receiver].inbox == Inbox::Endpoint(endpoint, *reply));
        self.endpoints[endpoint].add_receiver(&mut self.links, receiver, usual, priority_of);
        let woken = self.return_borrowed_time(receiver, self.threads[receiver].notification);
        Outcome { current: Next::Blocks, woken }
    }

    /// Receives the message, call or fault of a thread that waited to send it.
    fn receive_from(&mut self, receiver: ThreadId, sender: ThreadId, reply: Option<ReplyId>) -> Outcome {
        let State::Sending { badge, then, again, .. } = self.threads[sender].state else {
            return Outcome::NOTHING;
        };
        if self.threads[sender].fault.is_some() {
            self.transfer_fault(sender, receiver, badge);
        } else {
            let info = self.threads[sender].context.info();
            self.transfer(sender, receiver, badge, info);
        }
        if then == AfterSend::Continue {
            self.threads[sender].state = State::Runnable;
            return self.wake(sender);
        }
        self.await_reply(sender, receiver, reply, then, again);
        Outcome::NOTHING
    }
}
