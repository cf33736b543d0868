//! The records of the tables: fixed numbers of 64-bit words, in the order of their fields.

use limen_abi::limits::{NAME_BYTES, PAGE_BYTES};
use limen_abi::service::SEALED_HEADER_BYTES;

/// The index that stands for "none".
pub const NONE: u64 = u64::MAX;

/// Words that hold a name.
pub(crate) const NAME_WORDS: usize = NAME_BYTES / 8;

/// A table row.
pub(crate) trait Record: Sized {
    /// Words in the record.
    const WORDS: usize;
    /// The record that `words` starts with; `None` if they are too few.
    fn read(words: &[u64]) -> Option<Self>;
    /// The words of the record.
    #[cfg(feature = "writer")]
    fn write(&self, out: &mut Vec<u64>);
}

macro_rules! record {
    ($(#[$meta:meta])* $vis:vis struct $Name:ident { $( $(#[$field_meta:meta])* pub $field:ident, )+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        $vis struct $Name { $( $(#[$field_meta])* pub $field: u64, )+ }

        impl Record for $Name {
            const WORDS: usize = [$( stringify!($field) ),+].len();

            #[inline]
            fn read(words: &[u64]) -> Option<Self> {
                let [$( $field ),+] = *words.first_chunk()?;
                Some(Self { $( $field, )+ })
            }

            #[cfg(feature = "writer")]
            fn write(&self, out: &mut Vec<u64>) {
                $( out.push(self.$field); )+
            }
        }
    };
}

record! {
    /// Facts about the machine that the kernel's drivers need. Addresses are physical.
    pub struct Board {
        /// An [`InterruptController`](crate::InterruptController).
        pub interrupt_controller_kind,
        /// GICv2: distributor. PLIC: the controller. APIC: the I/O APIC.
        pub interrupt_controller_paddr,
        /// GICv2: CPU interface. PLIC: claim registers of hart 0's supervisor context; those of hart n are n times 8
        /// KiB higher.
        pub interrupt_cpu_paddr,
        /// Interrupt lines of the controller.
        pub interrupt_lines,
        /// Interrupt line of the kernel's timer.
        pub timer_interrupt,
        /// Ticks of the kernel's timer per second; zero if the processor reports it.
        pub timer_frequency,
        /// Highest user address, inclusive.
        pub user_top,
    }
}

record! {
    /// Number of objects of each kind. Limits are in `limen_abi::limits`.
    pub struct Counts {
        /// Endpoints.
        pub endpoints,
        /// Notifications.
        pub notifications,
        /// Reply objects.
        pub replies,
        /// Address spaces.
        pub vspaces,
        /// Number of the region that is the ring of the trace, from 1; 0 without one.
        pub trace,
    }
}

record! {
    /// A range of physical addresses, page-aligned, `start < end`.
    pub struct Range {
        /// First address.
        pub start,
        /// First address after the range.
        pub end,
    }
}

impl Range {
    /// Whether the two ranges overlap.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether `inner` lies completely in this range.
    #[must_use]
    pub fn contains(&self, inner: &Self) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// The smallest range of whole pages around this range.
    pub(crate) fn pages(self) -> Self {
        Self {
            start: self.start / PAGE_BYTES * PAGE_BYTES,
            end: self.end.div_ceil(PAGE_BYTES).saturating_mul(PAGE_BYTES),
        }
    }
}

record! {
    /// A run of physical pages that programs use.
    pub struct Region {
        /// Physical address, page-aligned.
        pub paddr,
        /// Size, a multiple of the page size.
        pub bytes,
        /// A [`RegionKind`].
        pub kind,
        /// Initial contents of RAM: offset in the image; without [`Self::source_bytes`] a
        /// `limen_abi::boot_info::BootInfo`, or 0 for zeros.
        pub source,
        /// Bytes of initial contents in the image; the kernel clears the rest. Zero if there are none.
        pub source_bytes,
    }
}

impl Region {
    /// Whether it has initial contents.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        self.source != 0 || self.source_bytes != 0
    }

    /// Its addresses.
    pub(crate) fn range(&self) -> Range {
        Range { start: self.paddr, end: self.paddr.saturating_add(self.bytes) }
    }

    /// Position of the kind among the words.
    pub(crate) const KIND: usize = 2;
}

