//! The records of the tables: fixed numbers of 64-bit words, in the order of their fields.

use limen_abi::limits::{NAME_BYTES, PAGE_BYTES};

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
        /// GICv2: distributor. PLIC: the controller. APIC: that for devices.
        pub interrupt_controller_paddr,
        /// GICv2: CPU interface. PLIC: claim registers of hart 0's supervisor context; those of hart n lie n times
        /// 8 KiB further.
        pub interrupt_cpu_paddr,
        /// Interrupt lines of the controller.
        pub interrupt_lines,
        /// Interrupt line of the kernel's timer.
        pub timer_interrupt,
        /// Ticks of the kernel's timer in a second; zero where the processor tells.
        pub timer_frequency,
        /// Highest user address, inclusive.
        pub user_top,
    }
}

record! {
    /// How many objects there are. Limits are in `limen_abi::limits`.
    pub struct Counts {
        /// Endpoints.
        pub endpoints,
        /// Notifications.
        pub notifications,
        /// Reply objects.
        pub replies,
        /// Address spaces.
        pub vspaces,
        /// Entry of the domain schedule that it starts with, and starts again with after its end.
        pub domain_start,
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
    /// Whether the ranges have an address in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether all of `inner` lies in this range.
    #[must_use]
    pub fn contains(&self, inner: &Self) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// The pages that have a part of the range.
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
        /// First contents of RAM that would be cleared: offset in the image where they lie; or without
        /// [`Self::source_bytes`] a `limen_abi::boot_info::BootInfo`, 0 for zeros.
        pub source,
        /// Bytes of first contents that lie in the image; the rest is cleared. Zero if there are none.
        pub source_bytes,
    }
}

impl Region {
    /// Whether it has first contents.
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

/// What the memory of a region is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum RegionKind {
    /// RAM that the kernel clears at boot.
    Zero = 0,
    /// Page contents that lie in the image and are used in place.
    Contents = 1,
    /// Registers of a device; never touched by the kernel.
    Device = 2,
    /// Becomes [`Self::Zero`] when the image is placed at boot; until then the address is its alignment.
    Floating = 3,
    /// Becomes [`Self::Zero`] or [`Self::Device`] when the image is placed at boot, whatever the machine has at its
    /// address.
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

/// What is known of a [`RegionKind::Fixed`] region beside its record.
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
    /// The description uses it as only RAM can be used.
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

/// A name as bytes, and how many of them are no padding.
#[must_use]
pub fn name_bytes(words: &[u64; NAME_WORDS]) -> ([u8; NAME_BYTES], usize) {
    let mut bytes = [0; NAME_BYTES];
    for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
    (bytes, length)
}

/// The words of a name, cut at [`NAME_BYTES`] bytes.
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
    /// Part of a region, visible in an address space.
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
    /// For the kernel's work only, in an address space where no program runs.
    pub const PRIVILEGED: u64 = 1 << 5;
    /// All bits with a meaning.
    pub const ALL: u64 =
        Self::READ | Self::WRITE | Self::EXECUTE | Self::UNCACHED | Self::LARGE | Self::PRIVILEGED;
}

record! {
    /// An entry of the domain schedule: how long the threads of a domain run. One of the durations is zero; both
    /// are for an end marker, where the schedule starts again.
    pub struct DomainSlot {
        /// The domain, below `limits::DOMAINS`.
        pub domain,
        /// Duration in microseconds.
        pub duration_us,
        /// Duration in ticks of the kernel's timer.
        pub duration_ticks,
    }
}

impl DomainSlot {
    /// Whether the schedule ends here.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.duration_us == 0 && self.duration_ticks == 0
    }
}

record! {
    /// A scheduling context. Budget and period are equal (a slice of a round robin), or the budget is
    /// less and at least `limits::MIN_BUDGET_US` (a share of the processor).
    pub struct SchedContext {
        /// Time per period, in microseconds.
        pub budget_us,
        /// Period, in microseconds.
        pub period_us,
    }
}

record! {
    /// A device interrupt that a program handles: where it comes from, and what it signals.
    pub struct Interrupt {
        /// The controller's number of the line; on x86, where a program chooses it, the processor's vector.
        pub line,
        /// An [`InterruptSource`].
        pub source,
        /// I/O APIC: its index. Message: address of the PCI device, `bus << 8 | device << 3 | function`.
        pub unit,
        /// I/O APIC: the pin. Message: its number among those of the device.
        pub input,
        /// [`InterruptFlags`] bits.
        pub flags,
        /// Notification that is signalled.
        pub notification,
        /// Bits that are signalled.
        pub badge,
    }
}

