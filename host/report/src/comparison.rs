//! Measured rows with the reference's figures and the targets.

use crate::reference::{Figure, Reference};
use crate::results::Results;
use crate::row::Row;

/// A run, with a comparison for each row.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The run.
    pub results: &'a Results,
    /// The machine by which reference and floors list figures: an instruction set, or a variant that is a simulated core.
    pub machine: &'a str,
    /// How the reference figures were obtained.
    pub note: &'a str,
    /// One line per row of the run, in order.
    pub lines: Vec<Line<'a>>,
}

/// A row and its reference.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The measured row.
    pub row: &'a Row,
    /// The reference's figure, if it has one in the same unit.
    pub figure: Option<Figure>,
    /// The reference's lines of code and data, if it has them.
    pub cold: [Option<Figure>; 2],
}

impl<'a> Comparison<'a> {
    /// Looks up the reference figure of every row.
    #[must_use]
    pub fn new(results: &'a Results, reference: &'a Reference, machine: &'a str) -> Self {
        let comparable = results.unit == reference.unit;
        let figure = |row| if comparable { reference.figure(row, machine) } else { None };
        let lines = results.rows.iter().map(|row| {
            let cold = |name| if comparable { reference.cold(row, name, machine) } else { None };
            Line { row, figure: figure(row), cold: ["code_lines", "data_lines"].map(cold) }
        });
        let lines = lines.collect();
        Self { results, machine, note: &reference.note, lines }
    }

    /// Whether the kernel's memory was counted for one of the rows.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.lines.iter().any(|line| line.row.cold.is_some())
    }

    /// Number of targets, and number of targets met.
    #[must_use]
    pub fn targets(&self) -> (usize, usize) {
        let verdicts: Vec<_> = self.lines.iter().filter_map(Line::is_met).collect();
        (verdicts.len(), verdicts.iter().filter(|met| **met).count())
    }
}

impl Line<'_> {
    /// The median, as a fraction of the reference's.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.figure.map(|figure| self.row.median as f64 / figure.median)
    }

    /// The reference's median with its optional fast paths, and ours as a fraction of it.
    #[must_use]
    pub fn fast(&self) -> Option<(f64, f64)> {
        let fast = self.figure?.fast?;
        Some((fast, self.row.median as f64 / fast))
    }

    /// Whether the target is met; `None` without one.
    #[must_use]
    pub fn is_met(&self) -> Option<bool> {
        self.ratio().zip(self.figure?.target).map(|(ratio, target)| ratio <= target)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row that meets its target, one that misses it, and one without a reference.
    pub(crate) fn results() -> Results {
        let row = |what: &str, median: u64| {
            let line = format!(
                "ROW name={what} n=1 min={median} median={median} p99={median} max={median} mean=1 stddev=0"
            );
            Row::parse(&line).unwrap().unwrap()
        };
        Results {
            board: "qemu_virt_aarch64".into(),
            config: "release".into(),
            unit: "instructions".into(),
            version: "0.9.0".into(),
            commit: "0123456789ab".into(),
            environment: Vec::new(),
            rows: vec![
                row("ppc_rt server=passive words=0 fpu=off", 310),
                row("notify", 400),
                row("irq_latency line=<odd>", 7),
            ],
        }
    }

    #[test]
    fn ratios_and_targets_follow_from_the_reference() {
        let (mut results, reference) = (results(), Reference::built_in().unwrap());
        results.rows.retain(|row| row.name != "irq_latency");
        let comparison = Comparison::new(&results, &reference, "aarch64");
        assert_eq!(comparison.lines[0].ratio(), Some(0.5));
        assert_eq!(comparison.lines.iter().map(Line::is_met).collect::<Vec<_>>(), [Some(true), Some(false)]);
        assert_eq!(comparison.targets(), (2, 1));
    }

    #[test]
    fn figures_in_another_unit_are_not_compared() {
        let (mut results, reference) = (results(), Reference::built_in().unwrap());
        results.unit = "cycles".into();
        assert_eq!(Comparison::new(&results, &reference, "aarch64").targets(), (0, 0));
    }
}
