//! A directory with an SDK of small test files, in which the tests run the tool.

#![allow(dead_code, reason = "each test binary uses only some items")]
#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

pub(crate) mod golden;
#[path = "../../../builder/src/test_elf.rs"]
pub(crate) mod test_elf;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use test_elf::TestElf;

/// Options of most calls.
pub(crate) const BASE: &str = "--board qemu_virt_aarch64 --config debug";
/// The same for several processors; [`Workspace::add_config`] adds the configuration.
pub(crate) const SMP: &str = "--board qemu_virt_aarch64 --config smp-debug";
/// A system with one program.
pub(crate) const ONE: &str = r#"<system>
    <protection_domain name="one" priority="10">
        <program_image path="one.elf" />
    </protection_domain>
</system>
"#;

const BOARD: &str = include_str!("../../../builder/boards/qemu_virt_aarch64.toml");

/// A new directory, removed on drop.
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Creates an SDK in `sdk`, the system [`ONE`] in `one.system` and its program in `one.elf`.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("limen-microkit-{}-{number}", std::process::id()));
        let workspace = Self { root };
        for config in ["benchmark", "debug", "release"] {
            workspace.add_config(config);
        }
        workspace.write("one.system", ONE);
        workspace.write("one.elf", TestElf::program().bytes());
        workspace
    }

    /// Adds a configuration to the SDK.
    pub(crate) fn add_config(&self, config: &str) {
        let directory = format!("sdk/board/qemu_virt_aarch64/{config}");
        self.write(&format!("{directory}/board.toml"), BOARD);
        self.write(&format!("{directory}/elf/sel4.elf"), TestElf::kernel().bytes());
        self.write(&format!("{directory}/elf/loader.elf"), TestElf::loader().bytes());
        self.write(&format!("{directory}/elf/monitor.elf"), TestElf::monitor().bytes());
    }

    /// Adds a board with the configuration `debug` to the SDK, and makes the program one for its instruction set.
    pub(crate) fn add_board(&self, name: &str, board: &str, machine: u16) {
        let directory = format!("sdk/board/{name}/debug");
        self.write(&format!("{directory}/board.toml"), board);
        for (path, file) in [
            ("one.elf", TestElf::program()),
            (&format!("{directory}/elf/sel4.elf"), TestElf::kernel()),
            (&format!("{directory}/elf/sel4_32.elf"), TestElf::kernel()),
            (&format!("{directory}/elf/loader.elf"), TestElf::loader()),
            (&format!("{directory}/elf/monitor.elf"), TestElf::monitor()),
        ] {
            self.write(path, TestElf { machine, ..file }.bytes());
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        let path = self.path(name);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Runs the tool with these words.
    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// The tool with these words.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_microkit"));
        command.args(words).current_dir(&self.root).env("MICROKIT_SDK", "sdk");
        command
    }

    /// Every file with its contents, sorted by path.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        collect(&self.root, &mut files);
        files.sort();
        files
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn collect(directory: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            // For large files and files that are not regular, kind and size are enough.
            let facts = fs::metadata(&path).unwrap();
            let is_read = facts.is_file() && facts.len() < 1 << 24;
            let sum = || format!("{:?} {}", facts.file_type(), facts.len()).into_bytes();
            let contents = if is_read { fs::read(&path).unwrap() } else { sum() };
            files.push((path, contents));
        }
    }
}
