//! What a system description means, after every rule that needs only the text has been checked.
//!
//! Protection domains stand in pre-order: a parent, then each child's subtree. Their position is their index
//! everywhere else (monitor badges, tables of the image).

use std::sync::Arc;

use limen_abi::boot_info::BootInfo;
use limen_abi::{KernelKey, ServiceKind};

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
    /// Static keys in document order, then those of the kernel that are used; at most 32.
    pub static_keys: Vec<StaticKey>,
    /// When which protection domains may run; `None` when all may at any time.
    pub domains: Option<Domains>,
}

/// Scheduling domains: the processor's time is cut into slots, and in each run the protection domains of one domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domains {
    /// In document order; at most 16.
    pub names: Vec<Domain>,
    /// The schedule; index 0 is where the description's first entry stands.
    pub schedule: Vec<ScheduleEntry>,
    /// Entry with which the schedule starts, and with which it goes on after its end.
    pub start_index: usize,
    /// Index of the first entry in the kernel's schedule.
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

/// An entry of the domain schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleEntry {
    /// The domain with this id runs for this long.
    Slot(u8, Duration),
    /// The schedule starts again.
    EndMarker,
}

/// How long a slot is; not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duration {
    /// Microseconds.
    Us(u64),
    /// Ticks of the kernel's timer.
    Ticks(u64),
}

impl Domains {
    /// What runs again and again: from the start index to the first end marker, or to the end.
    pub fn repeating(&self) -> impl Iterator<Item = (u8, Duration)> {
        self.schedule.iter().skip(self.start_index).map_while(|entry| match entry {
            ScheduleEntry::Slot(domain, duration) => Some((*domain, *duration)),
            ScheduleEntry::EndMarker => None,
        })
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
    /// The protection domain around this one, and what it calls this one.
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
    /// Id of its scheduling domain; 0 without domains.
    pub domain: u8,
    /// Its fault handler is told when it has used up a budget.
    pub timeout_fault: bool,
    /// May make secure monitor calls.
    pub smc: bool,
    /// May read the cycle counter in any configuration (`<counter/>`).
    pub counter: Option<Shareable>,
    /// May read how often floating-point registers were switched (`<fpu_counters/>`).
    pub fpu_counters: bool,
    /// May choose when floating-point registers are switched (`<fpu_policy/>`).
    pub fpu_policy: bool,
    /// May sample its own crossings (`<probe/>`).
    pub probe: Option<Shareable>,
    /// The program.
    pub program_image: ProgramImage,
    /// I/O ports it may use; x86 only.
    pub ioports: Vec<IoPort>,
    /// Interrupts it handles.
    pub irqs: Vec<Irq>,
    /// Static keys it may switch or branches on.
    pub keys: Vec<KeyUse>,
    /// What the kernel does for it.
    pub services: Vec<Service>,
    /// What is cleared when one of its interrupts comes, or when it faults.
    pub wipes: Vec<Wipe>,
    /// Capabilities in root slots.
    pub caps: Vec<UserCap>,
    /// Memory regions it sees.
    pub maps: Vec<Map>,
    /// Symbols that receive physical addresses.
    pub setvars: Vec<Setvar>,
}

/// A switch whose branches are patched in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticKey {
    /// Unique name.
    pub name: String,
    /// Whether it is on when the system starts; for a key of the kernel, the configuration says so.
    pub default: bool,
    /// Protection domains of several scheduling domains may have it.
    pub shared: bool,
    /// The key of the kernel that it is.
    pub kernel: Option<KernelKey>,
    /// Where it is declared; a key of the kernel where it is first used.
    pub span: Span,
}

/// What a protection domain has to do with a static key; at least one of two things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Index of the key.
    pub key: usize,
    /// It may switch the key, which it knows by this id: 0 to 31, unique inside the protection domain.
    pub id: Option<u8>,
    /// Branches on this symbol of its program follow the key.
    pub symbol: Option<Symbol>,
    /// Of a key of the kernel: that switching it is noticed in other scheduling domains is declared.
    pub shared: bool,
    /// The element.
    pub span: Span,
}

/// Something that the kernel does for a protection domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// What it does.
    pub kind: ServiceKind,
    /// 0 to 15, unique in the protection domain among services.
    pub id: u8,
    /// What it works on. A reset works on a child.
    pub target: ServiceTarget,
    /// Symbol that receives the id.
    pub setvar_id: Option<Symbol>,
    /// The element.
    pub span: Span,
}

