//! A random step: time passes, then the running program performs an operation or an interrupt comes.

use limen_abi::{Label, MessageInfo, Syscall};
use limen_core::event::Event;
use limen_core::fault::{Access, Fault};
use limen_core::machine::{Interrupt, Line};
use limen_core::object::service::ServiceResult;
use proptest::prelude::*;

use super::world::{CALL, NOTIFICATION, OBJECTS, OWNER, SERVICE, Shape, THREAD, receive_slot};
use crate::support::{Arguments, OpenCalls, REPLY, System, Thread, X0};

const RESUME: u64 = Label::TcbResume.as_raw();
/// The methods that threads invoke on threads they control.
const CONTROLS: [Label; 7] = [
    Label::TcbReadRegisters,
    Label::TcbWriteRegisters,
    Label::TcbWriteRegisters,
    Label::TcbSetTlsBase,
    Label::TcbSetFlags,
    Label::TcbSuspend,
    Label::TcbResume,
];
/// Labels without a method.
const UNKNOWN_LABELS: [u64; 3] = [0, 1, 0x1000];
/// The system calls of a thread that must not block.
const UNBLOCKING: [Syscall; 4] = [Syscall::Call, Syscall::Send, Syscall::NbSend, Syscall::Yield];

/// A random step.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Ticks that pass before the event.
    pub(super) ticks: u64,
    /// Whether an open call is flushed afterwards, where systems are compared.
    pub(super) open_calls: OpenCalls,
    action: Action,
    cptr: u16,
    reply: u16,
    send: u16,
    label: u8,
    words: Vec<u64>,
    caps: Vec<u16>,
}

#[derive(Clone, Debug)]
enum Action {
    /// A system call that a program would make.
    Sensible(u8),
    /// Any system call with any arguments.
    Syscall(u8),
    /// A service, or an invocation that disturbs the work of another thread.
    Service(u8),
    Number(i64),
    Fault(u8),
    Timer,
    /// A device asserts or deasserts its line, then an interrupt comes: from an unused line if no other is pending.
    Device(u8, bool),
}

/// A prepared event, with what the rules need to know about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    /// The event for the kernel.
    pub(super) kind: Event,
    /// The system call, if its number is known.
    pub(super) syscall: Option<Syscall>,
}

/// Random steps.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    let action = prop_oneof![
        30 => any::<u8>().prop_map(Action::Sensible),
        20 => any::<u8>().prop_map(Action::Syscall),
        20 => any::<u8>().prop_map(Action::Service),
        1 => prop_oneof![Just(0i64), Just(-13), any::<i64>()].prop_map(Action::Number),
        4 => any::<u8>().prop_map(Action::Fault),
        5 => Just(Action::Timer),
        4 => any::<(u8, bool)>().prop_map(|(device, asserted)| Action::Device(device, asserted)),
    ];
    let word = prop_oneof![4 => 0..4u64, 1 => 0..40u64, 1 => any::<u64>()];
    let words = prop_oneof![8 => prop::collection::vec(word.clone(), 0..8), 1 => prop::collection::vec(word, 0..=127)];
    let ticks = prop_oneof![3 => 0..4u64, 1 => 0..60u64];
    let caps = prop::collection::vec(any::<u16>(), 0..=3);
    let open_calls = prop_oneof![2 => Just(OpenCalls::Keep), 1 => Just(OpenCalls::Flush)];
    ((ticks, open_calls), action, any::<[u16; 3]>(), any::<u8>(), words, caps).prop_map(
        |((ticks, open_calls), action, [cptr, reply, send], label, words, caps)| Step {
            ticks,
            open_calls,
            action,
            cptr,
            reply,
            send,
            label,
            words,
            caps,
        },
    )
}

impl Step {
    /// Prepares the system for the event.
    pub(super) fn prepare(&self, shape: &Shape, system: &mut System) -> Prepared {
        let plain = |kind| Prepared { kind, syscall: None };
        match (&self.action, system.current()) {
            (Action::Timer, _) => {
                system.kernel.machine.interrupt = Some(Interrupt::Timer);
                plain(Event::Interrupt)
            }
            (Action::Device(device, asserted), _) => {
                system.set_asserted(Shape::interrupt(*device), *asserted);
                let line = system.kernel.machine.controller.acknowledge().unwrap_or(Line(1000));
                system.kernel.machine.interrupt = Some(Interrupt::Line(line));
                plain(Event::Interrupt)
            }
            (_, None) => {
                system.kernel.machine.interrupt = Some(Interrupt::Line(Line(1000)));
                plain(Event::Interrupt)
            }
            (action, Some(thread)) if system.kernel.is_at_work() => self.prepare_work(system, thread, action),
            (Action::Sensible(choice), Some(thread)) => self.prepare_sensible(shape, system, thread, *choice),
            (Action::Service(choice), Some(thread)) if !shape.is_controller(thread) => {
                self.prepare_service(system, thread, *choice)
            }
            (Action::Syscall(number), Some(thread)) => self.prepare_syscall(shape, system, thread, *number),
            (Action::Number(number), Some(thread)) if !shape.is_controller(thread) => {
                self.trap(system, thread, *number)
            }
            (Action::Fault(kind), Some(thread)) if !shape.is_controller(thread) => {
                plain(Event::Fault(fault(*kind)))
            }
            (Action::Service(_) | Action::Number(_) | Action::Fault(_), Some(thread)) => {
                self.trap(system, thread, Syscall::Yield.as_raw())
            }
        }
    }

