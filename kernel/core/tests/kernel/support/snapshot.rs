//! The complete state of a kernel as a value, to compare and to restore.

use std::collections::BTreeMap;

use limen_core::arena::{Arena, Id, NotificationId, SchedContextId, ThreadId};
use limen_core::event::Event;
use limen_core::fast::OpenCall;
use limen_core::fault::Fault;
use limen_core::machine::{CounterAccess, Interrupt, Ticks};
use limen_core::object::endpoint::Endpoint;
use limen_core::object::irq::Irq;
use limen_core::object::key::Key;
use limen_core::object::notification::Notification;
use limen_core::object::probe::Probe;
use limen_core::object::reply::Reply;
use limen_core::object::sched_context::{SchedContext, Slice};
use limen_core::object::service::Work;
use limen_core::object::thread::State;
use limen_core::sched::queue::{Links, Queue, ThreadLinks};
use limen_core::sched::ready::ReadyQueues;
use limen_core::sched::sporadic_server::SporadicServer;
use limen_fpu::Fpu;

use super::context::TestContext;
use super::controller::Controller;
use super::machine::{HostFpu, Space};
use super::plan::Thread;
use super::system::System;

/// The domains that models have.
const DOMAINS: usize = 2;

/// The variable state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ThreadSnapshot {
    pub(crate) context: TestContext,
    pub(crate) state: State,
    pub(crate) sched_context: Option<SchedContextId>,
    pub(crate) notification: Option<NotificationId>,
    pub(crate) fault: Option<Fault>,
    pub(crate) space: Space,
    pub(crate) fpu: Option<ThreadId>,
    /// The service that it executes, with the saved registers.
    pub(crate) work: Option<Work<TestContext, Space>>,
    links: Links,
    serves: Option<OpenCall>,
}

/// The variable state of a kernel and its machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Snapshot {
    pub(crate) threads: Vec<ThreadSnapshot>,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) notifications: Vec<Notification>,
    pub(crate) replies: Vec<Reply>,
    pub(crate) sched_contexts: Vec<SchedContext>,
    pub(crate) irqs: Vec<Irq>,
    keys: Vec<Key>,
    probes: Vec<Probe>,
    /// How many branches on each key are written.
    key_places: BTreeMap<u64, u32>,
    controller: Controller,
    slices: Vec<Slice>,
    shares: Vec<Share>,
    /// The used ticks of each scheduling context.
    pub(crate) consumed: Vec<Ticks>,
    pub(crate) ready: Ready,
    postponed: Queue,
    domains: Option<Domains>,
    pub(crate) current: Option<ThreadId>,
    pub(crate) charged: Option<SchedContextId>,
    pub(crate) open_call: Option<OpenCall>,
    pub(crate) since: Ticks,
    pub(crate) programmed: Ticks,
    pub(crate) now: Ticks,
    space: Space,
    fpu: (Fpu<ThreadId>, HostFpu),
    counter: CounterAccess,
}

/// The ready threads in their order, each with its priority.
type Ready = Vec<(ThreadId, u8)>;

/// The domains of a system whose schedule has one turn for each of the first ones.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Domains {
    running: u8,
    slot_end: Ticks,
    /// The ready and postponed threads of those that do not run.
    others: Vec<(u8, Ready, Queue)>,
}

impl Domains {
    /// Those of a system; `None` without a schedule.
    fn of(system: &System) -> Option<Self> {
        let kernel = &system.kernel;
        let (running, slot_end) = (kernel.schedule.current()?.domain, kernel.processor.slot_end);
        let others = (0..).zip(&kernel.other_queues).take(DOMAINS);
        let others = others
            .filter(|(domain, _)| *domain != running)
            .map(|(domain, queues)| (domain, queues.ready.iter(&kernel.links).collect(), queues.postponed));
        Some(Self { running, slot_end, others: others.collect() })
    }

    /// Ends turns until that of the domain runs, and empties all queues. The threads are restored later.
    fn prepare(&self, system: &mut System) {
        let kernel = &mut *system.kernel;
        while kernel.schedule.current().is_some_and(|slot| slot.domain != self.running) {
            kernel.machine.now = kernel.processor.slot_end;
            kernel.machine.interrupt = Some(Interrupt::Timer);
            kernel.handle(Event::Interrupt);
        }
        empty(&mut kernel.processor.queues.ready, &mut kernel.links);
        for (domain, ..) in &self.others {
            empty(&mut kernel.other_queues[usize::from(*domain)].ready, &mut kernel.links);
        }
    }

    fn restore(&self, system: &mut System) {
        let kernel = &mut *system.kernel;
        kernel.processor.slot_end = self.slot_end;
        for (domain, ready, postponed) in &self.others {
            let queues = &mut kernel.other_queues[usize::from(*domain)];
            queues.postponed = *postponed;
            for (thread, priority) in ready {
                queues.ready.push_back(&mut kernel.links, *thread, *priority);
            }
        }
    }
}

fn empty(queues: &mut ReadyQueues, links: &mut ThreadLinks) {
    while queues.pop_highest(links).is_some() {}
}

/// A share. The same as another one if its refills are the same.
#[derive(Clone, Copy, Debug)]
struct Share(SporadicServer);

impl PartialEq for Share {
    fn eq(&self, other: &Self) -> bool {
        let limits = |share: &Self| (share.0.period(), share.0.data);
        limits(self) == limits(other) && self.0.refills().eq(other.0.refills())
    }
}

