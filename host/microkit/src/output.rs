//! Writing files: all of them or none, each complete or unchanged.
//!
//! Contents go to temporary files beside their destinations, which are renamed when every one has been written.
//! Destinations that are not regular files, such as `/dev/null`, are written directly.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use limen_sdf::Diagnostic;

use crate::code;

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

/// Where the JSON form of a report goes: the same name ending in `.json`. Nothing is beside `/dev/null`.
pub(crate) fn json_beside(report: &Path) -> Option<PathBuf> {
    if is_special(report) {
        return None;
    }
    match report.extension() {
        Some(extension) if extension == "json" => Some(report.with_extension("json.json")),
        _ => Some(report.with_extension("json")),
    }
}

/// Two outputs must not be one file.
///
/// # Errors
/// They are.
pub(crate) fn check_distinct(files: &[OutputFile]) -> Result<(), Diagnostic> {
    for (index, file) in files.iter().enumerate() {
        if files[..index].iter().any(|earlier| earlier.path == file.path) && !is_special(&file.path) {
            let message = format!("Error: '{}' is named as the file of two outputs", file.path.display());
            return Err(diagnostic(code::OUTPUT_SHARED, message, "Give each output a file of its own."));
        }
    }
    Ok(())
}

/// Writes all files, and creates `folder` if it is missing.
///
/// # Errors
/// One cannot be written. Unless it was the last renaming that failed, every destination is as it was.
pub(crate) fn write(files: &[OutputFile], folder: Option<&Path>) -> Result<(), Diagnostic> {
    let mut staged = Staged { folders: Vec::new(), renames: Vec::new() };
    if let Some(folder) = folder {
        staged.create_folder(folder).map_err(|e| failed(folder, &e))?;
    }
    for (index, file) in files.iter().enumerate() {
        staged.add(file, index).map_err(|e| failed(&file.path, &e))?;
    }
    staged.finish()
}

/// Temporary files and new folders. At the end, temporary files that still exist are removed, and folders that hold
/// nothing.
struct Staged {
    /// Outer ones last.
    folders: Vec<PathBuf>,
    /// From and to.
    renames: Vec<(PathBuf, PathBuf)>,
}

impl Staged {
    fn create_folder(&mut self, folder: &Path) -> io::Result<()> {
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        self.folders.extend(folder.ancestors().take_while(missing).map(Path::to_owned));
        fs::create_dir_all(folder)
    }

    fn add(&mut self, file: &OutputFile, index: usize) -> io::Result<()> {
        if file.path.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        // A link stays a link: what it leads to is replaced.
        let destination = fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
        if is_special(&destination) {
            return fs::write(&destination, &file.bytes);
        }
        let temporary = destination.with_file_name(format!(".microkit-{}-{index}.tmp", process::id()));
        self.renames.push((temporary.clone(), destination));
        fs::write(&temporary, &file.bytes)
    }

    fn finish(self) -> Result<(), Diagnostic> {
        self.renames.iter().try_for_each(|(from, to)| fs::rename(from, to).map_err(|e| failed(to, &e)))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (temporary, _) in &self.renames {
            // After a successful renaming there is nothing to remove.
            let _ = fs::remove_file(temporary);
        }
        for folder in &self.folders {
            // A folder that holds a file stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Something other than a regular file or a directory.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn failed(path: &Path, reason: &io::Error) -> Diagnostic {
    let message = format!("Error: cannot write '{}': {reason}", path.display());
    diagnostic(
        code::OUTPUT_FILE,
        message,
        "The directory must exist, and the file must be one that may be written.",
    )
}

fn diagnostic(code: &'static str, message: String, help: &str) -> Diagnostic {
    Diagnostic { code, span: None, message, help: Some(help.to_owned()) }
}
