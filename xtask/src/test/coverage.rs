//! `./x test --coverage`: which lines of the kernel the systems executed.
//!
//! The emulator reports executed instructions of the kernel, the kernel's line table their lines. A line counts if any
//! build of the kernel has code for it; it is executed if any instruction of it is, on any board.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use limen_page::{escaped, headings, line, table};
use limen_symbolise::program::ProgramFile;

use crate::bench::trace::KERNEL;
use crate::emulator_plugin::account::Account;
use crate::emulator_plugin::session::{Detail, Listener, Listening};
use crate::emulator_plugin::stream::{Block, Event};
use crate::failure::{Context, Failure, Outcome};
use crate::profile::percent;
use crate::run::board::Board;
use crate::shell::files;
use crate::workspace::Workspace;

/// The page, below the repository.
const PAGE: &str = "build/coverage.html";
/// The folder that debug information names instead of the repository.
const SOURCES: &str = "/usr/src/limen/";
/// The folders whose lines count.
const FOLDERS: [&str; 2] = ["kernel/", "abi/"];

const STYLE: &str = "pre { overflow-x: auto; background: var(--card); padding: .75rem; border-radius: .5rem; font-size: .75rem; line-height: 1.4; }\n";

/// Collects the executed instructions of kernels.
#[derive(Default)]
pub struct Coverage {
    /// Addresses by the file of the kernel.
    executed: Mutex<BTreeMap<PathBuf, BTreeSet<u64>>>,
}

/// The executed part of each block of one run.
#[derive(Default)]
pub struct Executed {
    instructions: Vec<usize>,
}

impl Listener for Executed {
    fn take(&mut self, blocks: &[Block], event: Event, _: Account) {
        let Event::Run { block, first, count } = event else { return };
        self.instructions.resize(blocks.len(), 0);
        if let Some(most) = self.instructions.get_mut(block) {
            *most = (*most).max(first + count);
        }
    }
}

impl Executed {
    /// The addresses in the kernel.
    fn addresses<'a>(&'a self, blocks: &'a [Block]) -> impl Iterator<Item = u64> + 'a {
        let executed = blocks.iter().zip(&self.instructions);
        let code = executed.flat_map(|(block, count)| block.code.iter().take(*count));
        code.map(|step| step.address).filter(|address| *address >= KERNEL)
    }
}

impl Coverage {
    /// Watches a run of an image, if there is a coverage to collect.
    ///
    /// # Errors
    /// When the plugin cannot be compiled.
    pub fn watch(
        this: Option<&Self>,
        workspace: &Workspace,
        board: &Board,
        image: &Path,
    ) -> Outcome<Option<Listening<Executed>>> {
        let folder = image.parent().unwrap_or(Path::new("."));
        let start = |_| Listening::start(workspace, board, folder, Detail::Instructions, Executed::default());
        this.map(start).transpose()
    }

    /// Adds what a run has executed of this kernel.
    ///
    /// # Errors
    /// When it could not be read.
    pub fn add(this: Option<&Self>, watch: Option<Listening<Executed>>, kernel: PathBuf) -> Outcome {
        let (Some(coverage), Some(watch)) = (this, watch) else { return Ok(()) };
        let (blocks, executed) = watch.finish()?;
        let mut all = coverage.executed.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(kernel).or_default().extend(executed.addresses(&blocks));
        Ok(())
    }

    /// Prints the lines of each file, and writes a page with those that were not executed.
    ///
    /// # Errors
    /// When nothing was executed, or a file cannot be read or written.
    pub fn report(self, workspace: &Workspace) -> Outcome {
        let mut lines = Lines::default();
        for (file, executed) in self.executed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let bytes = std::fs::read(&file).context(|| format!("cannot read {}", file.display()))?;
            let program = ProgramFile::parse("kernel", &bytes);
            let program =
                program.ok_or_else(|| Failure::new(format!("{} is not an ELF file", file.display())))?;
            lines.add(&program.lines(), &executed);
        }
        if lines.files.is_empty() {
            return Err(Failure::new(
                "no system ran, so there is no coverage: choose suites or examples with FILTER",
            ));
        }
        print!("{}", lines.to_text());
        let page = workspace.path(PAGE);
        let source = |file: &str| files::read(&workspace.path(file)).unwrap_or_default();
        files::write(&page, lines.to_html(&source))?;
        println!("lines that were not executed: {}", workspace.display(&page));
        Ok(())
    }
}

/// Lines that have code, by file and number, and whether they were executed.
#[derive(Default)]
struct Lines {
    files: BTreeMap<String, BTreeMap<u32, bool>>,
}

impl Lines {
    /// Adds a kernel's line table: first address, bytes, path and line.
    fn add(&mut self, table: &[(u64, u64, String, u32)], executed: &BTreeSet<u64>) {
        for (start, bytes, path, number) in table {
            let Some(path) = path.strip_prefix(SOURCES) else { continue };
            if *number == 0 || !FOLDERS.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            let is_executed = executed.range(*start..start.saturating_add(*bytes)).next().is_some();
            *self.files.entry(path.to_owned()).or_default().entry(*number).or_default() |= is_executed;
        }
    }

    /// Each file with its number of lines, and of those that were executed.
    fn counts(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.files.iter().map(|(file, lines)| {
            let executed = lines.values().filter(|executed| **executed).count();
            (file.as_str(), lines.len() as u64, executed as u64)
        })
    }

