//! The meaning of a system description whose rules on text alone have been checked.
//!
//! Protection domains are in pre-order: a parent, then each child's subtree. Their position is their index everywhere
//! else (monitor badges, tables of the image).

use std::fmt;
use std::sync::Arc;

use limen_abi::boot_info::BootInfo;
use limen_abi::{KernelKey, SealCipher, ServiceKind};

use crate::diagnostic::Span;

/// A checked system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemDescription {
    /// The kernel measures its own routines at boot and prints the figures.
    pub boot_figures: bool,
    /// Protection domains in pre-order; 1 to 63.
    pub protection_domains: Vec<ProtectionDomain>,
    /// Memory regions in document order.
    pub memory_regions: Vec<MemoryRegion>,
    /// Channels in document order.
    pub channels: Vec<Channel>,
    /// Static keys in document order, then the kernel keys in use; at most 32.
    pub static_keys: Vec<StaticKey>,
    /// Bytes of records in the ring of the trace, if there is one; with several processors, in the ring of each.
    pub trace_bytes: Option<u64>,
    /// Scheduling domains; `None` when all protection domains can always run.
    pub domains: Option<Domains>,
}

/// Scheduling domains: time is divided into slots, and in each slot only the protection domains of one domain run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domains {
    /// In document order; at most 16.
    pub names: Vec<Domain>,
    /// The schedule of each processor that is not in `others`.
    pub schedule: Schedule,
    /// Schedules of single processors, in document order.
    pub others: Vec<(u8, Schedule)>,
}

/// The schedule of a processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Its entries; index 0 is the description's first entry.
    pub entries: Vec<ScheduleEntry>,
    /// Entry at which the schedule starts, and to which it returns after its end.
    pub start_index: usize,
    /// Number that reports add to the index of an entry.
    pub index_shift: usize,
}

/// A scheduling domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Unique name.
    pub name: String,
    /// 0 to 15, unique.
    pub id: u8,
    /// The element.
    pub span: Span,
}

/// An entry of a domain schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleEntry {
    /// The domain with this id runs for this time.
    Slot(u8, Duration),
    /// The schedule restarts here.
    EndMarker,
}

/// Duration of a slot; not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duration {
    /// Microseconds.
    Us(u64),
    /// Ticks of the kernel's timer.
    Ticks(u64),
}

impl Schedule {
    /// The repeating part: from the start index to the first end marker, or to the end.
    pub fn repeating(&self) -> impl Iterator<Item = (u8, Duration)> {
        self.entries.iter().skip(self.start_index).map_while(|entry| match entry {
            ScheduleEntry::Slot(domain, duration) => Some((*domain, *duration)),
            ScheduleEntry::EndMarker => None,
        })
    }
}

impl Domains {
    /// The schedule of a processor.
    #[must_use]
    pub fn schedule_of(&self, cpu: u8) -> &Schedule {
        self.others.iter().find(|(other, _)| *other == cpu).map_or(&self.schedule, |(_, schedule)| schedule)
    }

    /// Name of the domain with this id; empty if there is none.
    #[must_use]
    pub fn name_of(&self, id: u8) -> &str {
        self.names.iter().find(|domain| domain.id == id).map_or("", |domain| &domain.name)
    }
}

