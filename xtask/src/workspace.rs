//! Paths in the repository.

use std::env;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Failure, Outcome};
use crate::shell::typed;

/// The configurations of an SDK for one processor, most used first.
pub const CONFIGS: [&str; 3] = ["debug", "release", "benchmark"];

/// The same for several processors.
pub const SMP_CONFIGS: [&str; 3] = ["smp-debug", "smp-release", "smp-benchmark"];

/// Whether SDKs have the configurations for several processors, and suites run in those that they name. Without, a command
/// builds such a configuration only if its `--config` names one.
pub const OFFERS_SMP: bool = true;

/// Every configuration.
pub fn configs() -> Vec<&'static str> {
    [CONFIGS, SMP_CONFIGS].concat()
}

/// The configuration for one processor that otherwise equals this one.
pub fn base(config: &str) -> &str {
    config.strip_prefix("smp-").unwrap_or(config)
}

/// Whether a configuration is for several processors.
pub fn is_smp(config: &str) -> bool {
    SMP_CONFIGS.contains(&config)
}

/// The root of the repository and the paths derived from it.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    called_from: PathBuf,
}

impl Workspace {
    /// Finds the repository from the environment that cargo sets for `cargo xtask`, and the user's current folder. If
    /// `./x` had to leave that folder, it passes it in the environment.
    ///
    /// # Errors
    /// When the program was not started by cargo, or a folder cannot be found.
    pub fn locate() -> Outcome<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let root = manifest.as_deref().and_then(Path::parent);
        let root = root.ok_or_else(|| Failure::new("start this program through ./x or cargo xtask"))?;
        let root = root.canonicalize().context(|| format!("cannot resolve {}", root.display()))?;
        if root.to_string_lossy().contains(|c: char| c.is_whitespace() || "$#:;%\\'\"()&|*?[]<>`".contains(c))
        {
            return Err(Failure::new(format!(
                "make cannot work in '{}': move the repository to a folder whose path has no spaces or special characters",
                root.display()
            )));
        }
        let called_from = match env::var_os("LIMEN_CALLED_FROM") {
            Some(folder) => PathBuf::from(folder),
            None => env::current_dir().context(|| "cannot find the current folder".to_owned())?,
        };
        Ok(Self { root, called_from })
    }

    /// A repository in this folder, with the user in `called_from`.
    #[cfg(test)]
    pub fn at(root: &Path, called_from: &Path) -> Self {
        Self { root: root.to_owned(), called_from: called_from.to_owned() }
    }

    /// The repository's top folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file or folder named relative to the top folder.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A path that the user typed, relative to their current folder.
    pub fn called_from(&self, path: &Path) -> PathBuf {
        self.called_from.join(path)
    }

    /// The folder that holds the finished SDK.
    pub fn sdk(&self) -> PathBuf {
        self.path("build/sdk")
    }

    /// The kernel of a board in the finished SDK.
    pub fn kernel(&self, board: &str, config: &str) -> PathBuf {
        self.sdk().join("board").join(board).join(config).join("elf/sel4.elf")
    }

    /// Cargo's output folder.
    pub fn target(&self) -> PathBuf {
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| self.path("target"), |dir| self.root.join(dir))
    }

    /// A path as the user would type it in their current folder.
    pub fn display(&self, path: &Path) -> String {
        typed::word(&typed::relative(path, &self.called_from))
    }

    /// The command for `./x` in the user's current folder.
    pub fn command(&self) -> String {
        let script = self.display(&self.path("x"));
        if script.contains('/') { script } else { format!("./{script}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_user_would_type() {
        let at = |folder: &str| Workspace::at(Path::new("/home/me/limen"), Path::new(folder));
        assert_eq!(at("/home/me/limen").command(), "./x");
        assert_eq!(at("/home/me/limen/docs").command(), "../x");
        assert_eq!(at("/home/me/my apps").command(), "../limen/x");
        let folder = at("/home/me/limen").called_from(Path::new("../my apps"));
        assert_eq!(at("/home/me/limen").display(&folder), "'../my apps'");
    }
}
