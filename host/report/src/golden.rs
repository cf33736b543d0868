//! The recorded figures of a version of Limen, and differences from them.
//!
//! ```text
//! # emulator 7.2
//! # programs 14
//! notify fpu=off = 157
//! ppc_rt server=passive words=0 fpu=off = 385
//! ```
//!
//! The first lines name the versions of emulator and compilers that the figures depend on. A line for each row
//! follows: name, conditions and median, in order of measurement.

use std::fmt;

use crate::results::Results;
use crate::row::Row;

/// Allowed difference from the recorded figure, in percent.
const TOLERANCE: u64 = 2;

/// Rows that depend on where a burst of interrupts falls in the slices of other programs. An instruction more at boot
/// changes them, so that only their presence is checked.
const PHASES: [&str; 3] = ["load_latency", "load_lost", "load_recovery"];

/// The tools that figures depend on, and the number of significant components of their versions: patch releases of
/// the emulator count the same instructions, and those of clang generate the same code.
const TOOLS: [(&str, usize); 4] = [("emulator", 2), ("kernel", 3), ("programs", 1), ("model", 1)];

/// The recorded figures of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Golden {
    /// Tools that the figures depend on, with their versions.
    tools: Vec<(String, String)>,
    figures: Vec<(String, u64)>,
}

/// A difference between a run and the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A figure changed.
    Changed {
        /// Name and conditions.
        row: String,
        /// The recorded figure.
        from: u64,
        /// The measured figure.
        to: u64,
    },
    /// A row has no record.
    New {
        /// Name and conditions.
        row: String,
        /// The measured figure.
        to: u64,
    },
    /// A recorded row was not measured.
    Gone {
        /// Name and conditions.
        row: String,
    },
}

impl Golden {
    /// The record of a run, with all figures that do not depend on the host machine.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        let rows = results.rows.iter().filter(|row| !row.is_native());
        let figures = rows.map(|row| (row.title(), row.median)).collect();
        Self { tools: tools_of(&results.environment), figures }
    }

    /// Records the figures of a run of some systems: those of the others stay.
    pub fn update(&mut self, results: &Results) {
        for (row, figure) in Self::of(results).figures {
            match self.figures.iter_mut().find(|(other, _)| *other == row) {
                Some((_, recorded)) => *recorded = figure,
                None => self.figures.push((row, figure)),
            }
        }
    }

    /// The tools of an environment whose versions differ from the record's, each as "emulator 10.0 instead of 7.2".
    /// Figures measured with them are not comparable with the record.
    #[must_use]
    pub fn other_tools(&self, environment: &[(String, String)]) -> Vec<String> {
        let here = tools_of(environment);
        let version = |tool: &str| here.iter().find(|(other, _)| other == tool).map(|(_, version)| version);
        let others = self.tools.iter().filter_map(|(tool, recorded)| match version(tool) {
            Some(version) if version != recorded => Some(format!("{tool} {version} instead of {recorded}")),
            _ => None,
        });
        others.collect()
    }

    /// Number of recorded figures.
    #[must_use]
    pub fn count(&self) -> usize {
        self.figures.len()
    }

    /// The recorded rows, each with its figure as the only sample.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        self.figures.iter().map(|(title, figure)| Row::titled(title, *figure)).collect()
    }

    /// Parses a record.
    ///
    /// # Errors
    /// A sentence with the number of the first line that is not `ROW = FIGURE`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let tools = text.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(' '));
        let tools = tools.map(|(tool, version)| (tool.to_owned(), version.to_owned())).collect();
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        let figures = lines.map(|(index, line)| {
            let figure = line.rsplit_once(" = ").and_then(|(row, figure)| Some((row, figure.parse().ok()?)));
            let (row, figure) =
                figure.ok_or_else(|| format!("line {}: '{line}' is not 'ROW = FIGURE'", index + 1))?;
            Ok((row.to_owned(), figure))
        });
        figures.collect::<Result<_, _>>().map(|figures| Self { tools, figures })
    }

    /// The record as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let tools = self.tools.iter().map(|(tool, version)| format!("# {tool} {version}\n"));
        tools.chain(self.figures.iter().map(|(row, figure)| format!("{row} = {figure}\n"))).collect()
    }

    /// Differences of more than 2 % in either direction, except of rows that depend on phases. A lower figure counts
    /// too, because an outdated record guards nothing.
    #[must_use]
    pub fn differences(&self, results: &Results) -> Vec<Difference> {
        let mut differences = self.differences_above(TOLERANCE, results);
        differences.retain(|difference| !difference.is_of_phase());
        differences
    }

    /// Differences of more than `tolerance` percent.
    #[must_use]
    pub fn differences_above(&self, tolerance: u64, results: &Results) -> Vec<Difference> {
        let measured = Self::of(results).figures;
        let recorded = |row: &str| self.figures.iter().find(|(other, _)| other == row);
        let gone = self.figures.iter().filter(|(row, _)| !measured.iter().any(|(other, _)| other == row));
        let gone = gone.map(|(row, _)| Difference::Gone { row: row.clone() });
        let others = measured.iter().filter_map(|(row, to)| match recorded(row) {
            None => Some(Difference::New { row: row.clone(), to: *to }),
            Some((_, from)) if from.abs_diff(*to).saturating_mul(100) > from.saturating_mul(tolerance) => {
                Some(Difference::Changed { row: row.clone(), from: *from, to: *to })
            }
            Some(_) => None,
        });
        others.chain(gone).collect()
    }
}

