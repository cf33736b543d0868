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
    let missing = || did_you_mean(path, search_paths).map_or(FileError::NotFound, FileError::Misspelled);
    fs::read(found.ok_or_else(missing)?).map_err(|_| FileError::Unreadable)
}

/// The question whether a file was meant whose name is nearly that of `path`, which does not exist. Such a file is in the
/// same folder, and ends alike: what was not built yet must not be answered with what it is built from.
pub fn did_you_mean(path: &str, search_paths: &[PathBuf]) -> Option<String> {
    let (parent, ending) = (Path::new(path).parent().unwrap_or(Path::new("")), Path::new(path).extension());
    let folders =
        candidates(path, search_paths).filter_map(|candidate| candidate.parent().map(Path::to_owned));
    let folders =
        folders.map(|folder| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder });
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|file| file.extension() == ending && file.is_file());
    let names =
        files.map(|file| parent.join(file.file_name().unwrap_or_default()).to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    limen_nearest::did_you_mean(path, names.iter().map(String::as_str))
}

fn candidates<'p>(path: &'p str, search_paths: &'p [PathBuf]) -> impl Iterator<Item = PathBuf> + 'p {
    let here: &Path = Path::new("");
    search_paths.iter().map(PathBuf::as_path).chain([here]).map(move |directory| directory.join(path))
}
