//! Random systems on several processors, whose threads do anything in any order: no letter is lost or in two places, no
//! scheduling context is at two processors, and every kernel's own invariants hold after every event.

use limen_abi::{KernelKey, Label, MessageInfo, Syscall, TraceKind, slot};
use limen_core::event::Event;
use limen_core::fault::{Access, Fault};
use limen_core::machine::Interrupt;
use limen_core::object::service::ServiceResult;
use limen_image::Rights;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{Arguments, Grant, Plan, Processors, REPLY, SchedContext, System, Thread, check_random};
use crate::trace;

/// The number of systems in a run.
pub(super) const CASES: u32 = 256;
/// The number of scheduling domains, if there are several.
pub(super) const DOMAINS: u64 = 3;
/// The maximum number of steps of a system.
pub(super) const STEPS: usize = 200;
/// Each thread's slots to call the endpoints, one of each processor.
const CALL: u64 = 300;
/// Each thread's slots for the notifications of all threads.
const NOTIFICATION: u64 = 310;
/// Each thread's slots for all threads.
const THREAD: u64 = 330;
/// Each thread's slots for all scheduling contexts.
const TIME: u64 = 350;
/// Each thread's slot for the right to configure scheduling contexts.
const SCHED_CONTROL: u64 = 370;
/// Each thread's slots for static keys: a group, its key, and another one. The next is that for its probe.
const KEY: u64 = 380;
/// Each thread's slot to reset the next thread.
const RESET: u64 = 390;
/// The number of steps in which branches of a key are patched.
const KEY_STEPS: u32 = 3;

const CONTROLS: [Label; 10] = [
    Label::TcbReadRegisters,
    Label::TcbWriteRegisters,
    Label::TcbWriteRegisters,
    Label::TcbSetTlsBase,
    Label::TcbSetFlags,
    Label::TcbSuspend,
    Label::TcbResume,
    Label::TcbResume,
    Label::TcbSetPriority,
    Label::TcbBindNotification,
];
const TIME_CONTROLS: [Label; 5] = [
    Label::SchedContextBind,
    Label::SchedContextUnbind,
    Label::SchedContextUnbindObject,
    Label::SchedContextConsumed,
    Label::SchedContextBind,
];

const KEYS: [Label; 6] =
    [Label::KeyInc, Label::KeyDec, Label::KeyEnable, Label::KeyDisable, Label::KeyRead, Label::KeyFollow];
const PROBES: [Label; 4] = [Label::ProbeStart, Label::ProbeStop, Label::ProbeArm, Label::ProbeRead];

/// A thread.
#[derive(Clone, Debug)]
pub(super) struct ThreadShape {
    processor: u64,
    domain: u64,
    priority: u8,
    time: Time,
    is_bound: bool,
    /// The processor of the endpoint that handles its faults.
    handler: Option<u64>,
}

impl ThreadShape {
    /// Returns the thread in this domain, on one of so many processors.
    pub(super) fn place(&self, domain: u64, processors: u64) -> Self {
        let handler = self.handler.map(|handler| handler % processors);
        Self { processor: self.processor % processors, domain, handler, ..self.clone() }
    }
}

/// The time with which a thread starts.
#[derive(Clone, Copy, Debug)]
enum Time {
    None,
    Slice,
    Share,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    processor: usize,
    ticks: u64,
    pub(super) action: Action,
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    /// The processor takes the interrupt of others, if there is one.
    Message,
    Timer,
    Fault(u8),
    /// A system call to a slot, with the positions of capability arguments.
    Syscall {
        number: u8,
        slot: u64,
        label: Label,
        words: Vec<u64>,
        caps: Vec<u64>,
    },
}

