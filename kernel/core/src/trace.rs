//! The trace: records of what happens in the kernel, in a ring that programs and tools on the host read.
//! [`limen_abi::trace`] describes the ring and the kinds of record.
//!
//! The paths of the kernel contain no tracepoints. While a group of the trace is on, a static key of the port calls
//! [`Kernel::trace_begin`] before each event and [`Kernel::trace_end`] after it. The first looks at the objects that the
//! event names; the second compares them with what the event has left, and writes the records. Fast and slow paths are
//! thus covered alike, and cost nothing while the trace is off.
//!
//! ```text
//!   entry --> trace_begin --> fast or slow path --> trace_end --> return
//!               | Entry                               | Interrupt, Fault, Call, Reply, Signal, Wake, Block, Budget,
//!               v                                     v Domain, Key, Fpu, Wipe, Work, Switch, Exit
//!              ring                                  ring
//! ```
//!
//! Programs write their own records with a system call, `Kernel::serve_trace`.
//!
//! A [recording](limen_abi::recording) of every event for a replay takes the place of the records: `recording`.
//!
//! With several processors, each kernel has a ring of its own, and looks at its own threads. A message to another processor
//! has a record here, and one there when a thread receives it.
//!
//! This module is unmapped at boot unless the image has a ring.

mod recording;

use core::sync::atomic::{AtomicU64, Ordering, fence};

use limen_abi::trace::{
    EntryReason, HeaderWord, NO_THREAD, RecordWord, TIMER_LINE, TraceKind, WRITING, WaitedObject, elsewhere,
    what,
};
use limen_abi::{KernelKey, Syscall};

use crate::arena::{EndpointId, Id, NotificationId, ReplyId, SchedContextId, ServiceId, ThreadId};
use crate::cap::{Cap, ObjectKind};
use crate::event::Event;
use crate::fast::OpenCall;
use crate::fault::Fault;
use crate::kernel::{
    Endpoints, Kernel, Keys, MessageBuffers, Notifications, Replies, SchedContexts, Services, Threads,
};
use crate::machine::{Context, Machine, Ticks};
use crate::object::endpoint::Endpoint;
use crate::object::notification::Signals;
use crate::object::reply::Reply;
use crate::object::thread::State;
use crate::processors::outbox::Outbox;
use crate::sched::queue::Queue;
use recording::Recording;

/// The groups that need to know what a system call names.
const LOOKED: u64 =
    KernelKey::TraceThreads.option() | KernelKey::TraceMessages.option() | KernelKey::TraceMemory.option();

/// The words of a record.
pub type Slot = [AtomicU64; RecordWord::LENGTH];

/// A ring. The kernel only writes it: it keeps the number of the next record elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct TraceRing<'a> {
    /// The header.
    pub header: &'a [AtomicU64; HeaderWord::LENGTH],
    /// The records, a power of two.
    pub slots: &'a [Slot],
}

impl TraceRing<'_> {
    /// Writes the header of an empty ring. `words` are those that depend on the machine.
    pub fn clear(&self, words: &[(usize, u64)]) {
        for slot in self.slots {
            slot[RecordWord::NUMBER].store(WRITING, Ordering::Relaxed);
        }
        let known =
            [(HeaderWord::MAGIC, limen_abi::trace::MAGIC), (HeaderWord::SLOTS, self.slots.len() as u64)];
        for (word, value) in words.iter().chain(&known) {
            if let Some(word) = self.header.get(*word) {
                word.store(*value, Ordering::Relaxed);
            }
        }
    }

    /// Writes the record with this number, the one after the last, in place of the oldest.
    #[inline]
    fn push(&self, number: u64, time: Ticks, what: u64, value: u64) {
        let Some(slot) = self.slots.get(number as usize & self.slots.len().wrapping_sub(1)) else { return };
        slot[RecordWord::NUMBER].store(WRITING, Ordering::Relaxed);
        fence(Ordering::Release);
        slot[RecordWord::TIME].store(time, Ordering::Relaxed);
        slot[RecordWord::WHAT].store(what, Ordering::Relaxed);
        slot[RecordWord::VALUE].store(value, Ordering::Relaxed);
        slot[RecordWord::NUMBER].store(number, Ordering::Release);
        self.header[HeaderWord::COUNT].store(number.wrapping_add(1), Ordering::Release);
    }
}

