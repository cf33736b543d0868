//! Scheduling domains: the schedule, and connections between domains.

use limen_sdf::model::{self, Duration, ScheduleEntry};
use serde::Serialize;

use crate::build::Built;
use crate::sharing::Crossing;

/// The schedule, and connections between domains.
#[derive(Clone, Debug, Serialize)]
pub struct Domains {
    /// Index in the kernel's schedule of the entry at which it starts, and to which it returns after its end.
    pub start: usize,
    /// Entries of the schedule.
    pub schedule: Vec<Slot>,
    /// Connections between domains.
    pub crossings: Vec<Crossing>,
}

/// An entry of the schedule.
#[derive(Clone, Debug, Serialize)]
pub struct Slot {
    /// Index in the kernel's schedule.
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
        let repeating = domains.start_index..domains.start_index + domains.repeating().count();
        let entries = domains.schedule.iter().enumerate();
        Some(Self {
            start: domains.index_shift + domains.start_index,
            schedule: entries
                .map(|(at, entry)| slot(domains, *entry, at + domains.index_shift, repeating.contains(&at)))
                .collect(),
            crossings: built.crossings.clone(),
        })
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
