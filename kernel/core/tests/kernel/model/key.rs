//! The part of a state that the search distinguishes: everything but registers, messages and the time of day.

use limen_core::arena::{Arena, Id, ThreadId};
use limen_core::kernel::Kernel;
use limen_core::object::endpoint::Endpoint;
use limen_core::object::key::DefaultHold;
use limen_core::object::notification::Signals;
use limen_core::object::probe::State as ProbeState;
use limen_core::object::reply::Reply;
use limen_core::object::service::Work;
use limen_core::object::thread::{AfterSend, State};
use limen_core::sched::queue::{Queue, ThreadLinks};
use limen_core::sched::ready::ReadyQueues;

use crate::support::{System, Thread};

/// Encodes "none", and ends lists.
const NONE: u16 = 0xffff;

/// Encodes the state of a system as numbers.
pub(super) fn key(system: &mut System) -> Vec<u16> {
    let mut key = Vec::with_capacity(96);
    add_ready_threads(&mut key, system);
    add_threads(&mut key, system);
    add_endpoints_and_notifications(&mut key, system);
    add_replies(&mut key, system);
    add_times(&mut key, system);
    let core = &system.kernel.processor;
    key.extend([number(core.current), number(core.open_call.map(|call| call.caller))]);
    add_shares(&mut key, system);
    add_keys(&mut key, system);
    let until_timer = core.programmed.saturating_sub(system.kernel.machine.now);
    key.push(u16::try_from(until_timer).unwrap_or(NONE));
    key
}

fn add_ready_threads(key: &mut Vec<u16>, system: &mut System) {
    let Kernel { processor, threads, links, .. } = &mut *system.kernel;
    add_ready(key, &mut processor.queues.ready, links, |thread| threads[thread].priority);
}

/// Dequeues ready threads and enqueues them again, which is faster than reading the queue of every priority.
fn add_ready(
    key: &mut Vec<u16>,
    queues: &mut ReadyQueues,
    links: &mut ThreadLinks,
    priority_of: impl Fn(ThreadId) -> u8,
) {
    let ready: Vec<_> = std::iter::from_fn(|| queues.pop_highest(links)).collect();
    for thread in ready {
        key.push(number(Some(thread)));
        queues.push_back(links, thread, priority_of(thread));
    }
    key.push(NONE);
}

fn add_threads(key: &mut Vec<u16>, system: &System) {
    for thread in system.threads() {
        let thread = &system.kernel.threads[thread.id()];
        key.extend(state(thread.state));
        key.extend([number(thread.sched_context), u16::from(thread.fault.is_some())]);
        key.push(number(thread.serves.map(|call| call.caller)));
    }
}

fn state(state: State) -> [u16; 3] {
    match state {
        State::Inactive => [0, NONE, NONE],
        State::Runnable => [1, NONE, NONE],
        State::Postponed => [9, NONE, NONE],
        State::Receiving { endpoint, reply, .. } => [2, number(Some(endpoint)), number(reply)],
        State::Waiting { notification, .. } => [3, number(Some(notification)), NONE],
        State::Sending { endpoint, then, .. } => [4 + after(then), number(Some(endpoint)), NONE],
        State::Calling { reply, .. } => [8, number(Some(reply)), NONE],
        State::Away { .. } => [10, NONE, NONE],
    }
}

fn after(then: AfterSend) -> u16 {
    match then {
        AfterSend::Continue => 0,
        AfterSend::AwaitReply => 1,
        AfterSend::Stop => 2,
        AfterSend::AwaitReplyOnly => 3,
    }
}

fn add_endpoints_and_notifications(key: &mut Vec<u16>, system: &System) {
    for (_, endpoint) in system.kernel.endpoints.iter().take(system.size.endpoints) {
        key.push(u16::from(matches!(endpoint, Endpoint::SenderQueue(_))));
        match *endpoint {
            Endpoint::Idle => add_queue(key, system, Queue::EMPTY),
            // The same as a queue of one.
            Endpoint::LoneReceiver { thread, .. } => key.extend([number(Some(thread)), NONE]),
            Endpoint::SenderQueue(queue) | Endpoint::ReceiverQueue(queue) => add_queue(key, system, queue),
        }
    }
    for (_, notification) in system.kernel.notifications.iter().take(system.size.notifications) {
        key.push(u16::from(matches!(notification.state, Signals::Active(_))));
        if let Signals::Active(bits) = notification.state {
            key.push(bits as u16);
        }
        match notification.state {
            Signals::LoneWaiter(thread) => key.extend([number(Some(thread)), NONE]),
            Signals::WaiterQueue(queue) => add_queue(key, system, queue),
            Signals::Idle | Signals::Active(_) => add_queue(key, system, Queue::EMPTY),
        }
    }
}

fn add_queue(key: &mut Vec<u16>, system: &System, queue: Queue) {
    key.extend(queue.iter(&system.kernel.links).map(|thread| number(Some(thread))));
    key.push(NONE);
}

fn add_replies(key: &mut Vec<u16>, system: &System) {
    for (_, reply) in system.kernel.replies.iter().take(system.size.replies) {
        match *reply {
            Reply::Free => key.push(NONE),
            Reply::Owed { caller, loan: None } => key.extend([number(Some(caller)), 0]),
            Reply::Owed { caller, loan: Some(loan) } => {
                key.extend([number(Some(caller)), 1, number(Some(loan.sched_context))]);
                key.extend([number(loan.below), number(loan.above)]);
            }
        }
    }
}

