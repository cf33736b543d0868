//! The abstraction of a kernel's state: the state of the specification that it stands for.

use core::fmt;
use core::ops::Range;
use core::sync::atomic::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use limen_abi::limits::{self, MIN_BUDGET_US};
use limen_abi::message::BufferWord;
use limen_abi::probe::ProbeEvent;
use limen_abi::ring::{RecordWord, RingWord};
use limen_abi::{KernelKey, Label, ServiceKind};
use limen_core::Kernel;
use limen_core::arena::{Arena, Id, ReplyId, SchedContextId, ThreadId};
use limen_core::cap::{Cap, LookupFailure};
use limen_core::fault::{Access, Fault, Phase};
use limen_core::kernel::Threads;
use limen_core::machine::{CacheOperation, Context, Machine, PortWidth};
use limen_core::object::endpoint::Endpoint;
use limen_core::object::irq;
use limen_core::object::key::{self, DefaultHold};
use limen_core::object::notification::Signals;
use limen_core::object::probe::{Events, ExitStamp, Sample, State as ProbeState};
use limen_core::object::reply::Reply;
use limen_core::object::sched_context::SchedContext;
use limen_core::object::secure_monitor::REGISTERS;
use limen_core::object::thread::{AfterSend, Restart, State};
use limen_core::ring::SampleRing;
use limen_core::sched::domain::DomainQueues;
use limen_core::sched::queue::Queue;
use limen_core::sched::sporadic_server::Refill;
use limen_image::{Image, MappingFlags, NONE, Options};
use limen_spec::registers::{InstructionSet, Registers};
use limen_spec::{fpu, hardware, probe, share, state, time, trace};

/// The facts of a system that no state of the kernel shows: its size, its capabilities, and which services reset, clear or seal
/// for what.
#[derive(Clone, Debug)]
pub struct Facts {
    set: InstructionSet,
    frequency: u64,
    threads: usize,
    endpoints: usize,
    notifications: usize,
    replies: usize,
    sched_contexts: usize,
    interrupts: usize,
    /// The keys of the kernel that programs have, by key.
    keys: Vec<Option<KernelKey>>,
    /// Whether programs can trace.
    has_ring: bool,
    /// Pages that programs cannot write, by address space.
    read_only: Rc<Vec<(usize, Range<u64>)>>,
    caps: Vec<Rc<limen_spec::Caps>>,
    services: Vec<state::Service>,
    /// The slots of the fault handlers, by thread.
    handlers: Vec<Option<u64>>,
    /// The turns of domains.
    turns: Vec<(u8, u64)>,
    /// By thread.
    wipes: BTreeMap<usize, usize>,
    /// By interrupt.
    serves: BTreeMap<usize, usize>,
}

impl Facts {
    /// Reads them from an image. The capability tables of the machine are filled.
    pub fn of<M: Machine>(image: &Image<'_>, machine: &M, set: InstructionSet) -> Self {
        let handlers = image.threads().map(|thread| (thread.fault_slot != NONE).then_some(thread.fault_slot));
        let turns: Vec<_> = image
            .domain_schedule()
            .map(|slot| (slot.domain as u8, machine.ticks_from_us(slot.duration_us) + slot.duration_ticks))
            .collect();
        let counts = image.counts();
        let mut facts = Self {
            set,
            frequency: machine.frequency(),
            threads: image.thread_count() as usize,
            endpoints: counts.endpoints as usize,
            notifications: counts.notifications as usize,
            replies: counts.replies as usize,
            sched_contexts: image.sched_contexts().count(),
            interrupts: image.interrupts().count(),
            keys: image.keys().map(|key| KernelKey::from_raw(key.kernel)).collect(),
            has_ring: image.trace().is_some() && image.options() & Options::RECORDING == 0,
            read_only: Rc::new(read_only_pages(image).collect()),
            caps: all_caps(image.thread_count(), machine),
            services: Vec::new(),
            handlers: handlers.collect(),
            turns,
            wipes: BTreeMap::new(),
            serves: BTreeMap::new(),
        };
        for (index, service) in image.services().enumerate() {
            let immediate = service.kind == ServiceKind::Wipe.as_raw();
            let words = match ServiceKind::from_raw(service.kind) {
                Some(ServiceKind::Digest | ServiceKind::KernelDigest) => 4,
                Some(ServiceKind::Seal) => 1,
                _ => 0,
            };
            let owner = image.threads().nth(service.owner as usize);
            let resets = owner.map(|record| state::Reset {
                thread: service.owner as usize,
                entry: record.entry,
                stack_top: record.stack_top,
            });
            facts.services.push(state::Service { is_immediate: immediate, resets, words });
            if service.interrupt != NONE {
                facts.serves.insert(service.interrupt as usize, index);
            } else if immediate {
                facts.wipes.insert(service.thread as usize, index);
            }
        }
        facts
    }