/// The state of the trace.
#[derive(Debug)]
pub struct Trace {
    /// The number of the next record.
    count: u64,
    /// The groups that are on, as options of an image.
    groups: u64,
    /// The number of threads in the system.
    pub(crate) threads: usize,
    /// The threads that could run after the last event, one bit each.
    ready: u64,
    /// The recording, which takes the place of the records.
    recording: Recording,
}

impl Trace {
    /// An empty trace.
    pub const EMPTY: Self = Self { count: 0, groups: 0, threads: 0, ready: 0, recording: Recording::EMPTY };

    /// Forgets groups that are off now.
    #[inline]
    pub(crate) fn forget_groups(&mut self, on: u64) {
        self.groups &= on;
    }

    fn is_on(&self, group: KernelKey) -> bool {
        self.groups & group.option() != 0
    }
}

/// State that [`Kernel::trace_begin`] saw.
#[derive(Debug)]
#[must_use]
pub struct Before {
    thread: Option<ThreadId>,
    looked: Looked,
    has_fault: bool,
    /// The end of the running slice or budget.
    budget: Option<(SchedContextId, Ticks)>,
    postponed: Queue,
    domain: u8,
    slot_end: Ticks,
    fpu_owner: Option<ThreadId>,
    work: Option<ServiceId>,
    keys: u64,
}

/// The objects that an event names.
#[derive(Clone, Copy, Debug)]
struct Looked {
    message: Message,
    /// The first thread that waits to send where the event receives.
    sender: Option<ThreadId>,
    scope: Scope,
}

/// The record of the message that an event may transfer. Not an enumeration with fields, whose copies are calls of `memcpy`.
#[derive(Clone, Copy, Debug)]
struct Message {
    kind: Option<TraceKind>,
    /// The endpoint of a send. Only if it arrives or waits there is there a record.
    endpoint: Option<EndpointId>,
    /// The thread that receives it or wakes.
    to: Option<ThreadId>,
    second: u64,
}

impl Message {
    const NONE: Self = Self { kind: None, endpoint: None, to: None, second: 0 };

    fn reply(caller: ThreadId) -> Self {
        Self { kind: Some(TraceKind::Reply), to: Some(caller), ..Self::NONE }
    }
}

/// The threads whose state an event may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    /// Those that [`Before`] names, and the one that runs afterwards.
    Few,
    /// Any.
    All,
}

