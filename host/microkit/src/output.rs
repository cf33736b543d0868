//! Output files: all or none are written, and each is complete or unchanged.
//!
//! Contents go to temporary files in the directories of their destinations. When all are written, they are renamed.
//! Destinations that are not regular files, such as `/dev/null`, are written directly.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use limen_sdf::Diagnostic;

use crate::code;

/// An output file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

/// Path of a report's JSON form: the same name with the extension `.json`; `None` beside a device such as
/// `/dev/null`.
pub(crate) fn json_beside(report: &Path) -> Option<PathBuf> {
    if is_special(report) {
        return None;
    }
    match report.extension() {
        Some(extension) if extension == "json" => Some(report.with_extension("json.json")),
        _ => Some(report.with_extension("json")),
    }
}

/// Checks that no two outputs are the same file.
///
/// # Errors
/// Two outputs are the same file.
pub(crate) fn check_distinct(files: &[OutputFile]) -> Result<(), Diagnostic> {
    for (index, file) in files.iter().enumerate() {
        if files[..index].iter().any(|earlier| earlier.path == file.path) && !is_special(&file.path) {
            let message = format!("Error: '{}' is named as the file of two outputs", file.path.display());
            return Err(diagnostic(code::OUTPUT_SHARED, message, "Choose another file for one of them."));
        }
    }
    Ok(())
}

/// Writes all files, and creates `folder` if it is missing.
///
/// # Errors
/// A file cannot be written. Unless the last rename failed, every destination is unchanged.
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

/// Temporary files and new directories. Drop removes remaining temporary files and empty directories.
struct Staged {
    /// Outermost last.
    folders: Vec<PathBuf>,
    /// Source and destination.
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
        // A symbolic link stays; the file that it points to is replaced.
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
            // After a successful rename, the temporary file no longer exists.
            let _ = fs::remove_file(temporary);
        }
        for folder in &self.folders {
            // A directory that holds a file stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Whether the path is neither a regular file nor a directory.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn failed(path: &Path, reason: &io::Error) -> Diagnostic {
    let message = format!("Error: cannot write '{}': {reason}", path.display());
    diagnostic(code::OUTPUT_FILE, message, "Create the directory, or make the file writable.")
}

fn diagnostic(code: &'static str, message: String, help: &str) -> Diagnostic {
    Diagnostic { code, span: None, message, help: Some(help.to_owned()) }
}