/// Processors, and threads in as many domains.
pub(super) fn shapes(domains: u64) -> impl Strategy<Value = (u64, Vec<ThreadShape>)> {
    (2..=3_u64).prop_flat_map(move |processors| {
        let time = prop_oneof![1 => Just(Time::None), 2 => Just(Time::Slice), 1 => Just(Time::Share)];
        let handler = prop::option::of(0..processors);
        let place = (0..processors, 0..domains);
        let thread = (place, prop_oneof![Just(10), Just(20), Just(30)], time, any::<bool>(), handler);
        let thread = thread.prop_map(|((processor, domain), priority, time, is_bound, handler)| {
            ThreadShape { processor, domain, priority, time, is_bound, handler }
        });
        (Just(processors), vec(thread, 3..=7))
    })
}

pub(super) fn steps() -> impl Strategy<Value = Step> {
    let syscall = prop_oneof![
        6 => any::<(u8, u8)>().prop_map(|(number, at)| (number, CALL + u64::from(at % 3), Label::TcbSuspend)),
        3 => any::<(u8, u8)>().prop_map(|(number, at)| (number, NOTIFICATION + u64::from(at % 7), Label::TcbSuspend)),
        3 => any::<(u8, u8, u8)>().prop_map(|(number, at, label)| {
            (number % 3, THREAD + u64::from(at % 7), CONTROLS[usize::from(label) % CONTROLS.len()])
        }),
        2 => any::<(u8, u8)>().prop_map(|(at, label)| {
            (0, TIME + u64::from(at % 7), TIME_CONTROLS[usize::from(label) % TIME_CONTROLS.len()])
        }),
        1 => Just((0, SCHED_CONTROL, Label::SchedControlConfigureFlags)),
        4 => any::<(u8, u8, u8)>().prop_map(|(number, at, label)| {
            // Mostly by calls.
            (if number < 200 { 0 } else { number }, KEY + u64::from(at % 3), KEYS[usize::from(label) % KEYS.len()])
        }),
        1 => any::<u8>().prop_map(|label| (0, KEY + 3, PROBES[usize::from(label) % PROBES.len()])),
        2 => any::<u8>().prop_map(|number| (if number < 200 { 0 } else { number }, RESET, Label::ServiceRun)),
        5 => any::<u8>().prop_map(|number| (number, slot::INPUT, Label::TcbSuspend)),
    ];
    let word = prop_oneof![3 => 0..4_u64, 2 => 20..60_u64, 1 => any::<u64>()];
    let cap = prop_oneof![NOTIFICATION..NOTIFICATION + 7, THREAD..THREAD + 7, TIME..TIME + 7];
    let syscall =
        (syscall, vec(word, 0..=8), vec(cap, 0..=2)).prop_map(|((number, slot, label), words, caps)| {
            Action::Syscall { number, slot, label, words, caps }
        });
    let action = prop_oneof![
        8 => Just(Action::Message),
        2 => Just(Action::Timer),
        1 => any::<u8>().prop_map(Action::Fault),
        10 => syscall,
    ];
    let ticks = prop_oneof![3 => 0..4_u64, 1 => 0..60_u64];
    (0..3_usize, ticks, action).prop_map(|(processor, ticks, action)| Step { processor, ticks, action })
}

pub(super) fn boot(processors: u64, shapes: &[ThreadShape], domains: u64) -> Processors {
    let mut plan = Plan::new();
    for processor in (0..processors).filter(|_| domains > 1) {
        // The schedules differ, and so do their slots.
        (0..domains)
            .for_each(|at| plan.turn_on(processor, (at + processor) % domains, 15 + 10 * at + processor));
    }
    let threads: Vec<_> = shapes.iter().map(|shape| add_thread(&mut plan, shape)).collect();
    // Those without time of their own can be given some. No processor has more of it than threads.
    let spare = plan.sched_context(40);
    plan.passive("without time", 1);
    connect(&mut plan, processors, &threads, shapes, Some(spare));
    let group = plan.key(false);
    let keys = [group, plan.key_of_group(false, group), plan.key(true)];
    for thread in &threads {
        plan.place(*thread, SCHED_CONTROL, Grant::sched_control());
        for (at, key) in (0..).zip(keys) {
            plan.place(*thread, KEY + at, Grant::key(key));
        }
        plan.place(*thread, KEY + 3, Grant::probe());
    }
    plan.writer.processors = processors;
    let mut processors = plan.boot_processors();
    processors.systems[0].kernel.machine.key_steps = KEY_STEPS;
    // Branches start as their key.
    processors.systems[0].kernel.machine.key_places.insert(keys[2], KEY_STEPS);
    processors
}

