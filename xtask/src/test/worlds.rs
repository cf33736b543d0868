//! Compares several builds of a system: whether their outputs must be equal, line by line, or differ.
//!
//! ```toml
//! [worlds]
//! same = [["FIRST=spin", "FIRST=use"]]               # lists of builds, by variables of make
//! different = [["EXIT=plain FIRST=spin", "EXIT=plain FIRST=use"]]
//!
//! [worlds.aarch64]                                   # further ones, on this instruction set
//! same = [["GUESTS=2 FIRST=spin", "GUESTS=2 FIRST=use"]]
//! ```
//!
//! Each comparison counts as a test. A comparison that must differ shows that its counterpart would detect a
//! difference.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use crate::failure::{Failure, Outcome};
use crate::test::suite::ARCHITECTURES;

/// The console of each build, by its variables.
pub type Consoles = BTreeMap<String, Vec<String>>;

/// Builds whose consoles are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    builds: Vec<String>,
    wanted: Wanted,
    /// The instruction set on which this applies; `None` for all.
    architecture: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// All outputs are equal.
    Same,
    /// No two outputs are equal.
    Different,
}

/// Reads the table `worlds`.
///
/// # Errors
/// When it has an unknown key or a wrong value.
pub fn parse(table: &DeTable<'_>) -> Outcome<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    for (key, value) in table {
        let value = value.get_ref();
        match (key.get_ref().as_ref(), value.as_table()) {
            ("same", _) => comparisons.extend(read("same", value, Wanted::Same)?),
            ("different", _) => comparisons.extend(read("different", value, Wanted::Different)?),
            (name, Some(inside)) if ARCHITECTURES.contains(&name) => {
                let further = parse(inside)?.into_iter();
                let on = |comparison| Comparison { architecture: Some(name.to_owned()), ..comparison };
                comparisons.extend(further.map(on));
            }
            (other, _) => return Err(Failure::new(format!("unknown key '{other}'"))),
        }
    }
    Ok(comparisons)
}

fn read(key: &str, value: &DeValue<'_>, wanted: Wanted) -> Outcome<Vec<Comparison>> {
    let builds = |list: &DeValue<'_>| {
        let builds: Option<Vec<_>> =
            list.as_array()?.iter().map(|build| build.get_ref().as_str().map(str::to_owned)).collect();
        builds.filter(|builds| builds.len() > 1)
    };
    let lists = value.as_array().map(|lists| lists.iter().map(|list| builds(list.get_ref())));
    let lists = lists.and_then(|lists| lists.collect::<Option<Vec<_>>>());
    let reason = || Failure::new(format!("'{key}' must be a list of lists of two builds or more"));
    let lists = lists.ok_or_else(reason)?;
    Ok(lists.into_iter().map(|builds| Comparison { builds, wanted, architecture: None }).collect())
}

/// Every build of these comparisons once; one without variables if there are no comparisons.
pub fn builds<'a>(comparisons: impl Iterator<Item = &'a Comparison>) -> Vec<String> {
    let mut all: Vec<_> = comparisons.flat_map(|comparison| comparison.builds.clone()).collect();
    all.sort();
    all.dedup();
    if all.is_empty() { vec![String::new()] } else { all }
}

impl Comparison {
    /// Whether it applies on an instruction set.
    pub fn is_for(&self, architecture: &str) -> bool {
        self.architecture.as_ref().is_none_or(|name| name == architecture)
    }

    /// The violation that these consoles show, if any.
    pub fn complaint(&self, consoles: &Consoles) -> Option<String> {
        let pairs = self
            .builds
            .iter()
            .enumerate()
            .flat_map(|(index, one)| self.builds[index + 1..].iter().map(move |other| (one, other)));
        pairs.into_iter().find_map(|(one, other)| {
            match (self.wanted, difference(consoles.get(one)?, consoles.get(other)?)) {
                (Wanted::Same, Some(lines)) => {
                    Some(format!("the outputs differ:\n  {one}: {}\n  {other}: {}", lines[0], lines[1]))
                }
                (Wanted::Different, None) => Some(format!("the outputs are equal: {one}, {other}")),
                _ => None,
            }
        })
    }
}

/// The first line in which two consoles differ.
fn difference<'a>(one: &'a [String], other: &'a [String]) -> Option<[&'a str; 2]> {
    const NOTHING: &str = "(nothing)";
    let line = |console: &'a [String], at: usize| console.get(at).map_or(NOTHING, String::as_str);
    let lines = (0..one.len().max(other.len())).map(|at| [line(one, at), line(other, at)]);
    lines.into_iter().find(|[one, other]| one != other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparisons(text: &str) -> Outcome<Vec<Comparison>> {
        parse(DeTable::parse(text).unwrap().get_ref())
    }

    fn consoles(all: &[(&str, &[&str])]) -> Consoles {
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
        all.iter().map(|(build, console)| ((*build).to_owned(), lines(console))).collect()
    }

    #[test]
    fn equal_outputs_are_compared_line_by_line() {
        let same = &comparisons("same = [['a', 'b']]").unwrap()[0];
        assert_eq!(same.complaint(&consoles(&[("a", &["1", "2"]), ("b", &["1", "2"])])), None);
        let complaint = same.complaint(&consoles(&[("a", &["1", "2"]), ("b", &["1", "3"])])).unwrap();
        assert_eq!(complaint, "the outputs differ:\n  a: 2\n  b: 3");
        let complaint = same.complaint(&consoles(&[("a", &["1", "2"]), ("b", &["1"])])).unwrap();
        assert!(complaint.ends_with("b: (nothing)"));
    }

    #[test]
    fn different_outputs_are_compared_in_pairs() {
        let different = &comparisons("different = [['a', 'b', 'c']]").unwrap()[0];
        let all = consoles(&[("a", &["1"]), ("b", &["2"]), ("c", &["2"])]);
        assert_eq!(different.complaint(&all).unwrap(), "the outputs are equal: b, c");
    }

    #[test]
    fn every_build_is_made_once() {
        let both = comparisons("same = [['b', 'a']]\ndifferent = [['a', 'c']]").unwrap();
        assert_eq!(builds(both.iter()), ["a", "b", "c"]);
        assert_eq!(builds([].iter()), [""]);
    }

    #[test]
    fn comparisons_can_be_limited_to_one_instruction_set() {
        let all = comparisons("same = [['a', 'b']]\n[aarch64]\nsame = [['c', 'd']]").unwrap();
        let count = |architecture| all.iter().filter(|comparison| comparison.is_for(architecture)).count();
        assert_eq!([count("aarch64"), count("riscv64")], [2, 1]);
        assert!(comparisons("[vax]\nsame = []").is_err());
    }

    #[test]
    fn a_wrong_table_is_reported() {
        assert_eq!(comparisons("alike = []").unwrap_err().to_string(), "unknown key 'alike'");
        let reason = "'same' must be a list of lists of two builds or more";
        for wrong in ["same = 1", "same = ['a']", "same = [['a']]", "same = [['a', 1]]"] {
            assert_eq!(comparisons(wrong).unwrap_err().to_string(), reason);
        }
    }
}
