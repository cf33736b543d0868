//! The figures that a version of Limen is known by, and what differs from them.
//!
//! ```text
//! notify fpu=off = 157
//! ppc_rt server=passive words=0 fpu=off = 385
//! ```
//!
//! A line for each row: name, conditions and median, in the order in which rows are measured.

use std::fmt;

use crate::results::Results;

/// By how much a figure may differ from the recorded one, in hundredths of it.
const TOLERANCE: u64 = 2;

/// The recorded figures of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Golden {
    figures: Vec<(String, u64)>,
}

/// How a run differs from the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A figure is another one.
    Changed {
        /// Name and conditions.
        row: String,
        /// What is recorded.
        from: u64,
        /// What was measured.
        to: u64,
    },
    /// A row is not recorded.
    New {
        /// Name and conditions.
        row: String,
        /// What was measured.
        to: u64,
    },
    /// A recorded row was not measured.
    Gone {
        /// Name and conditions.
        row: String,
    },
}

impl Golden {
    /// The record of a run: of all figures that do not depend on the machine that measures.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        let rows = results.rows.iter().filter(|row| !row.is_native());
        Self { figures: rows.map(|row| (row.title(), row.median)).collect() }
    }

    /// How many figures are recorded.
    #[must_use]
    pub fn count(&self) -> usize {
        self.figures.len()
    }

    /// Reads a record.
    ///
    /// # Errors
    /// A sentence with the number of the first line that is not `ROW = FIGURE`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let figures = text.lines().enumerate().map(|(index, line)| {
            let figure = line.rsplit_once(" = ").and_then(|(row, figure)| Some((row, figure.parse().ok()?)));
            let (row, figure) =
                figure.ok_or_else(|| format!("line {}: '{line}' is not 'ROW = FIGURE'", index + 1))?;
            Ok((row.to_owned(), figure))
        });
        figures.collect::<Result<_, _>>().map(|figures| Self { figures })
    }

    /// The record as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.figures.iter().map(|(row, figure)| format!("{row} = {figure}\n")).collect()
    }

    /// Where a run differs by more than 2 %, in either direction: a record of what once was guards nothing.
    #[must_use]
    pub fn differences(&self, results: &Results) -> Vec<Difference> {
        self.differences_above(TOLERANCE, results)
    }

    /// Where a run differs by more than so many hundredths.
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

impl Difference {
    /// Name and conditions of the row.
    #[must_use]
    pub fn row(&self) -> &str {
        match self {
            Self::Changed { row, .. } | Self::New { row, .. } | Self::Gone { row } => row,
        }
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
            Self::Changed { row, from, to } => write!(f, "{row} has become less, {to} instead of {from}"),
            Self::New { row, to } => write!(f, "{row} is {to}, and not recorded"),
            Self::Gone { row } => write!(f, "{row} is recorded, but was not measured"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Row;

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
            commit: text("c"),
            environment,
            rows,
        }
    }

    #[test]
    fn a_record_reads_back() {
        let golden = Golden::of(&run(&["ppc words=0 = 385", "boot = 111244"]));
        assert_eq!(golden.to_text(), "ppc words=0 = 385\nboot = 111244\n");
        assert_eq!(Golden::parse(&golden.to_text()), Ok(golden));
        assert_eq!(Golden::parse("ppc = 1\nboot 7\n").unwrap_err(), "line 2: 'boot 7' is not 'ROW = FIGURE'");
    }

    #[test]
    fn two_in_a_hundred_are_nothing_and_three_are_told() {
        let golden = Golden::parse("a = 100\nb = 100\nc = 100\nd = 100\nread = 2\n").unwrap();
        let run = run(&["a = 102", "b = 103", "c = 97", "e = 5", "read = 2", "tool_us = 9"]);
        let told: Vec<_> = golden.differences(&run).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "b has grown from 100 to 103",
                "c has become less, 97 instead of 100",
                "e is 5, and not recorded",
                "d is recorded, but was not measured",
            ]
        );
    }
}