/// Gives each of these threads the right to call, signal and control all of them, and an endpoint of each processor.
pub(super) fn connect(
    plan: &mut Plan,
    processors: u64,
    threads: &[Thread],
    shapes: &[ThreadShape],
    spare: Option<SchedContext>,
) {
    let times: Vec<_> = threads.iter().map(|thread| plan.sched_context_of(*thread)).collect();
    let times: Vec<_> = times.into_iter().filter(|time| time.0 != u64::MAX).chain(spare).collect();
    let endpoints: Vec<_> = (0..processors).map(|_| plan.endpoint()).collect();
    let notifications: Vec<_> = threads.iter().map(|_| plan.notification()).collect();
    for (number, (thread, shape)) in threads.iter().zip(shapes).enumerate() {
        plan.place(*thread, slot::INPUT, endpoints[shape.processor as usize].receiver());
        for (at, endpoint) in (0..).zip(&endpoints) {
            plan.place(
                *thread,
                CALL + at,
                endpoint.with(1 << 60 | thread.0, Rights::SEND | Rights::GRANT_REPLY),
            );
        }
        for (at, notification) in (0..).zip(&notifications) {
            let is_own = shapes[at as usize].processor == shape.processor;
            let rights = if is_own { Rights::SEND | Rights::RECEIVE } else { Rights::SEND };
            plan.place(*thread, NOTIFICATION + at, notification.with(1 << thread.0, rights));
        }
        for (at, other) in (0..).zip(threads) {
            plan.place(*thread, THREAD + at, other.control());
        }
        for (at, time) in (0..).zip(&times) {
            plan.place(*thread, TIME + at, time.control());
        }
        let next = threads[(number + 1) % threads.len()];
        let reset = plan.reset(*thread, next);
        plan.place(*thread, RESET, Grant::service(reset));
        if let Some(at) = shape.handler {
            plan.handle_faults(
                *thread,
                endpoints[at as usize].with(1 << 61, Rights::SEND | Rights::GRANT_REPLY),
            );
        }
        if shape.is_bound {
            plan.record(*thread).notification = notifications[number].0;
        }
        plan.set_processor(*thread, shape.processor);
        plan.set_domain(*thread, shape.domain);
    }
}

pub(super) fn add_thread(plan: &mut Plan, shape: &ThreadShape) -> Thread {
    let name = format!("thread {} on {}", plan.writer.threads.len(), shape.processor);
    match shape.time {
        Time::None => plan.passive(&name, shape.priority),
        Time::Slice => {
            let thread = plan.thread(&name, shape.priority);
            plan.slice(thread, 30);
            thread
        }
        Time::Share => {
            let thread = plan.thread(&name, shape.priority);
            plan.share(thread, 25, 100);
            thread
        }
    }
}

pub(super) fn step(processors: &mut Processors, step: &Step) {
    let number = step.processor % processors.systems.len();
    processors.pass(step.ticks);
    let system = &mut processors.systems[number];
    match (&step.action, system.current()) {
        (Action::Message, _) => {
            if processors.interrupted().contains(&number) {
                processors.take_interrupt(number);
            }
            return;
        }
        (Action::Timer, _) => system.interrupt(Interrupt::Timer),
        (_, None) => return,
        (Action::Syscall { words, .. }, Some(_)) if system.kernel.is_at_work() => {
            let words = std::array::from_fn(|position| words.get(position).copied().unwrap_or(0));
            system.event(Event::WorkDone(ServiceResult { words }));
        }
        (Action::Fault(_), Some(_)) if system.kernel.is_at_work() => return,
        (Action::Fault(kind), Some(_)) => system.event(Event::Fault(fault(*kind))),
        (Action::Syscall { number, slot, label, words, caps }, Some(thread)) => {
            trap(system, thread, (*number, *slot, *label), words, caps);
        }
    }
    processors.verify("a step");
}

