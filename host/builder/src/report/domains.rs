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
}

impl Domains {
    /// `None` for a system without domains.
    pub(super) fn new(built: &Built) -> Option<Self> {
        let domains = built.parts.system.domains.as_ref()?;
        let entries = domains.schedule.iter().zip(domains.index_shift..);
        Some(Self {
            start: domains.index_shift + domains.start_index,
            schedule: entries.map(|(entry, index)| slot(domains, *entry, index)).collect(),
            crossings: built.crossings.clone(),
        })
    }
}

fn slot(domains: &model::Domains, entry: ScheduleEntry, index: usize) -> Slot {
    match entry {
        ScheduleEntry::EndMarker => Slot { index, domain: None, id: 0, duration: String::new() },
        ScheduleEntry::Slot(id, duration) => {
            let duration = match duration {
                Duration::Us(us) => format!("{us} us"),
                Duration::Ticks(ticks) => format!("{ticks} ticks"),
            };
            Slot { index, domain: Some(domains.name_of(id).to_owned()), id, duration }
        }
    }
}
