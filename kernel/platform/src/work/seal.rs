//! Seals: where their memory is mapped, and how they compute. The code of this file is unmapped in systems without seals.

use limen_abi::limits::{PAGE_BYTES, SERVICES};
use limen_core::arena::ThreadId;
use limen_fpu::{InterruptContext, WorkerContext};
use limen_image::Service;
use limen_services::seal::{Limit, Memory, Progress};
use limen_simd::{chacha20, footprint};

use super::Task;
use super::window::{MappedRing, MappedWindow};
use crate::arch::cpu;
use crate::machine::Hardware;
use crate::section::WorkerRegisters;

/// Progress of the seals, by service.
static PROGRESS: [Progress; SERVICES] = [const { Progress::none() }; SERVICES];

/// The parts of a task that only seals have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seal {
    /// Number of the service.
    number: usize,
    key: MappedWindow,
    ring: MappedRing,
    entries: u16,
    record_bytes: usize,
    way: Way,
}

/// How a seal computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Vector,
    Plain,
}

impl Seal {
    /// No seal.
    pub(super) const NONE: Self = Self {
        number: 0,
        key: MappedWindow::EMPTY,
        ring: MappedRing::NONE,
        entries: 0,
        record_bytes: 0,
        way: Way::Vector,
    };

    /// The parts in the record of the service with this number.
    pub(super) fn new(number: usize, record: &Service) -> Self {
        Self {
            number,
            key: MappedWindow::new(record.key, PAGE_BYTES),
            ring: MappedRing::new(record.ring, Service::ring_bytes(record.entries)),
            entries: record.entries as u16,
            record_bytes: record.record_bytes as usize,
            way: if record.plain == 0 { Way::Vector } else { Way::Plain },
        }
    }
}

/// Seals during an interrupt, up to a limit. `space` is the address space of the task's work.
#[inline(never)]
pub(super) fn at_once(
    task: &Task,
    space: cpu::SpaceRegister,
    context: Option<InterruptContext<'_, ThreadId, Hardware>>,
) {
    match context {
        Some(mut context) if task.seal.way == Way::Vector => {
            context.section::<footprint::Chacha20, _>(|registers| {
                cpu::in_space(space, || _ = run(task, Limit::AT_ONCE, chacha20::Vector(registers)));
            });
        }
        _ => cpu::in_space(space, || _ = run(task, Limit::AT_ONCE, chacha20::Plain)),
    }
}

/// Seals all there is in the work of a thread, and returns the number of records.
#[inline(never)]
pub(super) fn on_request(task: &Task) -> u64 {
    if task.seal.way == Way::Plain {
        return run(task, Limit::ON_REQUEST, chacha20::Plain);
    }
    // SAFETY: only the work of a thread calls this. The core makes the thread's identity at work the owner of the unit
    // whenever it runs, and saves the registers of others.
    let mut context = WorkerContext::new(unsafe { WorkerRegisters::new() });
    context.section::<footprint::Chacha20, _>(|registers| {
        run(task, Limit::ON_REQUEST, chacha20::Vector(registers))
    })
}

/// Seals in the address space of the task's work.
fn run(task: &Task, limit: Limit, way: impl chacha20::Way + Copy) -> u64 {
    let Seal { number, key, ring, entries, record_bytes, .. } = task.seal;
    let (from_bytes, to_bytes) = (task.source.bytes(), task.target.bytes());
    let (from, to) = (task.source, task.target);
    let mut memory = Memory { key, from, ring, entries, record_bytes, from_bytes, to, to_bytes };
    memory.run(&PROGRESS[number % SERVICES], limit, way)
}
