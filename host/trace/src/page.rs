//! A page with the timeline: one HTML file without external resources.
//!
//! A script draws the timeline from data in the page. The tables are markup, for readers without scripts and for paper.

use std::collections::HashMap;

use limen_abi::TraceKind;
use limen_page::{escaped, headings, line, table};
use serde::Serialize;

use crate::figures::{Figures, Latency};
use crate::system::System;
use crate::table::{REST, at, awaited, duration, facts, notes, path, share, summary};
use crate::timeline::{Cause, Mark, Slice, State, Thread, Timeline, Track, What};
use crate::words::Words;

const STYLE: &str = include_str!("../data/timeline.css");
const SCRIPT: &str = include_str!("../data/timeline.js");

/// Most slices, marks and values in a page; the Perfetto file has all of them.
const MOST_ITEMS: usize = 200_000;
/// Largest integer in the script's numbers.
const LARGEST: u64 = (1 << 53) - 1;

/// The page of a timeline; `title` is the name of the system.
#[must_use]
pub fn page(timeline: &Timeline, system: &System, title: &str) -> String {
    let (figures, words) = (Figures::new(timeline), Words(system));
    let from = start(timeline);
    let data = Collector::new(timeline, words, from).data();
    let mut remarks = notes(timeline);
    if from > timeline.range[0] {
        let time = duration(timeline.clock.since_start(from));
        remarks.push(format!("the timeline leaves out the first {time}; the Perfetto file has everything"));
    }
    let remarks: String =
        remarks.iter().map(|remark| format!("<p class=\"note\">{}</p>\n", escaped(remark))).collect();
    let sections = [
        ("timeline", "Timeline", view(&data)),
        ("threads", "Processor time", usage(&figures, words)),
        ("waits", "Longest waits", waits(&figures, words)),
        ("latencies", "Latencies", latencies(&figures, words)),
    ];
    let used: Vec<_> = sections.iter().filter(|(.., contents)| !contents.is_empty()).collect();
    let links: String = used.iter().map(|(id, name, _)| format!("<a href=\"#{id}\">{name}</a>\n")).collect();
    let contents: String = used
        .iter()
        .map(|(id, name, contents)| format!("<section id=\"{id}\">\n<h2>{name}</h2>\n{contents}</section>\n"))
        .collect();
    let body = format!(
        "<h1>{}</h1>\n<p class=\"facts\">{}</p>\n{remarks}<nav>\n{links}</nav>\n{contents}\
         <script>\n//<![CDATA[\n{SCRIPT}//]]>\n</script>\n",
        escaped(title),
        facts(timeline, &figures)
    );
    limen_page::page(title, STYLE, &body)
}

/// The first time that is in the page, in ticks.
fn start(timeline: &Timeline) -> u64 {
    let tracks = timeline.processors.iter().flat_map(|processor| [&processor.whole, &processor.slots]);
    let tracks = tracks.chain(timeline.threads.values().flat_map(|thread| [&thread.track, &thread.program]));
    let mut ends: Vec<u64> = tracks
        .flat_map(|track| {
            let marks = track.marks.iter().map(|mark| mark.time);
            track.slices.iter().map(|slice| slice.end).chain(marks)
        })
        .chain(timeline.threads.values().flat_map(|thread| {
            thread.counters.values().chain([&thread.budget]).flatten().map(|value| value.0)
        }))
        .collect();
    let Some(position) = ends.len().checked_sub(MOST_ITEMS) else { return timeline.range[0] };
    *ends.select_nth_unstable(position).1
}

