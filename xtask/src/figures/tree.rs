//! The tables of all documents of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::{self, Examined};
use super::record::Record;
use crate::failure::{Context, Failure, Outcome};
use crate::shell::files;

/// Folders at the top that hold output.
const OUTPUT: [&str; 2] = ["build", "target"];
/// A folder with examples of stale tables.
const EXAMPLES: &str = "xtask/src/figures/golden";

/// Checks that all tables show the recorded figures.
///
/// # Errors
/// The tables that do not, and comments that are malformed, each with file and line.
pub fn examine(root: &Path) -> Outcome {
    let all = examine_all(root)?;
    complain(all.into_iter().flat_map(|(_, found)| found.problems.into_iter().chain(found.stale)).collect())
}

/// Writes the recorded figures to all tables; returns the documents that have changed.
///
/// # Errors
/// When a file cannot be written, or a comment is malformed, which changes no other table.
pub fn rewrite(root: &Path) -> Outcome<Vec<PathBuf>> {
    let (mut written, mut problems) = (Vec::new(), Vec::new());
    for (path, found) in examine_all(root)? {
        if !found.stale.is_empty() {
            files::write(&root.join(&path), found.text)?;
            written.push(path);
        }
        problems.extend(found.problems);
    }
    complain(problems).map(|()| written)
}

fn complain(sentences: Vec<String>) -> Outcome {
    if sentences.is_empty() { Ok(()) } else { Err(Failure::new(sentences.join("\n"))) }
}

fn examine_all(root: &Path) -> Outcome<Vec<(PathBuf, Examined)>> {
    let record = Record::read(root)?;
    let examine = |path: PathBuf| {
        let text = files::read(&root.join(&path))?;
        let found = document::examine(&path.display().to_string(), &text, &record);
        Ok((path, found))
    };
    documents(root)?.into_iter().map(examine).collect()
}

/// The documents of the repository, without output and hidden folders.
fn documents(root: &Path) -> Outcome<Vec<PathBuf>> {
    let listing = || format!("cannot list {}", root.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(root).context(listing)? {
        let entry = entry.context(listing)?;
        let name = PathBuf::from(entry.file_name());
        let is_hidden = name.to_string_lossy().starts_with('.');
        if !entry.path().is_dir() {
            found.push(name);
        } else if !is_hidden && OUTPUT.iter().all(|output| name != Path::new(output)) {
            found.extend(files::below(&entry.path())?.into_iter().map(|file| name.join(file)));
        }
    }
    found.retain(|path| path.extension().is_some_and(|ending| ending == "md") && !path.starts_with(EXAMPLES));
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_show_the_recorded_figures() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if let Err(failure) = examine(&root) {
            panic!("{failure}");
        }
    }

    #[test]
    fn output_holds_no_documents() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let documents = documents(&root).unwrap();
        assert!(documents.contains(&PathBuf::from("docs/fpu.md")));
        assert!(!documents.iter().any(|path| path.starts_with("build") || path.starts_with(EXAMPLES)));
    }
}
