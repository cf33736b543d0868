//! The authority relation against the kernel: random systems from random descriptions, with random events.
//!
//! *Integrity*: an event by a program changes nothing of another program that the relation does not let it affect,
//! directly or through one other program. *Confidentiality*: what the programs of a scheduling domain observe does not depend on
//! what the programs of another domain do, nor on their interrupts.
//!
//! The monitor only receives here: it affects every program by its row, so anything that it does is allowed.

use std::cell::Cell;
use std::fmt::Write as _;

use limen_abi::{Label, MessageInfo, Syscall, slot};
use limen_core::arena::Arena;
use limen_core::event::Event;
use limen_core::fault::{Access, Fault};
use limen_core::kernel::SchedContexts;
use limen_core::machine::{Interrupt, Line};
use limen_core::object::key::{DefaultHold, Key};
use limen_core::object::service::ServiceResult;
use limen_core::object::thread::State;
use limen_image::{CapKind, Image, words_of};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::authority::{Party, authority};
use crate::build::Built;
use crate::image_type::ImageType;
use crate::support::controller::Controller;
use crate::support::{Arguments, Clock, System, TestContext, Thread, Wiring, check_random};
use crate::test_system::parts;

/// The number of systems in a run of each test.
const CASES: u32 = 400;
/// The maximum number of steps of a system.
const STEPS: usize = 300;
/// How long two compared systems run, in ticks.
const END: u64 = 3000;
/// The number of static keys in a description.
const KEYS: usize = 4;
/// The first interrupt line of the controller.
const FIRST_LINE: usize = Controller::FIRST_LINE as usize;

/// The state of a program.
#[derive(Debug, PartialEq)]
struct Belongings {
    registers: TestContext,
    buffer: Vec<u64>,
    /// Names of further facts, and the facts.
    facts: Vec<(&'static str, String)>,
}

const OF_THREADS: &[Label] = &[
    Label::TcbReadRegisters,
    Label::TcbWriteRegisters,
    Label::TcbSetPriority,
    Label::TcbSetMcPriority,
    Label::TcbSuspend,
    Label::TcbResume,
    Label::TcbResume,
    Label::TcbBindNotification,
    Label::TcbUnbindNotification,
    Label::TcbSetTlsBase,
    Label::TcbSetFlags,
];
const OF_TIMES: &[Label] = &[
    Label::SchedContextBind,
    Label::SchedContextUnbind,
    Label::SchedContextUnbindObject,
    Label::SchedContextConsumed,
];
const OF_KEYS: &[Label] =
    &[Label::KeyInc, Label::KeyDec, Label::KeyEnable, Label::KeyDisable, Label::KeyRead, Label::KeyFollow];
const OF_SPACES: &[Label] = &[Label::ArmVspaceCleanData, Label::ArmVspaceUnifyInstruction];
/// System calls that invoke an object.
const INVOKE: &[Syscall] = &[Syscall::Call, Syscall::Call, Syscall::Send, Syscall::NbSend];
/// System calls that receive.
const RECEIVE: &[Syscall] =
    &[Syscall::Recv, Syscall::ReplyRecv, Syscall::NbRecv, Syscall::NbWait, Syscall::NbSendRecv];

/// A random program.
#[derive(Clone, Debug)]
struct Program {
    priority: u8,
    parent: Option<u8>,
    /// Whether it is in the second of the two domains.
    other: bool,
    has_interrupt: bool,
    /// Whether it may switch the group's key of its domain, and the key in that group.
    keys: [bool; 2],
    /// Whether it may digest its own code and reset its children, and its faults wipe.
    has_services: bool,
    /// Its budget and period in microseconds.
    limit: (u64, u64),
}

/// A random connection: a channel, or capabilities of the first on the second.
#[derive(Clone, Debug)]
struct Link {
    from: u8,
    to: u8,
    kind: u8,
}

/// A random description.
#[derive(Clone, Debug)]
struct Shape {
    programs: Vec<Program>,
    links: Vec<Link>,
}

/// A random step of a program, after a delay.
#[derive(Clone, Debug)]
struct Step {
    ticks: u64,
    action: u8,
    picks: [u16; 4],
    words: Vec<u64>,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let limit = prop_oneof![3 => Just((1000, 1000)), 1 => (20..50u64).prop_map(|budget| (budget, 100))];
    let (parent, flag) = (prop::option::weighted(0.2, any::<u8>()), any::<bool>);
    let program = (1..6u8, parent, flag(), flag(), [flag(), flag()], flag(), limit);
    let program = program.prop_map(|(priority, parent, other, has_interrupt, keys, has_services, limit)| {
        Program { priority, parent, other, has_interrupt, keys, has_services, limit }
    });
    let link = (any::<u8>(), any::<u8>(), 0..8u8).prop_map(|(from, to, kind)| Link { from, to, kind });
    (vec(program, 2..7), vec(link, 0..7)).prop_map(|(programs, links)| Shape { programs, links })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = vec(prop_oneof![3 => 0..4u64, 1 => 0..120u64, 1 => any::<u64>()], 0..8);
    let step = (1..6u64, any::<u8>(), any::<[u16; 4]>(), words);
    vec(step.prop_map(|(ticks, action, picks, words)| Step { ticks, action, picks, words }), 1..STEPS)
}

impl Shape {
    fn parent(&self, index: usize) -> Option<usize> {
        let parent = usize::from(self.programs[index].parent?);
        index.checked_sub(1).map(|last| parent % (last + 1))
    }