fn view(data: &Data) -> String {
    let buttons = [
        ("in", "+", "zoom in"),
        ("out", "\u{2212}", "zoom out"),
        ("left", "\u{2190}", "earlier"),
        ("right", "\u{2192}", "later"),
        ("all", "all", "the whole timeline"),
        ("previous", "previous", "the slice before"),
        ("next", "next", "the slice after"),
        ("selection", "fit", "zoom to the selected slice"),
    ];
    let buttons: String = buttons
        .iter()
        .map(|(value, text, title)| {
            format!("<button type=\"button\" value=\"{value}\" title=\"{title}\">{text}</button>\n")
        })
        .collect();
    let key = [
        ("running", "runs"),
        ("ready", "ready, waits for the processor"),
        ("waiting", "waits"),
        ("kernel", "in the kernel"),
        ("work", "work of a service"),
        ("lost", "lost records"),
    ];
    let key: String =
        key.iter().map(|(class, text)| format!("<span><i class=\"{class}\"></i>{text}</span>\n")).collect();
    // The type cannot fail to become JSON. Without these characters, it is the same in XML and in HTML.
    let json = serde_json::to_string(data).unwrap_or_default();
    let json = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    format!(
        "<div class=\"controls\">\n{buttons}<label><input type=\"checkbox\" id=\"arrows\" checked=\"checked\"/> arrows</label>\n\
         <small>Drag to move; pinch, or Ctrl and the wheel, to zoom; keys: arrows, + and \u{2212}, 0 for all, n and p for the \
         next and previous slice, f to fit.</small></div>\n\
         <div id=\"view\"><canvas tabindex=\"0\" role=\"img\" aria-label=\"Timeline of threads\" aria-describedby=\"details\"></canvas></div>\n\
         <noscript><p class=\"note\">The timeline needs scripts; the tables below do not.</p></noscript>\n\
         <p id=\"details\" aria-live=\"polite\">Point at a slice, or tap it, for its name and times.</p>\n\
         <p class=\"legend\">\n{key}</p>\n<script type=\"application/json\" id=\"data\">{json}</script>\n"
    )
}

fn usage(figures: &Figures, words: Words<'_>) -> String {
    let share = |time: u64| share(time, figures.total);
    let is_one = figures.rests.len() == 1;
    let processor = |number: u64| if is_one { Vec::new() } else { vec![number.to_string()] };
    let row = |name: &str, number: u64, cells: Vec<String>| line(name, [processor(number), cells].concat());
    let threads = figures.usage.iter().map(|usage| {
        let name = escaped(&words.thread(Some(usage.thread), ""));
        let cells =
            [duration(usage.running), share(usage.running), duration(usage.kernel), usage.slices.to_string()];
        row(&name, usage.processor, cells.to_vec())
    });
    let rests = REST
        .iter()
        .flat_map(|(name, of)| figures.rests.iter().map(move |rest| (name, rest.processor, of(rest))));
    let rests = rests.filter(|(.., time)| *time > 0).map(|(name, processor, time)| {
        let name = format!("<em class=\"none\">{name}</em>");
        row(&name, processor, vec![duration(time), share(time), String::new(), String::new()])
    });
    let rows: String = threads.chain(rests).collect();
    let names = ["thread", "processor", "running", "share", "in the kernel", "slices"];
    let names: Vec<_> = names.into_iter().filter(|name| !is_one || *name != "processor").collect();
    table("", &headings(names), &rows)
}

fn waits(figures: &Figures, words: Words<'_>) -> String {
    if figures.waits.is_empty() {
        return String::new();
    }
    let rows: String = figures
        .waits
        .iter()
        .map(|wait| {
            let open = if wait.is_open { " and longer" } else { "" };
            let cells = [escaped(&awaited(words, wait)), at(wait.start), duration(wait.duration) + open];
            line(&escaped(&words.thread(Some(wait.thread), "")), cells)
        })
        .collect();
    table("", &headings(["thread", "waits for", "from", "duration"]), &rows)
}

fn latencies(figures: &Figures, words: Words<'_>) -> String {
    let figure = |latency: &Latency| {
        let name = escaped(&path(words, latency.path));
        format!("<figure><h3>{name}</h3>\n<p>{}</p>\n{}</figure>\n", summary(latency), histogram(latency))
    };
    let figures: String = figures.latencies.iter().map(figure).collect();
    if figures.is_empty() { figures } else { format!("<div class=\"paths\">\n{figures}</div>\n") }
}

