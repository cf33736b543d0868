//! The trace: a ring of fixed-size records in which the kernel writes what happens, and which programs and tools on the
//! host read.
//!
//! The ring starts with a header of [`HEADER_BYTES`] ([`HeaderWord`]), followed by a power of two of records
//! ([`RecordWord`]). Records are numbered from 0, and record `n` is in slot `n % slots`. The kernel overwrites the oldest
//! record and never waits for a reader.
//!
//! With several processors there are as many rings of the same size, one behind the other, and each kernel writes only its
//! own. No word of a ring is written by two of them. The clocks of all processors agree.
//!
//! | step | kernel, for record `n` | reader, for record `n` |
//! |---|---|---|
//! | 1 | stores [`WRITING`] as the slot's number; release fence | loads the count of records (acquire), which is above `n` |
//! | 2 | stores the record | loads the record |
//! | 3 | stores `n` as the slot's number (release) | acquire fence; loads the slot's number |
//! | 4 | stores `n + 1` as the count (release) | the record is whole if the number is `n`, otherwise lost |
//!
//! The name of an event of a program is not in the ring: it is a string that ends with a zero byte in the section
//! [`NAME_SECTION`] of the program's ELF file, and the record holds its offset there. Programs choose the offsets, so a
//! reader must expect any number.

use crate::KernelKey;
use crate::limits::PAGE_BYTES;
use crate::named::named_numbers;

/// First word of the header: "LIMENTRC" in memory order.
pub const MAGIC: u64 = u64::from_le_bytes(*b"LIMENTRC");
/// Bytes of the header.
pub const HEADER_BYTES: u64 = 64;
/// Bytes of a record.
pub const RECORD_BYTES: u64 = 32;
/// Number of a slot that holds no record, or whose record the kernel is writing.
pub const WRITING: u64 = u64::MAX;
/// The thread of an event without one.
pub const NO_THREAD: u64 = 0xffff;
/// The interrupt line that stands for the kernel's timer.
pub const TIMER_LINE: u64 = 0xffff_ffff;
/// The interrupt line that stands for a message of another processor.
pub const MESSAGE_LINE: u64 = 0xffff_fffe;
/// The section of a program's ELF file that holds the names of its events.
pub const NAME_SECTION: &str = ".limen.trace_names";
/// Bytes of records in a ring whose size is not chosen.
pub const DEFAULT_BYTES: u64 = 1 << 20;
/// Fewest bytes of records in a ring.
pub const MIN_BYTES: u64 = 1 << 12;
/// Most bytes of records in a ring.
pub const MAX_BYTES: u64 = 1 << 24;

/// Bytes of memory for a ring with so many bytes of records: whole pages.
#[must_use]
pub const fn memory_bytes(record_bytes: u64) -> u64 {
    (HEADER_BYTES + record_bytes).next_multiple_of(PAGE_BYTES)
}

/// Bytes of memory for the rings of so many processors.
#[must_use]
pub const fn memory_bytes_of(processors: u64, record_bytes: u64) -> u64 {
    processors * memory_bytes(record_bytes)
}

/// Bytes of records in a ring with so much memory, if a ring can have that.
#[must_use]
pub const fn record_bytes(memory_bytes: u64) -> Option<u64> {
    let records = memory_bytes.saturating_sub(PAGE_BYTES);
    let is_size = records.is_power_of_two() && records >= MIN_BYTES && records <= MAX_BYTES;
    if is_size && self::memory_bytes(records) == memory_bytes { Some(records) } else { None }
}

/// Words of the header.
#[derive(Debug)]
pub struct HeaderWord;
impl HeaderWord {
    /// [`MAGIC`].
    pub const MAGIC: usize = 0;
    /// Records written since boot.
    pub const COUNT: usize = 1;
    /// Number of slots.
    pub const SLOTS: usize = 2;
    /// Ticks of the clock per second.
    pub const FREQUENCY: usize = 3;
    /// The processor that writes the ring.
    pub const PROCESSOR: usize = 4;
    /// Physical address of the ring, by which a tool recognises it in a copy of the memory.
    pub const PADDR: usize = 5;
    /// Words in the header; those after [`Self::PADDR`] are zero.
    pub const LENGTH: usize = 8;
}

