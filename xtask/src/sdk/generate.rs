//! `./x headers`: writes the files that are generated from `abi/`: C headers, and a chapter of the book; and the recorded
//! figures to the tables of documents.
//!
//! All are checked in for their readers; tests and `./x check` report stale ones.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Command, no_arguments};
use crate::failure::Outcome;
use crate::figures;
use crate::sdk::{headers, manual};
use crate::shell::files;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command = Command {
    name: "headers",
    summary: "write the C headers and tables generated from abi/ and bench/golden",
    help: HELP,
    run,
};

const HELP: &str = "
usage: ./x headers

Writes the C headers with the numbers of abi/abi to user/libmicrokit/include/limen, and the same numbers as
tables to docs/reference.md. Writes the recorded figures of bench/golden to the tables that show them: those behind
a comment <!-- figures: ... --> in a document. All is checked in; ./x check reports what is out of date.
";

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    no_arguments(arguments)?;
    let root = workspace.root();
    let stale = stale(root);
    generated().into_iter().try_for_each(|(path, text)| files::write(&root.join(path), text))?;
    stale.iter().for_each(|file| println!("wrote {}", file.display()));
    write_figures(workspace)
}

/// Writes the recorded figures to the tables of documents.
///
/// # Errors
/// When a comment in front of a table is malformed, or a file cannot be written.
pub fn write_figures(workspace: &Workspace) -> Outcome {
    let written = figures::rewrite(workspace.root())?;
    written.iter().for_each(|file| println!("wrote {}", file.display()));
    Ok(())
}

/// Every generated file: its path below the repository's top folder, and its text.
fn generated() -> Vec<(PathBuf, String)> {
    headers::files().into_iter().chain([manual::file()]).collect()
}

/// The checked-in files that differ from what `./x headers` would write.
pub fn stale(root: &Path) -> Vec<PathBuf> {
    let is_stale = |path: &Path, text: &str| {
        fs::read(root.join(path)).map_or(true, |present| present != text.as_bytes())
    };
    generated().into_iter().filter(|(path, text)| is_stale(path, text)).map(|(path, _)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_in_files_are_up_to_date() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(stale(&root), Vec::<PathBuf>::new(), "run `./x headers`");
    }
}