fn histogram(latency: &Latency) -> String {
    let rows = latency.histogram();
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1);
    if latency.times.len() == 1 {
        return String::new();
    }
    let rows: String = rows
        .into_iter()
        .map(|(from, count)| {
            let width = count * 1000 / most;
            format!(
                "<tr><td>from {}</td><td>{count}</td><td><svg class=\"bar\" viewBox=\"0 0 1000 10\" \
                 preserveAspectRatio=\"none\"><rect width=\"{width}\" height=\"10\"/></svg></td></tr>\n",
                duration(from)
            )
        })
        .collect();
    format!("<table>\n<tbody>\n{rows}</tbody>\n</table>\n")
}

/// The data of the script.
#[derive(Debug, Serialize)]
struct Data {
    first: u64,
    total: u64,
    /// The part that the script shows first: start and end.
    shown: [u64; 2],
    names: Vec<String>,
    lanes: Vec<Lane>,
    /// Five numbers each: lane and time of the start, the same of the end, and the cause.
    flows: Vec<u64>,
    /// Five numbers each: start, end and count, and the first and the last lane of the processor.
    losses: Vec<u64>,
}

/// A row of the timeline.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Lane {
    name: String,
    owner: String,
    kind: &'static str,
    /// Whether the next lane is another thread's.
    is_last: bool,
    /// Six numbers each: start, duration, depth, kind, name and details.
    slices: Vec<u64>,
    /// Four numbers each: time, tone, name and details.
    marks: Vec<u64>,
    /// Two numbers each: time and value.
    values: Vec<i64>,
}

struct Collector<'t> {
    timeline: &'t Timeline,
    words: Words<'t>,
    /// The first time to collect.
    from: u64,
    names: Vec<String>,
    known: HashMap<String, u64>,
    lanes: Vec<Lane>,
}

impl<'t> Collector<'t> {
    fn new(timeline: &'t Timeline, words: Words<'t>, from: u64) -> Self {
        Self { timeline, words, from, names: Vec::new(), known: HashMap::new(), lanes: Vec::new() }
    }

    fn data(mut self) -> Data {
        let timeline = self.timeline;
        let (mut lane_of, mut lanes_of) = (HashMap::new(), Vec::new());
        let several = timeline.processors.len() > 1;
        for (position, processor) in timeline.processors.iter().enumerate() {
            let start = self.lanes.len() as u64;
            self.lane(format!("processor {}", processor.number), "whole", None, &processor.whole);
            if !processor.slots.slices.is_empty() {
                let name =
                    if several { format!("domains {}", processor.number) } else { "domains".to_owned() };
                self.lane(name, "slots", None, &processor.slots);
            }
            self.end_group();
            for (number, thread) in timeline.threads.iter().filter(|(_, thread)| thread.processor == position)
            {
                lane_of.insert(*number, self.lanes.len() as u64);
                self.thread(*number, thread);
            }
            lanes_of.push([start, self.lanes.len() as u64 - 1]);
        }
        let whole_of = |thread| {
            let home = timeline.threads.get(thread).map_or(0, |thread| thread.processor);
            lanes_of.get(home).map(|[whole, _]| whole)
        };
        let mut flows = Vec::new();
        for flow in &timeline.flows {
            let from = flow.from.map_or_else(|| whole_of(&flow.to), |from| lane_of.get(&from));
            if let (Some(from), Some(to), Some(end)) = (from, lane_of.get(&flow.to), flow.end)
                && end >= self.from
            {
                let cause = self.name(cause(flow.cause).to_owned());
                flows.extend([*from, self.time(flow.start), *to, self.time(end), cause]);
            }
        }
        let losses = timeline.processors.iter().zip(&lanes_of);
        let losses =
            losses.flat_map(|(processor, lanes)| processor.losses.iter().map(move |loss| (loss, *lanes)));
        let losses = losses.flat_map(|(loss, [first, last])| {
            let [start, end] = loss.range.map(|time| self.time(time));
            [start, end, loss.count.min(LARGEST), first, last]
        });
        let runs = timeline.processors.iter().flat_map(|processor| &processor.whole.slices);
        let runs = runs.filter(|slice| matches!(slice.what, What::Run(Some(_))) && slice.end >= self.from);
        let mut runs: Vec<_> = runs.map(|slice| [self.time(slice.start), self.time(slice.end)]).collect();
        runs.sort_unstable();
        if several {
            runs = united(&runs);
        }
        let (first, total) = (self.time(self.from), self.time(self.timeline.range[1]));
        Data {
            first,
            total,
            shown: busiest(&runs, [first, total]),
            losses: losses.collect(),
            names: self.names,
            lanes: self.lanes,
            flows,
        }
    }

