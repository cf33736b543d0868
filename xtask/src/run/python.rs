//! Installs the Python packages that a `requirements.txt` pins into a virtual environment; those of a project under
//! `build/python`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::failure::{Context, Outcome};
use crate::run::project::Project;
use crate::shell::files;
use crate::shell::process;
use crate::workspace::Workspace;

/// The file that pins packages by version and digest.
const REQUIREMENTS: &str = "requirements.txt";

/// The message of pip when a package does not have the pinned digest.
const WRONG_PACKAGE: &str = "DO NOT MATCH THE HASHES";

/// Arguments of pip: install pinned packages only, compile nothing, and give up soon without a network.
const INSTALL: [&str; 10] = [
    "-m",
    "pip",
    "install",
    "--disable-pip-version-check",
    "--require-hashes",
    "--only-binary=:all:",
    "--no-deps",
    "--retries=1",
    "--timeout=20",
    "--requirement",
];

/// The answer for each project, by its name. Jobs on several boards ask again, and some at the same time.
static ANSWERS: Mutex<BTreeMap<String, Option<String>>> = Mutex::new(BTreeMap::new());

/// Installs what a project pins. Returns the reason if this machine cannot install it, and nothing if the packages are
/// there or the project pins none.
///
/// # Errors
/// When a package does not have the pinned digest, or the environment cannot be written.
pub fn not_installable(workspace: &Workspace, project: &Project) -> Outcome<Option<String>> {
    let file = project.folder.join(REQUIREMENTS);
    if !file.is_file() {
        return Ok(None);
    }
    let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(reason) = answers.get(&project.name) {
        return Ok(reason.clone());
    }
    if !cfg!(target_os = "linux") {
        return Ok(Some("not run: its Python packages are pinned for Linux".to_owned()));
    }
    let reason = install(&file, &workspace.path("build/python").join(&project.name))?;
    let reason = reason.map(|error| format!("not run: its Python packages cannot be installed: {error}"));
    answers.insert(project.name.clone(), reason.clone());
    Ok(reason)
}

/// Creates the environment in `folder`, unless it was created from the same requirements. Returns one line about why
/// this machine cannot.
///
/// # Errors
/// As [`not_installable`].
pub fn install(requirements: &Path, folder: &Path) -> Outcome<Option<String>> {
    let (wanted, stamp) = (files::read(requirements)?, folder.join(REQUIREMENTS));
    if files::read(&stamp).is_ok_and(|present| present == wanted) {
        return Ok(None);
    }
    if folder.exists() {
        fs::remove_dir_all(folder).context(|| format!("cannot remove {}", folder.display()))?;
    }
    let created = process::capture(Command::new("python3").args(["-m", "venv"]).arg(folder));
    let python = folder.join("bin/python");
    let installed =
        created.and_then(|_| process::capture(Command::new(python).args(INSTALL).arg(requirements)));
    match installed {
        Ok(_) => files::write(&stamp, wanted).map(|()| None),
        Err(failure) if failure.to_string().contains(WRONG_PACKAGE) => Err(failure),
        Err(failure) => Ok(Some(first_error(&failure.to_string()))),
    }
}

/// Returns one line about a failure: pip's own error if there is one, otherwise the first line.
fn first_error(failure: &str) -> String {
    let error = failure.lines().find(|line| line.starts_with("ERROR: ")).or(failure.lines().next());
    error.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line() {
        let pip = "python failed (exit status: 1)\nWARNING: Retrying\nERROR: No matching distribution\n";
        assert_eq!(first_error(pip), "ERROR: No matching distribution");
        assert_eq!(first_error("cannot start python3: no such file"), "cannot start python3: no such file");
    }
}
