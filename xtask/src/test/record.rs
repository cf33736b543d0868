//! `build/test.json`: what the last `./x test` ran, how long it took, and every test whose latest run failed.
//!
//! A run replaces the entries and times. It updates the list of failures only for the tests that it ran, so a run with a
//! filter forgets no other failure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::failure::{Context, Failure, Outcome};
use crate::shell::files;
use crate::workspace::Workspace;

/// The file, below the repository.
pub const FILE: &str = "build/test.json";

/// A part of the work of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// Building the SDK and systems.
    #[serde(rename = "building")]
    Building,
    /// Running systems in the emulator.
    #[serde(rename = "emulation")]
    Emulation,
    /// Building and running tests on this machine.
    #[serde(rename = "host tests")]
    HostTests,
    /// Testing the finished SDK, its tool and traces, with what these tests build and boot.
    #[serde(rename = "sdk tests")]
    SdkTests,
    /// Comparing figures with their records, with the systems that are built and run for it.
    #[serde(rename = "figures")]
    Figures,
}

impl Phase {
    /// Every phase and its name.
    pub const ALL: [(Self, &str); 5] = [
        (Self::Building, "building"),
        (Self::Emulation, "emulation"),
        (Self::HostTests, "host tests"),
        (Self::SdkTests, "sdk tests"),
        (Self::Figures, "figures"),
    ];
}

/// A test that ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, as in `host` or `tests/calls on qemu_virt_aarch64 (debug)`.
    pub name: String,
    /// The phase that all of its time belongs to, but for `building_seconds`.
    pub phase: Phase,
    /// Its tests that passed.
    pub passed: usize,
    /// Its tests that failed.
    pub failed: usize,
    /// Wall-clock time.
    pub seconds: f64,
    /// The part of it in which a system was built.
    pub building_seconds: f64,
}

/// The contents of the file.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Wall-clock time of the whole run.
    pub seconds: f64,
    /// The time of each phase by its name, summed over entries: those of systems run side by side.
    pub phases: BTreeMap<String, f64>,
    /// Every test that ran, in the order in which they ended.
    pub entries: Vec<Entry>,
    /// Every test whose latest run failed, of this run and earlier ones.
    pub failing: BTreeSet<String>,
}

impl Record {
    /// The record of a run that took this long, and another while to build the SDK.
    pub fn new(entries: Vec<Entry>, time: Duration, building_sdk: Duration) -> Self {
        let failing = entries.iter().filter(|entry| entry.failed > 0).map(|entry| entry.name.clone());
        let failing = failing.collect();
        let time_of = |phase| {
            let rest = entries.iter().filter(|entry| entry.phase == phase);
            let rest: f64 = rest.map(|entry| entry.seconds - entry.building_seconds).sum();
            let building =
                building_sdk.as_secs_f64() + entries.iter().map(|entry| entry.building_seconds).sum::<f64>();
            rest + if phase == Phase::Building { building } else { 0.0 }
        };
        let phases = Phase::ALL.map(|(phase, name)| (name.to_owned(), in_milliseconds(time_of(phase))));
        Self { seconds: in_milliseconds(time.as_secs_f64()), phases: phases.into(), entries, failing }
    }

    /// Reads the record of the last run; `None` if there is none.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a record.
    pub fn read(workspace: &Workspace) -> Outcome<Option<Self>> {
        let file = workspace.path(FILE);
        if !file.exists() {
            return Ok(None);
        }
        let record = serde_json::from_str(&files::read(&file)?);
        record.map(Some).context(|| format!("{FILE} is not a record of a run; remove it"))
    }

    /// Takes over the failures of earlier runs, but for tests that have run since, all of them: `partly` names those of
    /// which this run executed only a part. A test that was skipped has not run.
    pub fn remember(&mut self, earlier: &BTreeSet<String>, partly: &[String]) {
        let is_run_of = |entry: &Entry, name: &str| entry.name == name && entry.passed + entry.failed > 0;
        let ran = |name: &String| self.entries.iter().any(|entry| is_run_of(entry, name));
        let still = |name: &&String| !ran(name) || partly.contains(name);
        let remembered: Vec<_> = earlier.iter().filter(still).cloned().collect();
        self.failing.extend(remembered);
    }