    fn thread(&mut self, number: u16, thread: &Thread) {
        let name = self.words.thread(Some(number), "");
        self.lane(name.clone(), "thread", Some(number), &thread.track);
        if !thread.program.slices.is_empty() || !thread.program.marks.is_empty() {
            self.lane("program".to_owned(), "program", Some(number), &thread.program);
        }
        for (offset, values) in &thread.counters {
            self.counter(self.words.0.event(Some(number), *offset), &name, values, |value| value as i64);
        }
        if !thread.budget.is_empty() {
            let clock = self.timeline.clock;
            self.counter("budget left, ns".to_owned(), &name, &thread.budget, |left| {
                clock.nanoseconds(left) as i64
            });
        }
        self.end_group();
    }

    fn counter(&mut self, name: String, owner: &str, values: &[(u64, u64)], number: impl Fn(u64) -> i64) {
        let limit = LARGEST as i64;
        let values = values.iter().filter(|(time, _)| *time >= self.from);
        let values =
            values.flat_map(|(time, value)| [self.time(*time) as i64, number(*value).clamp(-limit, limit)]);
        let values = values.collect();
        self.lanes.push(Lane { name, owner: owner.to_owned(), kind: "counter", values, ..Lane::default() });
    }

    fn end_group(&mut self) {
        if let Some(lane) = self.lanes.last_mut() {
            lane.is_last = true;
        }
    }

    fn lane(&mut self, name: String, kind: &'static str, thread: Option<u16>, track: &Track) {
        let owner = self.words.thread(thread, "");
        let mut slices: Vec<_> = track.slices.iter().filter(|slice| slice.end >= self.from).collect();
        slices.sort_unstable_by_key(|slice| slice.order[0]);
        let slices = slices.into_iter().flat_map(|slice| self.slice(thread, slice)).collect();
        let from = self.from;
        let marks = track.marks.iter().filter(|mark| mark.time >= from);
        let marks = marks.flat_map(|mark| self.mark(mark)).collect();
        self.lanes.push(Lane { name, owner, kind, slices, marks, ..Lane::default() });
    }

    fn slice(&mut self, thread: Option<u16>, slice: &Slice) -> [u64; 6] {
        let kind = match slice.what {
            What::State(State::Running) => 0,
            What::State(State::Ready) => 1,
            What::State(State::Waiting(_)) => 2,
            What::Kernel(..) => 3,
            What::Work(_) => 4,
            What::Span(..) => 5,
            What::Run(Some(_)) => 6,
            What::Run(None) => 7,
            What::Slot(_) => 8,
        };
        let name = self.name(self.words.slice(thread, slice.what));
        let details = self.details(Words::details_of(slice.what));
        let start = self.time(slice.start);
        [start, self.time(slice.end) - start, slice.depth as u64, kind, name, details]
    }

    fn mark(&mut self, mark: &Mark) -> [u64; 4] {
        let tone = u64::from(mark.record.kind() == Some(TraceKind::Fault));
        let name = self.name(self.words.mark(mark));
        [self.time(mark.time), tone, name, self.details(Words::details(mark))]
    }

    fn details(&mut self, details: Vec<(&str, u64)>) -> u64 {
        let text = |(name, value): &(&str, u64)| match *name {
            "address" | "program_counter" | "badge" => format!("{} {value:#x}", name.replace('_', " ")),
            _ => format!("{} {value}", name.replace('_', " ")),
        };
        self.name(details.iter().map(text).collect::<Vec<_>>().join(", "))
    }

