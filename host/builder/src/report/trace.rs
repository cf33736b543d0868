//! The trace: its rings, and what is recorded from the start.

use limen_abi::trace::{GROUPS, RECORD_BYTES, memory_bytes};
use serde::Serialize;

use super::Hex;
use crate::address_space::Purpose;
use crate::board::BootProtocol;
use crate::build::Built;

/// The rings of the trace.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The physical address of the first; `None` if they are placed at boot. Word 5 of a ring's header holds its address.
    pub paddr: Option<Hex>,
    /// The memory of one, header included.
    pub bytes: u64,
    /// The number of rings, one for each processor, one behind the other; not there for one processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rings: Option<u8>,
    /// The number of records that one holds.
    pub slots: u64,
    /// Ticks of the clock per second; `None` if the machine knows it. Word 3 of a ring's header holds it, too.
    pub frequency: Option<u64>,
    /// The groups that are on when the system starts.
    pub groups: Vec<&'static str>,
    /// The programs, by number of their thread.
    pub programs: Vec<TracedProgram>,
}

/// A program whose events may be in the trace.
#[derive(Clone, Debug, Serialize)]
pub struct TracedProgram {
    /// Protection domain, or `monitor`.
    pub name: String,
    /// The ELF file with the names of its events.
    pub symbols: String,
}

/// The trace of a system, if it has one.
pub(super) fn trace(built: &Built) -> Option<Trace> {
    let records = built.parts.system.trace_bytes?;
    let extent = built.spaces.extents.iter().position(|extent| extent.purpose == Purpose::Trace)?;
    let (board, options) = (&built.parts.board, built.parts.config.options());
    let is_placed = board.boot == BootProtocol::Loader;
    let frequency = built.tables.board.timer_frequency;
    let programs = built.parts.programs.iter();
    Some(Trace {
        paddr: is_placed.then(|| Hex(built.memory.places[extent].paddr)),
        bytes: memory_bytes(records),
        rings: Some(board.processors(&built.parts.config)).filter(|processors| *processors > 1),
        slots: records / RECORD_BYTES,
        frequency: (frequency != 0).then_some(frequency),
        groups: GROUPS
            .iter()
            .filter(|(key, ..)| options & key.option() != 0)
            .map(|(_, name, _)| *name)
            .collect(),
        programs: programs
            .map(|program| TracedProgram {
                name: program.name.clone(),
                symbols: program.symbols_path.display().to_string(),
            })
            .collect(),
    })
}
