//! The domain schedules in the boot image.
//!
//! An image has the slots that run, for each processor. The entries before the start index and after the end never run,
//! and `index_shift` changes only how reports number entries.

use limen_image::DomainSlot;
use limen_sdf::SystemDescription;
use limen_sdf::model::Duration;

/// The slots of all processors; none without domains.
pub(crate) fn slots(system: &SystemDescription, processors: u8) -> Vec<DomainSlot> {
    let Some(domains) = &system.domains else { return Vec::new() };
    let slots = (0..processors).flat_map(|processor| {
        domains
            .schedule_of(processor)
            .repeating()
            .map(move |(domain, duration)| (processor, domain, duration))
    });
    slots.map(|(processor, domain, duration)| slot(processor, domain, duration)).collect()
}

fn slot(processor: u8, domain: u8, duration: Duration) -> DomainSlot {
    let (duration_us, duration_ticks) = match duration {
        Duration::Us(us) => (us, 0),
        Duration::Ticks(ticks) => (0, ticks),
    };
    DomainSlot { processor: processor.into(), domain: domain.into(), duration_us, duration_ticks }
}
