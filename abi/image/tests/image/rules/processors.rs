//! Processors: homes exist, and what stays on one processor has the same home.

use limen_image::{Cap, CapKind, DomainSlot, Home, Image, ImageError, ImageWriter, Rights, Table};

use super::{Case, record};
use crate::sample::{cap, homes, judge, reset, sample, spread, words_of};
use crate::soundness;

const HOMES: ImageError = record(Table::Homes, 0, "not one home for each object, or homes for one processor");
const NO_PROCESSOR: &str = "no such processor";
const CAP: &str = "received with or acknowledged on another processor";

pub(super) const PROCESSORS: &[Case] = &[
    ("no processor", |w| w.processors = 0, record(Table::DomainSchedule, 0, NO_PROCESSOR)),
    ("homes with one processor", |w| w.homes = homes(&[0; 7]), HOMES),
    ("no homes", |w| spoil(w, |w| w.homes.clear()), HOMES),
    ("a home too few", |w| spoil(w, |w| w.homes.truncate(6)), HOMES),
    ("a home too many", |w| spoil(w, |w| w.homes.push(Home { processor: 0 })), HOMES),
    ("home", |w| spoil(w, |w| w.homes[6].processor = 2), record(Table::Homes, 6, NO_PROCESSOR)),
    (
        "home of a scheduling context",
        |w| spoil(w, |w| w.sched_contexts[1].processor = 2),
        record(Table::SchedContexts, 1, NO_PROCESSOR),
    ),
    (
        "home of a thread",
        |w| spoil(w, |w| w.threads[0].processor = u64::MAX),
        record(Table::Threads, 0, NO_PROCESSOR),
    ),
    (
        "home of an interrupt",
        |w| spoil(w, |w| w.interrupts[1].processor = 2),
        record(Table::Interrupts, 1, NO_PROCESSOR),
    ),
    (
        "home of a thread when there is one processor",
        |w| w.threads[1].processor = 1,
        record(Table::Threads, 1, NO_PROCESSOR),
    ),
    (
        "schedule of one processor only",
        |w| {
            spoil(w, |w| {
                w.domain_schedule = vec![slot(1)];
            });
        },
        record(Table::DomainSchedule, 0, "no slot of a processor, while others have some"),
    ),
    (
        "schedule of a processor that is not used",
        |w| spoil(w, |w| w.domain_schedule = vec![slot(0), slot(1), slot(2)]),
        record(Table::DomainSchedule, 2, NO_PROCESSOR),
    ),
    (
        "long schedule of a processor",
        |w| spoil(w, |w| w.domain_schedule = [vec![slot(1); 100], vec![slot(0)]].concat()),
        record(Table::DomainSchedule, 0, "too many slots of a processor"),
    ),
    (
        "one ring for two",
        |w| spoil(w, super::trace::add),
        record(Table::Counts, 0, "not the memory of a trace"),
    ),
    (
        "scheduling context",
        |w| spoil(w, |w| w.sched_contexts[1].processor = 0),
        record(Table::Threads, 1, "scheduling context of another processor"),
    ),
    (
        "more scheduling contexts than threads",
        |w| spoil(w, |w| w.sched_contexts.extend_from_within(..1)),
        record(Table::SchedContexts, 0, "more of them than threads at a processor"),
    ),
    (
        "notification",
        |w| spoil(w, |w| w.homes[3].processor = 1),
        record(Table::Threads, 0, "notification of another processor"),
    ),
    (
        "interrupt",
        |w| spoil(w, |w| w.interrupts[0].processor = 0),
        record(Table::Interrupts, 0, "signals a notification of another processor"),
    ),
    ("receiver of an endpoint", |w| spoil(w, |w| w.homes[0].processor = 1), record(Table::Caps, 0, CAP)),
    (
        "receiver of a notification",
        |w| spoil(w, |w| w.caps[0] = Cap { rights: Rights::RECEIVE, ..cap(0, 1, CapKind::Notification, 2) }),
        record(Table::Caps, 0, CAP),
    ),
    ("holder of a reply object", |w| spoil(w, |w| w.homes[5].processor = 1), record(Table::Caps, 1, CAP)),
    (
        "handler of an interrupt",
        |w| spoil(w, |w| w.caps[2] = cap(0, 10, CapKind::Interrupt, 0)),
        record(Table::Caps, 2, CAP),
    ),
    (
        "interrupt of a service",
        |w| {
            spoil(w, |w| {
                w.homes[4].processor = 0;
                w.interrupts[1].processor = 0;
                w.interrupts[0].processor = 0;
                w.caps.retain(|cap| cap.kind != CapKind::Interrupt as u64);
            });
        },
        record(Table::Services, 4, "interrupt of another processor"),
    ),
];

/// Spreads the sample over two processors, then spoils it.
fn spoil(writer: &mut ImageWriter, spoil: fn(&mut ImageWriter)) {
    spread(writer);
    spoil(writer);
}

fn slot(processor: u64) -> DomainSlot {
    DomainSlot { processor, domain: 0, duration_us: 5, duration_ticks: 0 }
}

#[test]
fn a_system_may_be_spread_over_processors() {
    let mut writer = sample();
    spread(&mut writer);
    let words = words_of(&writer);
    let image = Image::validate(&words).expect("a valid image");
    soundness::check(&image);
    assert_eq!(image.processors(), 2);
    assert_eq!([0, 1].map(|index| image.endpoint_home(index)), [0, 1]);
    assert_eq!([0, 1, 2].map(|index| image.notification_home(index)), [0, 0, 1]);
    assert_eq!([0, 1].map(|index| image.reply_home(index)), [0, 1]);
}

#[test]
fn a_notification_may_be_bound_from_elsewhere() {
    let mut writer = sample();
    spread(&mut writer);
    writer.caps[2].rights = Rights::RECEIVE;
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}

#[test]
fn a_reset_may_be_of_a_thread_elsewhere() {
    let mut writer = sample();
    spread(&mut writer);
    writer.services[1] = reset(1, 2, 0);
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}

#[test]
fn a_processor_may_have_no_threads() {
    let mut writer = sample();
    spread(&mut writer);
    writer.processors = 4;
    assert_eq!(judge(&words_of(&writer)), Ok(()));
}

#[test]
fn with_one_processor_everything_is_at_home() {
    let words = words_of(&sample());
    let image = Image::validate(&words).expect("a valid image");
    assert_eq!(image.homes().count(), 0);
    assert_eq!([image.endpoint_home(1), image.notification_home(2), image.reply_home(1)], [0; 3]);
}
