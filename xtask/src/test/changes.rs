//! Changed files of the working tree, and the crates of the workspace that can notice them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::failure::{Context, Outcome};
use crate::shell::process;
use crate::workspace::Workspace;

/// The branch that changes are compared with.
const UPSTREAM: &str = "origin/main";

/// The files that differ from the last commit that the branch shares with `origin/main`, committed or not, relative to the
/// repository. Without that branch, those of the last commit and later changes. Ignored files do not count. `None` if the
/// folder is not a repository.
///
/// # Errors
/// When git lists no files.
pub fn files(workspace: &Workspace) -> Outcome<Option<BTreeSet<String>>> {
    let git =
        |words: &[&str]| process::capture(Command::new("git").arg("-C").arg(workspace.root()).args(words));
    let commit = |words: &[&str]| git(words).ok().map(|said| said.trim().to_owned());
    let base = commit(&["merge-base", "HEAD", UPSTREAM])
        .or_else(|| commit(&["rev-parse", "--verify", "--quiet", "HEAD~1"]))
        .or_else(|| commit(&["rev-parse", "--verify", "--quiet", "HEAD"]));
    let Some(base) = base else { return Ok(None) };
    let changed = git(&["diff", "--name-only", "--no-renames", "--relative", "-z", &base])?;
    let untracked = git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    Ok(Some(
        changed
            .split('\0')
            .chain(untracked.split('\0'))
            .filter(|file| !file.is_empty())
            .map(str::to_owned)
            .collect(),
    ))
}

/// A crate of the workspace.
#[derive(Debug)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the repository, with a slash at the end.
    folder: String,
    /// The crates of the workspace that its library or program uses.
    uses: Vec<String>,
    /// Those that only its tests use.
    uses_in_tests: Vec<String>,
    /// Whether a plain `cargo test` covers it.
    pub runs_on_host: bool,
}

/// The crates of the workspace.
#[derive(Debug)]
pub struct Crates(pub Vec<Crate>);

impl Crates {
    /// Asks cargo.
    ///
    /// # Errors
    /// When a manifest is wrong.
    pub fn of(workspace: &Workspace) -> Outcome<Self> {
        let mut cargo = Command::new("cargo");
        cargo.args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"]);
        Self::read(&process::capture(cargo.arg(workspace.path("Cargo.toml")))?)
    }

    /// Reads the output of `cargo metadata`.
    fn read(text: &str) -> Outcome<Self> {
        let metadata: Metadata = serde_json::from_str(text)
            .context(|| "cannot read what cargo says of the workspace".to_owned())?;
        let folder = |package: &Package| {
            let folder = Path::new(&package.manifest_path).parent()?.strip_prefix(&metadata.workspace_root);
            Some(format!("{}/", folder.ok()?.display()))
        };
        let crates = metadata.packages.iter().map(|package| {
            let uses = |in_tests| {
                let of_workspace = package.dependencies.iter().filter(|used| used.path.is_some());
                let of_kind =
                    of_workspace.filter(move |used| (used.kind.as_deref() == Some("dev")) == in_tests);
                of_kind.map(|used| used.name.clone()).collect()
            };
            Crate {
                name: package.name.clone(),
                folder: folder(package).unwrap_or_default(),
                uses: uses(false),
                uses_in_tests: uses(true),
                runs_on_host: metadata.workspace_default_members.contains(&package.id),
            }
        });
        Ok(Self(crates.collect()))
    }

    /// The crate that a file belongs to.
    pub fn owner(&self, file: &str) -> Option<&str> {
        let owners = self.0.iter().filter(|owner| file.starts_with(&owner.folder));
        owners.max_by_key(|owner| owner.folder.len()).map(|owner| owner.name.as_str())
    }

    /// The crates whose tests can notice a change of these: themselves, those that use them directly or through others, and
    /// those whose tests use one of all these.
    pub fn reached(&self, changed: &BTreeSet<String>) -> BTreeSet<String> {
        let users = |of: &BTreeSet<String>, uses: fn(&Crate) -> &[String]| -> BTreeSet<String> {
            let users = self.0.iter().filter(|user| uses(user).iter().any(|used| of.contains(used)));
            users.map(|user| user.name.clone()).collect()
        };
        let mut reached = changed.clone();
        loop {
            let further = users(&reached, |user| &user.uses);
            if further.is_subset(&reached) {
                break;
            }
            reached.extend(further);
        }
        let tested = users(&reached, |user| &user.uses_in_tests);
        &reached | &tested
    }

    /// The names of all.
    pub fn names(&self) -> BTreeSet<String> {
        self.0.iter().map(|each| each.name.clone()).collect()
    }
}

