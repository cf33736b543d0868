//! The domain schedule in the boot image.
//!
//! `index_shift` moves the description's entries to later indices of the kernel's schedule, which other tools refer
//! to. The entries before them never run: the schedule starts and restarts at the start index.

use limen_image::DomainSlot;
use limen_sdf::SystemDescription;
use limen_sdf::model::{Duration, ScheduleEntry};

/// Fills unused entries.
const END: DomainSlot = DomainSlot { domain: 0, duration_us: 0, duration_ticks: 0 };

/// The slots of the schedule; none without domains.
pub(crate) fn slots(system: &SystemDescription) -> Vec<DomainSlot> {
    let Some(domains) = &system.domains else { return Vec::new() };
    let before = std::iter::repeat_n(END, domains.index_shift);
    before.chain(domains.schedule.iter().map(slot)).collect()
}

/// Index of the slot at which the schedule starts.
pub(crate) fn start(system: &SystemDescription) -> u64 {
    system.domains.as_ref().map_or(0, |domains| (domains.index_shift + domains.start_index) as u64)
}

fn slot(entry: &ScheduleEntry) -> DomainSlot {
    match *entry {
        ScheduleEntry::EndMarker => END,
        ScheduleEntry::Slot(domain, duration) => {
            let (duration_us, duration_ticks) = match duration {
                Duration::Us(us) => (us, 0),
                Duration::Ticks(ticks) => (0, ticks),
            };
            DomainSlot { domain: u64::from(domain), duration_us, duration_ticks }
        }
    }
}
