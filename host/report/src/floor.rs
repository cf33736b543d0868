//! Floors: the instructions that the architecture demands of the kernel on a path, `data/floors.toml`.
//!
//! A row's figure includes programs, which have no floor here. Their part, and that of firmware, is in the recorded
//! functions of `bench/golden`; the rest is the kernel's.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::row::Row;
use crate::sections::Params;

/// The data file, embedded in the program.
const DATA: &str = include_str!("../data/floors.toml");

/// The recorded functions of each architecture.
const FUNCTIONS: [(&str, &str); 3] = [
    ("aarch64", include_str!("../../../bench/golden/qemu_virt_aarch64.functions.txt")),
    ("riscv64", include_str!("../../../bench/golden/qemu_virt_riscv64.functions.txt")),
    ("x86_64", include_str!("../../../bench/golden/x86_64_generic.functions.txt")),
];

/// The names of code outside the kernel in a record of functions.
const OUTSIDE: [&str; 2] = ["programs", "firmware"];

/// Items and paths.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floors {
    /// The steps of paths.
    #[serde(rename = "item")]
    pub items: Vec<Item>,
    #[serde(rename = "row")]
    paths: Vec<Path>,
}

/// A step that no kernel with the same interface can omit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its name in paths.
    pub id: String,
    /// The work.
    pub what: String,
    /// Its instructions, by architecture.
    pub instructions: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Path {
    name: String,
    params: Params,
    /// How often the path executes each item.
    items: BTreeMap<String, u64>,
}

/// The kernel's part of a row, and its floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The kernel's instructions.
    pub kernel: u64,
    /// The floor, above 0.
    pub floor: u64,
}

impl Distance {
    /// The kernel's part as a multiple of the floor.
    #[must_use]
    pub fn times(self) -> f64 {
        self.kernel as f64 / self.floor as f64
    }
}

impl Floors {
    /// The floors embedded in this crate.
    ///
    /// # Errors
    /// A sentence, if the data file is malformed, which a test excludes.
    pub fn built_in() -> Result<Self, String> {
        toml::from_str(DATA).map_err(|error| error.to_string())
    }

    /// The distance of a row from its floor; `None` if it has none, or its functions are not recorded.
    #[must_use]
    pub fn distance(&self, row: &Row, architecture: &str) -> Option<Distance> {
        let is_same = |path: &&Path| {
            path.name == row.name && path.params.len() == row.params.len() && row.matches(&path.params)
        };
        let path = self.paths.iter().find(is_same)?;
        let cost = |(id, times): (&String, &u64)| {
            let item = self.items.iter().find(|item| item.id == *id)?;
            Some(item.instructions.get(architecture)? * times)
        };
        let floor = path.items.iter().map(cost).sum::<Option<u64>>().filter(|floor| *floor > 0)?;
        let kernel = row.median.checked_sub(outside(row, architecture)?)?;
        Some(Distance { kernel, floor })
    }
}

/// The recorded instructions of a row outside the kernel.
fn outside(row: &Row, architecture: &str) -> Option<u64> {
    let (_, text) = FUNCTIONS.iter().find(|(name, _)| *name == architecture)?;
    let is_title = |line: &&str| {
        let mut words = line.split(' ');
        let mut params = words.clone().skip(1).map(|word| word.split_once('='));
        words.next() == Some(row.name.as_str())
            && params.clone().count() == row.params.len()
            && params.all(|param| param.is_some_and(|(key, value)| row.param(key) == Some(value)))
    };
    let functions = text.lines().skip_while(|line| !is_title(line)).skip(1);
    let functions: Vec<_> = functions.map_while(|line| line.strip_prefix("  ")?.split_once(' ')).collect();
    let counted = |(count, name): &(&str, &str)| OUTSIDE.contains(name).then(|| count.parse::<u64>().ok());
    let parts: Option<Vec<_>> = functions.iter().filter_map(counted).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(title: &str, median: u64) -> Row {
        let mut words = title.split_whitespace();
        let name = words.next().unwrap();
        let params = words.map(|word| word.split_once('=').unwrap());
        Row::single(name, params.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(), median)
    }

    #[test]
    fn every_path_names_known_items_and_has_a_record_on_every_architecture() {
        let floors = Floors::built_in().unwrap();
        assert_eq!(floors.paths.len(), 10);
        for path in &floors.paths {
            let params: Vec<_> = path.params.clone().into_iter().collect();
            for (architecture, _) in FUNCTIONS {
                let row = Row::single(&path.name, params.clone(), 10_000);
                let distance = floors.distance(&row, architecture);
                assert!(
                    distance.is_some_and(|distance| distance.kernel < 10_000),
                    "{} {architecture}",
                    row.title()
                );
            }
        }
        let is_used = |item: &Item| floors.paths.iter().any(|path| path.items.contains_key(&item.id));
        assert!(floors.items.iter().all(is_used));
    }

    #[test]
    fn the_recorded_instructions_of_programs_and_firmware_are_not_the_kernels() {
        let exception = row("fault_rt kind=exception parent=passive fpu=off", 2000);
        let (arm, risc) = (outside(&exception, "aarch64").unwrap(), outside(&exception, "riscv64").unwrap());
        assert!(arm < 100 && risc > 300, "{arm} {risc}");
        assert_eq!(outside(&row("ppc_rt server=passive words=64 fpu=off", 800), "aarch64"), None);
    }

    #[test]
    fn a_floor_belongs_to_exactly_one_row() {
        let floors = Floors::built_in().unwrap();
        let distance = |title| floors.distance(&row(title, 300), "x86_64");
        assert!(distance("irq_ack fpu=off").is_some());
        for other in ["irq_ack fpu=on", "irq_ack fpu=off variant=page_table_switch", "irq_latency fpu=off"] {
            assert_eq!(distance(other), None, "{other}");
        }
        assert_eq!(floors.distance(&row("irq_ack fpu=off", 300), "m68k"), None);
    }

    #[test]
    fn the_distance_is_a_multiple_of_the_floor() {
        assert!((Distance { kernel: 300, floor: 200 }.times() - 1.5).abs() < 1e-9);
    }
}