/// Where an interrupt comes from.
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
    /// A change of the line interrupts; without it, its level.
    pub const EDGE: u64 = 1 << 0;
    /// The line is active when it is low. Pins only.
    pub const ACTIVE_LOW: u64 = 1 << 1;
    /// All bits with a meaning.
    pub const ALL: u64 = Self::EDGE | Self::ACTIVE_LOW;
}

/// A thread as it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// Name for diagnostics, padded with zero bytes.
    pub name: [u64; NAME_WORDS],
    /// Priority, 0 to 255.
    pub priority: u64,
    /// Address space.
    pub vspace: u64,
    /// First program counter.
    pub entry: u64,
    /// First stack pointer.
    pub stack_top: u64,
    /// User address of the IPC buffer page.
    pub ipc_buffer: u64,
    /// Scheduling context, or [`NONE`].
    pub sched_context: u64,
    /// Bound notification, or [`NONE`].
    pub notification: u64,
    /// Slot of its own capability table that holds the fault handler's endpoint, or [`NONE`].
    pub fault_slot: u64,
    /// Slot of its own capability table that holds the endpoint for an exhausted budget, or [`NONE`].
    pub timeout_slot: u64,
    /// Scheduling domain, below `limits::DOMAINS`; 0 in an image without a domain schedule.
    pub domain: u64,
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
            flags: self.flags,
        }
        .write(out);
    }
}

record! {
    /// A capability in a slot.
    pub struct Cap {
        /// Capability table, by the thread that it belongs to.
        pub table,
        /// Slot in the table, from 1; from `limen_abi::slot::ROOT` on, a slot of the root table.
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

/// What a capability names.
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
    /// The right to give scheduling contexts other budgets and periods. Object 0.
    SchedControl = 8,
    /// An interrupt.
    Interrupt = 9,
    /// Calls to the secure monitor; AArch64 only. Object 0.
    SecureMonitor = 10,
    /// The right to read how often floating-point registers were switched. Object 0.
    FpuCounters = 11,
    /// The right to choose when floating-point registers are switched. Object 0.
    FpuPolicy = 12,
    /// A static key.
    Key = 13,
    /// The right of a thread to sample its own crossings. Object 0.
    Probe = 14,
    /// A service, for the thread that it is for.
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
    /// What the kernel does for a thread that asks for it, in an address space that is for this alone.
    pub struct Service {
        /// A `limen_abi::ServiceKind`.
        pub kind,
        /// The thread that may ask, or whose interrupt or faults wipe.
        pub thread,
        /// The address space; all services of a thread have the same, and other threads have others. No program runs in it.
        pub vspace,
        /// First stack pointer; below it lie [`Service::STACK_BYTES`] of stack.
        pub stack_top,
        /// Address of the memory that is worked on.
        pub target,
        /// Its size.
        pub bytes,
        /// Reset: address of the first contents.
        pub source,
        /// Reset: their size; what lies behind is cleared. Otherwise zero.
        pub source_bytes,
        /// Reset: the thread whose memory it is, which has to be stopped. Wipe: the interrupt that wipes, or [`NONE`] if
        /// faults of the thread do. Otherwise [`NONE`].
        pub owner,
    }
}

impl Service {
    /// Size of the stack.
    pub const STACK_BYTES: u64 = 16 << 10;
}

record! {
    /// A static key.
    pub struct Key {
        /// The `limen_abi::KernelKey` that it is, or [`NONE`].
        pub kernel,
        /// 1 if it is on when the system starts, otherwise 0. A kernel's key follows the options.
        pub default,
    }
}

record! {
    /// An instruction of a program that is exchanged when a static key changes. Programs share no page of code.
    pub struct KeySite {
        /// The key.
        pub key,
        /// Region with page contents that it lies in.
        pub region,
        /// Address of its first byte.
        pub paddr,
        /// Bytes; all of them lie in one aligned word of eight.
        pub length,
        /// The instruction while the key is on, its first byte lowest.
        pub if_on,
        /// The instruction while it is off.
        pub if_off,
    }
}

impl KeySite {
    /// Position of `paddr`.
    pub(crate) const PADDR: usize = 2;
    /// Words of a record.
    pub const LENGTH: usize = <Self as Record>::WORDS;

    /// The records in these words of a table.
    #[inline]
    pub fn all_in(words: &[u64]) -> impl Iterator<Item = Self> {
        words.as_chunks::<{ Self::LENGTH }>().0.iter().filter_map(|words| Self::read(words))
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
