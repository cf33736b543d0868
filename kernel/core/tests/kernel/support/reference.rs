//! The abstraction of a kernel's state: the state of the specification that it stands for.

use core::cell::Cell;
use core::fmt;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use limen_abi::ServiceKind;
use limen_core::arena::{Arena, Id, ThreadId};
use limen_core::cap::Cap;
use limen_core::cap::LookupFailure;
use limen_core::event::Event;
use limen_core::fault::{Access, Fault, Phase};
use limen_core::machine::{self, Machine as _};
use limen_core::object::endpoint::Endpoint;
use limen_core::object::irq;
use limen_core::object::notification::Signals;
use limen_core::object::reply::Reply;
use limen_core::object::thread::{AfterSend, Restart, State};
use limen_core::sched::domain::DomainQueues;
use limen_image::{Image, NONE};
use limen_spec::event::Coverage;
use limen_spec::registers::Registers;
use limen_spec::{fpu, state, time};

use super::machine::PRESERVED;
use super::plan::Thread;
use super::system::System;

/// The facts of a system that no state of the kernel shows: which services reset, clear or seal for what.
#[derive(Clone, Debug, Default)]
pub(crate) struct Services {
    all: Vec<state::Service>,
    /// The slots of the fault handlers, by thread.
    handlers: Vec<Option<u64>>,
    /// The turns of domains.
    turns: Vec<(u8, u64)>,
    first_turn: usize,
    /// By thread.
    wipes: BTreeMap<usize, usize>,
    /// By interrupt.
    serves: BTreeMap<usize, usize>,
}

impl Services {
    /// Reads them from an image.
    pub(crate) fn of(image: &Image<'_>) -> Self {
        let handlers = image.threads().map(|thread| (thread.fault_slot != NONE).then_some(thread.fault_slot));
        let turns: Vec<_> =
            image.domain_schedule().map(|slot| (slot.domain as u8, slot.duration_ticks)).collect();
        let first_turn = image.counts().domain_start as usize;
        let mut services = Self { turns, first_turn, handlers: handlers.collect(), ..Self::default() };
        for (index, service) in image.services().enumerate() {
            let immediate = service.kind == ServiceKind::Wipe.as_raw();
            let words = match ServiceKind::from_raw(service.kind) {
                Some(ServiceKind::Digest | ServiceKind::KernelDigest) => 4,
                Some(ServiceKind::Seal) => 1,
                _ => 0,
            };
            let resets = (service.owner != NONE).then_some(service.owner as usize);
            services.all.push(state::Service { is_immediate: immediate, resets, words });
            if service.interrupt != NONE {
                services.serves.insert(service.interrupt as usize, index);
            } else if immediate {
                services.wipes.insert(service.thread as usize, index);
            }
        }
        services
    }
}

/// The specification beside a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The state that the kernel should have.
    pub(crate) state: limen_spec::System,
    /// The number of events compared.
    pub(crate) compared: u64,
    /// The number of events that the specification does not cover.
    pub(crate) skipped: u64,
}

/// The events of several systems.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    compared: Cell<u64>,
    skipped: Cell<u64>,
}

impl Counts {
    /// Adds those of a system.
    pub(crate) fn add(&self, system: &System) {
        let [compared, skipped] = system.compared();
        self.compared.update(|count| count + compared);
        self.skipped.update(|count| count + skipped);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (compared, skipped) = (self.compared.get(), self.skipped.get());
        write!(f, "{compared} events compared with the specification, {skipped} that it does not contain")
    }
}

impl System {
    /// The number of events after which the kernel was compared, and of those that the specification does not contain.
    pub(crate) fn compared(&self) -> [u64; 2] {
        self.reference.as_ref().map_or([0; 2], |reference| [reference.compared, reference.skipped])
    }

    /// From now on, holds the kernel against the specification after every event.
    pub(crate) fn follow_specification(&mut self) {
        self.reference = Some(Box::new(Reference { state: abstraction(self), compared: 0, skipped: 0 }));
    }

