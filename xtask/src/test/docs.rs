//! The commands that the documents show: each one runs, and what the page shows below it must appear, in this order.
//!
//! In a block of `sh` each line is a command, which must succeed. If the next block of the section has neither a language nor a
//! prompt, every one of these commands must print its lines. In other blocks commands are behind `$ `, and the lines below one
//! are its output. `...` leaves out any number of lines, or any part of one. Numbers and the width of columns may differ. A
//! command that waits for the reader has the comment `<!-- ends when all is shown -->` in front of its block, and is ended then.
//! The comment `<!-- not run: REASON -->` excludes a block. Commands of `./x test` are tests themselves and do not run.
//!
//! A page may have its reader write files, or lead out of the top folder. Its commands run in a folder of their own, and
//! comments in front of blocks say what the blocks are:
//!
//! ```text
//! <!-- file: first/client.c -->            the whole file
//! <!-- part of first/server.c -->          what replaces the lines that begin and end alike
//! <!-- output of ./x run first -->         what the command prints
//! ```

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Context, Failure, Outcome};
use crate::shell::files;
use crate::shell::progress;
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

/// The name of the test.
pub const TEST: &str = "docs";

const FENCE: &str = "```";
const SHELL: &str = "sh";
const PROMPT: &str = "$ ";
const TESTS: &str = "./x test";

/// Seconds after which a command that waits is ended although it has not printed all.
const LIMIT: &str = "900";

/// The least number of hexadecimal digits in a digest.
const DIGEST: usize = 32;

/// The page's own folder, below [`Workspace::root`].
const FOLDERS: &str = "build/docs";

/// A step that a page has its reader do.
#[derive(Debug, PartialEq, Eq)]
struct Step<'a> {
    /// The line of the page, from 1.
    line: usize,
    act: Act<'a>,
}

