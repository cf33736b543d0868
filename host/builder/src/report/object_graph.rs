//! Kernel objects and capabilities.

use limen_abi::slot;
use limen_image::{Cap, CapKind, NONE, Rights};
use limen_sdf::model::ServiceTarget;
use serde::Serialize;

use super::Hex;
use crate::build::Built;
use crate::interrupts::source;

/// All objects and capabilities of a system.
#[derive(Clone, Debug, Serialize)]
pub struct ObjectGraph {
    /// Number of kernel objects.
    pub object_count: u64,
    /// Threads; the last is the monitor's.
    pub threads: Vec<Thread>,
    /// The capability table of each program.
    pub capability_tables: Vec<CapabilityTable>,
}

/// Initial state of a thread.
#[derive(Clone, Debug, Serialize)]
pub struct Thread {
    /// Protection domain, or `monitor`.
    pub name: String,
    /// Priority.
    pub priority: u64,
    /// Initial program counter.
    pub entry: Hex,
    /// Initial stack pointer.
    pub stack_top: Hex,
    /// User address of the IPC buffer.
    pub ipc_buffer: Hex,
    /// Microseconds per period.
    pub budget_us: u64,
    /// Microseconds.
    pub period_us: u64,
    /// The notification bound to it.
    pub bound_notification: Option<String>,
    /// Slot with the endpoint for faults.
    pub fault_slot: Option<u64>,
    /// Slot with the endpoint for timeout faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_slot: Option<u64>,
    /// Whether it may read the cycle counter.
    pub counter: bool,
    /// Whether it may use the floating-point unit at its start.
    pub fpu: bool,
}

/// The capabilities of one program.
#[derive(Clone, Debug, Serialize)]
pub struct CapabilityTable {
    /// Protection domain, or `monitor`.
    pub owner: String,
    /// Filled slots, ascending.
    pub slots: Vec<Capability>,
}

/// A capability.
#[derive(Clone, Debug, Serialize)]
pub struct Capability {
    /// Slot; for a root slot, its number plus 512.
    pub slot: u64,
    /// Number of the root slot, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_slot: Option<u64>,
    /// Kind of the object.
    pub kind: &'static str,
    /// Protection domain that owns the object, or `monitor`; the range of I/O ports; the source of the interrupt.
    pub object: String,
    /// A subset of `send`, `receive`, `grant`, `grant-reply`.
    pub rights: Vec<&'static str>,
    /// The badge that a receiver sees.
    pub badge: Hex,
}

impl ObjectGraph {
    pub(super) fn new(built: &Built) -> Self {
        let counts = built.tables.counts;
        let programs = 0..built.parts.programs.len();
        let arrays = built.tables.threads.len() + built.tables.sched_contexts.len();
        let rest =
            counts.endpoints + counts.notifications + counts.replies + counts.vspaces + programs.len() as u64;
        let rest = rest + built.tables.interrupts.len() as u64;
        Self {
            object_count: arrays as u64 + rest,
            threads: programs.clone().map(|index| thread(built, index)).collect(),
            capability_tables: programs.map(|index| table(built, index)).collect(),
        }
    }

    /// The graph as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        super::to_json(self)
    }
}

fn thread(built: &Built, index: usize) -> Thread {
    let thread = &built.tables.threads[index];
    let context = built.tables.sched_contexts[index];
    let present = |value: u64| (value != NONE).then_some(value);
    Thread {
        name: name(built, index as u64),
        priority: thread.priority,
        entry: Hex(thread.entry),
        stack_top: Hex(thread.stack_top),
        ipc_buffer: Hex(thread.ipc_buffer),
        budget_us: context.budget_us,
        period_us: context.period_us,
        bound_notification: present(thread.notification).map(|owner| name(built, owner)),
        fault_slot: present(thread.fault_slot),
        timeout_slot: present(thread.timeout_slot),
        counter: thread.flags & limen_image::ThreadFlags::COUNTER != 0,
        fpu: thread.flags & limen_image::ThreadFlags::FPU_DISABLED == 0,
    }
}