    /// Adds pages that programs cannot write in any address space.
    #[must_use]
    pub fn with_read_only(mut self, pages: &Range<u64>) -> Self {
        let all = (0..limits::VSPACES).map(|space| (space, pages.clone()));
        self.read_only = Rc::new(self.read_only.iter().cloned().chain(all).collect());
        self
    }
}

/// The pages that programs cannot write, by address space.
pub fn read_only_pages(image: &Image<'_>) -> impl Iterator<Item = (usize, Range<u64>)> {
    let read_only = image.mappings().filter(|mapping| mapping.flags & MappingFlags::WRITE == 0);
    read_only
        .map(|mapping| (mapping.vspace as usize, mapping.vaddr..mapping.vaddr.saturating_add(mapping.bytes)))
}

/// A request to the hardware for the maintenance of caches.
#[must_use]
pub fn maintenance(space: u64, operation: CacheOperation, addresses: Range<u64>) -> hardware::Request {
    let method = match operation {
        CacheOperation::Clean => Label::ArmVspaceCleanData,
        CacheOperation::Invalidate => Label::ArmVspaceInvalidateData,
        CacheOperation::CleanInvalidate => Label::ArmVspaceCleanInvalidateData,
        CacheOperation::Unify => Label::ArmVspaceUnifyInstruction,
    };
    hardware::Request::Maintain { space: space as usize, method, addresses }
}

/// A request to write a port. Bits beyond the width of the access are dropped.
#[must_use]
pub fn port_write(port: u16, width: PortWidth, value: u32) -> hardware::Request {
    let bytes = width as u64;
    hardware::Request::Write { port, bytes, value: u64::from(value) & !(u64::MAX << (8 * bytes)) }
}

/// A kernel, and what its state leaves open.
#[derive(Debug)]
pub struct View<'a, M: Machine> {
    /// The kernel.
    pub kernel: &'a Kernel<M>,
    /// The facts of its system.
    pub facts: &'a Facts,
    /// The time.
    pub now: u64,
    /// The turn of the domain.
    pub turn: usize,
    /// Services that ran in interrupts and faults.
    pub wiped: &'a [usize],
    /// How the return from the last event is stamped.
    pub exit: ExitStamp,
    /// The last request to the hardware.
    pub asked: &'a Option<hardware::Request>,
    /// The answer to it.
    pub answer: [u64; REGISTERS],
    /// The record that a program has written.
    pub record: Option<trace::Record>,
}

impl<M: Machine> Clone for View<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Machine> Copy for View<'_, M> {}

/// The parts in which two states differ.
#[must_use]
pub fn difference(found: &limen_spec::System, expected: &limen_spec::System) -> String {
    let (found, expected) = (parts(found), parts(expected));
    let differs = found.iter().zip(&expected).filter(|(left, right)| left.1 != right.1);
    differs.map(|((name, left), (_, right))| format!("{name}\n  - {left}\n  + {right}\n")).collect()
}

