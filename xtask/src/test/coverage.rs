//! `./x test --coverage`: which lines of the kernel the systems and the host tests executed.
//!
//! The emulator reports executed instructions of the kernel, the kernel's line table their lines. A line counts if any
//! build of the kernel has code for it; it is executed if any instruction of it is, on any board. What host tests execute
//! besides, such as the tests themselves, does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use limen_executed::{Account, Block, Event, KERNEL, Listener};
use limen_page::{escaped, headings, line, table};
use limen_symbolise::program::ProgramFile;

use crate::emulator_plugin::session::{Detail, Listening};
use crate::failure::{Context, Failure, Outcome};
use crate::profile::percent;
use crate::run::board::Board;
use crate::shell::files;
use crate::test::host_coverage::ExecutedLines;
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
    /// Lines that host tests executed; `None` if they did not run.
    by_host_tests: Option<ExecutedLines>,
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
    /// A coverage with what host tests executed, if they ran, of these kernels.
    pub fn new(kernels: impl Iterator<Item = PathBuf>, by_host_tests: Option<ExecutedLines>) -> Self {
        let executed = kernels.map(|kernel| (kernel, BTreeSet::new())).collect();
        Self { executed: Mutex::new(executed), by_host_tests }
    }

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
    /// When a file cannot be read or written.
    pub fn report(self, workspace: &Workspace) -> Outcome {
        let mut lines = Lines { has_host_tests: self.by_host_tests.is_some(), ..Lines::default() };
        for (file, executed) in self.executed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let bytes = std::fs::read(&file).context(|| format!("cannot read {}", file.display()))?;
            let program = ProgramFile::parse("kernel", &bytes);
            let program =
                program.ok_or_else(|| Failure::new(format!("{} is not an ELF file", file.display())))?;
            lines.add(&program.lines(), &executed);
        }
        lines.add_host_tests(&self.by_host_tests.unwrap_or_default());
        print!("{}", lines.to_text());
        let page = workspace.path(PAGE);
        let source = |file: &str| files::read(&workspace.path(file)).unwrap_or_default();
        files::write(&page, lines.to_html(&source))?;
        println!("lines that were not executed: {}", workspace.display(&page));
        Ok(())
    }
}

/// The kind of code that executed a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    #[default]
    Nothing,
    /// Host tests, but no system.
    HostTests,
    /// A system.
    Systems,
}

/// Lines that have code, by file and number, and what executed them.
#[derive(Default)]
struct Lines {
    files: BTreeMap<String, BTreeMap<u32, By>>,
    has_host_tests: bool,
}

/// Numbers of lines: all, executed by systems, and by host tests only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    all: u64,
    systems: u64,
    host_tests: u64,
}

impl Count {
    fn of(lines: &BTreeMap<u32, By>) -> Self {
        let by = |what| lines.values().filter(|by| **by == what).count() as u64;
        Self { all: lines.len() as u64, systems: by(By::Systems), host_tests: by(By::HostTests) }
    }

    fn executed(self) -> u64 {
        self.systems + self.host_tests
    }

    /// The fields of a row after its name. `has_host_tests`: they ran.
    fn fields(self, has_host_tests: bool) -> [String; 4] {
        let host_tests = if has_host_tests { self.host_tests.to_string() } else { "-".to_owned() };
        [self.all.to_string(), self.systems.to_string(), host_tests, percent(self.executed(), self.all)]
    }
}

/// The headings of these fields.
const FIELDS: [&str; 4] = ["lines", "systems", "host tests only", "share"];

impl Lines {
    /// Adds a kernel's line table: first address, bytes, path and line.
    fn add(&mut self, table: &[(u64, u64, String, u32)], executed: &BTreeSet<u64>) {
        for (start, bytes, path, number) in table {
            let Some(path) = path.strip_prefix(SOURCES) else { continue };
            if *number == 0 || !FOLDERS.iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            let is_executed = executed.range(*start..start.saturating_add(*bytes)).next().is_some();
            let by = if is_executed { By::Systems } else { By::Nothing };
            let line = self.files.entry(path.to_owned()).or_default().entry(*number).or_default();
            *line = by.max(*line);
        }
    }

    /// Adds what host tests executed, of lines that a kernel has.
    fn add_host_tests(&mut self, executed: &ExecutedLines) {
        for (file, numbers) in executed {
            let lines = self.files.get_mut(file).into_iter().flatten();
            let lines = lines.filter(|(number, by)| **by == By::Nothing && numbers.contains(number));
            lines.for_each(|(_, by)| *by = By::HostTests);
        }
    }

    /// Each file with its numbers of lines.
    fn counts(&self) -> impl Iterator<Item = (&str, Count)> {
        self.files.iter().map(|(file, lines)| (file.as_str(), Count::of(lines)))
    }

    fn sum(&self) -> Count {
        self.counts().fold(Count::default(), |sum, (_, count)| Count {
            all: sum.all + count.all,
            systems: sum.systems + count.systems,
            host_tests: sum.host_tests + count.host_tests,
        })
    }