    /// The work ends, or continues until an interrupt of the timer or of an unused line. It does not fault and makes
    /// no system calls.
    fn prepare_work(&self, system: &mut System, thread: Thread, action: &Action) -> Prepared {
        let done =
            || ServiceResult { words: core::array::from_fn(|at| self.words.get(at).copied().unwrap_or(7)) };
        let kind = match action {
            Action::Sensible(choice) if choice % 2 == 0 => Event::WorkDone(done()),
            Action::Syscall(position) => {
                system.context_mut(thread).registers[X0 + usize::from(position % 30)] = u64::from(self.cptr);
                system.kernel.machine.interrupt = Some(Interrupt::Line(Line(1000)));
                Event::Interrupt
            }
            _ => {
                system.kernel.machine.interrupt = Some(Interrupt::Timer);
                Event::Interrupt
            }
        };
        Prepared { kind, syscall: None }
    }

    fn prepare_syscall(&self, shape: &Shape, system: &mut System, thread: Thread, number: u8) -> Prepared {
        let all = Syscall::ALL;
        let syscall = if shape.is_controller(thread) {
            UNBLOCKING[number as usize % UNBLOCKING.len()]
        } else {
            all[number as usize % all.len()].0
        };
        self.trap(system, thread, syscall.as_raw())
    }

    /// Calls, replies and signals between threads that have capabilities to each other; the controller signals and
    /// resumes.
    fn prepare_sensible(&self, shape: &Shape, system: &mut System, thread: Thread, choice: u8) -> Prepared {
        let object = u64::from(self.cptr) % OBJECTS;
        let (syscall, slot, label) = if shape.is_controller(thread) {
            match choice % 2 {
                0 => (Syscall::Send, NOTIFICATION + object, 0),
                _ => (Syscall::Call, THREAD + u64::from(self.send) % shape.workers(), RESUME),
            }
        } else {
            match choice % 8 {
                0..=2 => (Syscall::Call, CALL + object, 0),
                3 => (Syscall::Recv, receive_slot(thread, object), 0),
                4 | 5 => (Syscall::ReplyRecv, receive_slot(thread, object), 0),
                6 => (Syscall::Send, NOTIFICATION + object, 0),
                _ => (Syscall::Wait, NOTIFICATION + object, 0),
            }
        };
        self.prepare_call(system, thread, (syscall, slot, label))
    }

    /// A thread calls a service, or invokes the thread before it, whose memory it may reset.
    fn prepare_service(&self, system: &mut System, thread: Thread, choice: u8) -> Prepared {
        let (slot, label) = match choice % 8 {
            0..=4 => (SERVICE + u64::from(choice % 2), Label::ServiceRun),
            _ => (OWNER, CONTROLS[usize::from(self.label) % CONTROLS.len()]),
        };
        self.prepare_call(system, thread, (Syscall::Call, slot, label.as_raw()))
    }

    fn prepare_call(
        &self,
        system: &mut System,
        thread: Thread,
        (syscall, slot, label): (Syscall, u64, u64),
    ) -> Prepared {
        let words = &self.words[..self.words.len().min(120)];
        let arguments = Arguments { label, words, caps: &[] };
        system.put_message(thread, &arguments);
        system.context_mut(thread).set_reply_cptr(REPLY);
        system.context_mut(thread).trap(syscall.as_raw(), slot, MessageInfo::new(label, words.len()));
        Prepared { kind: Event::Syscall(syscall.as_raw()), syscall: Some(syscall) }
    }

    fn trap(&self, system: &mut System, thread: Thread, number: i64) -> Prepared {
        let caps: Vec<u64> = self.caps.iter().map(|selector| Shape::cptr(*selector)).collect();
        let words = &self.words[..self.words.len().min(120)];
        system.put_message(thread, &Arguments { label: 0, words, caps: &caps });
        let context = system.context_mut(thread);
        context.set_reply_cptr(Shape::cptr(self.reply));
        context.set_send_cptr(Shape::cptr(self.send));
        let cptr = self.cptr_for(system, thread);
        system.context_mut(thread).trap(number, cptr, self.info());
        Prepared { kind: Event::Syscall(number), syscall: Syscall::from_raw(number) }
    }

    /// The controller must not fault, so it does not use pointers that cannot be resolved.
    fn cptr_for(&self, system: &System, thread: Thread) -> u64 {
        let cptr = Shape::cptr(self.cptr);
        let machine = &system.kernel.machine;
        let (table, root) = (&machine.tables[thread.id()], &machine.roots[thread.id()]);
        let is_unresolved = table.lookup(cptr).is_none() && root.lookup(cptr).is_none();
        if system.name(thread) == "controller" && is_unresolved { 0 } else { cptr }
    }

    fn info(&self) -> MessageInfo {
        let labels = Label::ALL.len();
        let label = match self.label as usize % (labels + UNKNOWN_LABELS.len()) {
            index if index < labels => Label::ALL[index].0.as_raw(),
            index => UNKNOWN_LABELS[index - labels],
        };
        let caps = (self.caps.len() as u64) << MessageInfo::LENGTH_BITS;
        MessageInfo::from_raw(label << MessageInfo::LABEL_SHIFT | caps | self.words.len() as u64)
    }
}

fn fault(kind: u8) -> Fault {
    match kind % 3 {
        0 => Fault::UserException { number: u64::from(kind), code: 1 },
        1 => Fault::Vm { address: u64::from(kind), access: Access::Data, status: 2 },
        _ => Fault::Vm { address: u64::from(kind), access: Access::Instruction, status: 3 },
    }
}