fn table(built: &Built, index: usize) -> CapabilityTable {
    let caps = built.tables.caps.iter().filter(|cap| cap.table == index as u64);
    CapabilityTable {
        owner: name(built, index as u64),
        slots: caps.map(|cap| capability(built, cap)).collect(),
    }
}

fn capability(built: &Built, cap: &Cap) -> Capability {
    let (kind, owner) = match CapKind::from_raw(cap.kind) {
        Some(CapKind::Endpoint) => ("endpoint", built.endpoint_owner(cap.object)),
        Some(CapKind::Thread) => ("thread", cap.object),
        Some(CapKind::Notification) => ("notification", cap.object),
        Some(CapKind::Reply) => ("reply", cap.object),
        Some(CapKind::SchedContext) => ("scheduling context", cap.object),
        Some(CapKind::Vspace) => ("address space", cap.object),
        Some(CapKind::IoPort) => ("I/O ports", cap.table),
        Some(CapKind::SchedControl) => ("scheduling control", cap.table),
        Some(CapKind::Interrupt) => ("interrupt", cap.table),
        Some(CapKind::SecureMonitor) => ("calls", cap.table),
        Some(CapKind::FpuCounters) => ("floating-point counters", cap.table),
        Some(CapKind::FpuPolicy) => ("floating-point policy", cap.table),
        Some(CapKind::Probe) => ("probe", cap.table),
        Some(CapKind::Key) => ("static key", cap.table),
        Some(CapKind::Service) => ("service", cap.table),
        None => ("unknown", cap.object),
    };
    let object = match CapKind::from_raw(cap.kind) {
        Some(CapKind::IoPort) => format!("{:#x} to {:#x}", cap.object, cap.badge),
        Some(CapKind::SchedControl) => "every scheduling context".to_owned(),
        Some(CapKind::Interrupt) => source(&built.tables.interrupts[cap.object as usize]),
        Some(CapKind::SecureMonitor) => "the secure monitor".to_owned(),
        Some(CapKind::FpuCounters | CapKind::FpuPolicy | CapKind::Probe) => "the processor".to_owned(),
        Some(CapKind::Service) => service(built, cap.object as usize),
        Some(CapKind::Key) => built.parts.system.static_keys[cap.object as usize].name.clone(),
        _ => name(built, owner),
    };
    let names = [
        (Rights::SEND, "send"),
        (Rights::RECEIVE, "receive"),
        (Rights::GRANT, "grant"),
        (Rights::GRANT_REPLY, "grant-reply"),
    ];
    let rights = names.into_iter().filter(|(bit, _)| cap.rights & bit != 0).map(|(_, name)| name);
    Capability {
        slot: cap.slot,
        root_slot: cap.slot.checked_sub(slot::ROOT),
        kind,
        object,
        rights: rights.collect(),
        badge: Hex(cap.badge),
    }
}

/// Name of the program with this index.
fn name(built: &Built, index: u64) -> String {
    built.parts.programs.get(index as usize).map_or_else(String::new, |program| program.name.clone())
}

/// Kind and target of a service.
pub(super) fn service(built: &Built, index: usize) -> String {
    let system = &built.parts.system;
    let mut services = system.protection_domains.iter().flat_map(|domain| &domain.services);
    services.nth(index).map_or_else(String::new, |service| match service.target {
        ServiceTarget::Region(region) => {
            format!("{} of memory region {}", service.kind.name(), system.memory_regions[region].name)
        }
        ServiceTarget::Kernel => service.kind.name().to_owned(),
        ServiceTarget::Seal(seal) => {
            let from = &system.memory_regions[seal.from].name;
            format!("{} of memory region {from} with {}", service.kind.name(), seal.cipher.name())
        }
        ServiceTarget::Program(program) => {
            format!("{} of {}", service.kind.name(), system.protection_domains[program].name)
        }
    })
}