    /// Tells the specification what the program of the running thread has done: time, registers and buffer.
    pub(crate) fn prepare_reference(&mut self) {
        let Some(mut reference) = self.reference.take() else { return };
        let now = self.kernel.machine.now;
        let state = &mut reference.state;
        state.pass(now - state.now);
        assert_eq!(state.current, self.current().map(|thread| thread.0 as usize));
        if let Some(current) = self.current() {
            state.threads[current.0 as usize].registers = registers_of(self, current);
        }
        self.reference = Some(reference);
    }

    /// Compares the kernel with the specification after an event. Open calls stay open.
    pub(crate) fn compare_reference(&mut self, event: &limen_spec::Event) {
        let Some(mut reference) = self.reference.take() else { return };
        let before = &reference.state;
        let outcomes = [false, true].map(|end_is_known| {
            let mut outcome = limen_spec::System { end_is_known, ..before.clone() };
            let coverage = match event {
                limen_spec::Event::FpuUse(_) if self.ignores_fpu => Coverage::Unspecified,
                _ => outcome.handle(event),
            };
            outcome.end_is_known = false;
            (coverage == Coverage::Specified).then_some(outcome)
        });
        self.ignores_fpu |= outcomes[0].is_none() && sets_fpu_policy(before);
        let mut found = abstraction(self);
        // The kernel does not show which of several turns of a domain it is in, only when it ends.
        found.schedule.turn = before.schedule.turn;
        let [Some(first), second] = outcomes else {
            reference.skipped += 1;
            reference.state = found;
            self.reference = Some(reference);
            return;
        };
        reference.compared += 1;
        let expected = [Some(first.clone()), second].into_iter().flatten();
        let is_right =
            |expected: &limen_spec::System| self.as_expected(&found, before, expected) == *expected;
        let Some(right) = expected.into_iter().find(is_right) else {
            let difference = difference(&self.as_expected(&found, before, &first), &first);
            panic!(
                "after {event:x?} of {:?} the kernel is not as specified (- kernel, + specification):\n{difference}",
                before.current
            );
        };
        reference.state = right;
        self.reference = Some(reference);
    }

    /// The state that was found, with the parts that the kernel leaves open as they are expected.
    fn as_expected(
        &self,
        found: &limen_spec::System,
        before: &limen_spec::System,
        expected: &limen_spec::System,
    ) -> limen_spec::System {
        let mut found = found.clone();
        found.schedule.turn = expected.schedule.turn;
        // The port adds registers to those of the program when work begins.
        for (thread, old) in found.threads.iter_mut().zip(&before.threads) {
            if thread.works.is_some() && old.works.is_none() {
                thread.registers.values[PRESERVED] = old.registers.values[PRESERVED];
            }
        }
        if self.ignores_fpu {
            found.fpu = expected.fpu;
        }
        found
    }

    /// The event as the specification has it.
    pub(crate) fn specified(&self, event: &Event) -> limen_spec::Event {
        match event {
            Event::Syscall(number) => limen_spec::Event::Syscall(*number),
            Event::Fault(fault) => limen_spec::Event::Fault(fault_of(*fault)),
            Event::FpuUse(fault) => limen_spec::Event::FpuUse(fault_of(*fault)),
            Event::Interrupt => match self.kernel.machine.interrupt {
                Some(machine::Interrupt::Timer) => limen_spec::Event::Timer,
                Some(machine::Interrupt::Line(line)) => limen_spec::Event::Line(line.0),
                None => panic!("no interrupt is pending"),
            },
            Event::WorkDone(result) => limen_spec::Event::WorkDone(result.words.to_vec()),
        }
    }
}

/// Whether the running thread's message asks for another policy of the floating-point unit.
fn sets_fpu_policy(state: &limen_spec::System) -> bool {
    let label = state.current.map(|current| state.threads[current].registers.info().label());
    label == Some(limen_abi::Label::FpuSetPolicy.as_raw())
}

/// The parts in which two states differ.
fn difference(found: &limen_spec::System, expected: &limen_spec::System) -> String {
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
        let registers = Registers { values: Vec::new(), buffer: Vec::new() };
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
    part("floating-point unit".into(), &state.fpu);
    part("immediate services".into(), &state.wiped);
    parts
}