/// Words of a record.
#[derive(Debug)]
pub struct RecordWord;
impl RecordWord {
    /// The record's number, or [`WRITING`].
    pub const NUMBER: usize = 0;
    /// Time in ticks of the clock.
    pub const TIME: usize = 1;
    /// Kind, thread and the first value: see [`what`].
    pub const WHAT: usize = 2;
    /// The second value.
    pub const VALUE: usize = 3;
    /// Words in a record.
    pub const LENGTH: usize = 4;
}

/// Position of the thread in [`RecordWord::WHAT`], a number of 16 bits; the kind is below it.
pub const THREAD_SHIFT: u32 = 16;
/// Position of the first value in [`RecordWord::WHAT`], a number of 32 bits.
pub const FIRST_SHIFT: u32 = 32;

/// The word [`RecordWord::WHAT`] of a record; `thread` is below 2^16 and `first` below 2^32.
#[must_use]
#[inline(always)]
pub const fn what(kind: TraceKind, thread: u64, first: u64) -> u64 {
    kind as u64 | thread << THREAD_SHIFT | first << FIRST_SHIFT
}

/// Position of the processor in the second value of a record about an object elsewhere; the object's number is below it.
pub const PROCESSOR_SHIFT: u32 = 16;
/// Position of the badge in that value, of which it has the low half.
pub const BADGE_SHIFT: u32 = 32;

/// The second value of [`TraceKind::SignalElsewhere`] and [`TraceKind::CallElsewhere`]; `object` is below 2^16 and `processor`
/// as well.
#[must_use]
pub const fn elsewhere(object: u64, processor: u64, badge: u64) -> u64 {
    object | processor << PROCESSOR_SHIFT | badge << BADGE_SHIFT
}

named_numbers! {
    /// Kinds of records. "First" and "second" are the values of a record; a thread is its number in the image, or
    /// [`NO_THREAD`].
    pub enum TraceKind: u64 {
        /// The kernel is entered. Thread: the running one. First: the reason, see `entry_reason`. Second: the program counter.
        Entry = 1 => "limen_traced_entry",
        /// The kernel returns. Thread: the one that continues.
        Exit = 2 => "limen_traced_exit",
        /// Another thread runs. Thread: from. First: to. Second: the priority of the latter.
        Switch = 3 => "limen_traced_switch",
        /// A call or send to an endpoint. Thread: the sender. First: the receiver, or none if the sender queues. Second: badge << 16 | message length.
        Call = 4 => "limen_traced_call",
        /// A reply. Thread: the server. First: the thread that receives it.
        Reply = 5 => "limen_traced_reply",
        /// A signal. Thread: the signaller. First: the thread that it wakes, or none. Second: the badge.
        Signal = 6 => "limen_traced_signal",
        /// A fault. Thread: the one that faults. First: the label of the fault message. Second: the address, or the program counter.
        Fault = 7 => "limen_traced_fault",
        /// An interrupt. Thread: the interrupted one. First: the line or vector, or all ones for the timer.
        Interrupt = 8 => "limen_traced_interrupt",
        /// The budget of a scheduling context is used up. Thread: the one that ran on it. First: the scheduling context.
        Budget = 9 => "limen_traced_budget",
        /// A slot of the domain schedule begins. First: the domain. Second: the slot's length in ticks.
        Domain = 10 => "limen_traced_domain",
        /// A static key changes. Thread: the one that changes it. First: the key. Second: the state | the branches patched so far << 1.
        Key = 11 => "limen_traced_key",
        /// The floating-point registers change their owner. Thread: the old owner. First: the new owner.
        Fpu = 12 => "limen_traced_fpu",
        /// The kernel wipes or seals memory in an interrupt or fault. Second: the bytes.
        Wipe = 13 => "limen_traced_wipe",
        /// The work of a service begins. Thread: the one that asked for it. First: the service.
        WorkBegin = 14 => "limen_traced_work_begin",
        /// The work of a service ends. Thread: the one that asked for it. First: the service.
        WorkEnd = 15 => "limen_traced_work_end",
        /// A thread becomes ready for another reason than a call, reply or signal. Thread: the running one. First: the woken one. Second, with several processors: 1 + the notification bound to it, or 0.
        Wake = 16 => "limen_traced_wake",
        /// A thread waits. Thread: that thread. First: for what, see `waited_object`. Second: the number of the object.
        Block = 17 => "limen_traced_block",
        /// The rest of a limited budget when its use begins or ends. Thread: the running one. First: the scheduling context. Second: the ticks.
        Left = 18 => "limen_traced_left",
        /// A signal to a notification of another processor. Thread: the signaller. First: none. Second: see `elsewhere`.
        SignalElsewhere = 19 => "limen_traced_signal_elsewhere",
        /// A call or send to an endpoint of another processor. Thread: the sender. First: none. Second: see `elsewhere`.
        CallElsewhere = 20 => "limen_traced_call_elsewhere",
        /// An event of a program. First: the offset of its name. Second: a value.
        Event = 32 => "limen_traced_event",
        /// A span of a program begins. First: the offset of its name. Second: a value.
        SpanBegin = 33 => "limen_traced_span_begin",
        /// A span of a program ends, as above.
        SpanEnd = 34 => "limen_traced_span_end",
        /// A counter of a program has a new value. First: the offset of its name. Second: the value.
        Counter = 35 => "limen_traced_counter",
    }
}

