//! Python packages of a project: what its `requirements.txt` pins, in a virtual environment under `build/python`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::failure::{Context, Outcome};
use crate::files;
use crate::process;
use crate::project::Project;
use crate::workspace::Workspace;

/// What the project pins, with the digest of each file.
const REQUIREMENTS: &str = "requirements.txt";

/// What pip says of a package that is not the one that was pinned.
const WRONG_PACKAGE: &str = "DO NOT MATCH THE HASHES";

/// Arguments of pip: only what is pinned, nothing that would have to be built, and no long wait for a network.
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

/// Why a project's packages are not there, by the project's name: asked once in a run.
static ABSENT: Mutex<BTreeMap<String, Option<String>>> = Mutex::new(BTreeMap::new());

/// Why a project cannot have the packages that it pins on this machine; nothing if it has them, or pins none.
///
/// # Errors
/// When a package is not the pinned one, or the environment cannot be written.
pub fn not_installable(workspace: &Workspace, project: &Project) -> Outcome<Option<String>> {
    let file = project.folder.join(REQUIREMENTS);
    if !file.is_file() {
        return Ok(None);
    }
    let mut absent = ABSENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(reason) = absent.get(&project.name) {
        return Ok(reason.clone());
    }
    if !cfg!(target_os = "linux") {
        return Ok(Some("not run: its Python packages are pinned for Linux".to_owned()));
    }
    let reason = install(&file, &workspace.path("build/python").join(&project.name))?;
    absent.insert(project.name.clone(), reason.clone());
    Ok(reason)
}

/// Makes the environment in `folder`, unless it has these requirements already.
fn install(requirements: &Path, folder: &Path) -> Outcome<Option<String>> {
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
        Err(failure) => Ok(Some(not_run(&failure.to_string()))),
    }
}

/// One line about a failure: what pip calls an error, otherwise what could not be started.
fn not_run(failure: &str) -> String {
    let error = failure.lines().find(|line| line.starts_with("ERROR: ")).or(failure.lines().next());
    format!("not run: its Python packages cannot be installed: {}", error.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line() {
        let pip = "python failed (exit status: 1)\nWARNING: Retrying\nERROR: No matching distribution\n";
        assert_eq!(
            not_run(pip),
            "not run: its Python packages cannot be installed: ERROR: No matching distribution"
        );
        assert_eq!(
            not_run("cannot start python3: no such file"),
            "not run: its Python packages cannot be installed: cannot start python3: no such file"
        );
    }
}