    /// Replaces the record of the run before. Readers see either of the two.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, workspace: &Workspace) -> Outcome {
        let text = serde_json::to_string_pretty(self).context(|| format!("cannot write {FILE}"))?;
        files::write(&workspace.path(FILE), text + "\n")
    }
}

/// Seconds without smaller parts than milliseconds.
pub fn in_milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// The tests that `--failed` repeats; empty if none failed.
///
/// # Errors
/// When no run left a record.
pub fn failing(workspace: &Workspace) -> Outcome<BTreeSet<String>> {
    let Some(record) = Record::read(workspace)? else {
        return Err(Failure::new(format!("no run has left a record in {FILE}; run ./x test first")));
    };
    Ok(record.failing)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn entry(name: &str, failed: usize) -> Entry {
        let (phase, name) = (Phase::Emulation, name.to_owned());
        Entry { name, phase, passed: 1, failed, seconds: 3.0, building_seconds: 1.0 }
    }

    fn record(entries: &[(&str, usize)]) -> Record {
        let entries = entries.iter().map(|(name, failed)| entry(name, *failed)).collect();
        Record::new(entries, Duration::from_secs(4), Duration::from_secs(10))
    }

    /// A repository without a record.
    fn repository(name: &str) -> Workspace {
        let folder = std::env::temp_dir().join(format!("limen-record-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        Workspace::at(&folder, &folder)
    }

    #[test]
    fn building_a_system_is_not_emulation() {
        let record = record(&[("a", 0), ("b", 0)]);
        let times: Vec<_> = record.phases.iter().map(|(name, time)| (name.as_str(), *time)).collect();
        let wanted = [
            ("building", 12.0),
            ("emulation", 4.0),
            ("figures", 0.0),
            ("host tests", 0.0),
            ("sdk tests", 0.0),
        ];
        assert_eq!(times, wanted);
    }

    #[test]
    fn names_of_phases_are_those_of_the_file() {
        for (phase, name) in Phase::ALL {
            assert_eq!(serde_json::to_value(phase).unwrap(), name);
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let workspace = repository("written");
        assert_eq!(
            failing(&workspace).unwrap_err().to_string(),
            "no run has left a record in build/test.json; run ./x test first"
        );
        let record = record(&[("a", 0), ("b", 2)]);
        record.write(&workspace).unwrap();
        assert_eq!(Record::read(&workspace).unwrap(), Some(record));
        assert_eq!(failing(&workspace).unwrap(), BTreeSet::from(["b".to_owned()]));
        fs::write(workspace.path(FILE), "{").unwrap();
        let said = failing(&workspace).unwrap_err().to_string();
        assert!(said.starts_with("build/test.json is not a record of a run; remove it: "), "{said}");
        fs::remove_dir_all(workspace.root()).unwrap();
    }

    #[test]
    fn a_failure_is_remembered_until_its_test_passes() {
        let earlier = record(&[("a", 1), ("b", 1), ("host", 1)]).failing;
        let after = |entries: &[(&str, usize)], partly: &[&str]| {
            let mut record = record(entries);
            let partly: Vec<_> = partly.iter().map(|name| (*name).to_owned()).collect();
            record.remember(&earlier, &partly);
            record.failing.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(after(&[("a", 0)], &[]), "b host");
        assert_eq!(after(&[("a", 1), ("b", 0), ("host", 0)], &[]), "a");
        assert_eq!(after(&[("host", 0)], &["host"]), "a b host");
        assert_eq!(after(&[("c", 1)], &[]), "a b c host");
        let mut skipped =
            Record::new(vec![Entry { passed: 0, ..entry("a", 0) }], Duration::ZERO, Duration::ZERO);
        skipped.remember(&earlier, &[]);
        assert_eq!(skipped.failing, earlier);
    }

    #[test]
    fn a_test_that_failed_in_one_of_several_runs_is_failing() {
        assert_eq!(record(&[("a", 1), ("a", 0)]).failing, BTreeSet::from(["a".to_owned()]));
    }
}