fn index<Tag>(id: Id<Tag>) -> usize {
    Arena::<Tag, (), 64>::index_of(id)
}

/// A thread's program has the same name as the thread.
fn owner_of(owner: ThreadId) -> fpu::Owner {
    let thread = index(owner);
    if Thread(thread as u64).id() == owner { fpu::Owner::Program(thread) } else { fpu::Owner::Work(thread) }
}

fn registers_of(system: &System, thread: Thread) -> Registers {
    let buffer = &system.kernel.machine.buffers()[thread.id()];
    Registers {
        values: system.program(thread).registers.to_vec(),
        buffer: (0..limen_abi::message::BufferWord::COUNT).map(|offset| buffer.word(offset)).collect(),
    }
}

fn fault_of(fault: Fault) -> limen_spec::Fault {
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
        _ => limen_spec::Cap::Other,
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
        State::Calling { reply, again } => {
            state::State::Calling { reply: index(reply), restarts: restarts(again) }
        }
    }
}

fn thread_of(system: &System, thread: Thread) -> state::Thread {
    let kernel = &system.kernel;
    let state = &kernel.threads[thread.id()];
    let caps = system.caps.get(thread.0 as usize).cloned().unwrap_or_default();
    state::Thread {
        registers: registers_of(system, thread),
        priority: state.priority,
        max_priority: state.max_priority,
        state: state_of(state.state),
        time: state.sched_context.map(index),
        notification: state.notification.map(index),
        fault: state.fault.map(fault_of),
        fault_handler: system.services.handlers[thread.0 as usize].map_or(limen_spec::Cap::Empty, |slot| {
            caps.own.get(&slot).copied().unwrap_or(limen_spec::Cap::Empty)
        }),
        timeout_handler: cap_of(state.timeout_handler),
        domain: state.domain,
        may_use_fpu: kernel.works[thread.id()].as_ref().map_or(state.fpu, |work| work.fpu()).is_some(),
        works: kernel.works[thread.id()].as_ref().map(|work| index(work.service())),
        wipe: system.services.wipes.get(&(thread.0 as usize)).copied(),
        caps,
    }
}

/// The capabilities of each thread, which do not change after boot.
pub(crate) fn all_caps(system: &System) -> Vec<Rc<limen_spec::Caps>> {
    let machine = &system.kernel.machine;
    let nonempty = |caps: &mut dyn Iterator<Item = Cap>| -> BTreeMap<u64, limen_spec::Cap> {
        (0..).zip(caps).filter(|(_, cap)| *cap != Cap::Null).map(|(slot, cap)| (slot, cap_of(cap))).collect()
    };
    let caps = system.threads().map(|thread| {
        let own = nonempty(&mut machine.tables[thread.id()].iter());
        let root = nonempty(&mut machine.roots[thread.id()].iter());
        Rc::new(limen_spec::Caps { own, root })
    });
    caps.collect()
}

fn queue_of(system: &System, endpoint: Endpoint) -> Vec<usize> {
    match endpoint {
        Endpoint::Idle => Vec::new(),
        Endpoint::LoneReceiver { thread, .. } => vec![index(thread)],
        Endpoint::SenderQueue(queue) | Endpoint::ReceiverQueue(queue) => {
            queue.iter(&system.kernel.links).map(index).collect()
        }
    }
}

/// The calls that run on a scheduling context, from the newest to the oldest, turned round.
fn calls_on(system: &System, top: Option<limen_core::arena::ReplyId>) -> Vec<usize> {
    let below = |reply: &limen_core::arena::ReplyId| match system.kernel.replies[*reply] {
        Reply::Owed { loan: Some(loan), .. } => loan.below,
        Reply::Owed { .. } | Reply::Free => None,
    };
    let mut calls: Vec<_> = std::iter::successors(top, below).map(index).collect();
    calls.reverse();
    calls
}

