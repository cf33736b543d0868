//! Microkit projects: finds one by name and builds its boot image.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::command::unknown;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::shell::files;
use crate::shell::process;
use crate::workspace::Workspace;

/// Folders of projects, in lookup order.
const SHELVES: [&str; 3] = ["examples", "tests", "bench"];

/// The parameters of a build.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The board.
    pub board: &'a Board,
    /// The configuration.
    pub config: &'a str,
    /// Make variables besides those of every Microkit project, as in `QUICK=1`.
    pub variables: &'a [&'a str],
}

/// A folder with a Makefile that builds a Microkit system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// A unique name: the folder's path below the repository, as in `examples/hello`; for a folder elsewhere, its last
    /// part and a hash of the whole path. Output goes to a folder of this name.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
}

impl Project {
    /// Finds the project that the user means: a path, or the name of a folder on a shelf.
    ///
    /// # Errors
    /// When it does not exist; the failure suggests the closest name.
    pub fn locate(workspace: &Workspace, system: &str) -> Outcome<Self> {
        Self::locate_on(workspace, &SHELVES, system)
    }

    /// The project in a folder that the user typed, as from their current folder or from the repository's; `None` if it is
    /// none.
    ///
    /// # Errors
    /// When the path cannot be resolved.
    pub fn typed(workspace: &Workspace, path: &str) -> Outcome<Option<Self>> {
        Self::in_first(workspace, [workspace.called_from(Path::new(path)), workspace.path(path)])
    }

    fn in_first(workspace: &Workspace, folders: impl IntoIterator<Item = PathBuf>) -> Outcome<Option<Self>> {
        let Some(folder) = folders.into_iter().find(|folder| is_project(folder)) else { return Ok(None) };
        let folder = folder.canonicalize().context(|| format!("cannot resolve {}", folder.display()))?;
        Ok(Some(Self::at(workspace, folder)))
    }

    /// As [`Self::locate`], but finds names only on these shelves.
    ///
    /// # Errors
    /// When it does not exist; the failure suggests the closest name.
    pub fn locate_on(workspace: &Workspace, shelves: &[&str], system: &str) -> Outcome<Self> {
        let shelved = shelves.iter().map(|shelf| workspace.path(shelf).join(system));
        let found = match Self::typed(workspace, system)? {
            None => Self::in_first(workspace, shelved)?,
            typed => typed,
        };
        match found {
            Some(project) => Ok(project),
            None => Err(Self::missing(workspace, system)?),
        }
    }

    /// The failure for a system that does not exist.
    fn missing(workspace: &Workspace, system: &str) -> Outcome<Failure> {
        let folder = workspace.called_from(Path::new(system));
        if folder.is_dir() {
            let folder = workspace.display(&folder);
            return Ok(Failure::new(format!("{folder} is not a system: the folder has no Makefile")));
        }
        let shelved = SHELVES.map(|shelf| Self::on_shelf(workspace, shelf));
        let shelved = shelved.into_iter().collect::<Outcome<Vec<_>>>()?.concat();
        let mut names: Vec<_> = shelved.into_iter().map(|project| project.name).collect();
        let parent = Path::new(system).parent().unwrap_or(Path::new(""));
        let beside = fs::read_dir(workspace.called_from(parent)).into_iter().flatten().flatten();
        let beside = beside.filter(|entry| is_project(&entry.path()));
        names.extend(beside.map(|entry| parent.join(entry.file_name()).to_string_lossy().into_owned()));
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let otherwise = "name a folder below examples/, tests/ or bench/, or any folder with a Makefile";
        Ok(unknown("system", system.trim_end_matches('/'), &names, otherwise))
    }

    /// Every project on a shelf, sorted by name.
    ///
    /// # Errors
    /// When the shelf cannot be read.
    pub fn on_shelf(workspace: &Workspace, shelf: &str) -> Outcome<Vec<Self>> {
        let shelf = workspace.path(shelf);
        if !shelf.is_dir() {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&shelf).context(|| format!("cannot list {}", shelf.display()))?;
        let mut folders: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        folders.retain(|folder| is_project(folder));
        folders.sort();
        Ok(folders.into_iter().map(|folder| Self::at(workspace, folder)).collect())
    }

