//! Setting priorities: the limits, and the effect on queues.
//!
//! A thread may set priorities up to its own maximum, which at boot is its priority. A caller that holds another
//! thread's capability may act with the authority of that thread.

use super::endpoint::Endpoint;
use super::notification::Signals;
use super::thread::State;
use crate::arena::ThreadId;
use crate::event::{Next, Outcome};
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::sched::queue::Queue;

/// Decodes the priority in a message and checks it against the maximum of the authority that the message names.
pub(crate) fn decode_priority<M: Machine>(arguments: &Arguments<'_, M>) -> Result<u8, InvokeError> {
    let [priority] = arguments.words()?;
    let max = arguments.authority(0)?;
    match u8::try_from(priority) {
        Ok(priority) if priority <= max => Ok(priority),
        _ => Err(InvokeError::Range { min: 0, max: u64::from(max) }),
    }
}

impl<M: Machine> Kernel<M> {
    /// Sets the priority of a thread. It moves behind the threads of that priority in whatever queue it is in.
    pub(crate) fn set_priority(&mut self, thread: ThreadId, priority: u8) -> Outcome {
        if self.processor.current == Some(thread) {
            self.threads[thread].priority = priority;
            return Outcome { current: Next::Continues, woken: self.take_ready_above(priority) };
        }
        if self.threads[thread].is_schedulable() {
            self.leave_queues(thread);
            self.threads[thread].priority = priority;
            return Outcome { current: Next::Continues, woken: Some(thread) };
        }
        self.threads[thread].priority = priority;
        self.requeue(thread);
        Outcome::NOTHING
    }

    /// Dequeues the highest-priority ready thread if it is above this priority.
    pub(crate) fn take_ready_above(&mut self, priority: u8) -> Option<ThreadId> {
        if self.processor.queues.ready.highest() <= u16::from(priority) + 1 {
            return None;
        }
        self.processor.queues.ready.pop_highest(&mut self.links)
    }

    /// Moves a blocked thread to its new place in the queue that it waits in.
    fn requeue(&mut self, thread: ThreadId) {
        let queue = match self.threads[thread].state {
            State::Receiving { endpoint, .. } | State::Sending { endpoint, .. } => {
                match &mut self.endpoints[endpoint] {
                    Endpoint::SenderQueue(queue) | Endpoint::ReceiverQueue(queue) => queue,
                    Endpoint::Idle | Endpoint::LoneReceiver { .. } => return,
                }
            }
            State::Waiting { notification, .. } => match &mut self.notifications[notification].state {
                Signals::WaiterQueue(queue) => queue,
                Signals::Idle | Signals::LoneWaiter(_) | Signals::Active(_) => return,
            },
            _ => return,
        };
        let threads = &self.threads;
        Queue::remove(queue, &mut self.links, thread);
        queue.insert_by_priority(&mut self.links, thread, |thread| threads[thread].priority);
    }
}
