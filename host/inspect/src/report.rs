//! The part of an image's report that names what the kernel numbers.

use limen_symbolise::system::Address;
use serde::Deserialize;

use crate::layout::Value;

/// Facts of a report besides [`limen_symbolise::system::System`]. Unknown keys are ignored.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Report {
    pub(crate) capability_tables: Vec<Table>,
    physical_memory: Vec<Memory>,
    kernel: Kernel,
}

/// The capabilities of a program.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Table {
    pub(crate) owner: String,
    pub(crate) slots: Vec<Slot>,
}

/// A capability.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Slot {
    pub(crate) slot: u64,
    pub(crate) kind: String,
    pub(crate) object: String,
    pub(crate) rights: Vec<String>,
    pub(crate) badge: Address,
}

#[derive(Clone, Debug, Deserialize)]
struct Memory {
    start: Address,
    end: Address,
    kind: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Kernel {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, Deserialize)]
struct Segment {
    vaddr: Address,
    paddr: Address,
    memory_bytes: u64,
}

/// The pool of page tables is the rest of the memory; boot uses its beginning.
const MOST_POOL_BYTES: u64 = 16 << 20;
/// The distance of an image from its place in the report, where firmware reports the memory.
const MOST_SHIFT_BYTES: u64 = 16 << 20;

impl Report {
    /// Reads the JSON form of a report.
    pub(crate) fn parse(report: &str) -> Result<Self, String> {
        serde_json::from_str(report).map_err(|error| format!("the report cannot be used: {error}"))
    }

    /// The parts of the kernel: address, physical address and bytes. Empty if its file says where they are.
    pub(crate) fn kernel_segments(&self) -> Vec<(u64, u64, u64)> {
        let segments = self.kernel.segments.iter();
        segments.map(|segment| (segment.vaddr.0, segment.paddr.0, segment.memory_bytes)).collect()
    }

    /// The physical memory of kernel and programs: first address and bytes.
    pub(crate) fn memory(&self) -> Option<(u64, u64)> {
        let own =
            self.physical_memory.iter().filter(|memory| !["device", "fixed"].contains(&memory.kind.as_str()));
        let end = |memory: &Memory| match memory.kind.as_str() {
            "pool" => memory.end.0.min(memory.start.0.saturating_add(MOST_POOL_BYTES)),
            _ => memory.end.0,
        };
        let parts = self.kernel_segments();
        // Without an address of the kernel, everything up to the end of the image.
        let first = if parts.is_empty() { Some((0, 0)) } else { None };
        let parts = parts.iter().map(|(_, start, bytes)| (*start, start.saturating_add(*bytes)));
        let ranges = own.map(|memory| (memory.start.0, end(memory))).chain(parts).chain(first);
        let (start, end) = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let last = self
            .physical_memory
            .iter()
            .filter(|memory| memory.kind == "pool")
            .map(|pool| pool.end.0)
            .max()?;
        let end = end.saturating_add(MOST_SHIFT_BYTES).min(last.max(end));
        Some((start, end.checked_sub(start)?))
    }

    /// The programs that have a capability for sending to an object of `owner`, without `owner` itself and without those
    /// that only report faults.
    pub(crate) fn senders(&self, kind: &str, owner: &str) -> Vec<&str> {
        let sends = |slot: &Slot| {
            slot.slot != limen_abi::slot::FAULT_ENDPOINT
                && slot.kind == kind
                && slot.object == owner
                && slot.rights.iter().any(|right| right == "send")
        };
        let tables = self.capability_tables.iter();
        let tables = tables.filter(|table| table.owner != owner && table.slots.iter().any(sends));
        tables.map(|table| table.owner.as_str()).collect()
    }

    /// The owner of the endpoint that a program has in a slot.
    pub(crate) fn endpoint(&self, program: &str, cptr: u64) -> Option<&str> {
        let table = self.capability_tables.iter().find(|table| table.owner == program)?;
        let slot = table.slots.iter().find(|slot| slot.slot == cptr && slot.kind == "endpoint")?;
        Some(&slot.object)
    }

    /// Whether a program can stop another one.
    pub(crate) fn can_stop(&self, program: &str, other: &str) -> bool {
        let stops = |slot: &Slot| slot.kind == "thread" && slot.object == other;
        let mut tables = self.capability_tables.iter();
        program != other && tables.any(|table| table.owner == program && table.slots.iter().any(stops))
    }

    /// The programs whose signals set one of these bits of the notification of `owner`.
    pub(crate) fn signallers(&self, owner: &str, bits: u64) -> Vec<&str> {
        let signals =
            |slot: &Slot| slot.kind == "notification" && slot.object == owner && slot.badge.0 & bits != 0;
        let tables = self.capability_tables.iter().filter(|table| table.slots.iter().any(signals));
        tables.map(|table| table.owner.as_str()).collect()
    }
}

/// The kernel's name of a capability that the report calls `kind`.
pub(crate) fn variant(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "endpoint" => "Endpoint",
        "thread" => "Thread",
        "notification" => "Notification",
        "reply" => "Reply",
        "scheduling context" => "SchedContext",
        "address space" => "Vspace",
        "interrupt" => "Interrupt",
        "static key" => "Key",
        "service" => "Service",
        _ => return None,
    })
}

/// The number of the object that a capability of the kernel names.
pub(crate) fn object(name: &str, cap: &Value<'_>) -> Result<u64, String> {
    cap.number(match name {
        "Endpoint" | "Notification" => "id",
        ELSEWHERE => "index",
        _ => "__0",
    })
}

/// The kernel's name of capabilities to objects of other processors.
pub(crate) const ELSEWHERE: &str = "Elsewhere";