impl<M: Machine> Kernel<M> {
    /// Records the entry for an event, and looks at what the event may change.
    #[inline(never)]
    pub fn trace_begin(&mut self, event: &Event) -> Before {
        let now = self.machine.now();
        let groups = self.machine.trace_groups();
        let thread = self.running_thread();
        if groups != self.trace.groups {
            self.change_groups(groups, now);
        }
        if self.trace.is_on(KernelKey::TraceEntries) {
            let pc = thread.map_or(0, |thread| self.program_registers(thread).register(M::Context::PC));
            self.push(now, TraceKind::Entry, thread, reason_of(event), pc);
        }
        if !matches!(event, Event::Syscall(number) if *number == Syscall::ReplyRecv.as_raw()) {
            self.flush_open_call();
        }
        let budget = self.processor.sched_context.map(|id| {
            let has_heir = self.sched_contexts[id].heir.is_some();
            (id, self.budget_end(id), has_heir)
        });
        let mut looked = Looked { message: Message::NONE, sender: None, scope: Scope::Few };
        match (event, thread) {
            (Event::Syscall(number), Some(thread)) if groups & LOOKED != 0 => {
                looked = self.look_at_syscall(thread, *number);
            }
            (Event::Interrupt, _) => {
                looked.scope = Scope::All;
                // Messages of other processors have no line, and leave the last one.
                self.machine.forget_interrupt();
            }
            (Event::Fault(_), Some(thread)) => match self.threads[thread].fault_handler {
                Cap::Endpoint { id, .. } => looked.sender = self.receiver_at(id),
                Cap::Elsewhere { .. } => looked.scope = Scope::All,
                _ => {}
            },
            _ => {}
        }
        if budget.is_some_and(|(_, _, has_heir)| has_heir) {
            looked.scope = Scope::All;
        }
        let keys = if looked.scope == Scope::All { self.look_widely(event, thread, now) } else { 0 };
        Before {
            thread,
            looked,
            has_fault: thread.is_some_and(|thread| self.threads[thread].fault.is_some()),
            budget: budget.map(|(id, end, _)| (id, end)),
            postponed: self.processor.queues.postponed,
            domain: self.processor.domain,
            slot_end: self.processor.slot_end,
            fpu_owner: self.processor.fpu.owner(),
            work: thread.and_then(|thread| self.works[thread].as_ref()).map(|work| work.service()),
            keys,
        }
    }

    /// Records what an event has changed, and the return from it.
    #[inline(never)]
    pub fn trace_end(&mut self, event: &Event, before: &Before) {
        let (now, after) = (self.machine.now(), self.running_thread());
        if let Event::Interrupt = event {
            self.trace_interrupt(before, now);
        }
        if self.trace.is_on(KernelKey::TraceMessages) {
            self.trace_messages(event, before, now);
        }
        if self.trace.is_on(KernelKey::TraceTime) {
            self.trace_time(before, now);
        }
        if self.trace.is_on(KernelKey::TraceMemory) {
            self.trace_memory(event, before, now);
        }
        if self.trace.is_on(KernelKey::TraceThreads) {
            self.trace_threads(before, after, now);
        }
        if self.trace.is_on(KernelKey::TraceEntries) {
            self.push(now, TraceKind::Exit, after, 0, 0);
        }
    }

    /// Writes the record that a program asks for: kind and offset of the name in one word, and a value.
    #[inline(never)]
    pub(crate) fn trace_program(&mut self, thread: ThreadId) {
        let context = &self.threads[thread].context;
        let (word, value) = (context.cptr(), context.info().as_raw());
        let kind = match TraceKind::from_raw(word & 0xff) {
            Some(
                kind @ (TraceKind::Event | TraceKind::SpanBegin | TraceKind::SpanEnd | TraceKind::Counter),
            ) => kind,
            _ => TraceKind::Event,
        };
        self.push(self.machine.now(), kind, Some(thread), word >> 32, value);
    }

    /// Follows a change of the groups. What a reader could not see before is recorded now: which thread runs.
    #[cold]
    fn change_groups(&mut self, groups: u64, now: Ticks) {
        let threads = KernelKey::TraceThreads.option();
        let starts = groups & !self.trace.groups & threads != 0;
        self.trace.groups = groups;
        self.flush_open_call();
        if starts {
            self.trace.ready = self.ready_threads();
            let running = self.running_thread();
            if running.is_some() || self.processors > 1 {
                self.push_switch(now, None, running);
            }
        }
    }

    /// Forgets groups that are off. If they are on again at the next event, they have been off meanwhile.
    #[cold]
    pub fn trace_less(&mut self) {
        self.trace.forget_groups(self.machine.trace_groups());
    }

    /// Returns the running thread, even if it is hidden.
    #[inline]
    pub(crate) fn running_thread(&self) -> Option<ThreadId> {
        self.processor.current.or_else(|| self.hidden())
    }