/// The parts of a state, by name.
fn parts(state: &limen_spec::System) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    let mut part = |name: String, value: &dyn fmt::Debug| parts.push((name, format!("{value:x?}")));
    part("now".into(), &state.now);
    part("current thread and its scheduling context".into(), &(state.current, state.charged));
    for (index, thread) in state.threads.iter().enumerate() {
        thread.registers.values.iter().enumerate().for_each(|(place, value)| {
            part(format!("register {place} of thread {index}"), value);
        });
        thread.registers.buffer.iter().enumerate().for_each(|(place, value)| {
            part(format!("buffer word {place} of thread {index}"), value);
        });
        let of = thread.registers.of;
        let registers = Registers { of, values: Vec::new(), buffer: Vec::new() };
        part(format!("thread {index}"), &state::Thread { registers, caps: Rc::default(), ..thread.clone() });
    }
    state.endpoints.iter().enumerate().for_each(|(at, queue)| part(format!("endpoint {at}"), queue));
    state.notifications.iter().enumerate().for_each(|(at, it)| part(format!("notification {at}"), it));
    part("callers by reply object".into(), &state.replies);
    state.times.iter().enumerate().for_each(|(at, time)| part(format!("scheduling context {at}"), time));
    state.interrupts.iter().enumerate().for_each(|(at, it)| part(format!("interrupt {at}"), it));
    part("ready threads by domain".into(), &state.ready);
    part("postponed threads by domain".into(), &state.postponed);
    part("schedule".into(), &state.schedule);
    state.keys.iter().enumerate().for_each(|(at, key)| part(format!("key {at}"), key));
    part("floating-point unit".into(), &state.fpu);
    part("immediate services".into(), &state.wiped);
    part("stamp of the return".into(), &state.exit);
    part("hardware".into(), &state.hardware);
    part("keys of the kernel, and record".into(), &state.trace);
    parts
}

fn index<Tag>(id: Id<Tag>) -> usize {
    Arena::<Tag, (), 64>::index_of(id)
}

/// A thread's program has the same name as the thread.
fn owner_of<M: Machine>(owner: ThreadId) -> fpu::Owner {
    let thread = index(owner);
    let program = Threads::<M>::id(thread as u64);
    if program == Some(owner) { fpu::Owner::Program(thread) } else { fpu::Owner::Work(thread) }
}

fn key_of<M: Machine>(facts: &Facts, kernel: Option<KernelKey>, object: &key::Key) -> limen_spec::key::Key {
    let threads = (0..facts.threads).filter_map(|thread| Some((thread, Threads::<M>::id(thread as u64)?)));
    let holds = threads.map(|(thread, id)| (thread, u64::from(object.holds(id))));
    limen_spec::key::Key {
        holds: holds.filter(|(_, holds)| *holds > 0).collect(),
        default: match object.default_hold() {
            DefaultHold::Off => limen_spec::key::DefaultHold::None,
            DefaultHold::Held => limen_spec::key::DefaultHold::Held,
            DefaultHold::TakenBy(thread) => limen_spec::key::DefaultHold::TakenBy(index(thread)),
        },
        group: object.group().map(index),
        kernel,
        is_on: object.is_on(),
        writer: object.patcher().map(index),
    }
}

fn fpu_of<M: Machine>(kernel: &Kernel<M>) -> fpu::Fpu {
    let unit = &kernel.processor.fpu;
    let ((policy, options), counters) = (unit.policy(), unit.counters());
    fpu::Fpu {
        owner: unit.owner().map(owner_of::<M>),
        is_on: unit.is_on(),
        policy,
        isolates: options.isolate(),
        exits_in_constant_time: options.constant_exit(),
        needs: kernel.machine.fpu_options(),
        counts: fpu::Counts {
            saves: counters.saves(),
            loads: counters.loads(),
            enables: counters.enables(),
            disables: counters.disables(),
            faults: counters.faults(),
        },
    }
}

fn exit_of(exit: ExitStamp) -> probe::Exit {
    match exit {
        ExitStamp::None => probe::Exit::None,
        ExitStamp::Plain => probe::Exit::Plain,
        ExitStamp::Serialised => probe::Exit::Serialised,
    }
}

fn sample_of(Sample { event, user, entry, interruptions }: Sample) -> probe::Sample {
    probe::Sample { event, user, entry, interruptions }
}

