//! Measures equal code in ports, which belongs above them.
//!
//! The measure covers the code of ports: files named after an instruction set or below a folder that is, in `kernel/`
//! and `user/`, without empty lines, comments, lines of only brackets, and module declarations (ports should have the same files). A
//! line is *shared* if it lies in a run of [`RUN`] consecutive lines that another port has as well, in any of its
//! files. Shorter runs are common at the start and end of every file.

use std::collections::HashMap;
use std::fmt;

use super::SourceFile;

/// The number of consecutive lines that two ports do not share by chance.
const RUN: usize = 4;
/// The number of consecutive equal lines that make an algorithm.
const TOO_LONG: usize = 8;
/// The limit of shared lines per thousand.
const LIMIT_PER_MILLE: usize = 50;
/// The number of places in the report.
const WORST: usize = 3;

const PORTS: [&str; 3] = ["aarch64", "riscv64", "x86_64"];
const ROOTS: [&str; 2] = ["kernel", "user"];

/// Consecutive lines of one file that another port has as well.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    path: String,
    /// First and last line number.
    lines: (usize, usize),
    /// The number of lines that count.
    length: usize,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = self.lines;
        write!(f, "{}:{first}-{last} ({} lines)", self.path, self.length)
    }
}

/// The measure of a source tree.
#[derive(Debug)]
pub struct SharedLines {
    all: usize,
    shared: usize,
    /// Longest first.
    runs: Vec<Run>,
    /// Runs that are too long.
    too_long: Vec<Run>,
}

impl SharedLines {
    /// Whether lines belong above the ports.
    pub fn are_too_many(&self) -> bool {
        self.shared * 1000 >= self.all * LIMIT_PER_MILLE || !self.too_long.is_empty()
    }
}

impl fmt::Display for SharedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { all, shared, runs, too_long } = self;
        let per_mille = shared * 1000 / (*all).max(1);
        write!(
            f,
            "{shared} of {all} lines of ports ({}.{} %) are in two of them",
            per_mille / 10,
            per_mille % 10
        )?;
        let places = if too_long.is_empty() { runs } else { too_long };
        for (index, run) in places.iter().take(WORST).enumerate() {
            write!(f, "{}{run}", if index == 0 { "; first of all " } else { ", " })?;
        }
        Ok(())
    }
}

/// Measures the ports among these files.
pub fn measure(files: &[SourceFile]) -> SharedLines {
    let files: Vec<PortFile> = files.iter().filter_map(PortFile::of).collect();
    let runs = runs(&files, RUN);
    SharedLines {
        all: files.iter().map(|file| file.lines.len()).sum(),
        shared: runs.iter().map(|run| run.length).sum(),
        runs,
        too_long: self::runs(&files, TOO_LONG),
    }
}

/// The lines of a port's file that count, with line numbers.
struct PortFile<'a> {
    path: &'a str,
    port: &'a str,
    lines: Vec<(usize, &'a str)>,
}

impl<'a> PortFile<'a> {
    fn of(file: &'a SourceFile) -> Option<Self> {
        let in_root = ROOTS.iter().any(|root| file.is_below(root));
        if !in_root || !file.has_ending(&["rs", "S", "c", "h"]) {
            return None;
        }
        let mut names = file.path.split('/').map(|part| part.split('.').next().unwrap_or(part));
        let port = names.find(|name| PORTS.contains(name))?;
        Some(Self { path: &file.path, port, lines: counted(&file.text) })
    }