    #[inline(always)]
    fn push(&mut self, now: Ticks, kind: TraceKind, thread: Option<ThreadId>, first: u64, second: u64) {
        let Some(ring) = self.machine.trace_ring() else { return };
        ring.push(self.trace.count, now, what(kind, number(thread), first & 0xffff_ffff), second);
        self.trace.count = self.trace.count.wrapping_add(1);
    }

    /// `push` out of line, for records that are rare.
    #[inline(never)]
    fn push_rarely(
        &mut self,
        now: Ticks,
        kind: TraceKind,
        thread: Option<ThreadId>,
        first: u64,
        second: u64,
    ) {
        self.push(now, kind, thread, first, second);
    }

    fn push_switch(&mut self, now: Ticks, from: Option<ThreadId>, to: Option<ThreadId>) {
        let priority = to.map_or(0, |to| u64::from(self.threads[to].priority));
        self.push(now, TraceKind::Switch, from, number(to), priority);
    }

    /// Looks at the objects that a system call names.
    #[inline]
    fn look_at_syscall(&self, thread: ThreadId, number: i64) -> Looked {
        let context = &self.threads[thread].context;
        let nothing = (Message::NONE, Scope::Few);
        let ((message, scope), received) = match Syscall::from_raw(number) {
            Some(Syscall::Call | Syscall::Send | Syscall::NbSend) => {
                (self.look_at_send(thread, context.cptr()), false)
            }
            Some(Syscall::ReplyRecv) => {
                let reply = match self.open_reply(context.reply_cptr()) {
                    Some(caller) => (Message::reply(caller), Scope::Few),
                    None => self.look_at_send(thread, context.reply_cptr()),
                };
                (reply, true)
            }
            Some(Syscall::Recv | Syscall::NbRecv | Syscall::Wait | Syscall::NbWait) => {
                // The call of a caller that is still blocked on the reply object is cancelled.
                let is_cancelled = matches!(self.lookup(thread, context.reply_cptr()),
                    Ok(Cap::Reply(reply)) if self.replies[reply] != Reply::Free);
                (if is_cancelled { (Message::NONE, Scope::All) } else { nothing }, true)
            }
            Some(Syscall::NbSendRecv) => (self.look_at_send(thread, context.send_cptr()), true),
            Some(Syscall::NbSendWait) => (self.look_at_send(thread, context.reply_cptr()), true),
            _ => ((Message::NONE, Scope::All), false),
        };
        let sender = if received { self.sender_for(thread, context.cptr()) } else { None };
        Looked { message, sender, scope }
    }

    /// The message that a system call sends through a capability, and the threads that this may change.
    #[inline]
    fn look_at_send(&self, thread: ThreadId, cptr: u64) -> (Message, Scope) {
        let message = match self.lookup(thread, cptr) {
            Ok(Cap::Endpoint { id: endpoint, badge, rights }) if rights.can_send() => {
                let length = self.threads[thread].context.info().length() as u64;
                let (to, second) = (self.receiver_at(endpoint), badge << 16 | length);
                Message { kind: Some(TraceKind::Call), endpoint: Some(endpoint), to, second }
            }
            Ok(Cap::Notification { id, badge, rights }) if rights.can_send() => {
                let (kind, to) = (Some(TraceKind::Signal), self.waiter_at(id));
                Message { kind, endpoint: None, to, second: badge }
            }
            Ok(Cap::Reply(reply)) => match self.replies[reply] {
                Reply::Owed { caller, .. } if self.homes[caller] != self.processor.number => {
                    return (Message::NONE, Scope::All);
                }
                Reply::Owed { caller, .. } => Message::reply(caller),
                Reply::Free => Message::NONE,
            },
            _ => return (Message::NONE, Scope::All),
        };
        (message, Scope::Few)
    }