impl Service {
    /// Whether it tells a digest.
    #[must_use]
    pub fn is_digest(&self) -> bool {
        matches!(self.kind, ServiceKind::Digest | ServiceKind::KernelDigest)
    }
}

/// What a service works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceTarget {
    /// All of a memory region.
    Region(usize),
    /// Memory of a program: for a digest what it cannot write, for a reset what it can.
    Program(usize),
    /// The kernel's code.
    Kernel,
}

/// Memory that is cleared in the middle of an interrupt or a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wipe {
    /// Which memory region.
    pub region: usize,
    /// By what; nothing else is wiped by that.
    pub trigger: WipeTrigger,
    /// The element.
    pub span: Span,
}

/// What wipes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WipeTrigger {
    /// The protection domain's interrupt with this id.
    Irq(u8),
    /// Each of its faults.
    Fault,
}

/// How a child is known to its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildOf {
    /// Index of the parent.
    pub parent: usize,
    /// Child id, 0 to 61, unique among siblings.
    pub id: u8,
    /// Symbol of the *parent* that receives the id.
    pub setvar_id: Option<Symbol>,
}

/// A right with which scheduling domains can observe each other: the cycle counter, where several have it; probing,
/// which others notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shareable {
    /// That they can is declared.
    pub shared: bool,
    /// The element.
    pub span: Span,
}

/// The ELF file of a protection domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramImage {
    /// File to load.
    pub path: String,
    /// File whose symbols are used instead, when `path` is stripped.
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
    /// Where it comes from.
    pub source: IrqSource,
    /// What of the line interrupts.
    pub trigger: Trigger,
    /// Symbol that receives the id.
    pub setvar_id: Option<Symbol>,
    /// The element.
    pub span: Span,
}

/// A capability that a program finds in a root slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCap {
    /// 1 to 63, unique in the protection domain.
    pub slot: u8,
    /// What it names.
    pub target: UserCapTarget,
    /// The element.
    pub span: Span,
}

/// Where an interrupt comes from. Vectors are 0 to 107.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrqSource {
    /// A line of the interrupt controller; not on x86.
    Line {
        /// Its number.
        line: u64,
    },
    /// A pin of an I/O APIC; x86 only.
    Pin {
        /// Which I/O APIC.
        ioapic: u64,
        /// Which of its pins.
        pin: u64,
        /// When the line is active.
        polarity: Polarity,
        /// By what it is known to the processor.
        vector: u8,
    },
    /// A message of a PCI device; x86 only.
    Message {
        /// The device.
        device: PciAddress,
        /// Which of its messages.
        handle: u64,
        /// By what it is known to the processor.
        vector: u8,
    },
}

impl IrqSource {
    /// The number that no other interrupt of the system has: line or vector.
    #[must_use]
    pub fn number(&self) -> u64 {
        match self {
            Self::Line { line } => *line,
            Self::Pin { vector, .. } | Self::Message { vector, .. } => u64::from(*vector),
        }
    }
}

/// What of a line interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// That it is active.
    Level,
    /// That it becomes active.
    Edge,
}

/// When a line is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Polarity {
    High,
    Low,
}

/// Where a PCI device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PciAddress {
    /// 0 to 255.
    pub bus: u8,
    /// 0 to 31.
    pub device: u8,
    /// 0 to 7.
    pub function: u8,
}

/// What a capability in a root slot names, by index of the protection domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserCapTarget {
    /// A thread.
    Thread(usize),
    /// A scheduling context.
    SchedContext(usize),
    /// An address space.
    Vspace(usize),
    /// The right to change every scheduling context that the holder has, too.
    SchedControl,
}

/// A symbol name with the place that asked for it.
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
    /// Symbol that receives the size of the file that the region is filled with.
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
    /// 0x1000 or 0x20_0000; already raised to large pages where size, address and all maps allow it.
    pub page_bytes: u64,
    /// Fixed physical address.
    pub phys_addr: Option<u64>,
    /// What it holds when the system starts, if not zeros; RAM only.
    pub prefill: Option<Prefill>,
    /// If it is a device, protection domains of several scheduling domains may use it.
    pub shared: bool,
    /// The element.
    pub span: Span,
}

/// First contents of a memory region; zeros follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefill {
    /// Those of a file; at least one byte, and at most the size of the region.
    File(Arc<[u8]>),
    /// What the firmware tells at boot, with a header; zeros where it tells nothing.
    BootInfo(BootInfo),
}

impl MemoryRegion {
    /// Bytes of the file that it is filled with, if it is.
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