    /// Whether a program is in the second domain; a child is where its parent is.
    fn is_other(&self, index: usize) -> bool {
        self.parent(index).map_or(self.programs[index].other, |parent| self.is_other(parent))
    }

    fn build(&self, with_domains: bool) -> Built {
        let mut text = "<system>".to_owned();
        if with_domains {
            text += "<domains><domain name=\"boot\" /><domain name=\"one\" /><domain name=\"two\" /><domain_schedule>";
            for (domain, us) in [("boot", 20), ("one", 70), ("two", 50)] {
                let _ = write!(text, "<schedule_entry domain=\"{domain}\" duration=\"{us} us\" />");
            }
            text += "</domain_schedule></domains>";
        }
        for domain in ["one", "two"] {
            let _ = write!(
                text,
                "<static_key name=\"group_{domain}\" default=\"true\" />\
                 <static_key name=\"key_{domain}\" group=\"group_{domain}\" />"
            );
        }
        let count = self.programs.len();
        for index in 0..count {
            let _ = write!(text, "<memory_region name=\"r{index}\" size=\"0x1000\" />");
        }
        let place = |index: u8| usize::from(index) % count;
        let links = self.links.iter().map(|link| (place(link.from), place(link.to), link.kind));
        let allowed = |(from, to, _): &(usize, usize, u8)| {
            from != to && (!with_domains || self.is_other(*from) == self.is_other(*to))
        };
        let links: Vec<_> = links.filter(allowed).collect();
        for root in (0..count).filter(|index| self.parent(*index).is_none()) {
            self.write(&mut text, root, &links, with_domains);
        }
        for (id, (from, to, kind)) in links.iter().enumerate().filter(|(_, (.., kind))| *kind < 4) {
            let may_call = kind % 2 == 0 && self.programs[*from].priority < self.programs[*to].priority;
            let _ = write!(
                text,
                "<channel><end pd=\"p{from}\" id=\"{id}\" pp=\"{may_call}\" notify=\"{}\" />\
                 <end pd=\"p{to}\" id=\"{id}\" notify=\"{}\" /></channel>",
                *kind > 0,
                *kind == 3
            );
        }
        text += "</system>";
        parts(&text, "release").build(ImageType::Binary).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    fn write(&self, text: &mut String, index: usize, links: &[(usize, usize, u8)], with_domains: bool) {
        let Program { priority, has_interrupt, keys, has_services, limit: (budget, period), .. } =
            &self.programs[index];
        let domain = if with_domains && self.is_other(index) { "two" } else { "one" };
        let _ = write!(text, "<protection_domain name=\"p{index}\" priority=\"{priority}\"");
        let _ = write!(text, " budget=\"{budget}\" period=\"{period}\"");
        if with_domains {
            let _ = write!(text, " domain=\"{domain}\"");
        }
        if self.parent(index).is_some() {
            let _ = write!(text, " id=\"{index}\"");
        }
        *text += "><program_image path=\"p\" />";
        if *has_interrupt {
            let _ = write!(text, "<irq irq=\"{}\" id=\"40\" />", FIRST_LINE + index);
        }
        for (id, name) in ["group", "key"].into_iter().enumerate().filter(|(id, _)| keys[*id]) {
            let _ = write!(text, "<key name=\"{name}_{domain}\" id=\"{id}\" />");
        }
        let children = || (index + 1..self.programs.len()).filter(|child| self.parent(*child) == Some(index));
        if *has_services {
            let _ = write!(
                text,
                "<map mr=\"r{index}\" vaddr=\"0x4000000\" perms=\"rw\" />\
                 <digest id=\"15\" pd=\"p{index}\" /><wipe region=\"r{index}\" fault=\"true\" />"
            );
            for child in children() {
                let _ = write!(text, "<reset id=\"{child}\" pd=\"p{child}\" />");
            }
        }
        let caps: Vec<_> = links.iter().filter(|(from, _, kind)| *from == index && *kind >= 4).collect();
        if !caps.is_empty() {
            *text += "<cspace>";
            for (place, (_, to, kind)) in caps.iter().enumerate() {
                let element = ["cap_tcb", "cap_sc", "cap_vspace", "cap_sc"][usize::from(kind - 4)];
                let _ = write!(text, "<{element} slot=\"{}\" pd=\"p{to}\" />", place + 1);
            }
            if caps.iter().any(|(.., kind)| *kind == 7) {
                *text += "<cap_sched_control slot=\"60\" />";
            }
            *text += "</cspace>";
        }
        for child in children() {
            self.write(text, child, links, with_domains);
        }
        *text += "</protection_domain>";
    }
}

/// A running system with its description.
struct World {
    built: Built,
    system: System,
    /// The capabilities of each program, as pointers.
    caps: Vec<Vec<(u64, CapKind)>>,
    /// The program of each service.
    services: Vec<u64>,
}

impl World {
    fn boot(built: Built) -> Self {
        let image = &built.file[(built.layout.image_paddr - built.layout.start) as usize..];
        let programs = &built.parts.system.protection_domains;
        let names = programs.iter().map(|program| program.name.clone()).chain(["monitor".to_owned()]);
        let names: Vec<_> = names.collect();
        let caps = (0..names.len()).map(|table| pointers(&built, table as u64)).collect();
        let words = words_of(image);
        let services = Image::validate(&words).expect("a valid image").services();
        let services = services.map(|service| service.thread).collect();
        let lines = [Wiring::Level, Wiring::EdgeKept].repeat(4);
        let system = System::boot(&words, names, Clock::PLAIN, &lines);
        Self { built, system, caps, services }
    }