    /// Each window of this many consecutive lines, with its position.
    fn windows(&self, length: usize) -> impl Iterator<Item = (usize, Vec<&'a str>)> {
        let texts = |window: &[(usize, &'a str)]| window.iter().map(|(_, text)| *text).collect();
        self.lines.windows(length).map(texts).enumerate()
    }
}

fn counted(text: &str) -> Vec<(usize, &str)> {
    let mut in_comment = false;
    let mut counts = |line: &str| {
        if in_comment || line.starts_with("/*") {
            in_comment = !line.contains("*/");
            return false;
        }
        let is_module = line.trim_start_matches("pub ").starts_with("mod ") && line.ends_with(';');
        !line.starts_with("//") && !is_module && line.contains(|c: char| !"{}()[];, ".contains(c))
    };
    let lines = text.lines().map(str::trim).enumerate();
    lines.filter(|(_, line)| counts(line)).map(|(index, line)| (index + 1, line)).collect()
}

/// Every run of at least `length` lines that another port has as well, the longest first.
fn runs(files: &[PortFile], length: usize) -> Vec<Run> {
    let mut ports_with: HashMap<Vec<&str>, Vec<&str>> = HashMap::new();
    for file in files {
        for (_, window) in file.windows(length) {
            ports_with.entry(window).or_default().push(file.port);
        }
    }
    let mut runs = Vec::new();
    for file in files {
        let mut shared = vec![false; file.lines.len()];
        for (start, window) in file.windows(length) {
            if ports_with[&window].iter().any(|port| *port != file.port) {
                shared[start..start + length].fill(true);
            }
        }
        let lines: Vec<_> = file.lines.iter().zip(shared).collect();
        let stretches = lines.chunk_by(|(_, before), (_, after)| before == after);
        runs.extend(stretches.filter_map(|stretch| match stretch {
            [((first, _), true), ..] => Some(Run {
                path: file.path.to_owned(),
                lines: (*first, stretch.last().map_or(*first, |((last, _), _)| *last)),
                length: stretch.len(),
            }),
            _ => None,
        }));
    }
    runs.sort_by(|a, b| b.length.cmp(&a.length).then_with(|| a.path.cmp(&b.path)));
    runs
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    const ARM: &str = "kernel/platform/src/arch/aarch64/a.rs";
    const RISCV: &str = "kernel/platform/src/arch/riscv64/b.rs";

    fn lines(numbers: std::ops::Range<usize>) -> String {
        numbers.map(|number| format!("    let x = {number};\n")).collect()
    }

    #[test]
    fn runs_of_four_count_and_shorter_ones_do_not() {
        let three = measure(&[file(ARM, &lines(0..3)), file(RISCV, &lines(0..3))]);
        assert_eq!((three.all, three.shared, three.are_too_many()), (6, 0, false));
        let four = measure(&[file(ARM, &lines(0..4)), file(RISCV, &lines(0..4))]);
        assert_eq!((four.all, four.shared, four.are_too_many()), (8, 8, true));
    }

    #[test]
    fn comments_neither_count_nor_end_a_run() {
        let arm = "//! Arm.\nmod a;\none\n/* a\n comment */\n\ntwo\n}\nthree\nfour\n";
        let riscv = "pub mod b;\none\ntwo\n// why\nthree\n    },\n  four\n";
        let found = measure(&[file(ARM, arm), file(RISCV, riscv)]);
        assert_eq!((found.all, found.shared), (8, 8));
        assert_eq!(found.runs[0], Run { path: ARM.into(), lines: (3, 10), length: 4 });
    }

    #[test]
    fn a_port_may_repeat_itself_and_files_elsewhere_anything() {
        let other = "kernel/loader/src/arch/aarch64/c.rs";
        let files = [ARM, other, "kernel/core/src/riscv.rs", "tests/riscv64/d.S"];
        let found = measure(&files.map(|path| file(path, &lines(0..9))));
        assert_eq!((found.all, found.shared), (18, 0));
    }

    #[test]
    fn a_file_that_is_named_after_its_port_counts() {
        let files = ["kernel/keys/src/arch/aarch64.rs", "kernel/keys/src/arch/x86_64.rs"];
        let found = measure(&files.map(|path| file(path, &lines(0..9))));
        assert_eq!((found.all, found.shared, found.too_long.len()), (18, 18, 2));
    }

    #[test]
    fn a_few_are_tolerated_but_not_eight_in_a_row() {
        let tree = |shared: usize| {
            let (arm, riscv) = (lines(0..500), lines(500 - shared..1000));
            measure(&[file(ARM, &arm), file(RISCV, &riscv)])
        };
        assert!(!tree(7).are_too_many());
        assert!(tree(8).are_too_many());
        assert_eq!(
            tree(8).to_string(),
            format!(
                "16 of 1008 lines of ports (1.5 %) are in two of them; first of all {ARM}:493-500 (8 lines), {RISCV}:1-8 (8 lines)"
            )
        );
    }
}