/// Type of a region's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum RegionKind {
    /// RAM that the kernel clears at boot.
    Zero = 0,
    /// Page contents in the image, used in place.
    Contents = 1,
    /// Device registers; the kernel never accesses them.
    Device = 2,
    /// Becomes [`Self::Zero`] when the image is placed at boot; until then the address holds the alignment.
    Floating = 3,
    /// Becomes [`Self::Zero`] or [`Self::Device`] when the image is placed at boot, depending on the machine's memory
    /// at the address.
    Fixed = 4,
}

impl RegionKind {
    /// The kind with this number.
    #[must_use]
    pub fn from_raw(raw: u64) -> Option<Self> {
        [Self::Zero, Self::Contents, Self::Device, Self::Floating, Self::Fixed]
            .into_iter()
            .find(|kind| *kind as u64 == raw)
    }
}

/// Details of a [`RegionKind::Fixed`] region.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FixedRegion {
    /// Name for diagnostics, padded with zero bytes; see [`name_words`].
    pub name: [u64; NAME_WORDS],
    /// [`FixedRegionFlags`] bits.
    pub flags: u64,
}

/// Bits of a region with a fixed address.
#[derive(Debug)]
pub struct FixedRegionFlags;
impl FixedRegionFlags {
    /// The description uses it in a way that requires RAM.
    pub const NEEDS_RAM: u64 = 1 << 0;
    /// All bits with a meaning.
    pub const ALL: u64 = Self::NEEDS_RAM;
}

impl Record for FixedRegion {
    const WORDS: usize = NAME_WORDS + 1;

    #[inline]
    fn read(words: &[u64]) -> Option<Self> {
        let (name, rest) = words.split_first_chunk()?;
        Some(Self { name: *name, flags: *rest.first()? })
    }

    #[cfg(feature = "writer")]
    fn write(&self, out: &mut Vec<u64>) {
        out.extend(self.name);
        out.push(self.flags);
    }
}

/// A name as bytes, and its length without padding.
#[must_use]
pub fn name_bytes(words: &[u64; NAME_WORDS]) -> ([u8; NAME_BYTES], usize) {
    let mut bytes = [0; NAME_BYTES];
    for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
    (bytes, length)
}

/// The words of a name, truncated to [`NAME_BYTES`] bytes.
#[must_use]
pub fn name_words(name: &str) -> [u64; NAME_WORDS] {
    let mut bytes = [0; NAME_BYTES];
    for (to, from) in bytes.iter_mut().zip(name.bytes()) {
        *to = from;
    }
    let mut words = [0; NAME_WORDS];
    for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*chunk);
    }
    words
}

record! {
    /// Part of a region, mapped into an address space.
    pub struct Mapping {
        /// Address space.
        pub vspace,
        /// User address, aligned to the page size of the mapping.
        pub vaddr,
        /// Size, a multiple of the page size of the mapping.
        pub bytes,
        /// Region.
        pub region,
        /// Offset in the region, aligned to the page size of the mapping.
        pub offset,
        /// [`MappingFlags`] bits.
        pub flags,
    }
}

/// Bits of a mapping.
#[derive(Debug)]
pub struct MappingFlags;
impl MappingFlags {
    /// Readable.
    pub const READ: u64 = 1 << 0;
    /// Writable; only together with readable.
    pub const WRITE: u64 = 1 << 1;
    /// Executable.
    pub const EXECUTE: u64 = 1 << 2;
    /// Not cached. A device region is mapped as device memory, RAM as non-cacheable.
    pub const UNCACHED: u64 = 1 << 3;
    /// Built from large pages (2 MiB).
    pub const LARGE: u64 = 1 << 4;
    /// For the kernel's services only, in an address space where no program runs.
    pub const PRIVILEGED: u64 = 1 << 5;
    /// All bits with a meaning.
    pub const ALL: u64 =
        Self::READ | Self::WRITE | Self::EXECUTE | Self::UNCACHED | Self::LARGE | Self::PRIVILEGED;
}

record! {
    /// A slot of a processor's domain schedule: how long the threads of a domain run there. One of the durations is zero.
    /// After the last slot of a processor, its first one follows.
    pub struct DomainSlot {
        /// The processor.
        pub processor,
        /// The domain, below `limits::DOMAINS`.
        pub domain,
        /// Duration in microseconds.
        pub duration_us,
        /// Duration in ticks of the kernel's timer.
        pub duration_ticks,
    }
}

record! {
    /// A scheduling context. Budget and period are equal (round robin), or the budget is less than the period and at
    /// least `limits::MIN_BUDGET_US` (a share of the processor).
    pub struct SchedContext {
        /// Time per period, in microseconds.
        pub budget_us,
        /// Period, in microseconds.
        pub period_us,
        /// Home processor.
        pub processor,
    }
}

