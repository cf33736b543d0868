//! A random step: time passes, then the running program invokes any object, or an interrupt arrives.

use limen_abi::{Label, MessageInfo, ProbeEvent, Syscall, slot as slots};
use limen_core::event::Event;
use limen_core::fault::{Access, Fault};
use limen_core::machine::{Context, Interrupt, Line};
use limen_core::object::probe::State;
use limen_core::object::service::ServiceResult;
use proptest::prelude::*;

use super::bytes::Bytes;
use super::world::{
    CALL, CONTROL, FPU_COUNTERS, FPU_POLICY, GRANT, INTERRUPT, KERNEL_KEY, KEY, MONITOR, NOTIFICATION,
    PORT_RANGES, PORTS, PROBE, RECEIVE, SECOND_REPLY, SERVICE, SPACE, THREAD, TIME, World, interrupt, limits,
    slice,
};
use crate::support::{Arguments, OpenCalls, READ_ONLY, REPLY, STAMP, Thread};

/// Methods of threads; some more often.
const OF_THREADS: [Label; 14] = [
    Label::TcbReadRegisters,
    Label::TcbWriteRegisters,
    Label::TcbWriteRegisters,
    Label::TcbSetPriority,
    Label::TcbSetPriority,
    Label::TcbSetMcPriority,
    Label::TcbSuspend,
    Label::TcbResume,
    Label::TcbResume,
    Label::TcbResume,
    Label::TcbBindNotification,
    Label::TcbUnbindNotification,
    Label::TcbSetTlsBase,
    Label::TcbSetFlags,
];
/// Methods of scheduling contexts; some more often.
const OF_TIMES: [Label; 6] = [
    Label::SchedContextBind,
    Label::SchedContextBind,
    Label::SchedContextBind,
    Label::SchedContextUnbind,
    Label::SchedContextUnbindObject,
    Label::SchedContextConsumed,
];
const OF_KEYS: [Label; 6] =
    [Label::KeyEnable, Label::KeyDisable, Label::KeyInc, Label::KeyDec, Label::KeyRead, Label::KeyFollow];
const OF_SPACES: [Label; 4] = [
    Label::ArmVspaceCleanData,
    Label::ArmVspaceInvalidateData,
    Label::ArmVspaceCleanInvalidateData,
    Label::ArmVspaceUnifyInstruction,
];
const OF_PORTS: [Label; 6] = [
    Label::X86IoPortIn8,
    Label::X86IoPortIn16,
    Label::X86IoPortIn32,
    Label::X86IoPortOut8,
    Label::X86IoPortOut16,
    Label::X86IoPortOut32,
];
const OF_PROBES: [Label; 4] = [Label::ProbeStart, Label::ProbeStop, Label::ProbeArm, Label::ProbeRead];
/// Kinds of objects, by their first slot. Systems from bytes have no objects of the last three.
const KINDS: [u64; 19] = [
    RECEIVE,
    CALL,
    GRANT,
    NOTIFICATION,
    THREAD,
    TIME,
    SPACE,
    KEY,
    INTERRUPT,
    SERVICE,
    CONTROL,
    FPU_POLICY,
    FPU_COUNTERS,
    PROBE,
    SECOND_REPLY,
    REPLY,
    PORTS,
    MONITOR,
    KERNEL_KEY,
];
/// Repairs that the gardener makes in one step.
const REPAIRS: u32 = 4;
/// Lengths of messages; most often those that fit into registers.
const WORD_COUNTS: [usize; 8] = [0, 1, 2, 3, 4, 5, 7, 120];
const NOWHERE: [u64; 4] = [0, 511, 512, u64::MAX];

/// A step: a delay, and the random choices of the action after it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    ticks: u64,
    /// The treatment of open calls, where systems are compared.
    pub(super) open_calls: OpenCalls,
    action: u8,
    picks: [u16; 6],
    words: Vec<u64>,
    limit: (u64, u64),
}