    /// The index of the running program; the monitor waits for faults instead.
    fn program(&mut self) -> Option<usize> {
        let thread = self.system.current()?;
        if thread.0 as usize == self.caps.len() - 1 {
            self.system.recv(thread, slot::INPUT);
            return self.program();
        }
        Some(thread.0 as usize)
    }

    /// The owner of an interrupt line.
    fn owner(&self, line: usize) -> Option<usize> {
        let name = format!("p{}", line - FIRST_LINE);
        let mut programs = self.built.parts.system.protection_domains.iter();
        let index = programs.position(|program| program.name == name)?;
        self.built.objects.interrupts.iter().any(|interrupt| interrupt.owner == index).then_some(index)
    }

    /// Sets a device's line, unless no program handles it.
    fn set_line(&mut self, line: usize, asserted: bool) {
        if self.owner(line).is_some() {
            self.system.kernel.machine.controller.set_asserted(Line(line as u32), asserted);
        }
    }

    /// Takes a pending interrupt of a device and returns the owner of its line.
    fn take_line(&mut self) -> Option<usize> {
        let line = self.system.kernel.machine.controller.acknowledge()?;
        self.system.interrupt(Interrupt::Line(line));
        self.owner(line.0 as usize)
    }

    /// Passes time. Returns whether the timer interrupted.
    fn pass(&mut self, ticks: u64) -> bool {
        let is_due = self.advance(ticks);
        if is_due {
            self.system.interrupt(Interrupt::Timer);
        }
        is_due
    }