impl SchedContext {
    /// Position of `processor`.
    pub(crate) const PROCESSOR: usize = 2;
}

record! {
    /// A device interrupt that a program handles: its source and its signal.
    pub struct Interrupt {
        /// Line number of the controller; on x86, where the description chooses it, the processor's vector.
        pub line,
        /// An [`InterruptSource`].
        pub source,
        /// I/O APIC: its index. Message: address of the PCI device, `bus << 8 | device << 3 | function`.
        pub unit,
        /// I/O APIC: the pin. Message: its number within the device.
        pub input,
        /// [`InterruptFlags`] bits.
        pub flags,
        /// Notification that the interrupt signals.
        pub notification,
        /// Badge of the signal.
        pub badge,
        /// Home processor: that of the notification.
        pub processor,
    }
}

impl Interrupt {
    /// Position of `notification`.
    pub(crate) const NOTIFICATION: usize = 5;
    /// Position of `processor`.
    pub(crate) const PROCESSOR: usize = 7;
}

/// Source of an interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum InterruptSource {
    /// A line of the interrupt controller; not on x86.
    Line = 0,
    /// A pin of an I/O APIC; x86 only.
    Pin = 1,
    /// A message that a PCI device writes; x86 only.
    Message = 2,
}

impl InterruptSource {
    /// The source with this number.
    #[must_use]
    pub fn from_raw(raw: u64) -> Option<Self> {
        [Self::Line, Self::Pin, Self::Message].into_iter().find(|source| *source as u64 == raw)
    }
}

/// Bits of an interrupt.
#[derive(Debug)]
pub struct InterruptFlags;
impl InterruptFlags {
    /// Edge-triggered; without it, level-triggered.
    pub const EDGE: u64 = 1 << 0;
    /// Active low. Pins only.
    pub const ACTIVE_LOW: u64 = 1 << 1;
    /// All bits with a meaning.
    pub const ALL: u64 = Self::EDGE | Self::ACTIVE_LOW;
}

/// Initial state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// Name for diagnostics, padded with zero bytes.
    pub name: [u64; NAME_WORDS],
    /// Priority, 0 to 255.
    pub priority: u64,
    /// Address space.
    pub vspace: u64,
    /// Initial program counter.
    pub entry: u64,
    /// Initial stack pointer.
    pub stack_top: u64,
    /// User address of the IPC buffer page.
    pub ipc_buffer: u64,
    /// Scheduling context, or [`NONE`].
    pub sched_context: u64,
    /// Bound notification, or [`NONE`].
    pub notification: u64,
    /// Slot of its own capability table that holds the fault handler's endpoint, or [`NONE`].
    pub fault_slot: u64,
    /// Slot of its own capability table that holds the endpoint for timeout faults, or [`NONE`].
    pub timeout_slot: u64,
    /// Scheduling domain, below `limits::DOMAINS`; 0 in an image without a domain schedule.
    pub domain: u64,
    /// Home processor, where the thread runs.
    pub processor: u64,
    /// [`ThreadFlags`] bits.
    pub flags: u64,
}

/// Bits of a thread.
#[derive(Debug)]
pub struct ThreadFlags;
impl ThreadFlags {
    /// The program may read the cycle counter.
    pub const COUNTER: u64 = 1 << 0;
    /// The program may not use the floating-point unit.
    pub const FPU_DISABLED: u64 = 1 << 1;
    /// All bits with a meaning.
    pub const ALL: u64 = Self::COUNTER | Self::FPU_DISABLED;
}

impl Thread {
    /// Position of `sched_context`.
    pub(crate) const SCHED_CONTEXT: usize = NAME_WORDS + 5;
    /// Position of `notification`.
    pub(crate) const NOTIFICATION: usize = NAME_WORDS + 6;
    /// Position of `processor`.
    pub(crate) const PROCESSOR: usize = NAME_WORDS + 10;

    /// The name as bytes without padding.
    #[must_use]
    pub fn name_bytes(&self) -> ([u8; NAME_BYTES], usize) {
        name_bytes(&self.name)
    }
}

record! {
    /// The words of a thread after its name.
    pub(crate) struct ThreadWords {
        pub priority,
        pub vspace,
        pub entry,
        pub stack_top,
        pub ipc_buffer,
        pub sched_context,
        pub notification,
        pub fault_slot,
        pub timeout_slot,
        pub domain,
        pub processor,
        pub flags,
    }
}

impl Record for Thread {
    const WORDS: usize = NAME_WORDS + ThreadWords::WORDS;

