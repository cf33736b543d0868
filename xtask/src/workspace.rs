//! Where things are in the repository.

use std::env;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};

/// The three configurations of an SDK, in the order in which users meet them.
pub const CONFIGS: [&str; 3] = ["debug", "release", "benchmark"];

/// The repository's top folder and the places derived from it.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Finds the repository through the environment that cargo gives to `cargo xtask`.
    ///
    /// # Errors
    /// When the program was not started by cargo.
    pub fn locate() -> Outcome<Self> {
        env::var_os("CARGO_MANIFEST_DIR")
            .and_then(|manifest| Path::new(&manifest).parent().map(Path::to_path_buf))
            .map(|root| Self { root })
            .ok_or_else(|| Failure::new("start this program through ./x or cargo xtask"))
    }

    /// The repository's top folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file or folder named relative to the top folder.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A path that a person has typed: relative to where they were, which `./x` says if it had to leave that folder.
    pub fn called_from(&self, path: &Path) -> PathBuf {
        env::var_os("LIMEN_CALLED_FROM")
            .map_or_else(|| path.to_owned(), |folder| Path::new(&folder).join(path))
    }

    /// The folder that holds the finished SDK.
    pub fn sdk(&self) -> PathBuf {
        self.path("build/sdk")
    }

    /// The kernel of a board in the finished SDK.
    pub fn kernel(&self, board: &str, config: &str) -> PathBuf {
        self.sdk().join("board").join(board).join(config).join("elf/sel4.elf")
    }

    /// Where cargo puts what it builds.
    pub fn target(&self) -> PathBuf {
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| self.path("target"), |dir| self.root.join(dir))
    }

    /// A path as people like to read it: relative to the top folder where it lies below it.
    pub fn display<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}