/// A program with its own address space, thread and scheduling context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtectionDomain {
    /// Unique name.
    pub name: String,
    /// Start tag.
    pub span: Span,
    /// The parent protection domain and this child's id.
    pub parent: Option<ChildOf>,
    /// 0 to 254.
    pub priority: u8,
    /// Microseconds per period; at least 1, and `budget_us <= period_us`.
    pub budget_us: u64,
    /// Microseconds.
    pub period_us: u64,
    /// Runs on its callers' scheduling contexts after `init`.
    pub passive: bool,
    /// Bytes, a multiple of the page size.
    pub stack_bytes: u64,
    /// May use the floating-point unit.
    pub fpu: bool,
    /// Processor on which it runs.
    pub cpu: u8,
    /// Id of its scheduling domain; 0 without domains.
    pub domain: u8,
    /// Its fault handler gets a message when its budget is used up.
    pub timeout_fault: bool,
    /// May make secure monitor calls.
    pub smc: bool,
    /// May read the cycle counter in any configuration (`<counter/>`).
    pub counter: Option<Shareable>,
    /// May read the counters of floating-point switches (`<fpu_counters/>`).
    pub fpu_counters: bool,
    /// May set the floating-point policy (`<fpu_policy/>`).
    pub fpu_policy: bool,
    /// May sample its own crossings (`<probe/>`).
    pub probe: Option<Shareable>,
    /// The ring for its samples.
    pub sample_ring: Option<Ring>,
    /// May read the trace (`<trace/>`).
    pub trace: Option<Shareable>,
    /// Its map of the ring of the trace.
    pub trace_ring: Option<Ring>,
    /// The program.
    pub program_image: ProgramImage,
    /// Its I/O ports; x86 only.
    pub ioports: Vec<IoPort>,
    /// Its interrupts.
    pub irqs: Vec<Irq>,
    /// Static keys that it may switch or that its code branches on.
    pub keys: Vec<KeyUse>,
    /// Its services.
    pub services: Vec<Service>,
    /// Memory that the kernel clears when one of its interrupts arrives or it faults.
    pub wipes: Vec<Wipe>,
    /// Capabilities in root slots.
    pub caps: Vec<UserCap>,
    /// Memory regions that it maps.
    pub maps: Vec<Map>,
    /// Symbols that receive physical addresses.
    pub setvars: Vec<Setvar>,
}

/// A ring of the kernel's that a protection domain maps read-only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Its address in the protection domain, page-aligned.
    pub vaddr: u64,
    /// Symbol that receives the address.
    pub setvar_ring: Option<Symbol>,
    /// The element that asks for it.
    pub span: Span,
}

/// A switch whose branches are patched in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticKey {
    /// Unique name.
    pub name: String,
    /// Whether it is on when the system starts; for a kernel key, the configuration decides.
    pub default: bool,
    /// Protection domains of several scheduling domains may use it.
    pub shared: bool,
    /// The key of its group, which turns it on as well.
    pub group: Option<usize>,
    /// The kernel key, if it is one.
    pub kernel: Option<KernelKey>,
    /// Its declaration; for a kernel key, its first use.
    pub span: Span,
}

/// A protection domain's use of a static key: the right to switch it, branches on it, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Index of the key.
    pub key: usize,
    /// The id with which it may switch the key: 0 to 31, unique in the protection domain.
    pub id: Option<u8>,
    /// The symbol whose branches in the program follow the key.
    pub symbol: Option<Symbol>,
    /// For a kernel key: the description accepts that other scheduling domains can observe its changes.
    pub shared: bool,
    /// The element.
    pub span: Span,
}

/// A service of the kernel for a protection domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its kind.
    pub kind: ServiceKind,
    /// 0 to 15, unique in the protection domain among services.
    pub id: u8,
    /// Its target. The target of a reset is a child.
    pub target: ServiceTarget,
    /// Symbol that receives the id.
    pub setvar_id: Option<Symbol>,
    /// The element.
    pub span: Span,
}

impl Service {
    /// The memory regions that it works on.
    #[must_use]
    pub fn regions(&self) -> Vec<usize> {
        match self.target {
            ServiceTarget::Region(region) => vec![region],
            ServiceTarget::Seal(seal) => seal.regions().collect(),
            ServiceTarget::Program(_) | ServiceTarget::Kernel => Vec::new(),
        }
    }

    /// The seal, if it is one.
    #[must_use]
    pub fn seal(&self) -> Option<&Seal> {
        match &self.target {
            ServiceTarget::Seal(seal) => Some(seal),
            _ => None,
        }
    }

    /// Whether it computes a digest.
    #[must_use]
    pub fn is_digest(&self) -> bool {
        matches!(self.kind, ServiceKind::Digest | ServiceKind::KernelDigest)
    }
}

