//! `./x book`: the documents of the repository as web pages with a search.
//!
//! `chapters` lists them, `pages` turns their links into links between pages, the program in `xtask/book` renders them,
//! and `dead_links` checks the result.

mod chapters;
mod dead_links;
mod pages;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use crate::command::{Command, no_arguments};
use crate::failure::{Failure, Outcome};
use crate::sdk::documents;
use crate::shell::files;
use crate::shell::process;
use crate::shell::progress;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "book", summary: "render the documents as web pages with a search", help: HELP, run };

const HELP: &str = "
usage: ./x book

Renders the book, its decisions, the documents beside it and the READMEs as web pages into target/book, and
checks every link between them. Open target/book/index.html; no server is needed. Links to sources lead to the
files of this repository.
";

/// The look of the pages.
const SETTINGS: &str = include_str!("../../book/book.toml");
/// Keeps fonts out of the pages: those of the reader's system are used.
const FONTS: (&str, &str) = ("theme/fonts/fonts.css", "/* None. */\n");

/// The surroundings of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// In `target/book` of the repository. Links to other files lead to the repository.
    Repository,
    /// In `book` of the SDK. Links to other files lead to the SDK if it has them.
    Sdk,
}

impl Edition {
    /// The top folder, to which links of the pages may lead.
    fn top(self, workspace: &Workspace) -> PathBuf {
        match self {
            Self::Repository => workspace.root().to_owned(),
            Self::Sdk => workspace.sdk(),
        }
    }

    /// The folder of the pages below the top folder.
    fn folder(self) -> &'static Path {
        Path::new(match self {
            Self::Repository => "target/book",
            Self::Sdk => "book",
        })
    }

    /// The place of a file of the repository below the top folder, if it is there.
    fn place(self, path: &Path) -> Option<PathBuf> {
        match self {
            Self::Repository => Some(path.to_owned()),
            Self::Sdk => documents::place(path),
        }
    }
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    no_arguments(arguments)?;
    match build(workspace, Edition::Repository)? {
        None => {
            let start = Edition::Repository.folder().join("index.html");
            println!("the book is in {}", workspace.display(&workspace.path(start)));
            Ok(())
        }
        Some(reason) => Err(Failure::new(reason)),
    }
}

/// Renders the book and checks its links. Returns the reason if this machine cannot render it.
///
/// # Errors
/// When a document is not a chapter, a link leads nowhere, or the program that renders fails.
pub fn build(workspace: &Workspace, edition: Edition) -> Outcome<Option<String>> {
    let chapters = chapters::all(workspace)?;
    let sources = workspace.path("build/book").join(edition.folder());
    let mut wanted = pages::all(&chapters, |path| edition.place(path), edition.folder());
    wanted.insert("SUMMARY.md".into(), chapters::summary(&chapters));
    let wanted = wanted.into_iter().map(|(path, text)| (Path::new("src").join(path), text));
    let others = [("book.toml", SETTINGS), FONTS].map(|(path, text)| (path.into(), text.to_owned()));
    files::fill(&sources, &wanted.chain(others).collect::<BTreeMap<_, _>>())?;
    progress::show("rendering the book");
    if let Some(reason) = fetch(workspace)? {
        return Ok(Some(reason));
    }
    let top = edition.top(workspace);
    let mut render = cargo(workspace, "run");
    render.args(["--locked", "--offline", "--"]).arg(sources).arg(top.join(edition.folder()));
    process::capture(&mut render)?;
    progress::clear();
    dead_links::check(&top, edition.folder()).map(|()| None)
}

/// Fetches the crates that the program needs. Returns the reason if this machine cannot.
fn fetch(workspace: &Workspace) -> Outcome<Option<String>> {
    let fetched = process::capture(cargo(workspace, "fetch").arg("--locked").env("CARGO_NET_RETRY", "1"));
    match fetched {
        Ok(_) => Ok(None),
        Err(failure) if failure.to_string().contains("lock file") => Err(failure),
        Err(failure) => Ok(Some(not_rendered(&failure.to_string()))),
    }
}

/// One line about a failure of cargo: its last cause.
fn not_rendered(failure: &str) -> String {
    let cause = failure.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    format!("the book is not rendered: its crates cannot be fetched: {cause}")
}

/// `cargo` for the program that renders.
pub fn cargo(workspace: &Workspace, subcommand: &str) -> Process {
    let mut cargo = process::cargo(subcommand);
    cargo.env("CARGO_TARGET_DIR", workspace.path("build/book/program"));
    cargo.arg("--manifest-path").arg(workspace.path("xtask/book/Cargo.toml"));
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line() {
        let cargo =
            "cargo failed (exit status: 101)\nerror: failed to download\n\nCaused by:\n  no route to host\n";
        assert_eq!(
            not_rendered(cargo),
            "the book is not rendered: its crates cannot be fetched: no route to host"
        );
    }
}