    /// Records a message to another processor before it is sent, so that what happens there has a later time. Returns the keys
    /// that are on, if changes of them are recorded.
    #[cold]
    #[inline(never)]
    fn look_widely(&mut self, event: &Event, thread: Option<ThreadId>, now: Ticks) -> u64 {
        if self.processors > 1
            && self.trace.is_on(KernelKey::TraceMessages)
            && let Some(thread) = thread
        {
            match event {
                Event::Syscall(number) => self.push_sent(thread, *number, now),
                Event::Fault(fault) if self.reports_elsewhere(thread) => {
                    let second = self.fault_place(thread, fault);
                    self.push(now, TraceKind::Fault, Some(thread), fault.label().as_raw(), second);
                }
                _ => {}
            }
        }
        if self.trace.is_on(KernelKey::TraceMemory) { self.keys_on() } else { 0 }
    }

    /// Records the message of a system call to another processor.
    fn push_sent(&mut self, thread: ThreadId, number: i64, now: Ticks) {
        let context = &self.threads[thread].context;
        let cptr = match Syscall::from_raw(number) {
            Some(Syscall::Call | Syscall::Send | Syscall::NbSend) => context.cptr(),
            Some(Syscall::ReplyRecv | Syscall::NbSendWait) => context.reply_cptr(),
            Some(Syscall::NbSendRecv) => context.send_cptr(),
            _ => return,
        };
        match self.lookup(thread, cptr) {
            Ok(Cap::Reply(reply)) => {
                if let Reply::Owed { caller, .. } = self.replies[reply]
                    && self.homes[caller] != self.processor.number
                {
                    self.push(now, TraceKind::Reply, Some(thread), self::number(Some(caller)), 0);
                }
            }
            Ok(cap) => {
                let Some(object) = cap.as_elsewhere().filter(|object| object.rights.can_send()) else {
                    return;
                };
                let kind = match object.kind {
                    ObjectKind::Notification => TraceKind::SignalElsewhere,
                    ObjectKind::Endpoint => TraceKind::CallElsewhere,
                    _ => return,
                };
                let second = elsewhere(object.index.into(), object.processor.into(), object.badge);
                self.push(now, kind, Some(thread), NO_THREAD, second);
            }
            Err(_) => {}
        }
    }

    /// The caller of the open call, if the reply to it goes through this capability.
    #[inline]
    fn open_reply(&self, cptr: u64) -> Option<ThreadId> {
        let OpenCall { caller, endpoint } = self.processor.open_call?;
        let Endpoint::LoneReceiver { thread: server, reply } = self.endpoints[endpoint] else { return None };
        (self.lookup(server, cptr) == Ok(Cap::Reply(reply))).then_some(caller)
    }

    /// The thread that would receive a message at an endpoint.
    #[inline]
    fn receiver_at(&self, endpoint: EndpointId) -> Option<ThreadId> {
        match &self.endpoints[endpoint] {
            Endpoint::SenderQueue(_) => None,
            waiting => waiting.first(),
        }
    }