    /// Moves the clock. Returns whether the timer is due.
    fn advance(&mut self, ticks: u64) -> bool {
        let machine = &mut self.system.kernel.machine;
        let is_idle = self.system.kernel.processor.current.is_none();
        let end =
            if is_idle && machine.deadline != u64::MAX { machine.deadline } else { machine.now + ticks };
        let is_due = machine.deadline <= end;
        machine.now = if is_due { machine.now.max(machine.deadline) } else { end };
        is_due
    }

    /// The running program makes a step.
    fn act(&mut self, program: usize, step: &Step) {
        if self.system.kernel.is_at_work() {
            return self.system.event(Event::WorkDone(ServiceResult { words: [1, 2, 3, 4] }));
        }
        let thread = Thread(program as u64);
        let pick = |place: usize| usize::from(step.picks[place]);
        let caps = &self.caps[program];
        let (cptr, kind) = caps[pick(0) % caps.len()];
        let (other, _) = caps[pick(1) % caps.len()];
        let is_input = cptr == slot::INPUT;
        let (syscalls, labels): (&[_], &[_]) = match kind {
            CapKind::Thread => (INVOKE, OF_THREADS),
            CapKind::SchedContext => (INVOKE, OF_TIMES),
            CapKind::SchedControl => (INVOKE, &[Label::SchedControlConfigureFlags]),
            CapKind::Key => (INVOKE, OF_KEYS),
            CapKind::Service => (INVOKE, &[Label::ServiceRun]),
            CapKind::Vspace => (INVOKE, OF_SPACES),
            CapKind::Interrupt => (INVOKE, &[Label::IrqHandlerAck]),
            CapKind::Reply => (&[Syscall::Send], &[]),
            _ if is_input => (RECEIVE, &[]),
            _ => (INVOKE, &[]),
        };
        match step.action {
            0..=7 => return self.system.fault(thread, fault(pick(1) as u64)),
            8..=15 => return self.system.yield_slice(thread),
            _ => {}
        }
        let syscall = match step.action {
            16..=31 => Syscall::ALL[pick(2) % Syscall::ALL.len()].0,
            _ => syscalls[pick(2) % syscalls.len()],
        };
        let label =
            labels.get(pick(3) % labels.len().max(1)).map_or(pick(3) as u64 % 8, |label| label.as_raw());
        let words: &[u64] = if kind == CapKind::SchedControl { &[20, 100, 0, 7, 0] } else { &step.words };
        let context = self.system.context_mut(thread);
        context.set_reply_cptr(if syscall == Syscall::NbSendWait { other } else { slot::REPLY });
        if syscall == Syscall::NbSendRecv {
            context.set_send_cptr(other);
        }
        self.system.put_message(thread, &Arguments { label, words, caps: &[other] });
        let info = label << MessageInfo::LABEL_SHIFT | 1 << MessageInfo::LENGTH_BITS | words.len() as u64;
        self.system.trap(thread, syscall.as_raw(), cptr, MessageInfo::from_raw(info));
    }