/// The contents of a ring, as its program reads them.
fn ring_of(ring: &SampleRing) -> probe::Ring {
    let word = |line: usize, word: usize| ring.lines[line][word].load(Ordering::Relaxed);
    let sample = |line: usize| {
        let number = word(line, RecordWord::NUMBER).checked_sub(1)?;
        let [event, user, entry, interruptions] = [0, 1, 2, 3].map(|at| word(line, RecordWord::FIRST + at));
        let event = ProbeEvent::from_raw(event)?;
        Some((number, probe::Sample { event, user, entry, interruptions }))
    };
    probe::Ring {
        count: word(0, RingWord::COUNT),
        slots: word(0, RingWord::SLOTS),
        switches_page_tables: word(0, RingWord::PAGE_TABLE_SWITCH) == 1,
        samples: (1..ring.lines.len()).filter_map(sample).collect(),
    }
}

/// The probe of a thread. What the kernel keeps of one that is off has no effect.
fn probe_of<M: Machine>(kernel: &Kernel<M>, thread: ThreadId) -> probe::Probe {
    let object = &kernel.probes[thread];
    let (arming, interruptions) = object.arming();
    let arming = probe::Arming {
        event: arming.event,
        first: arming.first,
        last: arming.last,
        exit: exit_of(arming.exit),
        stays: arming.events == Events::Every,
    };
    let state = match object.state() {
        ProbeState::Off => probe::State::Off,
        ProbeState::Ready => probe::State::Ready,
        ProbeState::Armed => probe::State::Armed { arming, interruptions },
        ProbeState::Leaving => probe::State::Leaving(arming),
    };
    let ring = object.ring().map(|ring| ring_of(&kernel.machine.sample_rings()[ring]));
    if state == probe::State::Off {
        return probe::Probe { ring, ..probe::Probe::default() };
    }
    probe::Probe {
        state,
        samples: object.samples().map(sample_of).collect(),
        dropped: object.dropped(),
        entries: object.entries(),
        ring,
    }
}

/// The registers and the buffer of a thread's program.
pub fn registers_of<M: Machine>(kernel: &Kernel<M>, set: InstructionSet, thread: ThreadId) -> Registers {
    let buffer = &kernel.machine.buffers()[thread];
    let context = match &kernel.works[thread] {
        Some(work) => work.program(),
        None => &kernel.threads[thread].context,
    };
    Registers {
        of: set,
        values: (0..M::Context::REGISTERS).map(|position| context.register(position)).collect(),
        buffer: (0..BufferWord::COUNT).map(|offset| buffer.word(offset)).collect(),
    }
}

/// A fault as the specification has it.
pub fn fault_of(fault: Fault) -> limen_spec::Fault {
    match fault {
        Fault::Cap { cptr, phase, failure } => limen_spec::Fault::Cap {
            pointer: cptr,
            receiving: phase == Phase::Receive,
            nowhere: matches!(failure, LookupFailure::GuardMismatch { .. }),
        },
        Fault::UnknownSyscall { number } => limen_spec::Fault::UnknownSyscall { number },
        Fault::UserException { number, code } => limen_spec::Fault::UserException { number, code },
        Fault::Vm { address, access, status } => {
            limen_spec::Fault::Vm { address, fetch: access == Access::Instruction, status }
        }
        Fault::Timeout { data, consumed_us } => limen_spec::Fault::Timeout { data, consumed_us },
    }
}

fn rights_of(rights: limen_core::cap::Rights) -> limen_spec::Rights {
    limen_spec::Rights {
        send: rights.can_send(),
        receive: rights.can_receive(),
        grant: rights.can_grant(),
        grant_reply: rights.can_call(),
    }
}

