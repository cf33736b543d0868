//! Compares several builds of a system: whether their outputs must be equal, line by line, or differ.
//!
//! ```toml
//! [worlds]
//! lines = "SAW "                                     # only lines with this start; default: all
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

use serde::Deserialize;

/// The console of each build, by its variables.
pub type Consoles = BTreeMap<String, Vec<String>>;

/// The table `worlds`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Worlds {
    lines: String,
    same: Vec<Builds>,
    different: Vec<Builds>,
    aarch64: Option<Box<Self>>,
    riscv64: Option<Box<Self>>,
    x86_64: Option<Box<Self>>,
}

/// Two builds or more.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<String>")]
struct Builds(Vec<String>);

impl TryFrom<Vec<String>> for Builds {
    type Error = &'static str;

    fn try_from(builds: Vec<String>) -> Result<Self, Self::Error> {
        if builds.len() > 1 { Ok(Self(builds)) } else { Err("a comparison needs two builds or more") }
    }
}

/// Builds whose consoles are compared.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    lines: &'a str,
    builds: &'a [String],
    wanted: Wanted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// All outputs are equal.
    Same,
    /// No two outputs are equal.
    Different,
}

impl Worlds {
    /// The comparisons on an instruction set. Those of its own table compare the same lines as the others.
    pub fn on(&self, architecture: &str) -> Vec<Comparison<'_>> {
        let further = match architecture {
            "aarch64" => &self.aarch64,
            "riscv64" => &self.riscv64,
            "x86_64" => &self.x86_64,
            _ => &None,
        };
        let tables = [Some(self), further.as_deref()].into_iter().flatten();
        let lists = tables.flat_map(|it| [(&it.same, Wanted::Same), (&it.different, Wanted::Different)]);
        lists
            .flat_map(|(lists, wanted)| {
                lists.iter().map(move |Builds(builds)| Comparison { lines: &self.lines, builds, wanted })
            })
            .collect()
    }
}

/// Every build of these comparisons once; one without variables if there are no comparisons.
pub fn builds(comparisons: &[Comparison<'_>]) -> Vec<String> {
    let mut all: Vec<_> = comparisons.iter().flat_map(|comparison| comparison.builds.to_vec()).collect();
    all.sort();
    all.dedup();
    if all.is_empty() { vec![String::new()] } else { all }
}

impl Comparison<'_> {
    /// The violation that these consoles show, if any.
    pub fn complaint(&self, consoles: &Consoles) -> Option<String> {
        let pairs = self
            .builds
            .iter()
            .enumerate()
            .flat_map(|(index, one)| self.builds[index + 1..].iter().map(move |other| (one, other)));
        pairs.into_iter().find_map(|(one, other)| {
            match (
                self.wanted,
                difference(&self.compared(consoles.get(one)?), &self.compared(consoles.get(other)?)),
            ) {
                (Wanted::Same, Some(lines)) => {
                    Some(format!("the outputs differ:\n  {one}: {}\n  {other}: {}", lines[0], lines[1]))
                }
                (Wanted::Different, None) => Some(format!("the outputs are equal: {one}, {other}")),
                _ => None,
            }
        })
    }

    /// The lines of a console that are compared.
    fn compared<'b>(&self, console: &'b [String]) -> Vec<&'b str> {
        console.iter().map(String::as_str).filter(|line| line.starts_with(self.lines)).collect()
    }
}

/// The first line in which two consoles differ.
fn difference<'a>(one: &[&'a str], other: &[&'a str]) -> Option<[&'a str; 2]> {
    let line = |console: &[&'a str], at: usize| console.get(at).copied().unwrap_or("(nothing)");
    let lines = (0..one.len().max(other.len())).map(|at| [line(one, at), line(other, at)]);
    lines.into_iter().find(|[one, other]| one != other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worlds(text: &str) -> Worlds {
        toml::from_str(text).unwrap()
    }

    fn consoles(all: &[(&str, &[&str])]) -> Consoles {
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
        all.iter().map(|(build, console)| ((*build).to_owned(), lines(console))).collect()
    }

    #[test]
    fn equal_outputs_are_compared_line_by_line() {
        let worlds = worlds("same = [['a', 'b']]");
        let same = worlds.on("aarch64")[0];
        assert_eq!(same.complaint(&consoles(&[("a", &["1", "2"]), ("b", &["1", "2"])])), None);
        let complaint = same.complaint(&consoles(&[("a", &["1", "2"]), ("b", &["1", "3"])])).unwrap();
        assert_eq!(complaint, "the outputs differ:\n  a: 2\n  b: 3");
        let complaint = same.complaint(&consoles(&[("a", &["1", "2"]), ("b", &["1"])])).unwrap();
        assert!(complaint.ends_with("b: (nothing)"));
    }

    #[test]
    fn only_chosen_lines_are_compared() {
        let worlds = worlds("lines = 'SAW '\nsame = [['a', 'b']]\n[aarch64]\ndifferent = [['a', 'b']]");
        let all = consoles(&[("a", &["1", "SAW 2", "3"]), ("b", &["SAW 2", "SEEN 4"])]);
        let complaints: Vec<_> = worlds.on("aarch64").iter().map(|it| it.complaint(&all)).collect();
        assert_eq!(complaints, [None, Some("the outputs are equal: a, b".to_owned())]);
    }

    #[test]
    fn different_outputs_are_compared_in_pairs() {
        let worlds = worlds("different = [['a', 'b', 'c']]");
        let different = worlds.on("aarch64")[0];
        let all = consoles(&[("a", &["1"]), ("b", &["2"]), ("c", &["2"])]);
        assert_eq!(different.complaint(&all).unwrap(), "the outputs are equal: b, c");
    }

    #[test]
    fn every_build_is_made_once() {
        let both = worlds("same = [['b', 'a']]\ndifferent = [['a', 'c']]");
        assert_eq!(builds(&both.on("aarch64")), ["a", "b", "c"]);
        assert_eq!(builds(&[]), [""]);
    }

    #[test]
    fn comparisons_can_be_limited_to_one_instruction_set() {
        let all = worlds("same = [['a', 'b']]\n[aarch64]\nsame = [['c', 'd']]");
        assert_eq!(["aarch64", "riscv64"].map(|architecture| all.on(architecture).len()), [2, 1]);
        assert!(toml::from_str::<Worlds>("[vax]\nsame = []").is_err());
    }

    #[test]
    fn a_wrong_table_is_reported() {
        let reason = |text| toml::from_str::<Worlds>(text).unwrap_err().message().to_owned();
        assert!(reason("alike = []").starts_with("unknown field `alike`"));
        assert_eq!(reason("same = [['a']]"), "a comparison needs two builds or more");
        assert!(
            ["same = 1", "same = ['a']", "same = [['a', 1]]"]
                .map(reason)
                .iter()
                .all(|reason| reason.starts_with("invalid type"))
        );
    }
}