/// Random steps.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    let word = prop_oneof![4 => 0..4u64, 2 => 0..120u64, 1 => any::<u64>()];
    let words = prop_oneof![8 => prop::collection::vec(word.clone(), 0..8), 1 => prop::collection::vec(word, 0..=120)];
    let ticks = prop_oneof![4 => 0..4u64, 2 => 0..40u64, 1 => 0..300u64];
    let open_calls = prop_oneof![2 => Just(OpenCalls::Keep), 1 => Just(OpenCalls::Flush)];
    (ticks, open_calls, any::<u8>(), any::<[u16; 6]>(), words, limits()).prop_map(
        |(ticks, open_calls, action, picks, words, limit)| Step {
            ticks,
            open_calls,
            action,
            picks,
            words,
            limit,
        },
    )
}

impl Step {
    /// A step with a budget that is no share of a period, from bytes. Open calls stay open.
    pub(super) fn of(bytes: &mut Bytes<'_>) -> Self {
        let ticks = u64::from(bytes.byte());
        Self {
            ticks: ticks * ticks / 217,
            open_calls: OpenCalls::Keep,
            action: bytes.byte(),
            picks: [0; 6].map(|_: u16| u16::from(bytes.byte())),
            words: (0..bytes.pick(&WORD_COUNTS)).map(|_| bytes.word()).collect(),
            limit: slice(bytes),
        }
    }

    /// Performs the step.
    pub(super) fn take(&self, world: &mut World) {
        world.system.pass(self.ticks);
        let machine = &mut world.system.kernel.machine;
        let is_idle = world.system.kernel.processor.current.is_none();
        if is_idle && machine.deadline != u64::MAX {
            machine.now = machine.now.max(machine.deadline);
        }
        // The interrupt may be late.
        if machine.deadline <= machine.now && (is_idle || !self.action.is_multiple_of(8)) {
            machine.interrupt = Some(Interrupt::Timer);
            world.system.event(Event::Interrupt);
        }
        self.act(world);
    }

    /// Whether a port reports such an event: the use of the floating-point unit is an exception.
    pub(super) fn is_of_port(&self) -> bool {
        !matches!(self.action, 15..=18) || matches!(self.fault(), Fault::UserException { .. })
    }

    fn act(&self, world: &mut World) {
        let Some(thread) = world.system.current() else { return self.interrupt(world) };
        if world.system.kernel.is_at_work() {
            return self.work(world);
        }
        if world.has_probes {
            world.system.context_mut(thread).registers[STAMP] = u64::from(self.picks[5]);
        }
        match self.action {
            0..=9 => self.interrupt(world),
            _ if world.gardener == Some(thread) => self.garden(world),
            10..=14 => world.system.event(Event::Fault(self.fault())),
            15..=18 => world.system.event(Event::FpuUse(self.fault())),
            19 => self.trap(world, thread, 0x1234),
            140..=159 if world.has_probes => self.probe(world, thread),
            20..=39 if world.has_devices => self.device(world, thread),
            20..=159 => self.talk(world, thread),
            160..=239 => self.ask(world, thread),
            _ => self.anything(world, thread),
        }
    }

    /// The timer, a device, or a line without a handler.
    fn interrupt(&self, world: &mut World) {
        let machine = &mut world.system.kernel.machine;
        machine.interrupt = Some(match self.picks[0] % 4 {
            0 => Interrupt::Timer,
            1 => Interrupt::Line(Line(1000)),
            _ => {
                machine
                    .controller
                    .set_asserted(interrupt(self.picks[1]).line(), !self.picks[2].is_multiple_of(3));
                machine.controller.acknowledge().map_or(Interrupt::Line(Line(1000)), Interrupt::Line)
            }
        });
        world.system.event(Event::Interrupt);
    }

    /// Completes the running thread's service, or interrupts it.
    fn work(&self, world: &mut World) {
        if self.action.is_multiple_of(3) {
            world.system.event(Event::WorkDone(ServiceResult { words: [1, 2, 3, 4] }));
        } else {
            self.interrupt(world);
        }
    }

    fn fault(&self) -> Fault {
        let number = u64::from(self.picks[0]);
        match self.picks[1] % 3 {
            0 => Fault::UserException { number, code: 1 },
            1 => Fault::Vm { address: number, access: Access::Data, status: 2 },
            _ => Fault::Vm { address: number, access: Access::Instruction, status: 3 },
        }
    }