    #[inline]
    fn read(words: &[u64]) -> Option<Self> {
        let (name, rest) = words.split_first_chunk()?;
        let (name, rest) = (*name, ThreadWords::read(rest)?);
        Some(Self {
            name,
            priority: rest.priority,
            vspace: rest.vspace,
            entry: rest.entry,
            stack_top: rest.stack_top,
            ipc_buffer: rest.ipc_buffer,
            sched_context: rest.sched_context,
            notification: rest.notification,
            fault_slot: rest.fault_slot,
            timeout_slot: rest.timeout_slot,
            domain: rest.domain,
            processor: rest.processor,
            flags: rest.flags,
        })
    }

    #[cfg(feature = "writer")]
    fn write(&self, out: &mut Vec<u64>) {
        out.extend(self.name);
        ThreadWords {
            priority: self.priority,
            vspace: self.vspace,
            entry: self.entry,
            stack_top: self.stack_top,
            ipc_buffer: self.ipc_buffer,
            sched_context: self.sched_context,
            notification: self.notification,
            fault_slot: self.fault_slot,
            timeout_slot: self.timeout_slot,
            domain: self.domain,
            processor: self.processor,
            flags: self.flags,
        }
        .write(out);
    }
}

record! {
    /// The home of an object that has no other record.
    pub struct Home {
        /// The processor that alone changes the object.
        pub processor,
    }
}

record! {
    /// A capability in a slot.
    pub struct Cap {
        /// The thread whose capability table it is in.
        pub table,
        /// Slot in the table, from 1; slots from `limen_abi::slot::ROOT` on are in the root table.
        pub slot,
        /// A [`CapKind`].
        pub kind,
        /// Index of the object; the first port of an I/O port range.
        pub object,
        /// Badge that a receiver sees; the last port of an I/O port range.
        pub badge,
        /// [`Rights`] bits.
        pub rights,
    }
}

/// Type of the object that a capability refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum CapKind {
    /// A thread.
    Thread = 1,
    /// An endpoint.
    Endpoint = 2,
    /// A notification.
    Notification = 3,
    /// A reply object.
    Reply = 4,
    /// A scheduling context.
    SchedContext = 5,
    /// An address space.
    Vspace = 6,
    /// A range of I/O ports; x86 only.
    IoPort = 7,
    /// The right to configure the budgets and periods of scheduling contexts. Object 0.
    SchedControl = 8,
    /// An interrupt.
    Interrupt = 9,
    /// Calls to the secure monitor; AArch64 only. Object 0.
    SecureMonitor = 10,
    /// The right to read the counters of floating-point switches. Object 0.
    FpuCounters = 11,
    /// The right to set the floating-point policy. Object 0.
    FpuPolicy = 12,
    /// A static key.
    Key = 13,
    /// The right of a thread to sample its own crossings. Object 0.
    Probe = 14,
    /// A service; only the service's own thread may hold it.
    Service = 15,
}

impl CapKind {
    /// The kind with this number.
    #[must_use]
    pub fn from_raw(raw: u64) -> Option<Self> {
        use CapKind::{
            Endpoint, FpuCounters, FpuPolicy, Interrupt, IoPort, Key, Notification, Probe, Reply,
            SchedContext, SchedControl, SecureMonitor, Service, Thread, Vspace,
        };
        [
            Thread,
            Endpoint,
            Notification,
            Reply,
            SchedContext,
            Vspace,
            IoPort,
            SchedControl,
            Interrupt,
            SecureMonitor,
            FpuCounters,
            FpuPolicy,
            Key,
            Probe,
            Service,
        ]
        .into_iter()
        .find(|kind| *kind as u64 == raw)
    }
}

record! {
    /// Work that the kernel does at a thread's request, in an address space that only services use.
    pub struct Service {
        /// A `limen_abi::ServiceKind`.
        pub kind,
        /// The thread that may request it, or whose interrupt or faults trigger the wipe.
        pub thread,
        /// The address space. All services of a thread share one, and no other thread uses it. No program runs in it.
        pub vspace,
        /// Initial stack pointer; [`Service::STACK_BYTES`] of stack lie below.
        pub stack_top,
        /// Address of the target memory.
        pub target,
        /// Size of the target memory.
        pub bytes,
        /// Reset: address of the initial contents. Seal: address of the records.
        pub source,
        /// Reset: their size; the rest of the target is cleared. Seal: the size of all records. Otherwise zero.
        pub source_bytes,
        /// Reset: the thread that owns the memory, which must be suspended. Otherwise [`NONE`].
        pub owner,
        /// Wipe: the interrupt that triggers it, or [`NONE`] if faults of the thread do. Seal: the interrupt that
        /// triggers it, if any. Otherwise [`NONE`].
        pub interrupt,
        /// Seal: address of the page with the key. Otherwise zero.
        pub key,
        /// Seal: address of a used ring, as of a virtio device. Otherwise zero.
        pub ring,
        /// Seal: entries of that ring, or zero for one record. Otherwise zero.
        pub entries,
        /// Seal: bytes of the record, or of each buffer. Otherwise zero.
        pub record_bytes,
        /// Seal: a `limen_abi::SealCipher`. Otherwise zero.
        pub cipher,
    }
}

