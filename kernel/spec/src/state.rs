//! The state of a system: threads, objects, and the processor.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::capability::{Cap, Caps};
use crate::fault::Fault;
use crate::fpu::Fpu;
use crate::hardware::Hardware;
use crate::key::Key;
use crate::probe::{Entry, Exit, Probe};
use crate::registers::Registers;
use crate::time::Time;
use crate::trace::Trace;

/// A thread, by index.
pub type ThreadId = usize;
/// An endpoint, by index.
pub type EndpointId = usize;
/// A notification, by index.
pub type NotificationId = usize;
/// A reply object, by index.
pub type ReplyId = usize;
/// A scheduling context, by index.
pub type TimeId = usize;
/// A static key, by index.
pub type KeyId = usize;

/// A system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    /// The clock, in ticks.
    pub now: u64,
    /// Ticks in a second.
    pub frequency: u64,
    /// The running thread; `None` while the processor idles.
    pub current: Option<ThreadId>,
    /// The scheduling context that time is charged to; `None` while the processor idles.
    pub charged: Option<TimeId>,
    /// An input, like the time: whether the kernel has read the clock since the current slice was used up. It reads it
    /// only when it must, so until the timer fires both are possible.
    pub end_is_known: bool,
    /// An input: the keys with branches that are not written at the end of the event.
    pub unwritten: Vec<KeyId>,
    /// An input: the entry with which the next event begins. `None` if no program probes.
    pub entry: Option<Entry>,
    /// How the return from the last event is stamped.
    pub exit: Exit,
    /// Whether every crossing switches page tables.
    pub switches_page_tables: bool,
    /// The threads.
    pub threads: Vec<Thread>,
    /// For each endpoint the threads that wait there, either all to send or all to receive, in the order of service.
    pub endpoints: Vec<Vec<ThreadId>>,
    /// The notifications.
    pub notifications: Vec<Notification>,
    /// For each reply object the caller that waits for the reply.
    pub replies: Vec<Option<ThreadId>>,
    /// The scheduling contexts.
    pub times: Vec<Time>,
    /// The interrupts.
    pub interrupts: Vec<Interrupt>,
    /// The threads that could run, in the order in which they would, without the current one: for each domain.
    pub ready: BTreeMap<u8, Vec<ThreadId>>,
    /// Threads that could run but have no budget, in the order in which it comes back: for each domain.
    pub postponed: BTreeMap<u8, Vec<ThreadId>>,
    /// The turns of the domains.
    pub schedule: Schedule,
    /// The static keys.
    pub keys: Vec<Key>,
    /// The floating-point unit.
    pub fpu: Fpu,
    /// Threads that the event has woken. Empty between events.
    pub woken: Vec<ThreadId>,
    /// The services.
    pub services: Vec<Service>,
    /// The memory that faults and interrupts have cleared, by the index of the service.
    pub wiped: Vec<usize>,
    /// Requests of programs to the hardware.
    pub hardware: Hardware,
    /// The keys of the kernel, and the records of programs.
    pub trace: Trace,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its registers and message buffer.
    pub registers: Registers,
    /// 0 to 255; a higher number runs first.
    pub priority: u8,
    /// The limit for priorities that are set in its name.
    pub max_priority: u8,
    /// Its state.
    pub state: State,
    /// The scheduling context that it runs on.
    pub time: Option<TimeId>,
    /// The notification that is bound to it.
    pub notification: Option<NotificationId>,
    /// The fault that waits for a reply.
    pub fault: Option<Fault>,
    /// The endpoint to which its faults go.
    pub fault_handler: Cap,
    /// The endpoint to which the ends of its budget go.
    pub timeout_handler: Cap,
    /// Its domain.
    pub domain: u8,
    /// Whether it may use the floating-point unit.
    pub may_use_fpu: bool,
    /// The service that it works for. Its registers are those of its program at the system call.
    pub works: Option<usize>,
    /// The memory that its faults clear: the index of the service.
    pub wipe: Option<usize>,
    /// Its probe.
    pub probe: Probe,
    /// Its capabilities.
    pub caps: Rc<Caps>,
}

/// A service: work that a thread does in the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Service {
    /// Whether faults or interrupts begin it, and not programs.
    pub is_immediate: bool,
    /// The thread that it resets.
    pub resets: Option<Reset>,
    /// The number of words in its result.
    pub words: usize,
}

/// A thread that a service resets, and the registers that are not zero afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reset {
    /// The thread.
    pub thread: ThreadId,
    /// The program counter.
    pub entry: u64,
    /// The stack pointer.
    pub stack_top: u64,
}

/// The state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It is stopped.
    Inactive,
    /// It runs, or could run if it had time and no other ran.
    Runnable,
    /// It waits for a message.
    Receiving {
        /// From here.
        endpoint: EndpointId,
        /// The reply object on which the next caller will wait.
        reply: Option<ReplyId>,
        /// Whether its system call restarts if the wait is cancelled.
        restarts: bool,
    },
    /// It waits for a signal.
    Waiting {
        /// Of this notification.
        notification: NotificationId,
        /// Whether its system call restarts if the wait is cancelled.
        restarts: bool,
    },
    /// Its message, call or fault waits for a receiver.
    Sending {
        /// Here.
        endpoint: EndpointId,
        /// The badge that the receiver will see.
        badge: u64,
        /// The next step of the sender.
        then: AfterSend,
        /// Whether its system call restarts if the wait is cancelled.
        restarts: bool,
    },
    /// Its call or fault was received, and it waits for the reply.
    Calling {
        /// The reply object.
        reply: ReplyId,
        /// Whether its system call restarts if the wait is cancelled.
        restarts: bool,
    },
}

/// The next step of a sender when its message was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterSend {
    /// It continues.
    Continue,
    /// It waits for a reply and lends its time.
    Call,
    /// It waits for a reply and lends nothing: its budget is used up.
    CallWithoutTime,
    /// It stops, because no reply can reach it.
    Stop,
}

/// A notification.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notification {
    /// The signalled bits; `None` is not the same as no bits, which a badge of zero signals.
    pub pending: Option<u64>,
    /// The threads that wait for a signal, in the order in which they arrived.
    pub waiting: Vec<ThreadId>,
    /// The thread that is bound to it.
    pub thread: Option<ThreadId>,
    /// The scheduling context that it keeps for a thread without one.
    pub time: Option<TimeId>,
}

/// An interrupt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interrupt {
    /// The line of the controller.
    pub line: u32,
    /// The notification that it signals.
    pub notification: NotificationId,
    /// These bits.
    pub badge: u64,
    /// Whether it was delivered and not yet acknowledged, and again.
    pub state: Delivery,
    /// The memory that it clears or seals: the index of the service.
    pub serves: Option<usize>,
}

/// The events since the last acknowledgement of an interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// Nothing.
    Armed,
    /// It was delivered.
    Delivered,
    /// It was delivered, and interrupted again.
    DeliveredAgain,
}

/// The turns of the domains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// Domain and duration in ticks of each turn; none without a schedule. The first follows the last.
    pub turns: Vec<(u8, u64)>,
    /// The turn that runs.
    pub turn: usize,
    /// When it ends.
    pub end: u64,
    /// The running domain.
    pub domain: u8,
}