    fn at(workspace: &Workspace, folder: PathBuf) -> Self {
        let inside = folder.strip_prefix(workspace.root()).ok().and_then(Path::to_str);
        let name =
            inside.filter(|name| is_plain(name)).map_or_else(|| name_elsewhere(&folder), str::to_owned);
        Self { name, folder }
    }

    /// Builds the boot image with the SDK in `build/sdk`, as a user's `make` does, and returns its path.
    ///
    /// # Errors
    /// When the project does not build; the failure carries make's output.
    pub fn build(&self, workspace: &Workspace, build: &Build<'_>) -> Outcome<PathBuf> {
        self.build_with(workspace, build, &workspace.sdk())
    }

    /// The same with another SDK that consists of parts of the one in `build/sdk`. The variables tell the images apart.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_with(&self, workspace: &Workspace, build: &Build<'_>, sdk: &Path) -> Outcome<PathBuf> {
        let board = &build.board.name;
        // In a file of dependencies, make takes a target with `=` in its path for an assignment.
        let variant = [&[build.config], build.variables].concat().join("-").replace('=', "-");
        let output = workspace.path("build/systems").join(&self.name).join(board).join(variant);
        forget_older_sdk(&output, &workspace.sdk(), build)?;
        let mut make = Command::new("make");
        make.arg("--no-print-directory").arg("-C").arg(&self.folder);
        make.arg(assignment("BUILD_DIR", &output)).arg(assignment("MICROKIT_SDK", sdk));
        make.arg(format!("MICROKIT_BOARD={board}")).arg(format!("MICROKIT_CONFIG={}", build.config));
        // The systems of this repository share objects. The environment does not replace a variable of another Makefile.
        make.env("SHARED_OBJECTS", workspace.path("build/systems/shared"));
        process::capture(make.arg("LLVM=True").args(build.variables))?;
        let image = output.join("loader.img");
        if image.is_file() {
            return Ok(image);
        }
        Err(Failure::new(format!("the Makefile of {} did not make {}", self.name, workspace.display(&image))))
    }
}

fn is_project(folder: &Path) -> bool {
    folder.join("Makefile").is_file()
}