/// The part of the output of `cargo metadata` that is needed.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_default_members: Vec<String>,
    workspace_root: String,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    id: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
    path: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::shell::files::write;

    const METADATA: &str = r#"{"workspace_root": "/limen", "workspace_default_members": ["a", "b", "c", "d"], "packages": [
        {"name": "a", "id": "a", "manifest_path": "/limen/abi/a/Cargo.toml", "dependencies": []},
        {"name": "b", "id": "b", "manifest_path": "/limen/host/b/Cargo.toml", "dependencies": [
            {"name": "a", "kind": null, "path": "/limen/abi/a"}, {"name": "serde", "kind": null}]},
        {"name": "c", "id": "c", "manifest_path": "/limen/host/c/Cargo.toml", "dependencies": [
            {"name": "b", "kind": "dev", "path": "/limen/host/b"}]},
        {"name": "d", "id": "d", "manifest_path": "/limen/host/b/d/Cargo.toml", "dependencies": [
            {"name": "c", "kind": "build", "path": "/limen/host/c"}]},
        {"name": "e", "id": "e", "manifest_path": "/limen/kernel/e/Cargo.toml", "dependencies": []}]}"#;

    #[test]
    fn users_of_a_crate_are_reached_and_tests_that_use_them() {
        let crates = Crates::read(METADATA).unwrap();
        let reached = |name: &str| {
            crates.reached(&BTreeSet::from([name.to_owned()])).into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(reached("a"), "a b c");
        assert_eq!(reached("c"), "c d");
        assert_eq!(reached("e"), "e");
        assert!(crates.0[0].runs_on_host && !crates.0[4].runs_on_host);
    }

    #[test]
    fn the_innermost_crate_owns_a_file() {
        let crates = Crates::read(METADATA).unwrap();
        assert_eq!(crates.owner("host/b/src/lib.rs"), Some("b"));
        assert_eq!(crates.owner("host/b/d/src/lib.rs"), Some("d"));
        assert_eq!(crates.owner("host/bad/lib.rs"), None);
    }

    #[test]
    fn the_crates_of_this_workspace_are_known() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
        let crates = Crates::of(&Workspace::at(&root, &root)).unwrap();
        assert_eq!(crates.owner("kernel/core/src/lib.rs"), Some("limen-core"));
        assert!(crates.reached(&BTreeSet::from(["limen-sdf".to_owned()])).contains("microkit"));
        assert!(crates.0.iter().any(|each| each.name == "xtask" && each.runs_on_host));
        assert!(crates.0.iter().any(|each| each.name == "limen-platform" && !each.runs_on_host));
    }

    /// A repository with a first commit of the file `one`.
    fn repository(name: &str) -> (Workspace, impl Fn(&[&str])) {
        let folder = std::env::temp_dir().join(format!("limen-changes-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        let inside = folder.clone();
        let git = move |words: &[&str]| {
            let mut git = Command::new("git");
            git.arg("-C").arg(&inside).args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
            ]);
            process::capture(git.args(words)).unwrap();
        };
        write(&folder.join("one"), "1").unwrap();
        git(&["init", "--quiet", "--initial-branch=main"]);
        git(&["add", "."]);
        git(&["commit", "--quiet", "--message=one"]);
        (Workspace::at(&folder, &folder), git)
    }

    fn changed(workspace: &Workspace) -> String {
        files(workspace).unwrap().unwrap().into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn files_changed_since_the_branch_began_are_listed() {
        let (workspace, git) = repository("branch");
        git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        assert_eq!(changed(&workspace), "");
        write(&workspace.path("two words"), "2").unwrap();
        write(&workspace.path("three"), "3").unwrap();
        git(&["add", "three"]);
        git(&["commit", "--quiet", "--message=three"]);
        git(&["mv", "one", "four"]);
        write(&workspace.path(".gitignore"), "five").unwrap();
        write(&workspace.path("five"), "5").unwrap();
        assert_eq!(changed(&workspace), ".gitignore four one three two words");
        fs::remove_dir_all(workspace.root()).unwrap();
    }

    #[test]
    fn without_a_branch_to_compare_with_the_last_commit_counts() {
        let (workspace, git) = repository("alone");
        assert_eq!(changed(&workspace), "");
        write(&workspace.path("one"), "2").unwrap();
        assert_eq!(changed(&workspace), "one");
        write(&workspace.path("two"), "2").unwrap();
        git(&["add", "two"]);
        git(&["commit", "--quiet", "--message=two"]);
        assert_eq!(changed(&workspace), "one two");
        fs::remove_dir_all(workspace.path(".git")).unwrap();
        assert_eq!(files(&workspace).unwrap(), None);
        fs::remove_dir_all(workspace.root()).unwrap();
    }
}