    fn sum(&self) -> (u64, u64) {
        self.counts().fold((0, 0), |(all, executed), (_, lines, done)| (all + lines, executed + done))
    }

    fn to_text(&self) -> String {
        let width = self.files.keys().map(String::len).max().unwrap_or_default().max("all".len());
        let row = |name: &str, all: u64, executed: u64| {
            format!("{name:width$}  {all:>6}  {executed:>8}  {:>7}\n", percent(executed, all))
        };
        let rows: String = self.counts().map(|(file, all, executed)| row(file, all, executed)).collect();
        let (all, executed) = self.sum();
        format!(
            "{:width$}  {:>6}  {:>8}  {:>7}\n{rows}{}",
            "file",
            "lines",
            "executed",
            "share",
            row("all", all, executed)
        )
    }

    fn to_html(&self, source: &dyn Fn(&str) -> String) -> String {
        let rows = self.counts().map(|(file, all, executed)| {
            let name = if all == executed {
                escaped(file)
            } else {
                format!("<a href=\"#{0}\">{0}</a>", escaped(file))
            };
            line(&name, [all.to_string(), executed.to_string(), percent(executed, all)])
        });
        let rows: String = rows.collect();
        let missed = self.files.iter().filter(|(_, lines)| lines.values().any(|executed| !executed));
        let missed: String = missed.map(|(file, lines)| listing(file, lines, &source(file))).collect();
        let (all, executed) = self.sum();
        let body = format!(
            "<h1>Coverage of the kernel</h1>\n<p>{executed} of {all} lines with code were executed, {}. Generic code that \
             no build contains has no lines.</p>\n<section>\n<h2>Files</h2>\n{}</section>\n\
             <section>\n<h2>Lines that were not executed</h2>\n{missed}</section>\n",
            percent(executed, all),
            table("", &headings(["file", "lines", "executed", "share"]), &rows)
        );
        limen_page::page("Coverage of the kernel", STYLE, &body)
    }
}

/// The lines of a file that were not executed; an empty line where others are between them.
fn listing(file: &str, lines: &BTreeMap<u32, bool>, source: &str) -> String {
    let text: Vec<_> = source.lines().collect();
    let mut listing = String::new();
    let mut was_missed = true;
    for (number, executed) in lines {
        if !executed {
            let code = text.get(*number as usize - 1).copied().unwrap_or_default();
            let gap = if was_missed { "" } else { "\n" };
            listing += &format!("{gap}{number:5}  {}\n", escaped(code));
        }
        was_missed = !executed;
    }
    let count = lines.values().filter(|executed| !**executed).count();
    let file = escaped(file);
    format!(
        "<details open=\"open\" id=\"{file}\"><summary>{file}: {count}</summary>\n<pre>{listing}</pre></details>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<(u64, u64, String, u32)> {
        let row = |start, path: &str, line| (start, 8, path.to_owned(), line);
        vec![
            row(0x1000, "/usr/src/limen/kernel/core/src/a.rs", 1),
            row(0x1008, "/usr/src/limen/kernel/core/src/a.rs", 2),
            row(0x1010, "/usr/src/limen/kernel/core/src/a.rs", 4),
            row(0x1018, "/usr/src/limen/abi/abi/src/b.rs", 3),
            row(0x1020, "/rustc/library/core/src/num.rs", 9),
        ]
    }

    fn lines(executed: &[u64]) -> Lines {
        let mut lines = Lines::default();
        lines.add(&table(), &executed.iter().copied().collect());
        lines
    }

    #[test]
    fn a_line_is_executed_if_an_instruction_of_it_is_in_any_kernel() {
        let mut lines = lines(&[0x1004, 0x1010]);
        assert_eq!(
            lines.counts().collect::<Vec<_>>(),
            [("abi/abi/src/b.rs", 1, 0), ("kernel/core/src/a.rs", 3, 2)]
        );
        lines.add(&table(), &BTreeSet::from([0x101c]));
        assert_eq!(lines.sum(), (4, 3));
        assert!(
            lines.to_text().ends_with("all                        4         3   75.0 %\n"),
            "{}",
            lines.to_text()
        );
    }

    #[test]
    fn only_lines_that_were_not_executed_are_shown() {
        let html = lines(&[0x1008, 0x1018]).to_html(&|_| "first <a>\nsecond\nthird\nfourth\n".to_owned());
        roxmltree::Document::parse(html.split_once('\n').unwrap().1).unwrap();
        assert!(html.contains("<pre>    1  first &lt;a&gt;\n\n    4  fourth\n</pre>"), "{html}");
        assert!(!html.contains("second") && !html.contains("third"));
    }

    #[test]
    fn instructions_that_were_only_translated_do_not_count() {
        use crate::emulator_plugin::flow::Flow;
        use crate::emulator_plugin::stream::Instruction;
        let step = |address| Instruction { address, bytes: vec![0; 4], flow: Flow::Other };
        let blocks = [
            Block { place: 0, code: vec![step(KERNEL), step(KERNEL + 4), step(KERNEL + 8)] },
            Block { place: 0, code: vec![step(0x1000)] },
            Block { place: 0, code: vec![step(KERNEL + 12)] },
        ];
        let mut executed = Executed::default();
        for (block, count) in [(0, 2), (1, 1), (0, 1)] {
            executed.take(&blocks, Event::Run { block, first: 0, count }, Account::Boot);
        }
        assert_eq!(executed.addresses(&blocks).collect::<Vec<_>>(), [KERNEL, KERNEL + 4]);
    }
}
