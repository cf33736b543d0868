//! The version of the sources: its number, and the commit.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use crate::failure::Outcome;
use crate::shell::process;
use crate::workspace::Workspace;

/// The version of the workspace, which every crate has.
pub const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The commit of sources without a git repository.
const UNKNOWN: &str = "unknown";

/// The commit, in twelve digits; `-dirty` marks uncommitted changes.
pub fn commit(workspace: &Workspace) -> String {
    let describe = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
    git(workspace.root(), &describe).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The time of the commit in seconds since 1970, if the sources come from git.
pub fn commit_time(workspace: &Workspace) -> Option<u64> {
    git(workspace.root(), &["log", "-1", "--format=%ct"])?.parse().ok()
}

/// The file `VERSION` of the SDK. Projects read its first line.
pub fn file(commit: &str) -> String {
    format!("{NUMBER}\ncommit {commit}\n")
}

/// The output of `./x --version`.
///
/// # Errors
/// When the compiler cannot be started.
pub fn line(workspace: &Workspace) -> Outcome<String> {
    Ok(format!("limen {NUMBER} (commit {}, {})", commit(workspace), host()?))
}

/// The target triple of this machine.
///
/// # Errors
/// When the compiler cannot be started.
pub fn host() -> Outcome<String> {
    rustc_fact("host")
}

/// A line of `rustc --version --verbose`.
///
/// # Errors
/// When the compiler cannot be started.
pub fn rustc_fact(name: &str) -> Outcome<String> {
    let text = process::capture(Process::new("rustc").arg("-vV"))?;
    let fact = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    Ok(fact.unwrap_or(UNKNOWN).to_owned())
}

/// The folder of the compiler and its libraries.
///
/// # Errors
/// When the compiler cannot be started.
pub fn sysroot() -> Outcome<PathBuf> {
    let text = process::capture(Process::new("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(text.trim()))
}

/// The output of git for the repository whose root is this folder. Sources without a repository may lie inside another
/// one, which does not count.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Process::new("git");
    git.args(arguments).current_dir(root);
    if let Some(parent) = root.parent() {
        git.env("GIT_CEILING_DIRECTORIES", parent);
    }
    process::capture(&mut git).ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;

    use super::*;

    fn run(folder: &Path, arguments: &[&str]) {
        let mut git = Process::new("git");
        for (role, what) in
            [("AUTHOR", "NAME"), ("AUTHOR", "EMAIL"), ("COMMITTER", "NAME"), ("COMMITTER", "EMAIL")]
        {
            git.env(format!("GIT_{role}_{what}"), "test");
        }
        process::capture(git.args(arguments).current_dir(folder)).unwrap();
    }

    #[test]
    fn sources_know_their_commit_and_uncommitted_changes() {
        let folder = env::temp_dir().join(format!("limen-version-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        let inside = folder.join("inside");
        fs::create_dir_all(&inside).unwrap();
        fs::write(folder.join("file"), "one").unwrap();
        let describe = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
        assert_eq!(git(&folder, &describe), None);
        run(&folder, &["init", "--quiet"]);
        run(&folder, &["add", "file"]);
        run(&folder, &["commit", "--quiet", "--message=first"]);
        let clean = git(&folder, &describe).unwrap();
        assert!(clean.len() == 12 && clean.chars().all(|digit| digit.is_ascii_hexdigit()), "{clean}");
        fs::write(folder.join("file"), "two").unwrap();
        assert_eq!(git(&folder, &describe).unwrap(), format!("{clean}-dirty"));
        assert_eq!(git(&inside, &describe), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_first_line_of_the_file_is_the_number() {
        assert_eq!(file("0123456789ab"), format!("{NUMBER}\ncommit 0123456789ab\n"));
        assert!(NUMBER.split('.').all(|part| part.parse::<u32>().is_ok()), "{NUMBER}");
    }

    #[test]
    fn the_line_has_number_commit_and_machine() {
        let workspace = Workspace::locate().unwrap();
        let start = format!("limen {NUMBER} (commit {}, {}-", commit(&workspace), env::consts::ARCH);
        let line = line(&workspace).unwrap();
        assert!(line.starts_with(&start) && line.ends_with(')'), "{line}");
    }
}