/// Whether make takes a path as one word.
fn is_plain(path: &str) -> bool {
    path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

/// The last part of a path, reduced to characters that make accepts, and a hash (FNV-1a) of the whole path, because two
/// folders may have the same last part. The hashes of the standard library change between releases.
fn name_elsewhere(folder: &Path) -> String {
    let last = folder.file_name().unwrap_or_default().to_string_lossy();
    let last = last.replace(|c: char| !is_plain(c.encode_utf8(&mut [0; 4])), "_");
    let digest = folder
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0x811c_9dc5, |digest: u32, byte| (digest ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    format!("{last}-{digest:08x}")
}

fn assignment(variable: &str, path: &Path) -> String {
    format!("{variable}={}", path.display())
}

/// Removes output that was made with another SDK, because projects' Makefiles do not depend on the SDK's files.
fn forget_older_sdk(output: &Path, sdk: &Path, build: &Build<'_>) -> Outcome {
    let parts = [sdk.join("bin"), sdk.join("board").join(&build.board.name).join(build.config)];
    let newest = parts.iter().map(|part| newest_below(part)).collect::<Outcome<Vec<_>>>()?;
    let stamp = format!("{:?}\n", newest.into_iter().max());
    let file = output.join("sdk.stamp");
    if files::read(&file).is_ok_and(|present| present == stamp) {
        return Ok(());
    }
    if output.exists() {
        fs::remove_dir_all(output).context(|| format!("cannot remove {}", output.display()))?;
    }
    files::write(&file, stamp)
}

fn newest_below(folder: &Path) -> Outcome<u128> {
    let times = files::below(folder)?.into_iter().map(|file| {
        let modified = fs::metadata(folder.join(&file)).and_then(|facts| facts.modified());
        modified.context(|| format!("cannot inspect {}", file.display()))
    });
    let newest = times.collect::<Outcome<Vec<SystemTime>>>()?.into_iter().max().unwrap_or(UNIX_EPOCH);
    Ok(newest.duration_since(UNIX_EPOCH).map_or(0, |age| age.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(folder: &str) -> String {
        Project::at(&Workspace::at(Path::new("/limen"), Path::new("/")), folder.into()).name
    }

    #[test]
    fn folders_with_the_same_last_part_have_different_names() {
        let (first, second) = (name("/home/pa/app"), name("/home/pb/app"));
        assert!(
            first.starts_with("app-") && second.starts_with("app-") && first != second,
            "{first} {second}"
        );
        assert_eq!(first, "app-83417a2d");
    }

    #[test]
    fn names_in_the_repository_are_paths() {
        assert_eq!(name("/limen/examples/hello"), "examples/hello");
        assert_ne!(name("/limen/a b/app"), name("/limen/a_b/app"));
    }

    #[test]
    fn make_takes_every_name_as_one_word() {
        for folder in ["/limen/a b/app", "/home/my app", "/home/a:b", "/home/$HOME", "/"] {
            assert!(is_plain(&name(folder)), "{folder}: {}", name(folder));
        }
    }

    #[test]
    fn systems_are_found_from_any_folder() {
        let top = std::env::temp_dir().join(format!("limen-project-{}", std::process::id()));
        for system in
            ["limen/examples/hello", "limen/examples/tour", "limen/bench/tour", "mine/app", "mine/tour"]
        {
            files::write(&top.join(system).join("Makefile"), "").unwrap();
        }
        let top = top.canonicalize().unwrap();
        let find = |from: &str, system: &str| {
            let workspace = Workspace::at(&top.join("limen"), &top.join(from));
            let found = Project::locate(&workspace, system).map(|project| project.folder);
            found.map(|folder| folder.strip_prefix(&top).unwrap().display().to_string()).unwrap_or_default()
        };
        assert_eq!(find("limen", "hello"), "limen/examples/hello");
        assert_eq!(find("limen/examples/tour", "../hello"), "limen/examples/hello");
        assert_eq!(find("limen/examples/tour", "examples/hello"), "limen/examples/hello");
        assert_eq!(find("limen/examples/tour", "."), "limen/examples/tour");
        assert_eq!(find("mine", "examples/hello"), "limen/examples/hello");
        assert_eq!(find("mine", "app"), "mine/app");
        let workspace = Workspace::at(&top.join("limen"), &top.join("limen"));
        let measured = |system| Project::locate_on(&workspace, &["bench"], system).map(|found| found.name);
        assert_eq!(measured("tour").unwrap(), "bench/tour");
        assert_eq!(measured("examples/tour").unwrap(), "examples/tour");
        assert!(measured("hello").is_err());
        assert_eq!(find("mine", "tour"), "mine/tour");
        let missing = |from: &str, system: &str| {
            let workspace = Workspace::at(&top.join("limen"), &top.join(from));
            Project::locate(&workspace, system).unwrap_err().to_string()
        };
        assert_eq!(missing("limen", "helo"), "there is no system 'helo'; did you mean `examples/hello`?");
        assert_eq!(
            missing("limen", "../mine/ap"),
            "there is no system '../mine/ap'; did you mean `../mine/app`?"
        );
        assert_eq!(missing("mine", "ap/"), "there is no system 'ap'; did you mean `app`?");
        assert_eq!(missing("mine", "../limen"), "../limen is not a system: the folder has no Makefile");
        assert!(missing("limen", "kitchen").contains("choose from: examples/hello, examples/tour"));
        fs::remove_dir_all(top).unwrap();
    }
}