fn cap_of(cap: Cap) -> limen_spec::Cap {
    match cap {
        Cap::Null => limen_spec::Cap::Empty,
        Cap::Thread(id) => limen_spec::Cap::Thread(index(id)),
        Cap::Endpoint { id, badge, rights } => {
            limen_spec::Cap::Endpoint { endpoint: index(id), badge, rights: rights_of(rights) }
        }
        Cap::Notification { id, badge, rights } => {
            limen_spec::Cap::Notification { notification: index(id), badge, rights: rights_of(rights) }
        }
        Cap::Reply(id) => limen_spec::Cap::Reply(index(id)),
        Cap::SchedContext(id) => limen_spec::Cap::Time(index(id)),
        Cap::SchedControl => limen_spec::Cap::TimeControl,
        Cap::Interrupt(id) => limen_spec::Cap::Interrupt(Arena::<_, (), 128>::index_of(id)),
        Cap::Service(id) => limen_spec::Cap::Service(index(id)),
        Cap::Key(id) => limen_spec::Cap::Key(index(id)),
        Cap::FpuPolicy => limen_spec::Cap::FpuPolicy,
        Cap::FpuCounters => limen_spec::Cap::FpuCounts,
        Cap::Probe => limen_spec::Cap::Probe,
        Cap::IoPort { ports } => {
            let [first, last] = [ports as u16, (ports >> u16::BITS) as u16];
            limen_spec::Cap::Ports(first, last)
        }
        Cap::Vspace(id) => limen_spec::Cap::Space(index(id)),
        Cap::SecureMonitor => limen_spec::Cap::Monitor,
        // The specification has one processor.
        Cap::Elsewhere { .. } => limen_spec::Cap::Empty,
    }
}

fn restarts(again: Restart) -> bool {
    again == Restart::SystemCall
}

fn state_of(state: State) -> state::State {
    match state {
        State::Inactive => state::State::Inactive,
        State::Runnable | State::Postponed => state::State::Runnable,
        State::Receiving { endpoint, reply, again } => state::State::Receiving {
            endpoint: index(endpoint),
            reply: reply.map(index),
            restarts: restarts(again),
        },
        State::Waiting { notification, again } => {
            state::State::Waiting { notification: index(notification), restarts: restarts(again) }
        }
        State::Sending { endpoint, badge, then, again } => state::State::Sending {
            endpoint: index(endpoint),
            badge,
            then: match then {
                AfterSend::Continue => state::AfterSend::Continue,
                AfterSend::AwaitReply => state::AfterSend::Call,
                AfterSend::AwaitReplyOnly => state::AfterSend::CallWithoutTime,
                AfterSend::Stop => state::AfterSend::Stop,
            },
            restarts: restarts(again),
        },
        // The specification has one processor: this equals none of its states.
        State::Away { again } => state::State::Calling { reply: usize::MAX, restarts: restarts(again) },
        State::Calling { reply, again } => {
            state::State::Calling { reply: index(reply), restarts: restarts(again) }
        }
    }
}

fn thread_of<M: Machine>(view: &View<'_, M>, thread: ThreadId) -> state::Thread {
    let (kernel, facts) = (view.kernel, view.facts);
    let (state, number) = (&kernel.threads[thread], index(thread));
    let caps = facts.caps.get(number).cloned().unwrap_or_default();
    state::Thread {
        registers: registers_of(kernel, facts.set, thread),
        priority: state.priority,
        max_priority: state.max_priority,
        state: state_of(state.state),
        time: state.sched_context.map(index),
        notification: state.notification.map(index),
        fault: state.fault.map(fault_of),
        fault_handler: facts.handlers[number].map_or(limen_spec::Cap::Empty, |slot| {
            caps.own.get(&slot).copied().unwrap_or(limen_spec::Cap::Empty)
        }),
        timeout_handler: cap_of(state.timeout_handler),
        domain: state.domain,
        may_use_fpu: kernel.works[thread].as_ref().map_or(state.fpu, |work| work.fpu()).is_some(),
        works: kernel.works[thread].as_ref().map(|work| index(work.service())),
        wipe: facts.wipes.get(&number).copied(),
        probe: probe_of(kernel, thread),
        caps,
    }
}

/// The capabilities of each thread, which do not change after boot.
fn all_caps<M: Machine>(threads: u64, machine: &M) -> Vec<Rc<limen_spec::Caps>> {
    let nonempty = |caps: &mut dyn Iterator<Item = Cap>| -> BTreeMap<u64, limen_spec::Cap> {
        (0..).zip(caps).filter(|(_, cap)| *cap != Cap::Null).map(|(slot, cap)| (slot, cap_of(cap))).collect()
    };
    let caps = (0..threads).filter_map(Threads::<M>::id).map(|thread| {
        let own = nonempty(&mut machine.cap_table(thread).iter());
        let root = nonempty(&mut machine.root_table(thread).iter());
        Rc::new(limen_spec::Caps { own, root })
    });
    caps.collect()
}