    /// Messages and signals, as programs make them.
    fn talk(&self, world: &mut World, thread: Thread) {
        let (endpoint, notification) = (self.slot(world, RECEIVE, 0), self.slot(world, NOTIFICATION, 1));
        let input = if self.picks[2].is_multiple_of(4) { endpoint } else { slots::INPUT };
        let reply = if self.picks[3].is_multiple_of(8) { SECOND_REPLY } else { REPLY };
        world.system.context_mut(thread).set_reply_cptr(reply);
        let (syscall, cptr) = match self.action % 20 {
            0..=7 => (Syscall::Call, self.slot(world, CALL, 0)),
            8..=10 => (Syscall::ReplyRecv, input),
            11 => (Syscall::Recv, input),
            12 => (Syscall::NbRecv, input),
            13 | 14 => (Syscall::Send, notification),
            15 => (Syscall::Wait, notification),
            16 => (Syscall::Send, self.slot(world, GRANT, 0)),
            17 => (Syscall::Send, reply),
            18 => (Syscall::NbSendRecv, input),
            _ => (Syscall::NbSendWait, if self.picks[4].is_multiple_of(2) { input } else { notification }),
        };
        let sends_to = [reply, self.slot(world, GRANT, 4), notification][usize::from(self.picks[5] % 3)];
        match syscall {
            Syscall::NbSendRecv => world.system.context_mut(thread).set_send_cptr(sends_to),
            Syscall::NbSendWait => world.system.context_mut(thread).set_reply_cptr(sends_to),
            _ => {}
        }
        let label = u64::from(self.picks[5] % 3 == 2);
        world.system.syscall(thread, syscall, cptr, &Arguments { label, words: &self.words, caps: &[] });
    }

    /// Starts or arms the thread's own probe, or makes its event happen, in the right code or near it.
    fn probe(&self, world: &mut World, thread: Thread) {
        let [pick, kind, number, near, options, _] = self.picks.map(u64::from);
        let probe = &world.system.kernel.probes[thread.id()];
        let pc = world.system.pc(thread);
        let (label, words) = match (probe.state(), pick % 12) {
            (State::Off, 1..) | (_, 0) => (Label::ProbeStart, Vec::new()),
            (_, 1) => (Label::ProbeStop, Vec::new()),
            (_, 2 | 3) => (Label::ProbeRead, Vec::new()),
            (State::Armed, 6..) => {
                return match probe.arming().0.event {
                    ProbeEvent::Syscall => self.talk(world, thread),
                    ProbeEvent::Interrupt => self.interrupt(world),
                    event => world.system.event(Event::Fault(fault_of(event, number))),
                };
            }
            _ => {
                let events = ProbeEvent::ALL.len() as u64;
                let event = if kind.is_multiple_of(16) { kind } else { kind % events };
                let options = if options.is_multiple_of(16) {
                    options
                } else {
                    [0, 1, 2, 4, 5, 6][options as usize % 6]
                };
                let first = pc.wrapping_add(near % 32).wrapping_sub(24);
                let words = vec![event, first, first.wrapping_add(near / 32 % 64), options];
                (Label::ProbeArm, words)
            }
        };
        let syscall = if number.is_multiple_of(8) { Syscall::NbSend } else { Syscall::Call };
        let arguments = Arguments { label: label.as_raw(), words: &words, caps: &[] };
        world.system.syscall(thread, syscall, PROBE, &arguments);
    }