impl Eq for Share {}

impl Snapshot {
    /// Takes a snapshot of a system.
    pub(crate) fn of(system: &System) -> Self {
        let (kernel, size) = (&system.kernel, &system.size);
        let core = &kernel.processor;
        Self {
            threads: system.threads().map(|thread| thread_of(system, thread)).collect(),
            endpoints: first(&kernel.endpoints, size.endpoints),
            notifications: first(&kernel.notifications, size.notifications),
            replies: first(&kernel.replies, size.replies),
            sched_contexts: first(&kernel.sched_contexts, size.sched_contexts),
            irqs: first(&kernel.irqs, size.interrupts),
            keys: first(&kernel.keys, size.keys),
            probes: system.threads().map(|thread| kernel.probes[thread.id()].clone()).collect(),
            key_places: kernel.machine.key_places.clone(),
            controller: kernel.machine.controller.clone(),
            slices: first(&kernel.slices, size.sched_contexts),
            shares: first(&kernel.sporadic_servers, size.sched_contexts).into_iter().map(Share).collect(),
            consumed: kernel
                .sched_contexts
                .iter()
                .take(size.sched_contexts)
                .map(|(id, _)| kernel.consumed(id))
                .collect(),
            ready: core.queues.ready.iter(&kernel.links).collect(),
            postponed: core.queues.postponed,
            domains: Domains::of(system),
            current: core.current,
            charged: core.sched_context,
            open_call: core.open_call,
            since: core.since,
            programmed: core.programmed,
            now: kernel.machine.now,
            space: core.space,
            fpu: (core.fpu, kernel.machine.fpu),
            counter: core.counter,
        }
    }

    /// Restores an earlier state of the same system, except for recorded output and counters.
    pub(crate) fn restore(&self, system: &mut System) {
        if let Some(domains) = &self.domains {
            domains.prepare(system);
        }
        for (thread, saved) in system.threads().zip(&self.threads) {
            restore_thread(system, thread, saved);
        }
        if let Some(domains) = &self.domains {
            domains.restore(system);
        } else {
            system.kernel.processor.queues.ready = ReadyQueues::EMPTY;
        }
        for (thread, probe) in system.threads().zip(&self.probes) {
            system.kernel.probes[thread.id()].clone_from(probe);
        }
        let kernel = &mut *system.kernel;
        let core = &mut kernel.processor;
        copy_back(&mut kernel.endpoints, &self.endpoints);
        copy_back(&mut kernel.notifications, &self.notifications);
        copy_back(&mut kernel.replies, &self.replies);
        copy_back(&mut kernel.sched_contexts, &self.sched_contexts);
        copy_back(&mut kernel.irqs, &self.irqs);
        copy_back(&mut kernel.keys, &self.keys);
        copy_back(&mut kernel.slices, &self.slices);
        let shares: Vec<_> = self.shares.iter().map(|share| share.0).collect();
        copy_back(&mut kernel.sporadic_servers, &shares);
        core.queues.postponed = self.postponed;
        for (thread, priority) in self.ready.iter().rev() {
            core.queues.ready.push_front(&mut kernel.links, *thread, *priority);
        }
        core.current = self.current;
        core.sched_context = self.charged;
        core.open_call = self.open_call;
        core.since = self.since;
        core.programmed = self.programmed;
        (core.space, core.fpu, core.counter) = (self.space, self.fpu.0, self.counter);
        let machine = &mut kernel.machine;
        (machine.space, machine.fpu, machine.counter) = (self.space, self.fpu.1, self.counter);
        (machine.now, machine.deadline) = (self.now, self.programmed);
        machine.interrupt = None;
        machine.controller.clone_from(&self.controller);
        machine.key_places.clone_from(&self.key_places);
        kernel.probing = self.probes.iter().filter(|probe| probe.is_on()).count();
        kernel.machine.probing = vec![kernel.probing > 0];
    }
}

fn thread_of(system: &System, thread: Thread) -> ThreadSnapshot {
    let state = &system.kernel.threads[thread.id()];
    ThreadSnapshot {
        context: state.context,
        state: state.state,
        sched_context: state.sched_context,
        notification: state.notification,
        fault: state.fault,
        space: state.space,
        fpu: state.fpu,
        work: system.kernel.works[thread.id()],
        links: system.kernel.links[thread.id()],
        serves: state.serves,
    }
}

fn restore_thread(system: &mut System, thread: Thread, saved: &ThreadSnapshot) {
    let state = &mut system.kernel.threads[thread.id()];
    state.context = saved.context;
    state.state = saved.state;
    state.sched_context = saved.sched_context;
    state.notification = saved.notification;
    state.serves = saved.serves;
    state.fault = saved.fault;
    (state.space, state.fpu) = (saved.space, saved.fpu);
    system.kernel.works[thread.id()] = saved.work;
    system.kernel.links[thread.id()] = saved.links;
}

fn first<Tag, T: Clone, const N: usize>(arena: &Arena<Tag, T, N>, count: usize) -> Vec<T> {
    arena.iter().take(count).map(|(_, object)| object.clone()).collect()
}

fn copy_back<Tag, T: Clone, const N: usize>(arena: &mut Arena<Tag, T, N>, saved: &[T]) {
    for (index, object) in saved.iter().enumerate() {
        let id: Id<Tag> = Arena::<Tag, T, N>::id(index as u64).expect("a saved object has a place");
        arena[id].clone_from(object);
    }
}