    /// Everything that belongs to a program: registers, state, message buffer, and objects made for it alone.
    fn belongings(&self, program: usize) -> Belongings {
        let kernel = &self.system.kernel;
        let thread = &kernel.threads[Thread(program as u64).id()];
        let time = at(&kernel.sched_contexts, program);
        let time_id = SchedContexts::id(program as u64).unwrap();
        let is_charged = kernel.processor.sched_context == Some(time_id);
        let uncharged = if is_charged { kernel.machine.now - kernel.processor.since } else { 0 };
        let interrupts = self.built.objects.interrupts.iter().enumerate();
        let interrupts: Vec<_> = interrupts
            .filter(|(_, interrupt)| interrupt.owner == program)
            .map(|(index, _)| at(&kernel.irqs, index))
            .collect();
        let id = Thread(program as u64).id();
        let holds: Vec<_> = kernel.keys.iter().take(KEYS).map(|(_, key)| key.holds(id)).collect();
        let is_taken = |key: &Key| key.default_hold() == DefaultHold::TakenBy(id);
        let taken: Vec<_> = kernel.keys.iter().take(KEYS).map(|(_, key)| is_taken(key)).collect();
        let wipes = kernel.machine.served.iter().filter(|service| self.services[**service] == program as u64);
        let endpoint = self.built.objects.endpoint_of(program);
        // A thread whose budget is used up is postponed when its turn comes, whichever event makes it its turn.
        let state = if thread.state == State::Postponed { State::Runnable } else { thread.state };
        let facts = vec![
            ("state", format!("{state:?} {:?}", thread.fault)),
            ("priority", format!("{} {} {}", thread.priority, thread.max_priority, thread.domain)),
            ("bindings", format!("{:?} {:?} {:?}", thread.sched_context, thread.notification, thread.fpu)),
            ("time", format!("{:?} {:?} {:?}", time.thread, time.notification, time.heir)),
            ("consumed time", (kernel.consumed(time_id) + uncharged).to_string()),
            ("budget", at(&kernel.slices, program).budget.to_string()),
            ("notification", format!("{:?}", at(&kernel.notifications, program))),
            ("reply", format!("{:?}", at(&kernel.replies, program))),
            ("endpoint", format!("{:?}", endpoint.map(|index| at(&kernel.endpoints, index as usize)))),
            ("interrupts", format!("{interrupts:?}")),
            ("holds on keys", format!("{holds:?} {taken:?}")),
            ("wipes", wipes.count().to_string()),
        ];
        let thread = Thread(program as u64);
        Belongings { registers: *self.system.program(thread), buffer: self.system.buffer(thread), facts }
    }
}

/// The object with this index.
fn at<Tag, T, const N: usize>(arena: &Arena<Tag, T, N>, index: usize) -> &T {
    &arena[Arena::<Tag, T, N>::id(index as u64).unwrap()]
}

/// The pointers to the capabilities of a table.
fn pointers(built: &Built, table: u64) -> Vec<(u64, CapKind)> {
    let caps = built.tables.caps.iter().filter(|cap| cap.table == table);
    let pointer = |slot: u64| slot.checked_sub(slot::ROOT).map_or(slot, |root| root << 58);
    caps.map(|cap| (pointer(cap.slot), CapKind::from_raw(cap.kind).unwrap())).collect()
}

fn fault(number: u64) -> Fault {
    match number % 2 {
        0 => Fault::UserException { number, code: 1 },
        _ => Fault::Vm { address: number, access: Access::Data, status: 2 },
    }
}

/// Which programs an event of each program can change, according to the relation: those of its rows, and those of their rows. For
/// example, a program that is stopped leaves the queue of its server's endpoint.
fn influence(built: &Built) -> Vec<Vec<bool>> {
    let rows = authority(built);
    let count = built.parts.system.protection_domains.len();
    let allows = |from, to| rows.iter().any(|row| row.allows(&Party::Program(from), &Party::Program(to)));
    let direct: Vec<Vec<bool>> =
        (0..count).map(|from| (0..count).map(|to| from == to || allows(from, to)).collect()).collect();
    let reaches =
        |from: usize, to: usize| (0..count).any(|through| direct[from][through] && direct[through][to]);
    (0..count).map(|from| (0..count).map(|to| reaches(from, to)).collect()).collect()
}

/// Runs a system. Returns how often a program outside the reach of an event was compared.
fn keep_integrity(shape: &Shape, steps: &[Step], with_domains: bool) -> u64 {
    let built = shape.build(with_domains);
    let reach = influence(&built);
    let mut world = World::boot(built);
    let mut compared = 0;
    for step in steps {
        let belongings =
            |world: &World| -> Vec<_> { (0..reach.len()).map(|of| world.belongings(of)).collect() };
        let mut by = world.program();
        let is_due = world.advance(step.ticks);
        let before = belongings(&world);
        if is_due {
            world.system.interrupt(Interrupt::Timer);
        } else if let Some(program) = by.filter(|_| step.action < 240) {
            world.act(program, step);
        } else {
            world.set_line(FIRST_LINE + usize::from(step.picks[0] % 8), step.action % 4 > 0);
            let Some(owner) = world.take_line() else { continue };
            by = Some(owner);
        }
        // The timer ends the budget of the program that runs. While none does, it affects none.
        let by_name = by.map_or("the timer", |by| world.system.names[by].as_str());
        for (of, (before, after)) in before.into_iter().zip(belongings(&world)).enumerate() {
            if by.is_none_or(|by| !reach[by][of]) {
                compared += 1;
                assert_eq!(before, after, "{by_name} affects {}", world.system.names[of]);
            }
        }
    }
    compared
}

/// The observation of a program when it runs: the time, its registers and its message buffer.
type Seen = (u64, usize, TestContext, Vec<u64>);

/// Runs a system until a fixed time. The programs of the first domain take `own` steps, the others take `other` steps.
/// Returns what the first domain observes, and everything that belongs to it in the end.
fn observed(shape: &Shape, own: &[Step], other: &[Step]) -> (Vec<Seen>, Vec<Belongings>) {
    let mut world = World::boot(shape.build(true));
    let is_own: Vec<_> =
        world.built.parts.system.protection_domains.iter().map(|program| program.domain == 1).collect();
    let mut turns = vec![0; is_own.len()];
    let mut noise = other.iter().cycle();
    let mut seen = Vec::new();
    while world.system.kernel.machine.now < END {
        let Some(device) = noise.next() else { break };
        let line = FIRST_LINE + usize::from(device.picks[0] % 8);
        if world.owner(line).is_some_and(|owner| !is_own[owner]) {
            world.set_line(line, device.action % 4 > 0);
        }
        while world.take_line().is_some() {}
        let Some(program) = world.program() else {
            world.pass(1);
            continue;
        };
        let thread = Thread(program as u64);
        let step = if is_own[program] {
            &own[(turns[program] * 7 + program) % own.len()]
        } else {
            &other[turns[program] % other.len()]
        };
        if world.pass(step.ticks) {
            continue;
        }
        turns[program] += 1;
        if is_own[program] {
            let words = world.system.buffer(thread);
            seen.push((world.system.kernel.machine.now, program, *world.system.program(thread), words));
            let line = FIRST_LINE + usize::from(step.picks[3] % 8);
            if world.owner(line).is_some_and(|owner| is_own[owner]) {
                world.set_line(line, step.action % 4 > 0);
            }
        }
        world.act(program, step);
    }
    let own = (0..is_own.len()).filter(|program| is_own[*program]);
    (seen, own.map(|program| world.belongings(program)).collect())
}

#[test]
fn events_change_only_what_the_relation_allows() {
    for with_domains in [false, true] {
        let (compared, systems) = (Cell::new(0), Cell::new(0));
        check_random(CASES, (shapes(), steps()), |(shape, steps)| {
            compared.set(compared.get() + keep_integrity(&shape, &steps, with_domains));
            systems.set(systems.get() + 1);
        });
        println!("{} comparisons outside the relation in {} systems", compared.get(), systems.get());
        assert!(compared.get() > 20 * systems.get(), "hardly anything was compared");
    }
}

#[test]
fn a_domain_observes_nothing_of_another() {
    let (events, systems) = (Cell::new(0), Cell::new(0));
    check_random(CASES, (shapes(), steps(), steps(), steps()), |(shape, own, one, two)| {
        let (first, second) = (observed(&shape, &own, &one), observed(&shape, &own, &two));
        let differs = first.0.iter().zip(&second.0).position(|(first, second)| first != second);
        assert_eq!(first, second, "the first domain observes the second, from its event {differs:?}");
        events.set(events.get() + first.0.len());
        systems.set(systems.get() + 1);
    });
    println!("{} events observed in {} systems", events.get(), systems.get());
    assert!(events.get() > 10 * systems.get(), "hardly anything was observed");
}