fn queue_of<M: Machine>(view: &View<'_, M>, endpoint: Endpoint) -> Vec<usize> {
    match endpoint {
        Endpoint::Idle => Vec::new(),
        Endpoint::LoneReceiver { thread, .. } => vec![index(thread)],
        Endpoint::SenderQueue(queue) | Endpoint::ReceiverQueue(queue) => {
            queue.iter(&view.kernel.links).map(index).collect()
        }
    }
}

/// The calls that run on a scheduling context, from the newest to the oldest, turned round.
fn calls_on<M: Machine>(view: &View<'_, M>, top: Option<ReplyId>) -> Vec<usize> {
    let below = |reply: &ReplyId| match view.kernel.replies[*reply] {
        Reply::Owed { loan: Some(loan), .. } => loan.below,
        Reply::Owed { .. } | Reply::Free => None,
    };
    let mut calls: Vec<_> = std::iter::successors(top, below).map(index).collect();
    calls.reverse();
    calls
}

/// The state of the specification that a kernel's state stands for.
pub fn abstraction<M: Machine>(view: &View<'_, M>) -> limen_spec::System {
    let mut state = objects_of(view);
    let open = std::iter::successors(view.kernel.processor.open_call, |call| {
        view.kernel.threads[call.caller].serves
    });
    let open: Vec<_> = open.collect();
    for call in open.into_iter().rev() {
        let caller = index(call.caller);
        let server = state.endpoints[index(call.endpoint)].remove(0);
        let state::State::Receiving { reply: Some(reply), .. } = state.threads[server].state else {
            // The states then differ.
            continue;
        };
        state.threads[server].state = state::State::Runnable;
        state.threads[caller].state =
            state::State::Calling { reply, restarts: state.threads[caller].fault.is_none() };
        state.replies[reply] = Some(caller);
        if state.threads[server].time.is_none()
            && let Some(time) = state.threads[caller].time.take()
        {
            state.threads[server].time = Some(time);
            state.times[time].thread = Some(server);
            state.times[time].calls.push(reply);
        }
    }
    state
}

fn refill_of(refill: Refill) -> share::Refill {
    share::Refill { at: refill.time, amount: refill.amount }
}

/// A scheduling context as the specification has it.
fn time_of<M: Machine>(view: &View<'_, M>, id: SchedContextId, object: &SchedContext) -> time::Time {
    let (kernel, processor) = (view.kernel, &view.kernel.processor);
    let is_charged = processor.sched_context == Some(id);
    let uncharged = if is_charged { view.now.saturating_sub(processor.since) } else { 0 };
    let mut server = kernel.sporadic_servers[id];
    let is_share = server.is_limited();
    if object.remaining == 0 && is_share {
        // Of a thread that still runs after the kernel has found its budget used up.
        server.charge(processor.since, uncharged);
    }
    let budget = kernel.slices[id].budget;
    let is_in_use = object.remaining > 0;
    let share = share::Share {
        refills: server.refills().map(refill_of).collect(),
        usage: is_in_use.then(|| share::Use {
            until: object.usable_until,
            ticks: server.used_before(object.remaining) + uncharged,
            last: if is_charged { view.now } else { object.last_used },
        }),
        least: kernel.machine.ticks_from_us(MIN_BUDGET_US),
    };
    time::Time {
        budget,
        period: if is_share { server.period() } else { budget },
        data: server.data,
        consumed: kernel.consumed(id) + uncharged,
        left: if is_share { 0 } else { object.remaining.saturating_sub(uncharged) },
        share: is_share.then_some(share),
        begun_at: kernel.slices[id].priority,
        thread: object.thread.map(index),
        notification: object.notification.map(index),
        calls: calls_on(view, object.top),
        heir: object.heir.map(index),
    }
}