impl<'a> Step<'a> {
    /// Adds the output of a block of commands to each of them.
    fn printing(mut self, shown: &[&'a str]) -> Self {
        if let Act::Run { output, .. } = &mut self.act {
            output.extend(shown);
        }
        self
    }

    fn until_shown(self) -> Self {
        match self.act {
            Act::Run { command, output, .. } => Self { act: Act::RunUntil { command, output }, ..self },
            _ => self,
        }
    }

    fn needs_folder(&self) -> bool {
        match self.act {
            Act::Run { command, .. } | Act::RunUntil { command, .. } => command.contains(" ../"),
            Act::Write { .. } | Act::Replace { .. } => true,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Act<'a> {
    /// Run a command, whose output the page may show.
    Run { command: &'a str, end: End, output: Vec<&'a str> },
    /// Run a command until it has printed what the page shows.
    RunUntil { command: &'a str, output: Vec<&'a str> },
    /// Write a file.
    Write { file: &'a str, lines: Vec<&'a str> },
    /// Replace the part of a file that begins and ends like these lines.
    Replace { file: &'a str, lines: Vec<&'a str> },
}

/// How a command may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Success,
    /// The page shows a command that fails.
    Either,
}

/// The part of the names of pages to run, from a filter of `./x test`; `None` if the filter does not select this test.
pub fn pages_of(filter: &str) -> Option<&str> {
    filter.strip_prefix(TEST).filter(|page| page.is_empty() || page.starts_with(' ')).map(str::trim)
}

/// Runs the commands of every page whose name contains `wanted`.
///
/// # Errors
/// When there is no such page, one cannot be read, or the shell cannot be started.
pub fn run(workspace: &Workspace, wanted: &str) -> Outcome<Verdict> {
    let mut verdict = Verdict::default();
    let mut pages = pages(workspace)?;
    pages.retain(|page| workspace.display(page).to_string().contains(wanted));
    if pages.is_empty() {
        return Err(Failure::new(format!("no page has '{wanted}' in its name, as docs/debugging.md has")));
    }
    for page in pages {
        let name = workspace.display(&page);
        let text = files::read(&page)?;
        let steps = steps(&text);
        let folder = folder(workspace, &page, &steps)?;
        for Step { line, act } in &steps {
            let outcome = match act {
                Act::Run { command, end, output } => {
                    progress::show(&format!("{name}:{line}: {command}"));
                    check(&folder, command, *end, output)?
                }
                Act::RunUntil { command, output } => {
                    progress::show(&format!("{name}:{line}: {command}"));
                    check_until(&folder, command, output)?
                }
                Act::Write { file, lines } => {
                    files::write(&folder.join(file), lines.join("\n") + "\n")?;
                    continue;
                }
                Act::Replace { file, lines } => replace(&folder.join(file), lines),
            };
            verdict.add(Verdict::single(outcome.context(|| format!("{name}:{line}"))));
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

/// The folder in which a page's commands run: the repository's, or a new one with `./x`.
fn folder(workspace: &Workspace, page: &Path, steps: &[Step<'_>]) -> Outcome<PathBuf> {
    if !steps.iter().any(Step::needs_folder) {
        return Ok(workspace.root().to_owned());
    }
    let outer = workspace.path(FOLDERS).join(page.file_stem().unwrap_or_default());
    if outer.exists() {
        fs::remove_dir_all(&outer).context(|| format!("cannot remove {}", outer.display()))?;
    }
    let folder = outer.join("limen");
    fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
    let command = folder.join("x");
    symlink(workspace.path("x"), &command).context(|| format!("cannot link {}", command.display()))?;
    Ok(folder)
}

/// Replaces the lines of a file from the first one that begins like `lines`, up to the next one that equals the last of
/// them. A single line replaces one.
fn replace(file: &Path, lines: &[&str]) -> Outcome {
    let text = replaced(&files::read(file)?, lines).context(|| file.display().to_string())?;
    files::write(file, text)
}

fn replaced(text: &str, lines: &[&str]) -> Outcome<String> {
    let old: Vec<_> = text.lines().collect();
    let beginning =
        lines.first().and_then(|line| line.split_inclusive(['(', '=']).next()).unwrap_or_default();
    let from = old.iter().position(|line| line.starts_with(beginning));
    let from = from.ok_or_else(|| Failure::new(format!("no line begins with `{beginning}`")))?;
    let length = match lines {
        [_] => Some(1),
        _ => old[from..].iter().position(|line| Some(line) == lines.last()).map(|last| last + 1),
    };
    let length =
        length.ok_or_else(|| Failure::new(format!("nothing ends what begins with `{beginning}`")))?;
    let new = old[..from].iter().chain(lines).chain(&old[from + length..]);
    Ok(new.map(|line| format!("{line}\n")).collect())
}

/// The comment in front of a block.
#[derive(Clone, Copy, Default)]
enum Note<'a> {
    #[default]
    None,
    NotRun,
    EndsWhenShown,
    File(&'a str),
    PartOf(&'a str),
    OutputOf(&'a str),
}

impl<'a> Note<'a> {
    fn parse(line: &'a str) -> Self {
        let Some(note) = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")) else {
            return Self::None;
        };
        let after = |begin| note.strip_prefix(begin);
        if after("not run: ").is_some() {
            return Self::NotRun;
        }
        if note == "ends when all is shown" {
            return Self::EndsWhenShown;
        }
        let file = after("file: ").map(Self::File);
        let part = || after("part of ").map(Self::PartOf);
        let output = || after("output of ").map(Self::OutputOf);
        file.or_else(part).or_else(output).unwrap_or_default()
    }
}

/// A block between two fences.
#[derive(Default)]
struct Block<'a> {
    /// The number of headings above it.
    section: usize,
    language: &'a str,
    note: Note<'a>,
    /// With their numbers in the page.
    lines: Vec<(usize, &'a str)>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    let (mut section, mut note) = (0, Note::None);
    for (number, line) in (1..).zip(page.lines()) {
        match (line.trim().strip_prefix(FENCE), &mut open) {
            (Some(language), None) => open = Some(Block { section, language, note, ..Block::default() }),
            (Some(_), Some(_)) => {
                blocks.extend(open.take());
                note = Note::None;
            }
            (None, Some(block)) => block.lines.push((number, line)),
            (None, None) => {
                section += usize::from(line.starts_with('#'));
                note = Note::parse(line.trim());
            }
        }
    }
    blocks
}

impl<'a> Block<'a> {
    fn steps(&self) -> Vec<Step<'a>> {
        let line = self.lines.first().map_or(0, |(line, _)| *line);
        let lines = || self.text();
        match self.note {
            Note::None => self.commands(),
            Note::NotRun => Vec::new(),
            Note::EndsWhenShown => self.commands().into_iter().map(Step::until_shown).collect(),
            Note::File(file) => vec![Step { line, act: Act::Write { file, lines: lines() } }],
            Note::PartOf(file) => vec![Step { line, act: Act::Replace { file, lines: lines() } }],
            Note::OutputOf(command) => {
                vec![Step { line, act: Act::Run { command, end: End::Either, output: lines() } }]
            }
        }
    }

    fn text(&self) -> Vec<&'a str> {
        self.lines.iter().map(|(_, line)| *line).collect()
    }

    /// Whether it is the output of the commands in the block above.
    fn is_output_of(&self, above: &Self) -> bool {
        let has_prompt = self.lines.iter().any(|(_, line)| line.trim().starts_with(PROMPT));
        above.language == SHELL
            && self.section == above.section
            && self.language.is_empty()
            && matches!(self.note, Note::None)
            && !has_prompt
    }

    fn commands(&self) -> Vec<Step<'a>> {
        let run =
            |line: &usize, command, end, output| Step { line: *line, act: Act::Run { command, end, output } };
        let trimmed: Vec<_> = self.lines.iter().map(|(line, text)| (*line, text.trim())).collect();
        if self.language == SHELL {
            let lines = trimmed.iter().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
            return lines.map(|(line, command)| run(line, command, End::Success, Vec::new())).collect();
        }
        let parts = trimmed.chunk_by(|_, (_, next)| !next.starts_with(PROMPT));
        let shown = parts.filter_map(|part| {
            let ((line, first), output) = part.split_first()?;
            let output = output.iter().map(|(_, line)| *line).collect();
            Some(run(line, first.strip_prefix(PROMPT)?, End::Either, output))
        });
        shown.collect()
    }
}

fn steps(page: &str) -> Vec<Step<'_>> {
    let is_test = |step: &Step<'_>| matches!(step.act, Act::Run { command, .. } if command.contains(TESTS));
    let blocks = blocks(page);
    let next = blocks.iter().skip(1).map(Some).chain([None]);
    let steps = blocks.iter().zip(next).flat_map(|(block, next)| {
        let shown = next.filter(|next| next.is_output_of(block)).map(Block::text).unwrap_or_default();
        block.steps().into_iter().map(move |step| step.printing(&shown))
    });
    steps.filter(|step| !is_test(step)).collect()
}

fn check(folder: &Path, command: &str, end: End, expected: &[&str]) -> Outcome<Outcome> {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]);
    shell.current_dir(folder).env_remove("LIMEN_CALLED_FROM").stdin(Stdio::null());
    let output = shell.output().context(|| "cannot start sh".to_owned())?;
    // The reader's folder is the top one.
    let own = format!("{}/", folder.display());
    let text = String::from_utf8_lossy(&output.stdout).replace(&own, "");
    if end == End::Success && !output.status.success() {
        let last = text.lines().last().unwrap_or_default();
        return Ok(Err(Failure::new(format!("`{command}` fails ({}): {last}", output.status))));
    }
    Ok(match first_missing(expected, &text) {
        Some(line) => Err(Failure::new(format!("`{command}` does not print: {line}"))),
        None => Ok(()),
    })
}

/// Runs a command in a process group of its own, and ends the group when all lines have appeared.
fn check_until(folder: &Path, command: &str, expected: &[&str]) -> Outcome<Outcome> {
    let mut waiting = Command::new("timeout");
    waiting.args([LIMIT, "sh", "-c", &format!("exec 2>&1\n{command}")]);
    waiting.current_dir(folder).env_remove("LIMEN_CALLED_FROM").process_group(0);
    let mut child = waiting
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context(|| "cannot start sh".to_owned())?;
    let own = format!("{}/", folder.display());
    let mut printed = String::new();
    let lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
    for line in lines.map_while(Result::ok) {
        printed += &(line.replace(&own, "") + "\n");
        if first_missing(expected, &printed).is_none() {
            break;
        }
    }
    // It may have ended by itself.
    let group = format!("-{}", child.id());
    _ = Command::new("kill").args(["--", &group]).stderr(Stdio::null()).status();
    child.wait().context(|| format!("cannot end `{command}`"))?;
    Ok(match first_missing(expected, &printed) {
        Some(line) => Err(Failure::new(format!("`{command}` does not print: {line}"))),
        None => Ok(()),
    })
}

/// The first line of the page that does not follow the one before in the output. "..." in a line stands for any part of it.
fn first_missing<'a>(expected: &[&'a str], output: &str) -> Option<&'a str> {
    let mut lines = output.lines().map(shape);
    let expected = expected.iter().filter(|line| !line.is_empty() && **line != "...");
    expected.copied().find(|line| !lines.any(|printed| is_shown(line, &printed)))
}