/// Target of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceTarget {
    /// All of a memory region.
    Region(usize),
    /// Memory of a program: read-only memory for a digest, writable memory for a reset.
    Program(usize),
    /// The kernel's code.
    Kernel,
    /// Records, and where they go sealed.
    Seal(Seal),
}

/// The memory that a seal works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// Index of the memory region that starts with the key.
    pub key: usize,
    /// Index of the memory region with the records.
    pub from: usize,
    /// Index of the memory region for sealed records.
    pub to: usize,
    /// The protection domain's interrupt that triggers it.
    pub irq: Option<u8>,
    /// Bytes of a record.
    pub record_bytes: u64,
    /// The ring that says which records there are; without it, there is one.
    pub ring: Option<UsedRing>,
    /// The cipher.
    pub cipher: SealCipher,
}

impl Seal {
    /// The memory regions that it reads.
    pub fn inputs(&self) -> impl Iterator<Item = usize> + use<> {
        [self.key, self.from].into_iter().chain(self.ring.map(|ring| ring.region))
    }

    /// The memory regions of all of its parts.
    pub fn regions(&self) -> impl Iterator<Item = usize> + use<> {
        self.inputs().chain([self.to])
    }
}

/// A used ring, as of a virtio device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedRing {
    /// Index of the memory region.
    pub region: usize,
    /// Its offset in the region.
    pub offset: u64,
    /// Its entries, a power of two.
    pub entries: u64,
}

/// Memory that the kernel clears during an interrupt or a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wipe {
    /// Index of the memory region.
    pub region: usize,
    /// Its trigger; a trigger wipes one region.
    pub trigger: WipeTrigger,
    /// The element.
    pub span: Span,
}

/// The event that wipes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WipeTrigger {
    /// The protection domain's interrupt with this id.
    Irq(u8),
    /// Any of its faults.
    Fault,
}

/// A child's relation to its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildOf {
    /// Index of the parent.
    pub parent: usize,
    /// Child id, 0 to 61, unique among siblings.
    pub id: u8,
    /// Symbol of the *parent* that receives the id.
    pub setvar_id: Option<Symbol>,
}

/// A right with which scheduling domains can observe each other: the cycle counter, if several have it, or probing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shareable {
    /// The description accepts this.
    pub shared: bool,
    /// The element.
    pub span: Span,
}

/// The ELF file of a protection domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramImage {
    /// File to load.
    pub path: String,
    /// File with the symbols, if `path` is stripped.
    pub path_for_symbols: Option<String>,
    /// The element.
    pub span: Span,
}

/// A range of I/O ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoPort {
    /// 0 to 61, unique in the protection domain.
    pub id: u8,
    /// First port.
    pub addr: u16,
    /// Last port.
    pub last: u16,
    /// Symbol that receives the id.
    pub setvar_id: Option<Symbol>,
    /// Symbol that receives the first port.
    pub setvar_addr: Option<Symbol>,
    /// The element.
    pub span: Span,
}

/// An interrupt of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irq {
    /// 0 to 61, unique in the protection domain among interrupts and channels.
    pub id: u8,
    /// Its source.
    pub source: IrqSource,
    /// Level- or edge-triggered.
    pub trigger: Trigger,
    /// Symbol that receives the id.
    pub setvar_id: Option<Symbol>,
    /// The element.
    pub span: Span,
}

/// A capability in a root slot of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCap {
    /// 1 to 63, unique in the protection domain.
    pub slot: u8,
    /// The object.
    pub target: UserCapTarget,
    /// The element.
    pub span: Span,
}

/// Source of an interrupt. Vectors are 0 to 107.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrqSource {
    /// A line of the interrupt controller; not on x86.
    Line {
        /// Its number.
        line: u64,
    },
    /// A pin of an I/O APIC; x86 only.
    Pin {
        /// Index of the I/O APIC.
        ioapic: u64,
        /// Pin of the I/O APIC.
        pin: u64,
        /// Active level.
        polarity: Polarity,
        /// Vector of the processor.
        vector: u8,
    },
    /// A message of a PCI device; x86 only.
    Message {
        /// The device.
        device: PciAddress,
        /// Index of the message.
        handle: u64,
        /// Vector of the processor.
        vector: u8,
    },
}

