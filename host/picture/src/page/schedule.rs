//! The schedules of domains as strips, in proportion to time.

use limen_builder::Report;
use limen_builder::report::{ProtectionDomain, Slot};
use limen_page::{escaped, line};

use super::list;

fn sign(unit: &str) -> &str {
    if unit == "us" { "\u{b5}s" } else { unit }
}

fn duration(slot: &Slot) -> String {
    format!("{}\u{a0}{}", slot.amount, sign(slot.unit))
}

pub(super) fn schedule(report: &Report) -> String {
    let Some(domains) = &report.domains else { return String::new() };
    let mut names = Names(Vec::new());
    // The drawing numbers domains by their first program; the strip has the same colours.
    for name in report.protection_domains.iter().filter_map(|program| program.domain.as_deref()) {
        names.hue(name);
    }
    let mut page = strip(report, None, &domains.schedule.schedule, &mut names);
    for other in &domains.others {
        page += &format!("<h3>Processor {}</h3>\n", other.cpu);
        page += &strip(report, Some(other.cpu), &other.schedule.schedule, &mut names);
    }
    page
}

/// Domains in the order of their colours.
struct Names<'a>(Vec<&'a str>);

impl<'a> Names<'a> {
    fn hue(&mut self, name: &'a str) -> usize {
        self.0.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        }) % 16
    }
}

/// A schedule: that of a processor, or of all that have none of their own.
fn strip<'a>(report: &'a Report, cpu: Option<u8>, schedule: &'a [Slot], names: &mut Names<'a>) -> String {
    let slots: Vec<_> = schedule.iter().filter(|slot| slot.repeats).collect();
    let unit = slots.first().map_or("", |slot| slot.unit);
    let same_unit = slots.iter().all(|slot| slot.unit == unit);
    let share = |slot: &Slot| if same_unit { slot.amount } else { 1 };
    let whole: u64 = slots.iter().map(|slot| share(slot)).sum::<u64>().max(1);
    let others: Vec<u8> = report.domains.iter().flat_map(|it| &it.others).map(|other| other.cpu).collect();
    let follows = |program: &ProtectionDomain| match cpu {
        Some(cpu) => program.cpu.unwrap_or_default() == cpu,
        None => !others.contains(&program.cpu.unwrap_or_default()),
    };
    let mut strip = String::new();
    let mut rows = Vec::new();
    for slot in &slots {
        let name = slot.domain.as_deref().unwrap_or_default();
        let (hue, percent) = (names.hue(name), share(slot) as f64 * 100.0 / whole as f64);
        let title = format!("{} for {}", escaped(name), duration(slot));
        strip += &format!(
            "<i class=\"hue{hue}\" style=\"flex:{percent:.3}\" title=\"{title}\">{}</i>",
            escaped(name)
        );
        let programs = report.protection_domains.iter().filter(|program| follows(program));
        let programs = programs.filter(|program| program.domain.as_deref() == Some(name));
        let programs: Vec<_> = programs.map(|program| escaped(&program.name)).collect();
        let part = if same_unit { format!("{percent:.1}\u{a0}%") } else { String::new() };
        let swatch = format!("<i class=\"swatch hue{hue}\"></i>{}", escaped(name));
        rows.push(line(&swatch, [slot.index.to_string(), duration(slot), part, programs.join(", ")]));
    }
    let note = if same_unit {
        let (total, unit) = (slots.iter().map(|slot| slot.amount).sum::<u64>(), sign(unit));
        format!(
            "<p>In each slot, only the programs of its domain run. The strip repeats every {total} {unit}.</p>\n"
        )
    } else {
        "<p class=\"note\">Slots in microseconds and in ticks: the strip is not in proportion.</p>\n"
            .to_owned()
    };
    let rest = schedule.len() - slots.len();
    let rest = match rest {
        0 => String::new(),
        _ => format!(
            "<p class=\"note\">{rest} further entries are before the start or after the end of the part that repeats.</p>\n"
        ),
    };
    format!(
        "{note}<div class=\"strip\">{strip}</div>\n{}{rest}",
        list(&["Domain", "Entry", "Slot", "Part", "Programs"], &rows)
    )
}