/// Whether a line of the page shows a line of the output, of which the [shape] is given.
fn is_shown<'a>(line: &str, printed: &'a str) -> bool {
    let parts: Vec<_> = line.split("...").map(shape).collect();
    let [first, middle @ .., last] = &parts[..] else { return printed == shape(line) };
    let after = |rest: &'a str, part: &String| Some(rest.split_once(part.as_str())?.1);
    let rest = printed.strip_prefix(first.as_str());
    let rest = rest.and_then(|rest| middle.iter().try_fold(rest, after));
    rest.is_some_and(|rest| rest.ends_with(last.as_str()))
}

/// A line without the values of numbers and digests, and without the width of columns.
fn shape(line: &str) -> String {
    let is_digest = |word: &&str| word.len() >= DIGEST && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = line.split_whitespace().map(|word| if is_digest(&word) { "0" } else { word });
    let mut shape = String::new();
    for character in words.collect::<Vec<_>>().join(" ").chars() {
        match character {
            '0'..='9' if shape.ends_with('0') => {}
            '0'..='9' => shape.push('0'),
            // A fraction belongs to its number.
            '.' if shape.ends_with('0') => {}
            'a'..='f' if shape.ends_with("0x") || shape.ends_with("0x0") => {
                shape.truncate(shape.trim_end_matches('0').len());
                shape.push('0');
            }
            other => shape.push(other),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::expected::Expected;
    use crate::run::project::Project;

    #[test]
    fn a_filter_chooses_pages() {
        assert_eq!(pages_of("docs"), Some(""));
        assert_eq!(pages_of("docs debugging"), Some("debugging"));
        assert_eq!(pages_of("docstrings"), None);
        assert_eq!(pages_of(""), None);
        let said = run(&Workspace::locate().unwrap(), "debuging").err().unwrap().to_string();
        assert_eq!(said, "no page has 'debuging' in its name, as docs/debugging.md has");
    }

    #[test]
    fn commands_have_their_output() {
        let page = "text\n```sh\n# first\n./x test\n./x run  # the tour\n```\n\n```\n$ ./x trace\n346 records\n...\nend\n$ b\n```\n\
                    <!-- not run: it needs hardware -->\n```sh\nboot\n```\n```\n$ not\n```\n```c\nint a;\n```\n";
        let shown =
            |line, command, output| Step { line, act: Act::Run { command, end: End::Either, output } };
        let (command, end, output) = ("./x run  # the tour", End::Success, vec![]);
        assert_eq!(
            steps(page),
            [
                Step { line: 5, act: Act::Run { command, end, output } },
                shown(9, "./x trace", vec!["346 records", "...", "end"]),
                shown(13, "b", vec![]),
                shown(20, "not", vec![]),
            ]
        );
    }

    #[test]
    fn commands_print_what_the_page_shows_below_them() {
        let outputs = |page| -> Vec<usize> {
            let lines = |step: Step<'_>| match step.act {
                Act::Run { output, .. } => output.len(),
                _ => 0,
            };
            steps(page).into_iter().map(lines).collect()
        };
        assert_eq!(outputs("```sh\na\nb\n```\ntext\n```\none\ntwo\n```\n```\nother\n```\n"), [2, 2]);
        assert_eq!(outputs("```sh\na\n```\n# Next\n```\none\n```\n"), [0]);
        assert_eq!(outputs("```sh\na\n```\n<!-- not run: a test runs it -->\n```\none\n```\n"), [0]);
        assert_eq!(outputs("```sh\na\n```\n```c\none\n```\n```\none\n```\n"), [0]);
        assert_eq!(outputs("```sh\na\n```\n```\n$ b\none\n```\n"), [0, 1]);
    }

    /// The tests of the examples find these lines on every board, so the page is right for every board.
    #[test]
    fn whole_consoles_of_examples_have_the_lines_of_their_tests() {
        let workspace = Workspace::locate().unwrap();
        let mut compared = 0;
        for project in Project::on_shelf(&workspace, "examples").unwrap() {
            let Some(mut expected) = Expected::of(&project).unwrap() else { continue };
            let page = files::read(&project.folder.join("README.md")).unwrap();
            let whole = steps(&page).into_iter().find_map(|step| match step.act {
                Act::Run { output, .. } => (output.last() == Some(&"LIMEN|DONE")).then_some(output),
                _ => None,
            });
            let Some(output) = whole else { continue };
            output.iter().for_each(|line| _ = expected.complete_with(line.trim_end()));
            let outcome = expected.outcome().map_err(|failure| failure.to_string());
            assert_eq!(outcome, Ok(()), "{}", project.name);
            compared += 1;
        }
        assert!(compared > 15, "only {compared} pages show a whole console");
    }

    #[test]
    fn commands_must_succeed_and_print() {
        let folder = std::env::temp_dir();
        let run = |command, end| check(&folder, command, end, &["a 1"]).unwrap();
        assert!(run("echo a 2", End::Success).is_ok());
        assert!(run("echo a", End::Success).is_err());
        assert!(run("echo a 2; exit 1", End::Success).is_err());
        assert!(run("echo a 2; exit 1", End::Either).is_ok());
    }

    #[test]
    fn commands_that_wait_are_ended() {
        let page = "<!-- ends when all is shown -->\n```\n$ ./x run --gdb\nit waits\n```\n```\n$ b\n```\n";
        let [first, second] = &steps(page)[..] else { panic!("two commands") };
        assert_eq!(first.act, Act::RunUntil { command: "./x run --gdb", output: vec!["it waits"] });
        assert_eq!(second.act, Act::Run { command: "b", end: End::Either, output: vec![] });
        let folder = std::env::temp_dir();
        let run = |command| check_until(&folder, command, &["port 1", "ready"]).unwrap();
        assert!(run("echo port 22; echo ready; sleep 1000").is_ok());
        assert!(run("echo port 22; echo other").is_err());
    }

    #[test]
    fn readers_write_files() {
        let page = "<!-- file: a/b.c -->\n```c\nint main(void)\n{\n    a;\n}\n```\n\n<!-- part of a/b.c -->\n```c\nint main(void)\n{\n    b;\n}\n\
                    ```\n<!-- output of make -C a -->\n```\nok\n```\n```\nnothing\n```\n";
        let file = "a/b.c";
        let lines = |third| vec!["int main(void)", "{", third, "}"];
        assert_eq!(
            steps(page),
            [
                Step { line: 3, act: Act::Write { file, lines: lines("    a;") } },
                Step { line: 11, act: Act::Replace { file, lines: lines("    b;") } },
                Step {
                    line: 18,
                    act: Act::Run { command: "make -C a", end: End::Either, output: vec!["ok"] }
                },
            ]
        );
    }

    #[test]
    fn a_part_replaces_what_begins_and_ends_alike() {
        let text = "A := one\nB := A\n\nvoid f(int a)\n{\n}\n\nvoid g(void)\n{\n    f(1);\n}\nend\n";
        let new = replaced(text, &["void g(int a)", "{", "}"]).unwrap();
        assert_eq!(new, text.replace("void g(void)\n{\n    f(1);\n}", "void g(int a)\n{\n}"));
        assert_eq!(replaced(text, &["A := two"]).unwrap(), text.replace("A := one", "A := two"));
        assert!(replaced(text, &["void h(void)", "}"]).is_err());
        assert!(replaced(text, &["void g(void)", "]"]).is_err());
    }

    #[test]
    fn lines_appear_in_order_whatever_their_numbers() {
        let printed = "a 1.5 ms  x\nnoise\nb 0x3f\nc";
        assert_eq!(first_missing(&["a   62 ms x", "...", "c"], printed), None);
        assert_eq!(first_missing(&["b 0x4f", "a 1 ms x"], printed), Some("a 1 ms x"));
        assert_eq!(first_missing(&["a 1 us x"], printed), Some("a 1 us x"));
        assert_eq!(first_missing(&["at 0x4fc b", "0xfe"], "at 0xa120 b\n0x1"), None);
        assert_eq!(first_missing(&["a 1 ms..."], printed), None);
        let digests =
            [["8df", "0e1"], ["3c8", "b15"]].map(|parts| parts.map(|part| part.repeat(11)).join(" of "));
        assert_eq!(first_missing(&[&digests[0]], &digests[1]), None);
        assert_eq!(first_missing(&["80afb671"], "80afb672"), None);
        assert_eq!(first_missing(&["80afb671"], "cafe"), Some("80afb671"));
        assert_eq!(first_missing(&["a 1 us..."], printed), Some("a 1 us..."));
        assert_eq!(first_missing(&["a ... x", "n...se", "...0x3f"], printed), None);
        for line in ["a ... y", "...a 1 us...", "b...0x3f...b"] {
            assert_eq!(first_missing(&[line], printed), Some(line));
        }
        assert_eq!(first_missing(&["at 0x4fg"], "at 0x4f"), Some("at 0x4fg"));
    }
}
