//! `./x headers`: writes the files that are generated from `abi/`: C headers, and a chapter of the book.
//!
//! They are checked in for their readers; a test and `./x check` report stale ones.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Command, no_arguments};
use crate::failure::Outcome;
use crate::sdk::{headers, manual};
use crate::shell::files;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command = Command {
    name: "headers",
    summary: "write the C headers and tables generated from abi/",
    help: HELP,
    run,
};

const HELP: &str = "
usage: ./x headers

Writes the C headers with the numbers of abi/abi to user/libmicrokit/include/limen, and the same numbers as
tables to docs/reference.md. The files are checked in; ./x check reports when they are out of date.
";

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    no_arguments(arguments)?;
    let root = workspace.root();
    let stale = stale(root);
    generated().into_iter().try_for_each(|(path, text)| files::write(&root.join(path), text))?;
    for file in stale {
        println!("wrote {}", file.display());
    }
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