    /// The first thread that waits to send where `thread` receives.
    #[inline]
    fn sender_for(&self, thread: ThreadId, cptr: u64) -> Option<ThreadId> {
        match self.lookup(thread, cptr) {
            Ok(Cap::Endpoint { id, .. }) => match &self.endpoints[id] {
                Endpoint::SenderQueue(queue) => queue.head(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The thread that a signal would wake.
    #[inline]
    fn waiter_at(&self, id: NotificationId) -> Option<ThreadId> {
        match &self.notifications[id].state {
            Signals::LoneWaiter(thread) => Some(*thread),
            Signals::WaiterQueue(queue) => queue.head(),
            Signals::Active(_) => None,
            Signals::Idle => self.notifications[id]
                .thread
                .filter(|bound| matches!(self.threads[*bound].state, State::Receiving { .. })),
        }
    }

    fn trace_interrupt(&mut self, before: &Before, now: Ticks) {
        let line = self.machine.last_interrupt();
        if self.trace.is_on(KernelKey::TraceInterrupts) {
            let first = line.map_or(TIMER_LINE, |line| u64::from(line.0));
            self.push_rarely(now, TraceKind::Interrupt, before.thread, first, 0);
        }
        let served = self.served_interrupts.iter().flatten().find(|served| Some(served.line) == line);
        if let Some(service) = served.map(|served| served.service())
            && self.trace.is_on(KernelKey::TraceMemory)
        {
            self.push_wipe(before, service, now);
        }
    }

    fn push_wipe(&mut self, before: &Before, service: ServiceId, now: Ticks) {
        let bytes = self.machine.service_bytes(service);
        self.push_rarely(now, TraceKind::Wipe, before.thread, Services::<M>::index_of(service) as u64, bytes);
    }

    fn trace_messages(&mut self, event: &Event, before: &Before, now: Ticks) {
        let thread = before.thread;
        let Message { kind, endpoint, to, second } = before.looked.message;
        let waits_at = |endpoint| thread.is_some_and(|thread| self.is_sending_to(thread, endpoint));
        if let Some(kind) = kind
            && (to.is_some() || endpoint.is_none_or(waits_at))
        {
            self.push(now, kind, thread, number(to), second);
        }
        if let Some(fault) = self.new_fault(event, before) {
            let is_recorded = before.looked.scope == Scope::All
                && matches!(event, Event::Fault(_))
                && thread.is_some_and(|thread| self.reports_elsewhere(thread));
            if !is_recorded {
                let second = thread.map_or(0, |thread| self.fault_place(thread, &fault));
                self.push_rarely(now, TraceKind::Fault, thread, fault.label().as_raw(), second);
            }
        }
        if let Some(sender) = before.looked.sender
            && !matches!(event, Event::Fault(_))
            && !matches!(self.threads[sender].state, State::Sending { .. })
        {
            self.push_rarely(now, TraceKind::Call, Some(sender), number(thread), 0);
        }
    }

    /// Whether the handler of a thread's faults is on another processor, so that they are recorded before they are sent.
    fn reports_elsewhere(&self, thread: ThreadId) -> bool {
        matches!(self.threads[thread].fault_handler, Cap::Elsewhere { .. })
    }

    /// The address of a fault, or the program counter.
    fn fault_place(&self, thread: ThreadId, fault: &Fault) -> u64 {
        match fault {
            Fault::Vm { address, .. } => *address,
            _ => self.program_registers(thread).register(M::Context::PC),
        }
    }

    fn is_sending_to(&self, thread: ThreadId, to: EndpointId) -> bool {
        matches!(self.threads[thread].state, State::Sending { endpoint, .. } if endpoint == to)
    }

    fn new_fault(&self, event: &Event, before: &Before) -> Option<Fault> {
        match event {
            Event::Fault(fault) => Some(*fault),
            _ if before.has_fault => None,
            _ => self.threads[before.thread?].fault,
        }
    }

    fn trace_time(&mut self, before: &Before, now: Ticks) {
        // Time is charged up to `since`.
        if let Some((id, end)) = before.budget
            && self.processor.since >= end
        {
            let first = SchedContexts::index_of(id) as u64;
            self.push_rarely(now, TraceKind::Budget, before.thread, first, 0);
        }
        let running = self.processor.sched_context.map(|id| (id, self.budget_end(id)));
        if running != before.budget {
            if let Some((id, _)) = before.budget
                && running.is_none_or(|(running, _)| running != id)
            {
                self.push_left(id, self.processor.since, now);
            }
            if let Some((id, _)) = running {
                self.push_left(id, now, now);
            }
        }
        if self.processor.domain != before.domain || self.processor.slot_end != before.slot_end {
            let length = self.processor.slot_end.wrapping_sub(before.slot_end);
            self.push_rarely(now, TraceKind::Domain, None, u64::from(self.processor.domain), length);
        }
    }

    /// When the slice or budget in use ends.
    #[inline(always)]
    fn budget_end(&self, id: SchedContextId) -> Ticks {
        self.processor.since.wrapping_add(self.sched_contexts[id].remaining)
    }

    /// Records the remaining time of a limited budget, charged until `until`.
    fn push_left(&mut self, id: SchedContextId, until: Ticks, now: Ticks) {
        if self.sporadic_servers[id].is_limited() {
            let left = self.rest(id).saturating_sub(until.saturating_sub(self.processor.since));
            let (thread, first) = (self.running_thread(), SchedContexts::index_of(id) as u64);
            self.push_rarely(now, TraceKind::Left, thread, first, left);
        }
    }

    fn trace_memory(&mut self, event: &Event, before: &Before, now: Ticks) {
        let owner = self.processor.fpu.owner();
        if owner != before.fpu_owner {
            self.push(now, TraceKind::Fpu, before.fpu_owner, number(owner), 0);
        }
        let Some(thread) = before.thread else { return self.trace_keys(before, now) };
        if self.new_fault(event, before).is_some()
            && let Some(served) = &self.served_faults[thread]
        {
            let service = served.service();
            self.push_wipe(before, service, now);
        }
        let work = self.works[thread].as_ref().map(|work| work.service());
        match (before.work, work) {
            (None, Some(work)) => self.push_work(now, TraceKind::WorkBegin, thread, work),
            (Some(work), None) => self.push_work(now, TraceKind::WorkEnd, thread, work),
            _ => {}
        }
        if before.looked.scope == Scope::All {
            self.trace_keys(before, now);
        }
    }

    fn push_work(&mut self, now: Ticks, kind: TraceKind, thread: ThreadId, work: ServiceId) {
        self.push_rarely(now, kind, Some(thread), Services::<M>::index_of(work) as u64, 0);
    }

    fn trace_keys(&mut self, before: &Before, now: Ticks) {
        if before.looked.scope != Scope::All {
            return;
        }
        let on = self.keys_on();
        for key in bits(on ^ before.keys) {
            // With several processors, any thread runs when the letter of the one that asks has its turn.
            let thread = if self.processors > 1 { Some(self.keeper.last) } else { before.thread };
            let branches = Keys::id(key).map_or(0, |id| self.machine.key_branches(id));
            let second = on >> key & 1 | branches << 1;
            self.push_rarely(now, TraceKind::Key, thread, key, second);
        }
    }

    fn trace_threads(&mut self, before: &Before, after: Option<ThreadId>, now: Ticks) {
        let ready = self.ready_after(before, after);
        let changed = ready ^ core::mem::replace(&mut self.trace.ready, ready);
        if changed != 0 {
            let told = before.looked.message.to;
            for thread in bits(changed) {
                let Some(id) = Threads::<M>::id(thread) else { continue };
                if ready >> thread & 1 == 0 {
                    let (object, number) = self.waited_object(id);
                    self.push(now, TraceKind::Block, Some(id), object as u64, number);
                } else if told != Some(id) {
                    self.push_wake(before.thread, id, now);
                }
            }
        }
        if !Id::same(before.thread, after) {
            self.push_switch(now, before.thread, after);
        }
    }

    /// Records that a thread is ready, or that it has received the call of a thread of another processor.
    #[inline(never)]
    fn push_wake(&mut self, by: Option<ThreadId>, woken: ThreadId, now: Ticks) {
        let mut bound = None;
        if self.processors > 1 {
            if self.trace.is_on(KernelKey::TraceMessages)
                && let Some(caller) = self.visitor_at(woken)
            {
                return self.push(now, TraceKind::Call, Some(caller), number(Some(woken)), 0);
            }
            bound = self.threads[woken].notification;
        }
        let second = bound.map_or(0, |id| 1 + Notifications::index_of(id) as u64);
        self.push(now, TraceKind::Wake, by, number(Some(woken)), second);
    }

    /// The thread of another processor that waits for the reply of this one.
    fn visitor_at(&self, server: ThreadId) -> Option<ThreadId> {
        let Ok(Cap::Reply(reply)) = self.lookup(server, self.threads[server].context.reply_cptr()) else {
            return None;
        };
        match self.replies[reply] {
            Reply::Owed { caller, .. } => Some(caller).filter(|id| self.homes[*id] != self.processor.number),
            Reply::Free => None,
        }
    }

    /// The threads that can run after an event, one bit each.
    #[inline]
    fn ready_after(&self, before: &Before, after: Option<ThreadId>) -> u64 {
        if before.looked.scope == Scope::All || self.processor.queues.postponed != before.postponed {
            return self.ready_threads();
        }
        let mut ready = self.trace.ready;
        let mut update = |thread: Option<ThreadId>| {
            if let Some(thread) = thread {
                let bit = MessageBuffers::index_of(thread);
                ready = ready & !(1 << bit) | u64::from(self.is_ready(thread)) << bit;
            }
        };
        update(before.thread);
        update(after);
        update(before.looked.sender);
        update(before.looked.message.to);
        ready
    }

    fn ready_threads(&self) -> u64 {
        let threads = (0..self.trace.threads as u64).filter_map(Threads::<M>::id);
        threads.fold(0, |ready, id| ready | u64::from(self.is_ready(id)) << MessageBuffers::index_of(id))
    }

    /// Whether a thread runs or could run. An open call has not changed the states of its two threads yet.
    #[inline]
    fn is_ready(&self, thread: ThreadId) -> bool {
        if let Some(call) = self.processor.open_call {
            if call.caller == thread {
                return false;
            }
            if self.processor.current == Some(thread) {
                return true;
            }
        }
        self.threads[thread].is_schedulable()
    }

    fn waited_object(&self, thread: ThreadId) -> (WaitedObject, u64) {
        let reply_number = |reply: ReplyId| (WaitedObject::Reply, Replies::index_of(reply) as u64);
        if let Some(OpenCall { caller, endpoint }) = self.processor.open_call
            && caller == thread
            && let Endpoint::LoneReceiver { reply, .. } = self.endpoints[endpoint]
        {
            return reply_number(reply);
        }
        match self.threads[thread].state {
            State::Receiving { endpoint, .. } => {
                (WaitedObject::Endpoint, Endpoints::index_of(endpoint) as u64)
            }
            State::Waiting { notification, .. } => {
                (WaitedObject::Notification, Notifications::index_of(notification) as u64)
            }
            State::Sending { endpoint, .. } => (WaitedObject::Receiver, Endpoints::index_of(endpoint) as u64),
            State::Calling { reply, .. } => reply_number(reply),
            State::Away { .. } => {
                let at = if let Outbox::Out { at, .. } = self.outboxes[thread] { at } else { 0 };
                (WaitedObject::Processor, u64::from(at))
            }
            State::Postponed => {
                let id = self.threads[thread].sched_context;
                (WaitedObject::Budget, id.map_or(0, |id| SchedContexts::index_of(id) as u64))
            }
            State::Inactive | State::Runnable => (WaitedObject::Stopped, 0),
        }
    }
}

/// The number of a thread in a record.
#[inline(always)]
fn number(thread: Option<ThreadId>) -> u64 {
    thread.map_or(NO_THREAD, |thread| MessageBuffers::index_of(thread) as u64)
}

fn reason_of(event: &Event) -> u64 {
    match event {
        Event::Syscall(number) => *number as u64,
        Event::Interrupt => EntryReason::Interrupt as u64,
        Event::Fault(_) => EntryReason::Fault as u64,
        Event::FpuUse(_) => EntryReason::FpuUse as u64,
        Event::WorkDone(_) => EntryReason::WorkDone as u64,
    }
}

/// The positions of the bits that are set, from the lowest.
fn bits(mut mask: u64) -> impl Iterator<Item = u64> {
    core::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        (mask != 0).then(|| {
            mask &= mask - 1;
            u64::from(bit)
        })
    })
}