/// Trigger mode of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// While the line is active.
    Level,
    /// When the line becomes active.
    Edge,
}

/// Active level of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Polarity {
    High,
    Low,
}

/// Address of a PCI device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PciAddress {
    /// 0 to 255.
    pub bus: u8,
    /// 0 to 31.
    pub device: u8,
    /// 0 to 7.
    pub function: u8,
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bus, device, function } = self;
        write!(f, "{bus:02x}:{device:02x}.{function}")
    }
}

/// Object of a capability in a root slot, by index of the protection domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserCapTarget {
    /// A thread.
    Thread(usize),
    /// A scheduling context.
    SchedContext(usize),
    /// An address space.
    Vspace(usize),
    /// The right to configure all scheduling contexts that the holder has capabilities to.
    SchedControl,
}

/// A symbol name and the element that asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name in the ELF symbol table.
    pub name: String,
    /// The element that names it.
    pub span: Span,
}

/// A memory region in the address space of a protection domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Index of the memory region.
    pub region: usize,
    /// User address, aligned to the region's page size.
    pub vaddr: u64,
    /// Access.
    pub perms: Perms,
    /// Cached, or device and non-cacheable.
    pub cached: bool,
    /// Symbol that receives `vaddr`.
    pub setvar_vaddr: Option<Symbol>,
    /// Symbol that receives the size of the region.
    pub setvar_size: Option<Symbol>,
    /// Symbol that receives the size of the file that prefills the region.
    pub setvar_prefill_size: Option<Symbol>,
    /// The element.
    pub span: Span,
}

/// Access rights of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Perms {
    pub read: bool,
    pub write: bool,
    pub execute: bool,
}

/// A piece of memory that protection domains may map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRegion {
    /// Unique name.
    pub name: String,
    /// Bytes, a multiple of the page size and not zero.
    pub bytes: u64,
    /// 0x1000 or 0x20_0000; large pages are already chosen where size, address and all maps allow them.
    pub page_bytes: u64,
    /// Fixed physical address.
    pub phys_addr: Option<u64>,
    /// Initial contents if not zeros; RAM only.
    pub prefill: Option<Prefill>,
    /// For a device: protection domains of several scheduling domains may use it.
    pub shared: bool,
    /// The element.
    pub span: Span,
}

/// Initial contents of a memory region; zeros follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefill {
    /// Contents of a file; at least one byte, and at most the size of the region.
    File(Arc<[u8]>),
    /// Boot information from the firmware, with a header; zeros if the firmware has none.
    BootInfo(BootInfo),
}

impl MemoryRegion {
    /// Bytes of the file that prefills it, if any.
    #[must_use]
    pub fn prefill_bytes(&self) -> Option<u64> {
        match &self.prefill {
            Some(Prefill::File(contents)) => Some(contents.len() as u64),
            Some(Prefill::BootInfo(_)) | None => None,
        }
    }
}

/// A symbol that receives the physical address of a memory region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setvar {
    /// The symbol.
    pub symbol: Symbol,
    /// Index of the memory region.
    pub region_paddr: usize,
}

/// A connection between two protection domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The two ends.
    pub ends: [ChannelEnd; 2],
    /// The element.
    pub span: Span,
}

/// One side of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelEnd {
    /// Index of the protection domain.
    pub protection_domain: usize,
    /// Channel id inside that protection domain, 0 to 61.
    pub id: u8,
    /// This side may make protected calls to the other.
    pub may_call: bool,
    /// This side may notify the other.
    pub may_notify: bool,
    /// Symbol that receives the id.
    pub setvar_id: Option<Symbol>,
    /// The element.
    pub span: Span,
}