/// The state of the specification that a kernel's state stands for.
pub(crate) fn abstraction(system: &System) -> limen_spec::System {
    let mut state = objects_of(system);
    let open = std::iter::successors(system.kernel.processor.open_call, |call| {
        system.kernel.threads[call.caller].serves
    });
    let open: Vec<_> = open.collect();
    for call in open.into_iter().rev() {
        let caller = index(call.caller);
        let server = state.endpoints[index(call.endpoint)].remove(0);
        let state::State::Receiving { reply: Some(reply), .. } = state.threads[server].state else {
            panic!("no server waits for the open call of thread {caller}");
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

/// The state that the objects show: until it is flushed, the server of an open call waits and its caller does not.
fn objects_of(system: &System) -> limen_spec::System {
    let (kernel, size) = (&system.kernel, &system.size);
    let processor = &kernel.processor;
    let queue = |system: &System, queue: &limen_core::sched::queue::Queue| -> Vec<usize> {
        queue.iter(&system.kernel.links).map(index).collect()
    };
    let notifications =
        kernel.notifications.iter().take(size.notifications).map(|(_, object)| state::Notification {
            pending: if let Signals::Active(bits) = object.state { Some(bits) } else { None },
            waiting: match &object.state {
                Signals::LoneWaiter(thread) => vec![index(*thread)],
                Signals::WaiterQueue(waiters) => queue(system, waiters),
                Signals::Idle | Signals::Active(_) => Vec::new(),
            },
            thread: object.thread.map(index),
            time: object.sched_context.map(index),
        });
    let times = kernel.sched_contexts.iter().take(size.sched_contexts).map(|(id, object)| {
        let is_charged = processor.sched_context == Some(id);
        let uncharged = if is_charged { kernel.machine.now - processor.since } else { 0 };
        let share = &kernel.sporadic_servers[id];
        time::Time {
            budget: kernel.slices[id].budget,
            period: kernel.slices[id].budget,
            data: share.data,
            consumed: kernel.consumed(id) + uncharged,
            left: object.remaining.saturating_sub(uncharged),
            begun_at: kernel.slices[id].priority,
            thread: object.thread.map(index),
            notification: object.notification.map(index),
            calls: calls_on(system, object.top),
            heir: object.heir.map(index),
        }
    });
    let interrupts =
        kernel.irqs.iter().take(size.interrupts).enumerate().map(|(at, (_, object))| state::Interrupt {
            line: object.line.0,
            notification: index(object.notification),
            badge: object.badge,
            state: match object.state {
                irq::State::Armed => state::Delivery::Armed,
                irq::State::Delivered => state::Delivery::Delivered,
                irq::State::DeliveredAgain => state::Delivery::DeliveredAgain,
            },
            serves: system.services.serves.get(&at).copied(),
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
        let second: BTreeSet<usize> = second.iter(&kernel.links).map(index).collect();
        if !first.is_empty() {
            ready.insert(domain, first);
        }
        if !second.is_empty() {
            postponed.insert(domain, second);
        }
    }
    limen_spec::System {
        now: kernel.machine.now,
        ticks_per_us: kernel.machine.ticks_per_us,
        current: processor.current.map(index),
        charged: processor.sched_context.map(index),
        end_is_known: false,
        threads: system.threads().map(|thread| thread_of(system, thread)).collect(),
        endpoints: kernel
            .endpoints
            .iter()
            .take(size.endpoints)
            .map(|(_, object)| queue_of(system, *object))
            .collect(),
        notifications: notifications.collect(),
        replies: kernel
            .replies
            .iter()
            .take(size.replies)
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
            turns: system.services.turns.clone(),
            start: system.services.first_turn,
            turn: system
                .reference
                .as_ref()
                .map_or(system.services.first_turn, |reference| reference.state.schedule.turn),
            end: processor.slot_end,
            domain: processor.domain,
        },
        fpu: fpu::Fpu { owner: processor.fpu.owner().map(owner_of), is_on: processor.fpu.is_on() },
        woken: Vec::new(),
        services: system.services.all.clone(),
        wiped: kernel.machine.served.clone(),
    }
}
