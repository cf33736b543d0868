//! `domain_schedule`: the time slots of scheduling domains, on one processor or on all that have no schedule of their own.

use limen_abi::limits::{DOMAIN_SCHEDULE, MAX_DOMAIN_TICKS, MAX_PERIOD_US};

use crate::attribute::{Attributes, Reported, value_error};
use crate::code;
use crate::cpu;
use crate::diagnostic::{Diagnostic, Problems};
use crate::grammar;
use crate::meant;
use crate::model::{Domain, Duration, Schedule, ScheduleEntry};
use crate::target::Target;
use crate::unexpected;
use crate::xml::Element;

/// The limit in messages: entries of the kernel's schedule, including its implicit end marker.
const CONFIGURED: usize = DOMAIN_SCHEDULE + 1;

/// Reads a `domain_schedule` element and its processor, if it has one; `names` are the declared domains.
pub(crate) fn read(
    element: Element,
    names: &[Domain],
    target: &Target,
    problems: &mut Problems,
) -> Result<(Option<u8>, Schedule), Reported> {
    let mut attributes = Attributes::read(element, grammar::DOMAIN_SCHEDULE.attributes(), problems);
    let cpu = cpu::read(code::DOMAIN_SCHEDULE_CPU, target, &mut attributes);
    let start_index = attributes.number_or("start_index", 0);
    let index_shift = attributes.number_or("index_shift", 0);
    let entries: Result<Vec<_>, Reported> =
        element.children().map(|child| read_entry(child, names, problems)).collect();
    let (entries, start_index, index_shift) = (entries?, start_index?, index_shift?);
    check_length(element, entries.len(), problems)?;
    let start_index = check_start(element, start_index, &entries, problems)?;
    let index_shift = check_shift(element, index_shift, start_index, entries.len(), problems)?;
    Ok((cpu?, Schedule { entries, start_index, index_shift }))
}

fn read_entry(
    element: Element,
    names: &[Domain],
    problems: &mut Problems,
) -> Result<ScheduleEntry, Reported> {
    match element.name() {
        "schedule_entry" => read_slot(element, names, problems),
        "schedule_end_marker" => {
            Attributes::read(element, grammar::SCHEDULE_END_MARKER.attributes(), problems);
            unexpected::children(element, problems);
            Ok(ScheduleEntry::EndMarker)
        }
        _ => {
            problems.push(unexpected::unknown_child(
                &element,
                "domain_schedule",
                &grammar::DOMAIN_SCHEDULE.child_names(),
            ));
            Err(Reported)
        }
    }
}

fn read_slot(element: Element, names: &[Domain], problems: &mut Problems) -> Result<ScheduleEntry, Reported> {
    let mut attributes = Attributes::read(element, grammar::SCHEDULE_ENTRY.attributes(), problems);
    let domain = attributes.required("domain").and_then(|name| find(name, names, &mut attributes));
    let duration = attributes.required("duration").and_then(|text| read_duration(text, &mut attributes));
    unexpected::children(element, problems);
    Ok(ScheduleEntry::Slot(domain?, duration?))
}

fn find(name: &str, names: &[Domain], attributes: &mut Attributes) -> Result<u8, Reported> {
    names.iter().find(|domain| domain.name == name).map(|domain| domain.id).ok_or_else(|| {
        let known: Vec<_> = names.iter().map(|domain| domain.name.as_str()).collect();
        let rule = format!("Declare it: <domain name=\"{name}\"/>. Declared domains");
        let help = meant::help(attributes.problems(), &rule, name, known);
        let text = format!("domain '{name}' does not exist,");
        attributes.value_error(code::SCHEDULE_ENTRY_DOMAIN, "domain", &text, help)
    })
}

fn read_duration(text: &str, attributes: &mut Attributes) -> Result<Duration, Reported> {
    let Some((number, unit)) = text.split_once(' ') else {
        return Err(refuse(text, "contain a value and a unit, e.g. '1000 us'", attributes));
    };
    let number = attributes.parse_number("duration", number)?;
    let (limit, duration) = match unit {
        "us" => (MAX_PERIOD_US, Duration::Us(number)),
        "ticks" => (MAX_DOMAIN_TICKS, Duration::Ticks(number)),
        _ => return Err(refuse(text, "be in either 'ticks' or 'us'", attributes)),
    };
    match number {
        0 => Err(refuse(text, "be non-zero", attributes)),
        _ if number > limit => Err(refuse(text, "be shorter", attributes)),
        _ => Ok(duration),
    }
}

fn refuse(text: &str, rule: &str, attributes: &mut Attributes) -> Reported {
    let message = format!("The duration '{text}' must {rule}");
    let help = format!(
        "A slot is at most {MAX_PERIOD_US} us (one hour) or {MAX_DOMAIN_TICKS} ticks of the kernel's timer."
    );
    attributes.value_error(code::SCHEDULE_ENTRY_DURATION, "duration", &message, help)
}

fn check_length(element: Element, length: usize, problems: &mut Problems) -> Result<(), Reported> {
    if length < CONFIGURED {
        return Ok(());
    }
    let span = element.span();
    let message = format!(
        "More than configured KernelNumDomainSchedules {CONFIGURED} number of <schedule_entry> elements found: {span}"
    );
    let help = format!("A schedule has at most {DOMAIN_SCHEDULE} entries, end markers included.");
    problems.push(Diagnostic::new(code::DOMAIN_SCHEDULE_LENGTH, &span, message, help));
    Err(Reported)
}

fn check_start(
    element: Element,
    start: u64,
    schedule: &[ScheduleEntry],
    problems: &mut Problems,
) -> Result<usize, Reported> {
    let index = usize::try_from(start).unwrap_or(usize::MAX);
    let (text, help) = match schedule.get(index) {
        Some(ScheduleEntry::Slot(..)) => return Ok(index),
        Some(ScheduleEntry::EndMarker) => (
            format!("schedule_start_index '{start}' is that of an end marker"),
            "start_index must be the index of a <schedule_entry>, counted from 0.",
        ),
        None => (
            format!(
                "schedule_start_index '{start}' is greater than the length of the schedule '{}'",
                schedule.len()
            ),
            "start_index counts from 0 and must be less than the number of entries; add an entry if none exists.",
        ),
    };
    problems.push(value_error(code::DOMAIN_SCHEDULE_START, &element, &text, help));
    Err(Reported)
}

/// The known message names the start index instead of the shift, so the help line names the shift.
fn check_shift(
    element: Element,
    shift: u64,
    start: usize,
    length: usize,
    problems: &mut Problems,
) -> Result<usize, Reported> {
    match usize::try_from(shift) {
        Ok(index) if index.saturating_add(length) < CONFIGURED => Ok(index),
        _ => {
            let text = format!(
                "schedule_index_shift '{start}' on top of the schedule length '{length}' would exceed than the \
                 configured KernelNumDomainSchedules {CONFIGURED}"
            );
            let help = format!("index_shift is {shift}; it can be at most {}.", DOMAIN_SCHEDULE - length);
            problems.push(value_error(code::DOMAIN_SCHEDULE_SHIFT, &element, &text, help));
            Err(Reported)
        }
    }
}