pub(super) fn trap(
    system: &mut System,
    thread: Thread,
    (number, at, label): (u8, u64, Label),
    words: &[u64],
    caps: &[u64],
) {
    let all = Syscall::ALL;
    let syscall = match (at, number % 4) {
        (slot::INPUT, 0 | 1) => Syscall::ReplyRecv,
        (slot::INPUT, 2) => Syscall::Recv,
        (CALL..THREAD, 0 | 1) | (THREAD..KEY, _) | (KEY.., 0) => Syscall::Call,
        _ => all[usize::from(number / 4) % all.len()].0,
    };
    system.put_message(thread, &Arguments { label: 0, words, caps });
    system.context_mut(thread).set_reply_cptr(REPLY);
    system.context_mut(thread).set_send_cptr(at);
    let from = if syscall == Syscall::NbSendRecv { slot::INPUT } else { at };
    let info = label.as_raw() << MessageInfo::LABEL_SHIFT | (caps.len() as u64) << MessageInfo::LENGTH_BITS;
    let info = MessageInfo::from_raw(info | words.len() as u64);
    system.context_mut(thread).trap(syscall.as_raw(), from, info);
    system.event(Event::Syscall(syscall.as_raw()));
}

pub(super) fn fault(kind: u8) -> Fault {
    match kind % 3 {
        0 => Fault::UserException { number: u64::from(kind), code: 1 },
        1 => Fault::Vm { address: u64::from(kind), access: Access::Data, status: 2 },
        _ => Fault::UnknownSyscall { number: u64::from(kind) },
    }
}

fn lose_nothing(domains: u64) {
    check_random(CASES, (shapes(domains), vec(steps(), 1..STEPS)), |((processors, shapes), steps)| {
        let mut processors = boot(processors, &shapes, domains);
        steps.iter().for_each(|at| step(&mut processors, at));
        processors.settle();
        processors.verify_settled_time();
        processors.verify_settled_keys();
    });
}

#[test]
fn random_systems_on_several_processors_lose_nothing() {
    lose_nothing(1);
}

#[test]
fn random_systems_with_a_domain_schedule_on_each_processor_lose_nothing() {
    lose_nothing(DOMAINS);
}

/// An event writes into the ring of its processor only, and what it writes about running and waiting is about threads there.
fn check_rings(processors: &Processors, before: &[usize], here: usize) {
    for (number, system) in processors.systems.iter().enumerate() {
        assert!(
            number == here || trace::count(system) == before[number],
            "processor {here} wrote ring {number}"
        );
        // Some events write more than a ring holds.
        let from = before[number].max(trace::count(system).saturating_sub(trace::SLOTS));
        for (kind, thread, first, _) in trace::records(system, from) {
            let own = match kind {
                TraceKind::Switch => first,
                TraceKind::Entry | TraceKind::Exit | TraceKind::Block => thread,
                _ => continue,
            };
            let is_thread = own != limen_abi::trace::NO_THREAD;
            assert!(!is_thread || processors.home(Thread(own)) == number, "{kind:?} of thread {own}");
        }
    }
}

#[test]
fn random_systems_that_trace_write_rings_of_their_own() {
    check_random(CASES, (shapes(DOMAINS), vec(steps(), 1..STEPS)), |((processors, shapes), steps)| {
        let mut processors = boot(processors, &shapes, DOMAINS);
        processors.systems.iter_mut().for_each(|system| trace::start(system, KernelKey::TRACE));
        for at in &steps {
            let before: Vec<_> = processors.systems.iter().map(trace::count).collect();
            let here = at.processor % processors.systems.len();
            step(&mut processors, at);
            check_rings(&processors, &before, here);
        }
        processors.settle();
        processors.verify_settled_time();
        processors.verify_settled_keys();
    });
}
