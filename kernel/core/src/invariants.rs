//! The kernel's invariants. They hold whenever no event is being handled.
//!
//! Host tests check them after every step; on the target, the kernel checks them if the image asks for it. The
//! numbers I1 to I15 are those of the list in `docs/kernel.md`, section "Invariants".

use crate::arena::{ReplyId, SchedContextId};
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};
use crate::object::endpoint::Endpoint;
use crate::object::irq::Irq;
use crate::object::notification::Signals;
use crate::object::reply::Reply;
use crate::object::sched_context::SchedContext;
use crate::object::thread::{Restart, State};
use crate::sched::queue::Queue;
use crate::sched::ready::ReadyQueues;

/// The maximum number of calls on one scheduling context: one per thread.
const MAX_CALLS: usize = limen_abi::limits::THREADS;

impl<M: Machine> Kernel<M> {
    /// Checks every invariant, except in an image that measures utilisation: there the running thread is hidden
    /// between events. I12 to I15 are checked here, each other invariant in a function of its own.
    ///
    /// # Errors
    /// Describes the first invariant that does not hold.
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        if self.measures() {
            return Ok(());
        }
        ensure(self.processor.open_call.is_none(), "a call is still open")?;
        self.check_ready_queues()?;
        self.check_current()?;
        self.check_timer()?;
        self.check_endpoints()?;
        self.check_notifications()?;
        self.check_threads()?;
        self.check_replies()?;
        self.check_sched_contexts()?;
        self.check_interrupts()?;
        ensure(
            self.keys.iter().all(|(_, key)| key.is_sound()),
            "the count of a static key is not the sum of its holds",
        )?;
        ensure(
            self.keys.iter().all(|(id, _)| self.key_follows(id)),
            "a static key has another state than its holds and those of its group",
        )?;
        ensure(
            self.works.iter().all(|(thread, work)| match (work, self.threads[thread].fpu) {
                (Some(_), user) => user == Some(thread.at_work()),
                (None, user) => user.is_none_or(|user| user == thread),
            }),
            "a thread uses the floating-point unit under a wrong id",
        )?;
        ensure(
            self.processor.fpu.owner().is_none_or(|owner| !owner.is_at_work() || self.works[owner].is_some()),
            "the floating-point unit belongs to work that has ended",
        )?;
        ensure(
            self.probes.iter().filter(|(_, probe)| probe.is_on()).count() == self.probing,
            "the number of active probes is wrong",
        )
    }

    /// The ready queues contain exactly the schedulable threads except the current one, the postponed queues exactly
    /// the postponed threads, each in its domain's queues (I1, I2).
    fn check_ready_queues(&self) -> Result<(), &'static str> {
        let mut ready = 0;
        let mut postponed = 0;
        // A domain without threads is skipped. If its queues contained a thread, the total below would be wrong.
        let inhabited = self.threads.iter().fold(0_u16, |domains, (_, thread)| domains | 1 << thread.domain);
        let others = self.other_queues.iter().zip(0..).filter(|(_, domain)| *domain != self.processor.domain);
        let others = others.filter(|(_, domain)| inhabited >> domain & 1 == 1);
        let others = others.filter(|_| self.schedule.current().is_some());
        for (queues, domain) in others.chain([(&self.processor.queues, self.processor.domain)]) {
            ready += self.check_ready(&queues.ready, domain)?;
            postponed += self.check_postponed(&queues.postponed, domain)?;
        }
        let running = usize::from(self.processor.current.is_some());
        let schedulable = self.threads.iter().filter(|(_, thread)| thread.is_schedulable()).count();
        ensure(schedulable == ready + running, "a schedulable thread is in no queue")?;
        ensure(
            postponed == self.count(&|state| state == State::Postponed),
            "a postponed thread is in no queue",
        )
    }

    fn check_ready(&self, ready: &ReadyQueues, domain: u8) -> Result<usize, &'static str> {
        ensure(ready.is_sound(&self.links), "ready queues, bitmap and top are inconsistent")?;
        let mut length = 0;
        for (thread, priority) in ready.iter(&self.links) {
            ensure(self.threads[thread].is_schedulable(), "a thread in a ready queue is not schedulable")?;
            ensure(
                self.threads[thread].priority == priority,
                "a ready thread is in the queue of another priority",
            )?;
            ensure(self.processor.current != Some(thread), "the current thread is in a ready queue")?;
            ensure(
                self.threads[thread].domain == domain,
                "a ready thread is in the queue of another domain",
            )?;
            length += 1;
        }
        Ok(length)
    }

    fn check_postponed(&self, postponed: &Queue, domain: u8) -> Result<usize, &'static str> {
        ensure(postponed.is_sound(&self.links), "the links of the postponed threads are inconsistent")?;
        let mut previous = 0;
        for thread in postponed.iter(&self.links) {
            let thread = &self.threads[thread];
            ensure(thread.state == State::Postponed, "a thread in the postponed queue is not postponed")?;
            ensure(thread.domain == domain, "a postponed thread is in the queue of another domain")?;
            let share =
                thread.sched_context.map(|id| &self.sporadic_servers[id]).filter(|share| share.is_limited());
            let time = share.ok_or("a postponed thread has no share to wait for")?.release_time();
            ensure(time >= previous, "postponed threads are not in order of release time")?;
            previous = time;
        }
        Ok(postponed.iter(&self.links).count())
    }

    /// The timer fires no later than the end of the slice, the next release and the end of the domain's slot (I5).
    fn check_timer(&self) -> Result<(), &'static str> {
        let programmed = self.processor.programmed;
        ensure(programmed <= self.next_release(), "the timer fires after a thread is released")?;
        ensure(programmed <= self.processor.slot_end, "the timer fires after the end of the domain's slot")?;
        let Some(id) = self.processor.sched_context else { return Ok(()) };
        let (share, sched_context) = (&self.sporadic_servers[id], &self.sched_contexts[id]);
        let rest = if share.is_limited() && sched_context.remaining == 0 {
            share.refills().next().map_or(0, |refill| refill.amount)
        } else {
            sched_context.remaining
        };
        ensure(
            programmed <= self.processor.since.saturating_add(rest),
            "the timer fires after the end of the slice",
        )
    }

    /// The current thread has the highest priority and runs on its own scheduling context (I3, I4).
    fn check_current(&self) -> Result<(), &'static str> {
        let Some(current) = self.processor.current else {
            let has_timer = self.processor.programmed != Ticks::MAX;
            ensure(
                self.processor.queues.ready.highest() == 0 || has_timer,
                "the processor idles although a thread is ready",
            )?;
            return ensure(
                self.processor.sched_context.is_none(),
                "idle time is charged to a scheduling context",
            );
        };
        let thread = &self.threads[current];
        ensure(thread.is_schedulable(), "the current thread is not schedulable")?;
        let top = u16::from(thread.priority) + 1;
        ensure(
            self.processor.queues.ready.highest() <= top,
            "a ready thread has a higher priority than the current one",
        )?;
        ensure(thread.domain == self.processor.domain, "the current thread is in another domain")?;
        ensure(
            thread.sched_context == self.processor.sched_context,
            "time is charged to another scheduling context",
        )?;
        ensure(
            self.processor.fpu.is_valid_for(thread.fpu),
            "the floating-point unit is not set up for the current thread",
        )?;
        ensure(
            !M::NOTICES_SAME_SPACE || self.processor.space == thread.space,
            "the address space is not that of the current thread",
        )?;
        ensure(
            self.processor.counter == thread.counter,
            "access to the cycle counter is not that of the current thread",
        )
    }

    /// A thread waits at an endpoint if and only if it is in the endpoint's queue; queues are in priority order (I6).
    fn check_endpoints(&self) -> Result<(), &'static str> {
        let mut queued = 0;
        for (id, endpoint) in self.endpoints.iter() {
            let queue = match endpoint {
                Endpoint::Idle => continue,
                Endpoint::LoneReceiver { thread, reply } => {
                    let with = Some(*reply);
                    ensure(
                        self.signal_for(*thread).is_none(),
                        "a server waits although a signal is pending for it",
                    )?;
                    let inbox = self.threads[*thread].inbox;
                    ensure(
                        inbox == Inbox::Endpoint(id, *reply),
                        "the lone receiver of an endpoint does not wait in its event loop",
                    )?;
                    let waits = matches!(self.threads[*thread].state,
                        State::Receiving { endpoint, reply, again: Restart::SystemCall } if endpoint == id && reply == with);
                    ensure(waits, "the lone receiver of an endpoint does not wait there")?;
                    queued += 1;
                    continue;
                }
                Endpoint::SenderQueue(queue) | Endpoint::ReceiverQueue(queue) => queue,
            };
            queued += self.check_queue(queue, &|state| match (endpoint, state) {
                (Endpoint::SenderQueue(_), State::Sending { endpoint, .. })
                | (Endpoint::ReceiverQueue(_), State::Receiving { endpoint, .. }) => endpoint == id,
                _ => false,
            })?;
        }
        let waits = |state| matches!(state, State::Sending { .. } | State::Receiving { .. });
        ensure(queued == self.count(&waits), "a thread waits at an endpoint but is not in its queue")
    }

    /// The same holds for notifications. Bindings to threads and scheduling contexts are mutual (I7).
    fn check_notifications(&self) -> Result<(), &'static str> {
        let mut queued = 0;
        for (id, notification) in self.notifications.iter() {
            if let Some(thread) = notification.thread {
                ensure(
                    self.threads[thread].notification == Some(id),
                    "a thread and its notification are not bound to each other",
                )?;
            }
            if let Some(sched_context) = notification.sched_context {
                let holder = self.sched_contexts[sched_context].notification;
                ensure(
                    holder == Some(id),
                    "a notification and its scheduling context are not bound to each other",
                )?;
            }
            let waits_here =
                |state| matches!(state, State::Waiting { notification, .. } if notification == id);
            match notification.state {
                Signals::LoneWaiter(thread) => {
                    let waits = waits_here(self.threads[thread].state);
                    ensure(waits, "the lone waiter of a notification does not wait there")?;
                    queued += 1;
                }
                Signals::WaiterQueue(queue) => queued += self.check_queue(&queue, &waits_here)?,
                Signals::Idle | Signals::Active(_) => {}
            }
        }
        let waits = |state| matches!(state, State::Waiting { .. });
        ensure(queued == self.count(&waits), "a thread waits at a notification but is not in its queue")
    }

    #[inline(never)]
    fn check_queue(&self, queue: &Queue, belongs: &dyn Fn(State) -> bool) -> Result<usize, &'static str> {
        ensure(!queue.is_empty(), "an object is in a waiting state with an empty queue")?;
        ensure(queue.is_sound(&self.links), "the links of a queue are inconsistent")?;
        let mut previous = u8::MAX;
        let mut length = 0;
        for thread in queue.iter(&self.links) {
            let thread = &self.threads[thread];
            ensure(belongs(thread.state), "a thread is in a queue but does not wait there")?;
            ensure(thread.priority <= previous, "a queue is not in priority order")?;
            previous = thread.priority;
            length += 1;
        }
        Ok(length)
    }

    #[inline(never)]
    fn count(&self, in_state: &dyn Fn(State) -> bool) -> usize {
        self.threads.iter().filter(|(_, thread)| in_state(thread.state)).count()
    }

    /// The links of a thread are mutual; only threads that wait for a reply have a fault (I8).
    fn check_threads(&self) -> Result<(), &'static str> {
        for (id, thread) in self.threads.iter() {
            if let Some(sched_context) = thread.sched_context {
                let holder = self.sched_contexts[sched_context].thread;
                ensure(holder == Some(id), "a thread's scheduling context belongs to another thread")?;
            }
            if let Some(notification) = thread.notification {
                let bound = self.notifications[notification].thread;
                ensure(bound == Some(id), "a thread's notification is bound to another thread")?;
            }
            if let State::Calling { reply, .. } = thread.state {
                let owed = matches!(self.replies[reply], Reply::Owed { caller, .. } if caller == id);
                ensure(owed, "a caller waits on a reply object that is not owed to it")?;
            }
            let waits = matches!(thread.state, State::Sending { .. } | State::Calling { .. });
            ensure(thread.fault.is_none() || waits, "a thread has a fault but does not wait for a reply")?;
        }
        Ok(())
    }

    /// Every Owed reply object has a caller that waits on it (I9).
    fn check_replies(&self) -> Result<(), &'static str> {
        for (id, reply) in self.replies.iter() {
            if let Reply::Owed { caller, .. } = reply {
                let state = self.threads[*caller].state;
                let waits = matches!(state, State::Calling { reply, .. } if reply == id);
                ensure(waits, "a reply object is owed to a thread that does not wait on it")?;
            }
        }
        Ok(())
    }

    /// Call stacks have no cycles; slices fit their budgets (I10).
    fn check_sched_contexts(&self) -> Result<(), &'static str> {
        for (id, sched_context) in self.sched_contexts.iter() {
            let (share, budget) = (&self.sporadic_servers[id], self.slices[id].budget);
            let SchedContext { remaining, usable_until, .. } = *sched_context;
            if share.is_limited() {
                ensure(share.is_sound(budget), "refills overlap or do not add up to the budget")?;
                let first = share.refills().next().map_or(0, |refill| refill.amount);
                ensure(remaining <= first, "more remains of a refill than it had")?;
            }
            ensure(remaining <= budget, "a slice is longer than its budget")?;
            ensure(remaining != 0 || usable_until == 0, "a slice is usable, and nothing remains of it")?;
            if let Some(thread) = sched_context.thread {
                ensure(
                    self.threads[thread].sched_context == Some(id),
                    "the holder of a scheduling context runs on another one",
                )?;
            }
            if let Some(notification) = sched_context.notification {
                let bound = self.notifications[notification].sched_context;
                ensure(
                    bound == Some(id),
                    "a scheduling context and its notification are not bound to each other",
                )?;
            }
            let mut above = None;
            let mut next = sched_context.top;
            for _ in 0..=MAX_CALLS {
                let Some(reply) = next else { break };
                next = self.check_loan(id, reply, above)?;
                above = Some(reply);
            }
            ensure(next.is_none(), "the calls on a scheduling context form a cycle")?;
        }
        Ok(())
    }

    /// Every interrupt in use is found through its line (I11).
    fn check_interrupts(&self) -> Result<(), &'static str> {
        for (id, irq) in self.irqs.iter() {
            let is_served = self.served_interrupts.iter().flatten().any(|served| served.irq == id);
            let found = self.irq_of_line.get(irq.line.0 as usize).copied().flatten() == Some(id) || is_served;
            let unused = *irq == Irq::UNUSED;
            ensure(found || unused, "an interrupt in use is not found through its line")?;
        }
        Ok(())
    }

    fn check_loan(
        &self,
        sched_context: SchedContextId,
        reply: ReplyId,
        above: Option<ReplyId>,
    ) -> Result<Option<ReplyId>, &'static str> {
        let Reply::Owed { loan: Some(loan), .. } = self.replies[reply] else {
            return Err("a call stack contains a reply object without a loan");
        };
        ensure(loan.sched_context == sched_context, "a call is on the stack of another scheduling context")?;
        ensure(loan.above == above, "neighbours on a call stack are not linked to each other")?;
        Ok(loan.below)
    }
}

fn ensure(holds: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(otherwise) }
}
