//! Rules for the repository's text that neither compiler nor linter knows. Each rule has a function and a test in which
//! it fires.
//!
//! The rules read only files that git knows, so output and scratch files do not matter.

mod architecture;
mod barriers;
mod circles;
mod code_map;
pub mod commits;
mod dependencies;
mod named_tests;
mod phrases;
mod shared_lines;
mod source;
mod text;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use shared_lines::SharedLines;

use crate::failure::Outcome;
use crate::shell::files;
use crate::shell::process;

/// A file of the repository, with its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path relative to the top folder, with `/` between its parts.
    pub path: String,
    /// Its contents.
    pub text: String,
}

impl SourceFile {
    fn is_below(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    fn has_ending(&self, endings: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
    }

    fn object(&self, line: usize, message: impl Into<String>) -> Objection {
        Objection { path: self.path.clone(), line, message: message.into() }
    }
}

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    path: String,
    line: usize,
    message: String,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Applies every rule to the repository.
///
/// # Errors
/// When git cannot list the files.
pub fn examine(root: &Path) -> Outcome<Vec<Objection>> {
    let files = tracked(root)?;
    let mut objections: Vec<_> = RULES.concat().into_iter().flat_map(|rule| rule(&files)).collect();
    objections.extend(without_text(root, &names(root)?));
    objections.extend(text::machine_paths(&files, &machine_folders(root)));
    objections.extend(text::dead_links(&files, |target| root.join(target).exists()));
    objections.extend(named_tests::missing(&files));
    objections.extend(code_map::missing(&files, |path| root.join(path).exists()));
    objections.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(objections)
}

/// Links in documents below a folder that are dead or lead outside of it.
///
/// # Errors
/// When a file cannot be read.
pub fn dead_links_below(folder: &Path) -> Outcome<Vec<Objection>> {
    let documents = files::below(folder)?
        .into_iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "md"));
    let read = |file: PathBuf| {
        Ok(SourceFile { text: files::read(&folder.join(&file))?, path: file.display().to_string() })
    };
    let documents = documents.map(read).collect::<Outcome<Vec<_>>>()?;
    Ok(text::dead_links(&documents, |target| folder.join(target).exists()))
}

/// Measures what the ports have in common.
///
/// # Errors
/// When git cannot list the files.
pub fn shared_lines(root: &Path) -> Outcome<SharedLines> {
    tracked(root).map(|files| shared_lines::measure(&files))
}

/// A rule that needs only the files.
type Rule = fn(&[SourceFile]) -> Vec<Objection>;

const RULES: [&[Rule]; 7] = [
    source::RULES,
    architecture::RULES,
    barriers::RULES,
    circles::RULES,
    dependencies::RULES,
    text::RULES,
    phrases::RULES,
];

/// The files that git knows or would add. Inputs of fuzzers may be anything, and are left out.
fn names(root: &Path) -> Outcome<Vec<String>> {
    let listing = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let names = process::capture(Command::new("git").current_dir(root).args(listing))?;
    let has_lines = |name: &&str| !name.is_empty() && !name.starts_with("fuzz/corpus/");
    Ok(names.split('\0').filter(has_lines).map(str::to_owned).collect())
}

fn tracked(root: &Path) -> Outcome<Vec<SourceFile>> {
    // A removed file that is not committed yet has no lines to examine.
    let read =
        |path: String| Some(SourceFile { text: std::fs::read_to_string(root.join(&path)).ok()?, path });
    Ok(names(root)?.into_iter().filter_map(read).collect())
}

/// Files that are no text, such as the memory of a program that crashed.
fn without_text(root: &Path, names: &[String]) -> Vec<Objection> {
    let is_binary = |name: &&String| {
        std::fs::read(root.join(name)).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_err())
    };
    let message = "a binary file; the repository has sources only".to_owned();
    let object = |name: &String| Objection { path: name.clone(), line: 1, message: message.clone() };
    names.iter().filter(is_binary).map(object).collect()
}

/// Folders of this machine whose names must not appear in the repository.
fn machine_folders(root: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let top = root.canonicalize().ok();
    home.into_iter().chain(top).filter(|folder| folder.components().count() > 1).collect()
}

#[cfg(test)]
fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned() }
}

#[cfg(test)]
fn shown(objections: &[Objection]) -> Vec<String> {
    objections.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_file_is_no_source() {
        let folder = std::env::temp_dir().join(format!("limen-binary-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("core"), b"\x7fELF\x02\xff").unwrap();
        std::fs::write(folder.join("main.rs"), "fn main() {}\n").unwrap();
        let names = ["core", "main.rs", "removed.rs"].map(str::to_owned);
        let objections = without_text(&folder, &names);
        assert_eq!(shown(&objections), ["core:1: a binary file; the repository has sources only"]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