/// The state that the objects show: until it is flushed, the server of an open call waits and its caller does not.
fn objects_of<M: Machine>(view: &View<'_, M>) -> limen_spec::System {
    let (kernel, facts) = (view.kernel, view.facts);
    let processor = &kernel.processor;
    let queue = |queue: &Queue| -> Vec<usize> { queue.iter(&kernel.links).map(index).collect() };
    let notifications =
        kernel.notifications.iter().take(facts.notifications).map(|(_, object)| state::Notification {
            pending: if let Signals::Active(bits) = object.state { Some(bits) } else { None },
            waiting: match &object.state {
                Signals::LoneWaiter(thread) => vec![index(*thread)],
                Signals::WaiterQueue(waiters) => queue(waiters),
                Signals::Idle | Signals::Active(_) => Vec::new(),
            },
            thread: object.thread.map(index),
            time: object.sched_context.map(index),
        });
    let times = kernel.sched_contexts.iter().take(facts.sched_contexts);
    let times = times.map(|(id, object)| time_of(view, id, object));
    let interrupts =
        kernel.irqs.iter().take(facts.interrupts).enumerate().map(|(at, (_, object))| state::Interrupt {
            line: object.line.0,
            notification: index(object.notification),
            badge: object.badge,
            state: match object.state {
                irq::State::Armed => state::Delivery::Armed,
                irq::State::Delivered => state::Delivery::Delivered,
                irq::State::DeliveredAgain => state::Delivery::DeliveredAgain,
            },
            serves: facts.serves.get(&at).copied(),
        });
    let others = kernel.other_queues.iter().enumerate();
    let others = others.filter(|(domain, _)| *domain != usize::from(processor.domain));
    let queues = others.map(|(domain, queues)| (domain as u8, queues));
    let queues = queues.chain([(processor.domain, &processor.queues)]);
    let (mut ready, mut postponed) = (BTreeMap::new(), BTreeMap::new());
    for (domain, queues) in queues {
        let DomainQueues { ready: first, postponed: second } = queues;
        let mut first: Vec<_> = first.iter(&kernel.links).collect();
        first.sort_by_key(|(_, priority)| core::cmp::Reverse(*priority));
        let first: Vec<usize> = first.into_iter().map(|(thread, _)| index(thread)).collect();
        let second: Vec<usize> = second.iter(&kernel.links).map(index).collect();
        if !first.is_empty() {
            ready.insert(domain, first);
        }
        if !second.is_empty() {
            postponed.insert(domain, second);
        }
    }
    limen_spec::System {
        now: view.now,
        frequency: facts.frequency,
        current: processor.current.map(index),
        charged: processor.sched_context.map(index),
        end_is_known: false,
        unwritten: Vec::new(),
        entry: None,
        exit: exit_of(view.exit),
        switches_page_tables: kernel.machine.switches_page_tables(),
        threads: (0..facts.threads as u64)
            .filter_map(Threads::<M>::id)
            .map(|thread| thread_of(view, thread))
            .collect(),
        endpoints: kernel
            .endpoints
            .iter()
            .take(facts.endpoints)
            .map(|(_, object)| queue_of(view, *object))
            .collect(),
        notifications: notifications.collect(),
        replies: kernel
            .replies
            .iter()
            .take(facts.replies)
            .map(|(_, object)| match object {
                Reply::Free => None,
                Reply::Owed { caller, .. } => Some(index(*caller)),
            })
            .collect(),
        times: times.collect(),
        interrupts: interrupts.collect(),
        ready,
        postponed,
        schedule: state::Schedule {
            turns: facts.turns.clone(),
            turn: view.turn,
            end: processor.slot_end,
            domain: processor.domain,
        },
        keys: facts
            .keys
            .iter()
            .zip(kernel.keys.iter())
            .map(|(own, (_, key))| key_of::<M>(facts, *own, key))
            .collect(),
        fpu: fpu_of(kernel),
        woken: Vec::new(),
        services: facts.services.clone(),
        wiped: view.wiped.to_vec(),
        hardware: hardware::Hardware {
            caches_end: M::CACHED_USER_END,
            read_only: Rc::clone(&facts.read_only),
            asked: view.asked.clone(),
            answer: view.answer,
        },
        trace: trace::Trace {
            has_ring: facts.has_ring,
            keys: kernel.machine.trace_groups()
                | if kernel.machine.is_printing() { KernelKey::Printing.option() } else { 0 },
            record: view.record,
        },
    }
}