named_numbers! {
    /// The first value of [`TraceKind::Entry`]. A system call has its number instead, as a negative number of 32 bits.
    pub enum EntryReason: u64 {
        /// An interrupt.
        Interrupt = 0 => "limen_trace_by_interrupt",
        /// A fault.
        Fault = 1 => "limen_trace_by_fault",
        /// The first use of the floating-point unit.
        FpuUse = 2 => "limen_trace_by_fpu_use",
        /// The end of the work of a service.
        WorkDone = 3 => "limen_trace_by_work_done",
    }
}

named_numbers! {
    /// Objects that a thread waits for.
    pub enum WaitedObject: u64 {
        /// A message at an endpoint.
        Endpoint = 0 => "limen_trace_at_endpoint",
        /// A signal of a notification.
        Notification = 1 => "limen_trace_at_notification",
        /// A receiver at an endpoint.
        Receiver = 2 => "limen_trace_at_receiver",
        /// A reply. The object is the reply object.
        Reply = 3 => "limen_trace_at_reply",
        /// Budget. The object is the scheduling context.
        Budget = 4 => "limen_trace_at_budget",
        /// Nothing: the thread was stopped, or has no time until a caller lends it some.
        Stopped = 5 => "limen_trace_stopped",
        /// The answer of another processor. The object is its number.
        Processor = 6 => "limen_trace_at_processor",
    }
}

/// A group of kinds that one key of the kernel turns on, its name, and its kinds.
pub type Group = (KernelKey, &'static str, &'static [TraceKind]);

/// The groups, under the names that `microkit --trace` takes.
pub const GROUPS: &[Group] = &[
    (KernelKey::TraceEntries, "entries", &[TraceKind::Entry, TraceKind::Exit]),
    (KernelKey::TraceThreads, "threads", &[TraceKind::Switch, TraceKind::Wake, TraceKind::Block]),
    (
        KernelKey::TraceMessages,
        "messages",
        &[
            TraceKind::Call,
            TraceKind::Reply,
            TraceKind::Signal,
            TraceKind::Fault,
            TraceKind::SignalElsewhere,
            TraceKind::CallElsewhere,
        ],
    ),
    (KernelKey::TraceInterrupts, "interrupts", &[TraceKind::Interrupt]),
    (KernelKey::TraceTime, "time", &[TraceKind::Budget, TraceKind::Domain, TraceKind::Left]),
    (
        KernelKey::TraceMemory,
        "memory",
        &[TraceKind::Key, TraceKind::Fpu, TraceKind::Wipe, TraceKind::WorkBegin, TraceKind::WorkEnd],
    ),
    (
        KernelKey::TracePrograms,
        "programs",
        &[TraceKind::Event, TraceKind::SpanBegin, TraceKind::SpanEnd, TraceKind::Counter],
    ),
];
