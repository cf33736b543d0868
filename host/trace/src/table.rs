//! The figures of a timeline as text.

use crate::figures::{Figures, Latency, LongWait, Path, Rest};
use crate::system::System;
use crate::timeline::{State, Timeline, Wait};
use crate::words::Words;

/// Widest bar of a histogram.
const BAR: usize = 40;

/// The figures, with a line end.
#[must_use]
pub fn text(timeline: &Timeline, system: &System) -> String {
    let (figures, words) = (Figures::new(timeline), Words(system));
    let parts = [
        head(timeline, &figures),
        usage(&figures, words),
        budgets(timeline, words),
        waits(&figures, words),
        latencies(&figures, words),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The notes on a recording: losses and oddities, a sentence each.
#[must_use]
pub fn notes(timeline: &Timeline) -> Vec<String> {
    let mut notes = Vec::new();
    for processor in &timeline.processors {
        let between: u64 = processor.losses.iter().map(|loss| loss.count).fold(0, u64::saturating_add);
        let outside = processor.lost_outside;
        let whose = match timeline.processors.len() {
            1 => String::new(),
            _ => format!(" of processor {}", processor.number),
        };
        if between > 0 || outside > 0 {
            notes.push(format!(
                "lost records{whose}: {between} between others, {outside} before the first or behind the last one"
            ));
        }
    }
    if !timeline.is_clock_known {
        notes.push("the frequency of the clock is unknown: one tick counts as one nanosecond".to_owned());
    }
    notes.extend(timeline.oddities.iter().map(|(count, oddity)| format!("{oddity}: {count}")));
    notes
}

fn head(timeline: &Timeline, figures: &Figures) -> String {
    let mut text = facts(timeline, figures) + "\n";
    notes(timeline).iter().for_each(|note| text += &format!("note: {note}\n"));
    text
}

/// The number of records and of processors, and the time.
pub(crate) fn facts(timeline: &Timeline, figures: &Figures) -> String {
    let processors = match timeline.processors.as_slice() {
        [processor] => format!("processor {}", processor.number),
        several => format!("{} processors", several.len()),
    };
    let (records, total) = (timeline.records, duration(figures.total));
    format!("{records} records of {processors} in {total}{}", step(timeline))
}

/// Says how coarse the clock is, if it counts in more than a nanosecond.
fn step(timeline: &Timeline) -> String {
    match timeline.clock.nanoseconds(1) {
        0 | 1 => String::new(),
        step => format!(", in steps of {}", duration(step)),
    }
}

fn usage(figures: &Figures, words: Words<'_>) -> String {
    let share = |time: u64| share(time, figures.total);
    let empty = || "-".to_owned();
    let mut rows =
        vec![["thread", "processor", "running", "share", "in the kernel", "slices"].map(str::to_owned)];
    rows.extend(figures.usage.iter().map(|usage| {
        [
            words.thread(Some(usage.thread), ""),
            usage.processor.to_string(),
            duration(usage.running),
            share(usage.running),
            duration(usage.kernel),
            usage.slices.to_string(),
        ]
    }));
    for (name, of) in REST {
        rows.extend(figures.rests.iter().filter(|rest| of(rest) > 0).map(|rest| {
            let (time, processor) = (of(rest), rest.processor.to_string());
            [format!("({name})"), processor, duration(time), share(time), empty(), empty()]
        }));
    }
    if figures.rests.len() > 1 {
        return aligned(&rows);
    }
    let without =
        |[thread, _, running, share, kernel, slices]: [String; 6]| [thread, running, share, kernel, slices];
    aligned(&rows.into_iter().map(without).collect::<Vec<_>>())
}

/// A part of a processor's time that no thread used: its name, and how long it is.
type Part = (&'static str, fn(&Rest) -> u64);

/// The parts.
pub(crate) const REST: [Part; 2] = [("idle", |rest| rest.idle), ("unknown", |rest| rest.unknown)];

/// A part of the recorded time.
pub(crate) fn share(time: u64, total: u64) -> String {
    format!("{:.1} %", time as f64 * 100.0 / total.max(1) as f64)
}

/// How much of each limited budget was left at most, and how often nothing was.
fn budgets(timeline: &Timeline, words: Words<'_>) -> String {
    let used = timeline.threads.iter().filter_map(|(number, thread)| {
        let most = thread.budget.iter().map(|(_, left)| *left).max()?;
        let zeros = thread.budget.iter().filter(|(_, left)| *left == 0).count();
        let name = words.thread(Some(*number), "");
        Some([name, duration(timeline.clock.nanoseconds(most)), zeros.to_string()])
    });
    let used: Vec<_> = used.collect();
    if used.is_empty() {
        return String::new();
    }
    let head = ["limited budget", "most left", "used up"].map(str::to_owned);
    aligned(&[vec![head], used].concat())
}

fn waits(figures: &Figures, words: Words<'_>) -> String {
    if figures.waits.is_empty() {
        return String::new();
    }
    let mut rows = vec![["longest waits", "for", "from", "duration"].map(str::to_owned)];
    rows.extend(figures.waits.iter().map(|wait| {
        let open = if wait.is_open { " and longer" } else { "" };
        let thread = words.thread(Some(wait.thread), "");
        [thread, awaited(words, wait), at(wait.start), duration(wait.duration) + open]
    }));
    aligned(&rows)
}

/// The thing that a thread waits for.
pub(crate) fn awaited(words: Words<'_>, wait: &LongWait) -> String {
    match wait.state {
        State::Waiting(Wait::FaultHandler(_)) => "its fault handler".to_owned(),
        State::Waiting(wait) => words.wait(wait),
        State::Ready | State::Running => "the processor".to_owned(),
    }
}

fn latencies(figures: &Figures, words: Words<'_>) -> String {
    let blocks = figures.latencies.iter().map(|latency| {
        format!("{}: {}\n{}", path(words, latency.path), summary(latency), histogram(latency))
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// The name of a path.
pub(crate) fn path(words: Words<'_>, path: Path) -> String {
    let thread = |thread| words.thread(Some(thread), "");
    match path {
        Path::Call(from, to) => format!("{} calls {}, until the reply", thread(from), thread(to)),
        Path::Signal(from, to) => {
            format!("{} signals {}, until it runs", words.thread(from, "?"), thread(to))
        }
        Path::Interrupt(line, to) => format!("{}, until {} runs", words.0.interrupt(line), thread(to)),
    }
}

/// Number and spread of the times.
pub(crate) fn summary(latency: &Latency) -> String {
    let [least, median, most] = [0, 50, 100].map(|percent| duration(latency.percentile(percent)));
    match latency.times.len() {
        1 => format!("once, {least}"),
        count => {
            let high = duration(latency.percentile(99));
            format!("{count} times, {least} to {most}, median {median}, 99 % within {high}")
        }
    }
}

fn histogram(latency: &Latency) -> String {
    let rows = latency.histogram();
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1);
    if latency.times.len() == 1 {
        return String::new();
    }
    let rows = rows.into_iter().map(|(from, count)| {
        let bar = "#".repeat((count * BAR).div_ceil(most));
        let bounds = format!("{} to {}", duration(from), duration(from.max(1).saturating_mul(2)));
        format!("  {bounds:>22}  {count:>8}  {bar}\n")
    });
    rows.collect()
}

/// A time since the first record.
pub(crate) fn at(nanoseconds: u64) -> String {
    format!("{}.{:03} us", nanoseconds / 1000, nanoseconds % 1000)
}

/// A duration with three or four digits.
pub(crate) fn duration(nanoseconds: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "us")];
    match units.iter().find(|(unit, _)| nanoseconds >= *unit) {
        None => format!("{nanoseconds} ns"),
        Some((unit, name)) => {
            let value = nanoseconds as f64 / *unit as f64;
            let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
            format!("{value:.digits$} {name}")
        }
    }
}

/// Columns; the first two are names if the second heading says so, and the others are numbers.
fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let is_name = |column| column == 0 || rows.first().is_some_and(|head| column == 1 && head[1] == "for");
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().enumerate().map(|(column, text)| match widths[column] {
            width if is_name(column) => format!("{text:width$}"),
            width => format!("{text:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        let texts = [0, 999, 1000, 12_340, 123_456, 1_500_000, 2_000_000_000].map(duration);
        assert_eq!(texts, ["0 ns", "999 ns", "1.00 us", "12.3 us", "123 us", "1.50 ms", "2.00 s"]);
        assert_eq!(at(1_234_005), "1234.005 us");
    }
}