fn add_times(key: &mut Vec<u16>, system: &System) {
    for (id, time) in system.kernel.sched_contexts.iter().take(system.size.sched_contexts) {
        key.extend([u16::from(time.remaining == 0), number(time.thread)]);
        // The value matters only while a slice is running.
        let begun_at = if time.remaining == 0 { 0 } else { system.kernel.slices[id].priority };
        key.push(u16::from(begun_at));
        key.extend([number(time.notification), number(time.top), number(time.heir)]);
    }
}

/// Adds the limits of shares, relative to now, and the threads without time.
fn add_shares(key: &mut Vec<u16>, system: &System) {
    let (kernel, now) = (&system.kernel, system.kernel.machine.now);
    let ticks = |ticks: u64| u16::try_from(ticks).unwrap_or(NONE);
    for (id, time) in kernel.sched_contexts.iter().take(system.size.sched_contexts) {
        let share = &kernel.sporadic_servers[id];
        if !share.is_limited() {
            continue;
        }
        let refills = share.refills().map(|refill| [refill.time.saturating_sub(now), refill.amount]);
        key.extend(refills.flatten().map(ticks));
        key.push(NONE);
        let is_charged = kernel.processor.sched_context == Some(id);
        key.push(if is_charged { ticks(now - kernel.processor.since) } else { NONE });
        key.push(ticks(time.remaining));
        if time.remaining != 0 {
            // What was used a period ago has come back.
            let since_use = (now - time.last_used).min(share.period());
            key.extend([ticks(time.usable_until.saturating_sub(now)), ticks(since_use)]);
        }
    }
    add_queue(key, system, kernel.processor.queues.postponed);
}

fn add_keys(key: &mut Vec<u16>, system: &System) {
    for (_, object) in system.kernel.keys.iter().take(system.size.keys) {
        key.extend(system.threads().map(|thread| u16::from(object.holds(thread.id()))));
        let taken_by = match object.default_hold() {
            DefaultHold::TakenBy(thread) => Some(thread),
            DefaultHold::Off | DefaultHold::Held => None,
        };
        key.extend([number(taken_by), number(object.patcher()), u16::from(object.is_on())]);
    }
    key.extend(system.kernel.machine.key_places.values().map(|place| *place as u16));
}

/// The state of the floating-point unit without its counters, and the threads that may use it.
pub(super) fn fpu(system: &System) -> Vec<u16> {
    let unit = &system.kernel.processor.fpu;
    let (policy, options) = unit.policy();
    let mut key = vec![number(unit.owner()), u16::from(unit.is_on()), policy as u16];
    key.push(u16::from(options.isolate()));
    for thread in system.threads() {
        let user = system.kernel.threads[thread.id()].fpu;
        key.extend([u16::from(user.is_some()), u16::from(unit.is_for(Some(thread.id())))]);
    }
    key
}

/// The states of the probes, without samples and counts.
pub(super) fn probes(system: &System) -> Vec<u16> {
    let probes = system.threads().map(|thread| &system.kernel.probes[thread.id()]);
    let states = probes.map(|probe| {
        let (arming, _) = probe.arming();
        let (event, exit) = (arming.event.as_raw() as u16, arming.exit as u16);
        match probe.state() {
            ProbeState::Off => [0, NONE, NONE],
            ProbeState::Ready => [1, NONE, NONE],
            ProbeState::Armed => [2, event, exit],
            ProbeState::Leaving => [3, event, exit],
        }
    });
    states.flatten().collect()
}

/// The services that threads work for, and the states of the interrupts.
pub(super) fn works(system: &System) -> Vec<u16> {
    let service = |thread: Thread| system.kernel.works[thread.id()].as_ref().map(Work::service);
    let works = system.threads().map(|thread| number(service(thread)));
    let interrupts = system.kernel.irqs.iter().take(system.size.interrupts);
    works.chain(interrupts.map(|(_, interrupt)| interrupt.state as u16)).collect()
}

/// The threads of the domain that does not run, the end of the turn, and the rest of each slice.
pub(super) fn domains(system: &mut System) -> Vec<u16> {
    let now = system.kernel.machine.now;
    let Kernel { processor, other_queues, threads, links, sched_contexts, .. } = &mut *system.kernel;
    let until_end = processor.slot_end.saturating_sub(now);
    let mut key = vec![u16::from(processor.domain), until_end as u16];
    let other = &mut other_queues[usize::from(1 - processor.domain)];
    add_ready(&mut key, &mut other.ready, links, |thread| threads[thread].priority);
    key.extend(other.postponed.iter(links).map(|thread| number(Some(thread))));
    for (id, time) in sched_contexts.iter().take(system.size.sched_contexts) {
        let is_charged = processor.sched_context == Some(id);
        key.extend([time.remaining as u16, if is_charged { (now - processor.since) as u16 } else { NONE }]);
    }
    key
}

fn number<Tag>(id: Option<Id<Tag>>) -> u16 {
    id.map_or(NONE, |id| Arena::<Tag, (), 64>::index_of(id) as u16)
}