    /// Uses hardware, writes a record, or switches a key.
    fn device(&self, world: &mut World, thread: Thread) {
        let [pick, kind, place, size, count, _] = self.picks.map(u64::from);
        let syscall = if count.is_multiple_of(8) { Syscall::NbSend } else { Syscall::Call };
        let (first, label, mut words) = match pick % 8 {
            0 | 1 => {
                // Ranges within and between blocks, of no addresses, beyond the addresses of users, and with a read-only page.
                let start = [READ_ONLY.start, 0x20_0000, (1 << 40) - 0x1000][place as usize % 3];
                let start = start + place / 3 % 0x200 * 0x10 - 0x1000;
                let bytes = if size.is_multiple_of(4) { size % 32 } else { size % 0x3000 };
                let words = vec![start, start.wrapping_add(bytes).wrapping_sub(16)];
                (SPACE, OF_SPACES[kind as usize % OF_SPACES.len()], words)
            }
            2 | 3 => {
                let (first, last) = PORT_RANGES[self.picks[2] as usize % PORT_RANGES.len()];
                let port = [first, last, first.wrapping_sub(1), last.wrapping_sub(1)][size as usize % 4];
                let port = if size.is_multiple_of(16) { port.wrapping_sub(1 << 16) } else { port };
                (PORTS, OF_PORTS[kind as usize % OF_PORTS.len()], vec![port, place << 16 | kind])
            }
            4 => (MONITOR, Label::ArmSmcCall, (0..8).map(|word| place << word).collect()),
            5 => (KERNEL_KEY, OF_KEYS[kind as usize % OF_KEYS.len()], Vec::new()),
            _ => {
                let what = [1, kind % 0x100][usize::from(kind.is_multiple_of(2))] | place << 32;
                let number = Syscall::Trace.as_raw();
                return world.system.trap(thread, number, what, MessageInfo::from_raw(size << 20 | kind));
            }
        };
        if count % 8 == 2 {
            words.pop();
        }
        let label = if count % 16 == 3 { Label::FpuReadCounters } else { label };
        let arguments = Arguments { label: label.as_raw(), words: &words, caps: &[] };
        let (object, pc) = (self.slot(world, first, 2), world.system.pc(thread));
        if count % 8 == 1 {
            let context = world.system.context_mut(thread);
            context.set_send_cptr(object);
            context.set_reply_cptr(REPLY);
            world.system.syscall(thread, Syscall::NbSendRecv, slots::INPUT, &arguments);
        } else {
            world.system.syscall(thread, syscall, object, &arguments);
            if syscall == Syscall::Call && world.system.current() == Some(thread) {
                let system = &world.system;
                let result = match system.pc(thread) == pc {
                    true => None,
                    false => Some(system.context(thread).info().label()),
                };
                world.outcomes.push((first, result));
            }
        }
    }

    /// Invokes a method of an object of the right kind.
    fn ask(&self, world: &mut World, thread: Thread) {
        let kind = [
            THREAD,
            THREAD,
            THREAD,
            TIME,
            TIME,
            TIME,
            CONTROL,
            CONTROL,
            KEY,
            SPACE,
            SERVICE,
            PROBE,
            FPU_POLICY,
            INTERRUPT,
            KEY,
            FPU_COUNTERS,
        ][usize::from(self.picks[0] % 16)];
        let syscall = match self.picks[1] % 8 {
            0 => Syscall::Send,
            1 => Syscall::NbSend,
            _ => Syscall::Call,
        };
        self.ask_of(world, thread, kind, syscall);
    }

    fn ask_of(&self, world: &mut World, thread: Thread, kind: u64, syscall: Syscall) {
        let argument = match self.picks[4] % 4 {
            0 | 1 => self.slot(world, THREAD, 5),
            _ => self.slot(world, NOTIFICATION, 5),
        };
        let pick = usize::from(self.picks[3]);
        let (budget, period) = self.limit;
        let mut words = self.words.clone();
        let (label, argument) = match kind {
            THREAD => {
                let label = OF_THREADS[pick % OF_THREADS.len()];
                let argument = match label {
                    Label::TcbBindNotification => self.slot(world, NOTIFICATION, 5),
                    _ => self.slot(world, THREAD, 5),
                };
                if label == Label::TcbWriteRegisters && words.len() > 1 {
                    words[1] = words[1].min(words.len() as u64 - 2);
                }
                if matches!(label, Label::TcbSetPriority | Label::TcbSetMcPriority) {
                    words = vec![[40, 60, 80, 100, 101][pick / 16 % 5]];
                }
                (label, argument)
            }
            TIME => (OF_TIMES[pick % OF_TIMES.len()], argument),
            CONTROL => {
                words = vec![budget, period, 0, 7, 0];
                (Label::SchedControlConfigureFlags, self.slot(world, TIME, 5))
            }
            KEY => (OF_KEYS[pick % OF_KEYS.len()], argument),
            SPACE => {
                let start = 0x20_0000 + (pick as u64) % 0x1000;
                words = vec![start, start + 1 + u64::from(self.picks[4]) % 0x4000];
                (OF_SPACES[pick % OF_SPACES.len()], argument)
            }
            SERVICE => (Label::ServiceRun, argument),
            PROBE => (OF_PROBES[pick % OF_PROBES.len()], argument),
            FPU_POLICY => {
                words = vec![pick as u64 % 5, pick as u64 / 8 % 5];
                (Label::FpuSetPolicy, argument)
            }
            INTERRUPT => (Label::IrqHandlerAck, argument),
            _ => (Label::FpuReadCounters, argument),
        };
        let object = self.slot(world, kind, 2);
        let arguments = Arguments { label: label.as_raw(), words: &words, caps: &[argument] };
        world.system.syscall(thread, syscall, object, &arguments);
    }