/// The versions of [`TOOLS`] in an environment, cut to their significant components.
fn tools_of(environment: &[(String, String)]) -> Vec<(String, String)> {
    let tools = TOOLS.iter().filter_map(|(tool, parts)| {
        let (_, said) = environment.iter().find(|(what, _)| what == tool)?;
        let number = said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        let number: Vec<_> = number.split('.').take(*parts).collect();
        Some(((*tool).to_owned(), number.join(".")))
    });
    tools.collect()
}

impl Difference {
    /// Name and conditions of the row.
    #[must_use]
    pub fn row(&self) -> &str {
        match self {
            Self::Changed { row, .. } | Self::New { row, .. } | Self::Gone { row } => row,
        }
    }

    /// Whether only the figure of a row differs that depends on phases.
    fn is_of_phase(&self) -> bool {
        let name = self.row().split(' ').next().unwrap_or_default();
        matches!(self, Self::Changed { .. }) && PHASES.contains(&name)
    }

    /// Whether the row was not measured.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone { .. })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { row, from, to } if to > from => write!(f, "{row} has grown from {from} to {to}"),
            Self::Changed { row, from, to } => write!(f, "{row} has shrunk from {from} to {to}"),
            Self::New { row, to } => write!(f, "{row} is {to}, and not recorded"),
            Self::Gone { row } => write!(f, "{row} is recorded, but was not measured"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(lines: &[&str]) -> Results {
        let row = |line: &&str| {
            let (title, m) = line.split_once(" = ").unwrap();
            let line = format!("ROW name={title} n=1 min={m} median={m} p99={m} max={m} mean={m} stddev=0");
            Row::parse(&line).unwrap().unwrap()
        };
        let text = |text: &str| text.to_owned();
        let (rows, environment) = (lines.iter().map(row).collect(), Vec::new());
        Results {
            board: text("b"),
            config: text("release"),
            unit: text("i"),
            version: text("v"),
            commit: text("c"),
            environment,
            rows,
        }
    }

    #[test]
    fn a_record_reads_back() {
        let golden = Golden::of(&run(&["ppc words=0 = 385", "boot = 111244"]));
        assert_eq!(golden.to_text(), "ppc words=0 = 385\nboot = 111244\n");
        assert_eq!(Golden::parse(&golden.to_text()).as_ref(), Ok(&golden));
        let rows: Vec<_> = golden.rows().iter().map(|row| (row.title(), row.median)).collect();
        assert_eq!(rows, [("ppc words=0".to_owned(), 385), ("boot".to_owned(), 111_244)]);
        assert_eq!(Golden::parse("ppc = 1\nboot 7\n").unwrap_err(), "line 2: 'boot 7' is not 'ROW = FIGURE'");
    }

    #[test]
    fn a_run_of_some_systems_replaces_their_figures() {
        let mut golden = Golden::parse("# emulator 7.2\nnotify = 1\nppc words=0 = 385\n").unwrap();
        golden.update(&run(&["ppc words=0 = 380", "irq = 7", "tool_us = 9"]));
        assert_eq!(golden.to_text(), "# emulator 7.2\nnotify = 1\nppc words=0 = 380\nirq = 7\n");
    }

    #[test]
    fn other_versions_are_reported_except_patches() {
        let environment = |emulator: &str, programs: &str| {
            let (emulator, programs) = (emulator.to_owned(), programs.to_owned());
            vec![
                ("emulator".to_owned(), emulator),
                ("machine".to_owned(), "-m 1G".to_owned()),
                ("programs".to_owned(), programs),
            ]
        };
        let made_with =
            environment("QEMU emulator version 7.2.22 (Debian 1:7.2)", "Debian clang version 14.0.6");
        let golden = Golden::of(&Results { environment: made_with.clone(), ..run(&["boot = 7"]) });
        assert_eq!(golden.to_text(), "# emulator 7.2\n# programs 14\nboot = 7\n");
        assert_eq!(Golden::parse(&golden.to_text()), Ok(golden.clone()));
        assert_eq!(golden.other_tools(&made_with), [""; 0]);
        let patched = environment("QEMU emulator version 7.2.9", "clang version 14.1");
        assert_eq!(golden.other_tools(&patched), [""; 0]);
        let newer = environment("QEMU emulator version 10.0.13", "Debian clang version 19.1.7 (3+b1)");
        assert_eq!(golden.other_tools(&newer), ["emulator 10.0 instead of 7.2", "programs 19 instead of 14"]);
    }

    #[test]
    fn differences_above_two_percent_are_reported() {
        let golden = Golden::parse("a = 100\nb = 100\nc = 100\nd = 100\nread = 2\n").unwrap();
        let run = run(&["a = 102", "b = 103", "c = 97", "e = 5", "read = 2", "tool_us = 9"]);
        let reported: Vec<_> = golden.differences(&run).iter().map(ToString::to_string).collect();
        assert_eq!(
            reported,
            [
                "b has grown from 100 to 103",
                "c has shrunk from 100 to 97",
                "e is 5, and not recorded",
                "d is recorded, but was not measured",
            ]
        );
    }
    #[test]
    fn rows_that_depend_on_phases_may_differ() {
        let golden =
            Golden::parse("load_latency load=5 = 100\nload_lost load=5 = 0\nload_rate load=5 = 9\n").unwrap();
        let run = run(&["load_latency load=5 = 700", "load_rate load=5 = 8", "load_recovery load=5 = 4"]);
        let reported: Vec<_> = golden.differences(&run).iter().map(ToString::to_string).collect();
        assert_eq!(
            reported,
            [
                "load_rate load=5 has shrunk from 9 to 8",
                "load_recovery load=5 is 4, and not recorded",
                "load_lost load=5 is recorded, but was not measured",
            ]
        );
    }
}
