//! Counts tests, reports each when it ends and the failures once more at the end, and keeps the record of the run.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Outcome};
use crate::shell::progress;
use crate::test::record::{Entry, Phase, Record, in_milliseconds};
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

/// How many of the slowest tests are shown, when there are more.
const SLOWEST: usize = 10;

/// The results of a run.
pub struct Tally {
    begun: Instant,
    building_sdk: Duration,
    entries: Vec<Entry>,
    /// The name of each test that failed, and what it reported when it first did.
    failures: Vec<(String, Vec<String>)>,
}

/// The properties of a run on which its end depends.
#[derive(Debug, Default)]
pub struct Terms {
    /// The tests of which the run executes only a part.
    pub partly: Vec<String>,
    /// Failures of earlier runs that no test has any more.
    pub gone: BTreeSet<String>,
    /// Whether each test runs several times.
    pub repeats: bool,
}

impl Tally {
    /// Begins a run.
    pub fn begin() -> Self {
        Self {
            begun: Instant::now(),
            building_sdk: Duration::ZERO,
            entries: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Adds the time that the SDK took to build.
    pub fn built_sdk(&mut self, time: Duration) {
        self.building_sdk += time;
    }

    /// Adds a test that began at this time and has ended.
    pub fn add(&mut self, name: &str, phase: Phase, begun: Instant, verdict: &Verdict) {
        self.add_built(name, phase, begun, Duration::ZERO, verdict);
    }

    /// The same for a test that built its system for a part of the time.
    pub fn add_built(
        &mut self,
        name: &str,
        phase: Phase,
        begun: Instant,
        building: Duration,
        verdict: &Verdict,
    ) {
        progress::clear();
        let (passed, failed) = (verdict.passed, verdict.complaints.len());
        let seconds = in_milliseconds(begun.elapsed().as_secs_f64());
        println!("{:6} {name}: {passed} passed, {failed} failed in {seconds:.1} s", word(failed));
        let building_seconds = in_milliseconds(building.as_secs_f64());
        self.entries.push(Entry { name: name.to_owned(), phase, passed, failed, seconds, building_seconds });
        for note in &verdict.notes {
            println!("       {note}");
        }
        show(&verdict.complaints);
        if failed > 0 && !self.has_failed(name) {
            self.failures.push((name.to_owned(), verdict.complaints.clone()));
        }
    }

    /// Whether no test has run.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a test with this name has failed.
    pub fn has_failed(&self, name: &str) -> bool {
        self.failures.iter().any(|(failure, _)| failure == name)
    }

    /// Writes the record and reports the results.
    ///
    /// # Errors
    /// When a test failed, or the record cannot be written.
    pub fn finish(self, workspace: &Workspace, terms: &Terms) -> Outcome {
        let count = self.entries.len();
        let mut record = Record::new(self.entries, self.begun.elapsed(), self.building_sdk);
        // A damaged record is replaced.
        let mut earlier = Record::read(workspace).ok().flatten().unwrap_or_default().failing;
        earlier.retain(|name| !terms.gone.contains(name));
        record.remember(&earlier, &terms.partly);
        let kept = record.write(workspace);
        if terms.repeats {
            print!("{}", counts(&record.entries));
        } else if count > SLOWEST {
            print!("{}", slowest(&record.entries));
        }
        if count > 0 {
            println!("{}", times(&record));
        }
        // The first report is far above, between others.
        for (name, complaints) in self.failures.iter().filter(|_| count > 1) {
            println!("FAILED {name}");
            show(complaints);
            println!("       to repeat it: {}", command(name));
        }
        let (passed, failed) = sums(&record.entries);
        println!("{passed} passed, {failed} failed");
        if failed == 0 { kept } else { Err(Failure::explained()) }
    }
}

fn word(failed: usize) -> &'static str {
    if failed == 0 { "ok" } else { "FAILED" }
}

fn sums(entries: &[Entry]) -> (usize, usize) {
    entries.iter().fold((0, 0), |(passed, failed), entry| (passed + entry.passed, failed + entry.failed))
}

/// The beginning of the name of a boot that is replayed.
pub const REPLAY_OF: &str = "replay of ";

/// The command that repeats a test alone.
fn command(name: &str) -> String {
    match name.strip_prefix(REPLAY_OF) {
        Some(system) => format!("./x test --replay '{system}'"),
        None => format!("./x test '{name}'"),
    }
}

/// The slowest tests.
fn slowest(entries: &[Entry]) -> String {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    let lines = sorted.iter().take(SLOWEST).map(|entry| format!("{:6.0} {}\n", entry.seconds, entry.name));
    format!("slowest of {}, in seconds:\n{}", entries.len(), lines.collect::<String>())
}

/// The time of each phase that took any.
fn times(record: &Record) -> String {
    let times = Phase::ALL.iter().filter_map(|(_, name)| Some((name, *record.phases.get(*name)?)));
    let times: Vec<_> =
        times.filter(|(_, time)| *time > 0.0).map(|(name, time)| format!("{name} {time:.0}")).collect();
    format!("seconds of all workers: {}; of the clock: {:.0}", times.join(", "), record.seconds)
}

/// How often each test passed and failed, in the order of their first runs.
fn counts(entries: &[Entry]) -> String {
    let mut counted: Vec<(&str, usize, usize)> = Vec::new();
    for entry in entries {
        let place = counted.iter().position(|(name, ..)| *name == entry.name);
        let place = place.unwrap_or_else(|| {
            counted.push((&entry.name, 0, 0));
            counted.len() - 1
        });
        let (_, passed, failed) = &mut counted[place];
        *if entry.failed == 0 { passed } else { failed } += 1;
    }
    let line = |(name, passed, failed): &(&str, usize, usize)| {
        format!("{:6} {name}: passed {passed} times, failed {failed} times\n", word(*failed))
    };
    counted.iter().map(line).collect()
}

/// Prints what a test reports.
fn show(complaints: &[String]) {
    for complaint in complaints {
        println!("       {}", complaint.replace('\n', "\n       "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, failed: usize, seconds: f64) -> Entry {
        let phase = Phase::HostTests;
        Entry { name: name.to_owned(), phase, passed: 2, failed, seconds, building_seconds: 0.0 }
    }

    #[test]
    fn repeated_tests_are_counted_by_name() {
        let entries = [entry("b", 0, 1.0), entry("a", 0, 1.0), entry("b", 3, 1.0), entry("b", 0, 1.0)];
        assert_eq!(
            counts(&entries),
            "FAILED b: passed 2 times, failed 1 times\nok     a: passed 1 times, failed 0 times\n"
        );
        assert_eq!(sums(&entries), (8, 3));
    }

    #[test]
    fn the_slowest_come_first() {
        let entries: Vec<_> =
            (0..12).map(|number| entry(&format!("n{number}"), 0, f64::from(number))).collect();
        let text = slowest(&entries);
        assert!(text.starts_with("slowest of 12, in seconds:\n    11 n11\n    10 n10\n"), "{text}");
        assert_eq!(text.lines().count(), 1 + SLOWEST);
    }

    #[test]
    fn phases_without_time_are_not_shown() {
        let record = Record::new(vec![entry("a", 0, 4.0)], Duration::from_secs(5), Duration::from_secs(1));
        assert_eq!(times(&record), "seconds of all workers: building 1, host tests 4; of the clock: 5");
    }

    #[test]
    fn a_replay_is_repeated_as_one() {
        assert_eq!(command("host"), "./x test 'host'");
        assert_eq!(
            command("replay of tests/calls on b (debug)"),
            "./x test --replay 'tests/calls on b (debug)'"
        );
    }
}
