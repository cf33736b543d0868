//! The layout of an SDK: `board/<board>/<config>/` with `board.toml` and the ELF files of the system.

use std::fs;
use std::path::{Path, PathBuf};

use limen_sdf::Diagnostic;

use crate::code;
use crate::error::{Context, error};

/// The root directory of an SDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sdk {
    root: PathBuf,
}

/// A board and a configuration in an SDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SdkConfig {
    directory: PathBuf,
}

impl Sdk {
    /// The SDK in this directory.
    ///
    /// # Errors
    /// The directory does not hold an SDK.
    pub fn open(root: &Path) -> Result<Self, Diagnostic> {
        let missing = |path: &Path| {
            error(code::SDK_MISSING, format!("Error: SDK directory '{}' does not exist.", path.display()))
                .help("Set MICROKIT_SDK to the SDK's directory, or unset it to use the tool's own SDK.")
        };
        let boards = root.join("board");
        if !root.is_dir() {
            return Err(missing(root));
        }
        if !boards.is_dir() {
            return Err(missing(&boards));
        }
        Ok(Self { root: root.to_owned() })
    }

    /// Names of the boards, sorted.
    #[must_use]
    pub fn boards(&self) -> Vec<String> {
        directories(&self.root.join("board"))
    }

    /// Names of the configurations of a board, sorted.
    #[must_use]
    pub fn configs(&self, board: &str) -> Vec<String> {
        directories(&self.root.join("board").join(board))
    }

    /// The files of a board and configuration.
    #[must_use]
    pub fn config(&self, board: &str, config: &str) -> SdkConfig {
        SdkConfig { directory: self.root.join("board").join(board).join(config) }
    }
}

impl SdkConfig {
    /// The board file.
    #[must_use]
    pub fn board_file(&self) -> PathBuf {
        self.directory.join("board.toml")
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> PathBuf {
        self.elf("sel4.elf")
    }

    /// The kernel in the form for Multiboot loaders; only for boards where the image does not include it.
    #[must_use]
    pub fn multiboot_kernel(&self) -> PathBuf {
        self.elf("sel4_32.elf")
    }

    /// The loader.
    #[must_use]
    pub fn loader(&self) -> PathBuf {
        self.elf("loader.elf")
    }

    /// The monitor.
    #[must_use]
    pub fn monitor(&self) -> PathBuf {
        self.elf("monitor.elf")
    }

    fn elf(&self, name: &str) -> PathBuf {
        self.directory.join("elf").join(name)
    }
}

/// Names of the directories in `path`, sorted; empty if it cannot be read.
fn directories(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