impl Service {
    /// Position of `thread`.
    pub(crate) const THREAD: usize = 1;
    /// Position of `interrupt`.
    pub(crate) const INTERRUPT: usize = 9;
    /// Size of the stack.
    pub const STACK_BYTES: u64 = 16 << 10;

    /// Seal: the size of a used ring with so many entries: flags, index, entries, and the index of an event.
    #[must_use]
    pub const fn ring_bytes(entries: u64) -> u64 {
        4 + 8 * entries + 2
    }

    /// Seal: the size of a sealed record.
    #[must_use]
    pub const fn sealed_bytes(record_bytes: u64) -> u64 {
        SEALED_HEADER_BYTES as u64 + record_bytes
    }
}

record! {
    /// A ring: memory of the kernel that a program maps read-only. See `limen_abi::ring`.
    pub struct Ring {
        /// A [`RingKind`].
        pub kind,
        /// The thread that has it, and whose address space maps it.
        pub thread,
        /// User address, page-aligned.
        pub vaddr,
        /// Size: that of the kind.
        pub bytes,
    }
}

/// Contents of a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum RingKind {
    /// Samples of the thread's own crossings; the `i`-th in the table uses the kernel's `i`-th page for samples.
    Samples = 0,
}

impl RingKind {
    /// The kind with this number.
    #[must_use]
    pub fn from_raw(raw: u64) -> Option<Self> {
        (raw == Self::Samples as u64).then_some(Self::Samples)
    }

    /// Size of a ring of this kind.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Samples => PAGE_BYTES,
        }
    }
}

record! {
    /// A static key.
    pub struct Key {
        /// The `limen_abi::KernelKey`, or [`NONE`].
        pub kernel,
        /// 1 if it is on when the system starts, otherwise 0. The options set the default of a kernel key.
        pub default,
        /// The key of its group, which turns it on as well, or [`NONE`].
        pub group,
    }
}

record! {
    /// A program instruction that the kernel patches when a static key changes. Programs share no page of code.
    pub struct KeySite {
        /// The key.
        pub key,
        /// Region with page contents that holds it.
        pub region,
        /// Address of its first byte.
        pub paddr,
        /// Bytes; all of them lie in one aligned eight-byte word.
        pub length,
        /// The instruction while the key is on, lowest byte first.
        pub if_on,
        /// The instruction while it is off.
        pub if_off,
    }
}

impl KeySite {
    /// Position of `paddr`.
    pub(crate) const PADDR: usize = 2;
    /// Position of `if_on`, which `if_off` follows.
    const IF_ON: usize = 4;
    /// Words of a record.
    pub const LENGTH: usize = <Self as Record>::WORDS;

    /// The record in these words of a table.
    #[inline]
    #[must_use]
    pub fn of(words: &[u64; Self::LENGTH]) -> Self {
        Self::read(words).unwrap_or_default()
    }

    /// The instruction in these words for a state of the key. An index instead of a branch, because the kernel reads
    /// thousands in a loop.
    #[inline]
    #[must_use]
    pub fn instruction(words: &[u64; Self::LENGTH], state: bool) -> u64 {
        words[Self::IF_ON + usize::from(!state)]
    }
}

/// Bits of the rights of an endpoint or notification capability, in seL4 order.
#[derive(Debug)]
pub struct Rights;
impl Rights {
    /// May send or signal.
    pub const SEND: u64 = 1 << 0;
    /// May receive or wait.
    pub const RECEIVE: u64 = 1 << 1;
    /// May transfer capabilities; implies that calls may be made.
    pub const GRANT: u64 = 1 << 2;
    /// May make calls.
    pub const GRANT_REPLY: u64 = 1 << 3;
    /// All bits with a meaning.
    pub const ALL: u64 = Self::SEND | Self::RECEIVE | Self::GRANT | Self::GRANT_REPLY;
}
