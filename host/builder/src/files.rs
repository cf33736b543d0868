//! Files that a description names: programs, and what memory regions are filled with.

use std::fs;
use std::path::{Path, PathBuf};

use limen_sdf::FileError;

/// Where `path` is: absolute, or in the first search path that has it; the working directory comes last.
pub(crate) fn find(path: &str, search_paths: &[PathBuf]) -> Option<PathBuf> {
    candidates(path, search_paths).find(|candidate| candidate.is_file())
}

/// The contents of a file that is not a program.
///
/// # Errors
/// It is not there, or something of that name cannot be read.
pub fn read(path: &str, search_paths: &[PathBuf]) -> Result<Vec<u8>, FileError> {
    let found = candidates(path, search_paths).find(|candidate| candidate.exists());
    fs::read(found.ok_or(FileError::NotFound)?).map_err(|_| FileError::Unreadable)
}

fn candidates<'p>(path: &'p str, search_paths: &'p [PathBuf]) -> impl Iterator<Item = PathBuf> + 'p {
    let here: &Path = Path::new("");
    search_paths.iter().map(PathBuf::as_path).chain([here]).map(move |directory| directory.join(path))
}
