//! Reference figures measured on the same machine, and the targets derived from them: `data/reference.toml` in
//! instructions, `data/reference_cycles.toml` in cycles of a simulated core.

use toml::de::{DeTable, DeValue};

use crate::cold::Cold;
use crate::row::Row;

/// The data files, embedded in the program.
const INSTRUCTIONS: &str = include_str!("../data/reference.toml");
const CYCLES: &str = include_str!("../data/reference_cycles.toml");

/// Reference figures for several machines: architectures, whose instructions an emulator counts, or variants of a simulated
/// core.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Unit of the figures, which are comparable only in the same unit.
    pub unit: String,
    /// Origin of the figures, shown with them.
    pub note: String,
    entries: Vec<Entry>,
}

/// The reference of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The reference's median, as shipped.
    pub median: f64,
    /// Its median with its optional fast paths, where they change it.
    pub fast: Option<f64>,
    /// The target, as the largest fraction of it, where there is one.
    pub target: Option<f64>,
    /// Position of the entry in the data, which is the order of tables.
    pub place: usize,
}

/// Parameters that make a row another experiment: it is compared only with a reference that has the same value.
const EXPERIMENTS: [&str; 9] = [
    "budget",
    "passes",
    "deferred",
    "notifies",
    "instruction",
    "processors",
    "variant",
    "sample",
    Cold::PARAM,
];

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    name: String,
    params: Vec<(String, String)>,
    figures: Vec<(String, Figure)>,
}

impl Reference {
    /// The figures in instructions that are embedded in this crate.
    ///
    /// # Errors
    /// A sentence, if the data file is malformed, which a test excludes.
    pub fn built_in() -> Result<Self, String> {
        Self::parse(INSTRUCTIONS)
    }

    /// The figures in cycles that are embedded in this crate.
    ///
    /// # Errors
    /// As [`Self::built_in`].
    pub fn in_cycles() -> Result<Self, String> {
        Self::parse(CYCLES)
    }

    /// The figure for a row on a machine: of the entry with the most parameters that applies.
    #[must_use]
    pub fn figure(&self, row: &Row, machine: &str) -> Option<Figure> {
        let applying = self.entries.iter().filter(|entry| entry.applies(row));
        let entry = applying.max_by_key(|entry| entry.params.len())?;
        entry.figures.iter().find(|(name, _)| name == machine).map(|(_, figure)| *figure)
    }

    /// The figure for a count of the kernel's memory that a row touches.
    #[must_use]
    pub fn cold(&self, row: &Row, name: &str, machine: &str) -> Option<Figure> {
        let mut counted = row.clone();
        counted.params.push((Cold::PARAM.to_owned(), name.to_owned()));
        self.figure(&counted, machine)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let table = DeTable::parse(text).map_err(|error| error.to_string())?;
        let table = table.get_ref();
        let rows =
            table.get("row").and_then(|rows| rows.get_ref().as_array()).ok_or("there is no [[row]]")?;
        let entries = rows
            .iter()
            .enumerate()
            .map(|(place, row)| Entry::read(place, row.get_ref()))
            .collect::<Option<_>>();
        Ok(Self {
            unit: text_of(table, "unit").ok_or("'unit' must be a string")?,
            note: text_of(table, "note").ok_or("'note' must be a string")?.trim().to_owned(),
            entries: entries.ok_or("a row needs name, params and median, and a target must be a number")?,
        })
    }
}

impl Entry {
    fn applies(&self, row: &Row) -> bool {
        let own =
            |key: &str| self.params.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        self.name == row.name
            && self.params.iter().all(|(key, value)| row.param(key) == Some(value))
            && EXPERIMENTS.iter().all(|key| row.param(key) == own(key))
    }

    fn read(place: usize, value: &DeValue<'_>) -> Option<Self> {
        let table = value.as_table()?;
        let sub = |key| table.get(key).and_then(|value| value.get_ref().as_table());
        let params = sub("params")?
            .iter()
            .map(|(key, value)| Some((key.get_ref().to_string(), value.get_ref().as_str()?.to_owned())));
        let fast = |name: &str| number(sub("fast")?.get(name)?.get_ref());
        let target = |name: &str| match sub("target").and_then(|targets| targets.get(name)) {
            Some(target) => number(target.get_ref()).map(Some),
            None => Some(None),
        };
        let figures = sub("median")?.iter().map(|(name, median)| {
            let name = name.get_ref().as_ref();
            let (median, target) = (number(median.get_ref())?, target(name)?);
            let figure = Figure { median, fast: fast(name), target, place };
            Some((name.to_owned(), figure))
        });
        Some(Self {
            name: text_of(table, "name")?,
            params: params.collect::<Option<_>>()?,
            figures: figures.collect::<Option<_>>()?,
        })
    }
}

