//! Scheduling domains: the schedule, and connections between domains.

use limen_sdf::model::{self, Duration, ScheduleEntry};
use serde::Serialize;

use crate::build::Built;
use crate::sharing::Crossing;

/// The schedule, and connections between domains.
#[derive(Clone, Debug, Serialize)]
pub struct Domains {
    /// The schedule of each processor that is not in `others`.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// Schedules of single processors, in document order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<ProcessorSchedule>,
    /// Connections between domains.
    pub crossings: Vec<Crossing>,
}

/// A schedule.
#[derive(Clone, Debug, Serialize)]
pub struct Schedule {
    /// Index of the entry at which it starts, and to which it returns after its end.
    pub start: usize,
    /// Its entries.
    pub schedule: Vec<Slot>,
}

/// The schedule of one processor.
#[derive(Clone, Debug, Serialize)]
pub struct ProcessorSchedule {
    /// The processor.
    pub cpu: u8,
    /// Its schedule.
    #[serde(flatten)]
    pub schedule: Schedule,
}

/// An entry of the schedule.
#[derive(Clone, Debug, Serialize)]
pub struct Slot {
    /// Its index, with the description's `index_shift`.
    pub index: usize,
    /// The domain; `None` for an end marker.
    pub domain: Option<String>,
    /// Id of the domain; 0 for an end marker.
    pub id: u8,
    /// Duration and unit; empty for an end marker.
    pub duration: String,
    /// The number in `duration`; 0 for an end marker.
    pub amount: u64,
    /// `us` or `ticks`; empty for an end marker.
    pub unit: &'static str,
    /// Part of the schedule that repeats; entries before the start, and from the first end marker after it, never run.
    pub repeats: bool,
}

impl Domains {
    /// `None` for a system without domains.
    pub(super) fn new(built: &Built) -> Option<Self> {
        let domains = built.parts.system.domains.as_ref()?;
        let others = domains.others.iter();
        Some(Self {
            schedule: schedule(domains, &domains.schedule),
            others: others
                .map(|(cpu, other)| ProcessorSchedule { cpu: *cpu, schedule: schedule(domains, other) })
                .collect(),
            crossings: built.crossings.clone(),
        })
    }
}

fn schedule(domains: &model::Domains, schedule: &model::Schedule) -> Schedule {
    let model::Schedule { entries, start_index, index_shift } = schedule;
    let repeating = *start_index..start_index + schedule.repeating().count();
    let entries = entries.iter().enumerate();
    Schedule {
        start: index_shift + start_index,
        schedule: entries
            .map(|(at, entry)| slot(domains, *entry, at + index_shift, repeating.contains(&at)))
            .collect(),
    }
}

fn slot(domains: &model::Domains, entry: ScheduleEntry, index: usize, repeats: bool) -> Slot {
    match entry {
        ScheduleEntry::EndMarker => {
            Slot { index, domain: None, id: 0, duration: String::new(), amount: 0, unit: "", repeats }
        }
        ScheduleEntry::Slot(id, duration) => {
            let (amount, unit) = match duration {
                Duration::Us(us) => (us, "us"),
                Duration::Ticks(ticks) => (ticks, "ticks"),
            };
            let domain = Some(domains.name_of(id).to_owned());
            Slot { index, domain, id, duration: format!("{amount} {unit}"), amount, unit, repeats }
        }
    }
}
