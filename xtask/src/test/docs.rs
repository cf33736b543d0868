//! The commands that the documents show: each one runs, and what the page shows below it must appear, in this order.
//!
//! In a block of `sh` each line is a command, which must succeed. In other blocks commands are behind `$ `, and the lines
//! below one are its output, of which `...` leaves out any number. Numbers and the width of columns may differ. The comment
//! `<!-- not run: REASON -->` in front of a block excludes it. Commands of `./x test` are tests themselves and do not run.

use std::mem;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::{Context, Failure, Outcome};
use crate::shell::files;
use crate::shell::progress;
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

/// The name of the test.
pub const TEST: &str = "docs";

const FENCE: &str = "```";
const PROMPT: &str = "$ ";
const TESTS: &str = "./x test";
const EXCLUDED: &str = "<!-- not run: ";

/// A command of a page.
#[derive(Debug, PartialEq, Eq)]
struct Shown<'a> {
    /// The line of the page, from 1.
    line: usize,
    command: &'a str,
    /// The output, if the page shows it.
    output: Option<Vec<&'a str>>,
}

/// Runs the commands of every page.
///
/// # Errors
/// When a page cannot be read, or the shell cannot be started.
pub fn run(workspace: &Workspace) -> Outcome<Verdict> {
    let mut verdict = Verdict::default();
    for page in pages(workspace)? {
        let name = workspace.display(&page);
        for shown in commands(&files::read(&page)?) {
            progress::show(&format!("{name}:{}: {}", shown.line, shown.command));
            let outcome = check(workspace, &shown)?;
            verdict.add(Verdict::single(outcome.context(|| format!("{name}:{}", shown.line))));
        }
    }
    Ok(verdict)
}

fn pages(workspace: &Workspace) -> Outcome<Vec<PathBuf>> {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let docs = files::below(&workspace.path("docs"))?.into_iter().filter(is_page);
    let examples = files::below(&workspace.path("examples"))?.into_iter().filter(is_page);
    let docs = docs.map(|path| workspace.path("docs").join(path));
    let examples = examples.map(|path| workspace.path("examples").join(path));
    Ok([workspace.path("README.md")].into_iter().chain(docs).chain(examples).collect())
}

/// A block between two fences.
#[derive(Default)]
struct Block<'a> {
    language: &'a str,
    is_excluded: bool,
    /// With their numbers in the page.
    lines: Vec<(usize, &'a str)>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    let mut is_excluded = false;
    for (number, line) in (1..).zip(page.lines().map(str::trim)) {
        match (line.strip_prefix(FENCE), &mut open) {
            (Some(language), None) => {
                let is_excluded = mem::take(&mut is_excluded);
                open = Some(Block { language, is_excluded, ..Block::default() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.lines.push((number, line)),
            (None, None) => is_excluded = line.starts_with(EXCLUDED),
        }
    }
    blocks
}

impl<'a> Block<'a> {
    fn commands(&self) -> Vec<Shown<'a>> {
        if self.language == "sh" {
            let lines = self.lines.iter().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
            return lines.map(|(line, command)| Shown { line: *line, command, output: None }).collect();
        }
        let parts = self.lines.chunk_by(|_, (_, next)| !next.starts_with(PROMPT));
        let shown = parts.filter_map(|part| {
            let ((line, first), output) = part.split_first()?;
            let output = output.iter().map(|(_, line)| *line).collect();
            Some(Shown { line: *line, command: first.strip_prefix(PROMPT)?, output: Some(output) })
        });
        shown.collect()
    }
}

fn commands(page: &str) -> Vec<Shown<'_>> {
    let blocks = blocks(page).into_iter().filter(|block| !block.is_excluded);
    let shown = blocks.flat_map(|block| block.commands());
    shown.filter(|shown| !shown.command.contains(TESTS)).collect()
}

fn check(workspace: &Workspace, shown: &Shown<'_>) -> Outcome<Outcome> {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{}", shown.command)]);
    shell.current_dir(workspace.root()).stdin(Stdio::null());
    let output = shell.output().context(|| "cannot start sh".to_owned())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(expected) = &shown.output else {
        let last = text.lines().last().unwrap_or_default();
        let failure = || Failure::new(format!("`{}` fails ({}): {last}", shown.command, output.status));
        return Ok(if output.status.success() { Ok(()) } else { Err(failure()) });
    };
    Ok(match first_missing(expected, &text) {
        Some(line) => Err(Failure::new(format!("`{}` does not print: {line}", shown.command))),
        None => Ok(()),
    })
}

/// The first line of the page that does not follow the one before in the output.
fn first_missing<'a>(expected: &[&'a str], output: &str) -> Option<&'a str> {
    let mut lines = output.lines().map(shape);
    let expected = expected.iter().filter(|line| !line.is_empty() && **line != "...");
    expected.copied().find(|line| !lines.any(|printed| printed == shape(line)))
}

/// A line without the values of numbers and the width of columns.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    for character in line.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match character {
            '0'..='9' if shape.ends_with('0') => {}
            '0'..='9' => shape.push('0'),
            // A fraction belongs to its number.
            '.' if shape.ends_with('0') => {}
            other => shape.push(other),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_their_output() {
        let page = "text\n```sh\n# first\n./x test\n./x run  # the tour\n```\n\n```\n$ ./x trace\n346 records\n...\nend\n$ b\n```\n\
                    <!-- not run: it needs hardware -->\n```sh\nboot\n```\n```\n$ not\n```\n```c\nint a;\n```\n";
        let shown = |line, command, output| Shown { line, command, output };
        assert_eq!(
            commands(page),
            [
                shown(5, "./x run  # the tour", None),
                shown(9, "./x trace", Some(vec!["346 records", "...", "end"])),
                shown(13, "b", Some(vec![])),
                shown(20, "not", Some(vec![])),
            ]
        );
    }

    #[test]
    fn lines_appear_in_order_whatever_their_numbers() {
        let printed = "a 1.5 ms  x\nnoise\nb 0x3f\nc";
        assert_eq!(first_missing(&["a   62 ms x", "...", "c"], printed), None);
        assert_eq!(first_missing(&["b 0x4f", "a 1 ms x"], printed), Some("a 1 ms x"));
        assert_eq!(first_missing(&["a 1 us x"], printed), Some("a 1 us x"));
    }
}