fn text_of(table: &DeTable<'_>, key: &str) -> Option<String> {
    table.get(key)?.get_ref().as_str().map(str::to_owned)
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    let digits = match value {
        DeValue::Integer(integer) => integer.as_str(),
        DeValue::Float(float) => float.as_str(),
        _ => return None,
    };
    digits.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(conditions: &str) -> Row {
        let line = format!("ROW {conditions} n=1 min=1 median=1 p99=1 max=1 mean=1 stddev=0");
        Row::parse(&line).unwrap().unwrap()
    }

    #[test]
    fn the_built_in_figures_are_found_by_name_and_parameters() {
        let reference = Reference::built_in().unwrap();
        assert_eq!(reference.unit, "instructions");
        let figure = |conditions, architecture| reference.figure(&row(conditions), architecture);
        let expected = Some(Figure { median: 730.0, fast: None, target: Some(0.5), place: 1 });
        assert_eq!(figure("name=ppc_rt server=passive words=0 fpu=on", "aarch64"), expected);
        let expected = Some(Figure { median: 3719.0, fast: None, target: Some(0.2), place: 8 });
        assert_eq!(figure("name=notify_rt fpu=off server=active_hi extra=1", "riscv64"), expected);
        assert_eq!(figure("name=boot", "x86_64").map(|figure| figure.median), Some(306_000_000.0));
        assert_eq!(figure("name=ppc_rt server=passive words=64 fpu=on", "aarch64"), None);
        assert_eq!(figure("name=boot", "m68k"), None);
        assert_eq!(figure("name=ppc_rt server=passive words=0 budget=share fpu=on", "aarch64"), None);
        assert_eq!(figure("name=ppc_rt server=passive words=0 fpu=on passes=32", "aarch64"), None);
        let cold =
            |conditions, name| reference.cold(&row(conditions), name, "aarch64").map(|figure| figure.median);
        assert_eq!(cold("name=ppc_rt server=passive words=0 fpu=on", "code_lines"), Some(42.0));
        assert_eq!(cold("name=ppc_rt server=passive words=0 fpu=on", "code_pages"), None);
        assert_eq!(cold("name=ppc_rt server=passive words=0 fpu=on passes=32", "code_lines"), None);
    }

    #[test]
    fn a_row_is_compared_only_with_its_own_experiment() {
        let reference = Reference::built_in().unwrap();
        let median = |conditions: &str, on| {
            reference.figure(&row(&format!("name={conditions}")), on).map(|figure| figure.median)
        };
        let deferred = "notify_rt server=active_hi deferred=1";
        assert_eq!(median(&format!("{deferred} fpu=on"), "aarch64"), Some(2009.0));
        assert_eq!(median(&format!("{deferred} fpu=off"), "aarch64"), None);
        assert_eq!(median(&format!("{deferred} fpu=on"), "riscv64"), None);
        let share = "ppc_rt server=active words=0 budget=share fpu=off";
        assert_eq!(median(share, "aarch64"), Some(2528.0));
        assert_eq!(median("ppc_rt server=passive notifies=1 fpu=off", "aarch64"), Some(1084.0));
        let signal = "notify fpu=on";
        assert_eq!(median(signal, "aarch64"), Some(465.0));
        assert_eq!(median(&format!("{signal} processors=4"), "aarch64"), Some(740.0));
        assert_eq!(median("boot processors=4", "aarch64"), None);
        let exception = "fault_rt kind=exception parent=passive";
        assert_eq!(median(&format!("{exception} fpu=off"), "riscv64"), Some(3361.0));
        assert_eq!(median(&format!("{exception} instruction=all_ones fpu=off"), "riscv64"), Some(3160.0));
    }

    #[test]
    fn figures_in_cycles_are_of_variants_of_the_core() {
        let reference = Reference::in_cycles().unwrap();
        assert_eq!(reference.unit, "cycles");
        let median = |conditions, on| reference.figure(&row(conditions), on).map(|figure| figure.median);
        let call = "name=ppc_rt server=passive words=0 fpu=off";
        let figures = ["rocket_0", "rocket", "rocket_40", "riscv64"].map(|on| median(call, on));
        assert_eq!(figures, [Some(1568.0), Some(2033.0), Some(2519.0), None]);
        assert_eq!(median("name=ppc_rt server=passive words=0 fpu=off sample=first", "rocket"), None);
        let target = |conditions| reference.figure(&row(conditions), "rocket").unwrap().target;
        assert!(target(call).is_some());
        assert_eq!(target("name=ppc_rt server=passive words=4 fpu=off"), None);
    }

    #[test]
    fn optional_fast_paths_are_a_figure_of_their_own() {
        let reference = Reference::built_in().unwrap();
        let fast = |conditions: &str, on| {
            reference.figure(&row(&format!("name={conditions}")), on).and_then(|figure| figure.fast)
        };
        assert_eq!(fast("fault_rt kind=vm parent=passive fpu=off", "aarch64"), Some(688.0));
        assert_eq!(fast("fault_rt kind=vm parent=active fpu=off", "aarch64"), None);
        assert_eq!(fast("notify fpu=off", "aarch64"), Some(165.0));
        assert_eq!(fast("notify fpu=off", "riscv64"), None);
    }

    #[test]
    fn malformed_data_is_reported_with_the_missing_part() {
        assert!(Reference::parse("unit = 1").unwrap_err().contains("[[row]]"));
        let row = "unit = 'u'\nnote = 'n'\n[[row]]\nname = 'x'\nparams = {}\n";
        assert!(Reference::parse(row).unwrap_err().contains("median"));
        let row = format!("{row}median = {{ a = 1 }}\n");
        assert!(
            Reference::parse(&format!("{row}target = {{ a = 'half' }}\n")).unwrap_err().contains("target")
        );
        assert!(Reference::parse(&format!("{row}target = {{ a = 0.5 }}\n")).is_ok());
        assert!(Reference::parse(&row).is_ok());
    }
}