    fn time(&self, time: u64) -> u64 {
        self.timeline.clock.since_start(time).min(LARGEST)
    }

    /// The position of a name in the list.
    fn name(&mut self, name: String) -> u64 {
        let next = self.names.len() as u64;
        match self.known.get(&name) {
            Some(known) => *known,
            None => {
                self.known.insert(name.clone(), next);
                self.names.push(name);
                next
            }
        }
    }
}

/// The part of `whole` in which programs run: without idle time at its ends and, while most of it is idle, divided at idle
/// times of more than a twentieth. Of several parts it is the one with the most runs, or the first of these. `runs` are in
/// order.
fn busiest(mut runs: &[[u64; 2]], whole: [u64; 2]) -> [u64; 2] {
    let part = loop {
        let (Some([start, _]), Some([_, end])) = (runs.first(), runs.last()) else { return whole };
        let part = [*start, (*end).max(*start)];
        let length = part[1] - part[0];
        let busy: u64 = runs.iter().map(|[start, end]| end.saturating_sub(*start)).sum();
        let parts = runs.chunk_by(|one, next| next[0].saturating_sub(one[1]) <= length / 20);
        let most = parts.rev().max_by_key(|runs| runs.len()).filter(|most| most.len() < runs.len());
        match most {
            Some(most) if busy < length / 2 => runs = most,
            _ => break part,
        }
    };
    let margin = (part[1] - part[0]) / 20;
    [part[0].saturating_sub(margin).max(whole[0]), part[1].saturating_add(margin).min(whole[1])]
}

/// Runs of several processors, which are in the order of their starts, without overlaps.
fn united(runs: &[[u64; 2]]) -> Vec<[u64; 2]> {
    let mut united: Vec<[u64; 2]> = Vec::new();
    for [start, end] in runs {
        match united.last_mut().filter(|last| last[1] > *start) {
            Some(last) => last[1] = last[1].max(*end),
            None => united.push([*start, *end]),
        }
    }
    united
}

/// Name of an arrow.
fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Call => "call",
        Cause::Reply => "reply",
        Cause::Signal => "signal",
        Cause::Wake => "wake",
        Cause::Interrupt(_) => "interrupt",
    }
}

#[cfg(test)]
mod tests {
    use super::busiest;

    #[test]
    fn idle_time_around_the_runs_is_left_out() {
        assert_eq!(busiest(&[[100, 150], [160, 300]], [0, 10_000]), [90, 310]);
        assert_eq!(busiest(&[[0, 9000], [9500, 10_000]], [0, 10_000]), [0, 10_000]);
    }

    #[test]
    fn of_several_parts_the_one_with_the_most_runs_is_shown() {
        let runs = [[0, 10], [5000, 5010], [5020, 5030], [5035, 5050], [9000, 9010], [9020, 9030]];
        assert_eq!(busiest(&runs, [0, 10_000]), [4998, 5052]);
        assert_eq!(busiest(&[[0, 100], [8000, 8100]], [0, 10_000]), [0, 105]);
    }

    #[test]
    fn a_part_is_divided_until_it_is_busy() {
        // 20 runs at the beginning of a second that has a run in each tenth.
        let mut runs: Vec<_> = (0..20).map(|at| [at * 100, at * 100 + 50]).collect();
        runs.extend((1..10).map(|at| [at * 100_000, at * 100_000 + 50]));
        assert_eq!(busiest(&runs, [0, 1_000_000]), [0, 1950 + 97]);
    }

    #[test]
    fn regular_runs_are_all_shown() {
        let runs: Vec<_> = (0..100).map(|at| [at * 100, at * 100 + 1]).collect();
        assert_eq!(busiest(&runs, [0, 10_000]), [0, 10_000]);
        assert_eq!(busiest(&[], [3, 10_000]), [3, 10_000]);
    }
}