    /// Any system call with any arguments.
    fn anything(&self, world: &mut World, thread: Thread) {
        let all = Syscall::ALL;
        self.trap(world, thread, all[usize::from(self.action) % all.len()].0.as_raw());
    }

    fn trap(&self, world: &mut World, thread: Thread, number: i64) {
        let [cptr, send, reply, argument] = [0, 2, 3, 4].map(|pick| self.any_slot(world, pick));
        let label = Label::ALL[usize::from(self.picks[5]) % Label::ALL.len()].0.as_raw();
        world.system.put_message(thread, &Arguments { label, words: &self.words, caps: &[argument] });
        let context = world.system.context_mut(thread);
        context.set_reply_cptr(reply);
        context.set_send_cptr(send);
        world.system.trap(thread, number, cptr, info(label, self.words.len(), 1));
    }

    /// Makes several repairs at once, so that the other threads run more often. No repair blocks the gardener.
    fn garden(&self, world: &mut World) {
        for turn in 0..REPAIRS {
            let Some(gardener) = world.gardener.filter(|gardener| world.system.current() == Some(*gardener))
            else {
                return;
            };
            let action = self.action.rotate_left(turn) % 16;
            let picked = (turn as usize..).map(|place| place % self.picks.len());
            let [first, second, third] = [0, 1, 2].map(|place| picked.clone().nth(place).unwrap_or(0));
            let thread = self.slot(world, THREAD, first);
            match action {
                0 => world.system.yield_slice(gardener),
                1 | 2 => {
                    let cptr = self.slot(world, NOTIFICATION, first);
                    world.system.signal(gardener, cptr);
                }
                3..=7 => {
                    world.system.call(gardener, thread, Label::TcbResume.as_raw(), &[]);
                }
                8..=12 => {
                    let own = TIME + (thread - THREAD);
                    let is_own = !self.picks[second].is_multiple_of(4);
                    let time = if is_own { own } else { self.slot(world, TIME, third) };
                    let bind = Label::SchedContextBind.as_raw();
                    world.system.call_with_caps(gardener, time, bind, &[thread]);
                }
                _ => {
                    let kind = [THREAD, TIME, CONTROL, KEY][usize::from(self.picks[second] % 4)];
                    self.ask_of(world, gardener, kind, Syscall::Call);
                }
            }
        }
    }

    fn slot(&self, world: &World, first: u64, pick: usize) -> u64 {
        first + u64::from(self.picks[pick]) % world.count(first)
    }

    /// Returns the slot of any object, or an empty one.
    fn any_slot(&self, world: &World, pick: usize) -> u64 {
        let pick = u64::from(self.picks[pick]);
        // The last kind is no object.
        let kinds = KINDS.len() as u64 + 1 - if world.has_devices { 0 } else { 3 };
        let (kind, object) = (pick % kinds, pick / kinds);
        match KINDS.get(kind as usize).filter(|_| kind != kinds - 1) {
            Some(first) => first + object % world.count(*first),
            None => NOWHERE[object as usize % NOWHERE.len()],
        }
    }
}

/// A fault that probes take for this event.
fn fault_of(event: ProbeEvent, number: u64) -> Fault {
    match event {
        ProbeEvent::PageFault => Fault::Vm { address: number, access: Access::Data, status: 2 },
        ProbeEvent::Undefined => Fault::UserException { number: 3 * number + 1, code: 1 },
        _ => Fault::UserException { number: 3 * number + 2, code: 1 },
    }
}

fn info(label: u64, words: usize, caps: usize) -> MessageInfo {
    let caps = (caps as u64) << MessageInfo::LENGTH_BITS;
    MessageInfo::from_raw(label << MessageInfo::LABEL_SHIFT | caps | words as u64)
}