    fn to_text(&self) -> String {
        let width = self.files.keys().map(String::len).max().unwrap_or_default().max("all".len());
        let row = |name: &str, fields: &[String; 4]| {
            let [all, systems, host_tests, share] = fields;
            format!("{name:width$}  {all:>6}  {systems:>7}  {host_tests:>15}  {share:>7}\n")
        };
        let rows = self.counts().map(|(file, count)| row(file, &count.fields(self.has_host_tests)));
        let rows: String = rows.collect();
        let sum = row("all", &self.sum().fields(self.has_host_tests));
        row("file", &FIELDS.map(str::to_owned)) + &rows + &sum
    }

    fn to_html(&self, source: &dyn Fn(&str) -> String) -> String {
        let rows = self.counts().map(|(file, count)| {
            let name = if count.all == count.systems {
                escaped(file)
            } else {
                format!("<a href=\"#{0}\">{0}</a>", escaped(file))
            };
            line(&name, count.fields(self.has_host_tests))
        });
        let rows: String = rows.collect();
        let missed = self.files.iter().filter(|(_, lines)| lines.values().any(|by| *by != By::Systems));
        let missed: String = missed.map(|(file, lines)| listing(file, lines, &source(file))).collect();
        let sum = self.sum();
        let headings = headings(["file"].into_iter().chain(FIELDS));
        let body = format!(
            "<h1>Coverage of the kernel</h1>\n<p>Systems executed {} of {} lines with code, and host tests {} others: {}. \
             Generic code that no build contains has no lines.</p>\n<section>\n<h2>Files</h2>\n{}</section>\n\
             <section>\n<h2>Lines that no system executed</h2>\n<p>Host tests executed those with an h.</p>\n{missed}</section>\n",
            sum.systems,
            sum.all,
            sum.host_tests,
            percent(sum.executed(), sum.all),
            table("", &headings, &rows)
        );
        limen_page::page("Coverage of the kernel", STYLE, &body)
    }
}

/// The lines of a file that no system executed; an empty line where others are between them.
fn listing(file: &str, lines: &BTreeMap<u32, By>, source: &str) -> String {
    let text: Vec<_> = source.lines().collect();
    let mut listing = String::new();
    let mut was_missed = true;
    for (number, by) in lines {
        let is_missed = *by != By::Systems;
        if is_missed {
            let code = text.get(*number as usize - 1).copied().unwrap_or_default();
            let gap = if was_missed { "" } else { "\n" };
            let mark = if *by == By::HostTests { 'h' } else { ' ' };
            listing += &format!("{gap}{number:5} {mark} {}\n", escaped(code));
        }
        was_missed = is_missed;
    }
    let count = lines.values().filter(|by| **by != By::Systems).count();
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
        let count = |all, systems| Count { all, systems, host_tests: 0 };
        assert_eq!(
            lines.counts().collect::<Vec<_>>(),
            [("abi/abi/src/b.rs", count(1, 0)), ("kernel/core/src/a.rs", count(3, 2))]
        );
        lines.add(&table(), &BTreeSet::from([0x101c]));
        assert_eq!(lines.sum(), count(4, 3));
        let text = lines.to_text();
        assert!(
            text.ends_with("all                        4        3                -   75.0 %\n"),
            "{text}"
        );
    }

    #[test]
    fn host_tests_count_for_lines_that_a_kernel_has_and_no_system_executed() {
        let mut lines = lines(&[0x1000]);
        lines.has_host_tests = true;
        lines.add_host_tests(&BTreeMap::from([
            // Line 3 has no code in the kernel, such as a test.
            ("kernel/core/src/a.rs".to_owned(), BTreeSet::from([1, 2, 3])),
            ("host/sdf/src/c.rs".to_owned(), BTreeSet::from([1])),
        ]));
        assert_eq!(lines.sum(), Count { all: 4, systems: 1, host_tests: 1 });
        let text = lines.to_text();
        assert!(
            text.ends_with("all                        4        1                1   50.0 %\n"),
            "{text}"
        );
        let html = lines.to_html(&|_| "first\nsecond\nthird\nfourth\n".to_owned());
        assert!(html.contains("<pre>\n    2 h second\n    4   fourth\n</pre>"), "{html}");
    }

    #[test]
    fn only_lines_that_were_not_executed_are_shown() {
        let html = lines(&[0x1008, 0x1018]).to_html(&|_| "first <a>\nsecond\nthird\nfourth\n".to_owned());
        roxmltree::Document::parse(html.split_once('\n').unwrap().1).unwrap();
        assert!(html.contains("<pre>    1   first &lt;a&gt;\n\n    4   fourth\n</pre>"), "{html}");
        assert!(!html.contains("second") && !html.contains("third"));
    }

    #[test]
    fn instructions_that_were_only_translated_do_not_count() {
        use limen_executed::Instruction;
        let step = |address| Instruction::new("riscv64", address, vec![0; 4]);
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
