//! The facts of a board's data file that the commands need: names, instruction set, platform and QEMU command.
//!
//! The builder checks these files in full. Here only these facts are read again, so that the commands can build, run
//! and report errors while the crates that they build do not compile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use limen_nearest::advice;
use serde::Deserialize;

use crate::check::binary::FloatAbi;
use crate::command::unknown;
use crate::failure::{Failure, Outcome};
use crate::run::qemu;
use crate::shell::data;
use crate::shell::files;
use crate::simulated_core;
use crate::workspace::{self, Workspace};

/// One file of `host/builder/boards/`, reduced to what `xtask` needs; the tool reads the rest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Board {
    /// The argument of `--board`, and the board's folder in the SDK: the name of the file without extension, or an
    /// older name.
    #[serde(skip)]
    pub name: String,
    /// Older names that existing projects use.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The present name, if `name` is an older one.
    #[serde(skip)]
    pub renamed: Option<String>,
    /// Instruction set, as in `aarch64`.
    pub architecture: String,
    /// Platform name for `CONFIG_PLAT_*`, as in `QEMU_ARM_VIRT`.
    pub platform: String,
    /// How the kernel gets into memory.
    #[serde(default)]
    pub boot: BootProtocol,
    /// The emulator and its arguments; `{image}` stands for the boot image and `{folder}` for its folder.
    pub qemu: Vec<String>,
    /// Words that configurations for several processors add to the emulator's command.
    #[serde(default)]
    pub qemu_smp: Vec<String>,
    /// Processors that the kernel can use.
    #[serde(default = "one")]
    pub processors: u8,
    /// Variants of the emulator's command: words that are added to it, by name.
    #[serde(default)]
    pub variants: BTreeMap<String, Vec<String>>,
    /// Variants that run on a simulated core instead of the emulator: arguments of the simulator, by name.
    #[serde(default)]
    pub simulated: BTreeMap<String, Vec<String>>,
    /// The versions of the emulator that repeat a run exactly; empty for every version.
    #[serde(default)]
    pub repeatable_with: Vec<String>,
    /// The variants that are already applied.
    #[serde(skip)]
    pub chosen: Vec<String>,
    /// Whether `qemu` is the command of the simulator, whose figures are cycles.
    #[serde(skip)]
    pub is_simulated: bool,
    /// The data file itself.
    #[serde(skip)]
    pub file: PathBuf,
}

/// The program that loads the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BootProtocol {
    /// Limen's loader, as part of the boot image.
    #[default]
    Loader,
    /// A Multiboot loader.
    Multiboot,
}

impl Board {
    /// The same board, with these variants of the emulator's command.
    ///
    /// # Errors
    /// When it lacks one; the failure lists those that it has.
    pub fn with(&self, variants: &[String]) -> Outcome<Self> {
        let mut board = self.clone();
        for name in variants {
            if let Some(words) = self.simulated.get(name) {
                board = board.on_simulator(words)?;
                board.chosen.push(name.clone());
                continue;
            }
            let Some(words) = self.variants.get(name) else {
                let known: Vec<_> =
                    self.variants.keys().chain(self.simulated.keys()).map(String::as_str).collect();
                let advice =
                    advice(name, &known, if known.is_empty() { "it has none" } else { "see its data file" });
                return Err(Failure::new(format!("{} has no variant '{name}'; {advice}", self.name)));
            };
            if board.is_simulated {
                return Err(together(name));
            }
            board.qemu.extend(words.iter().cloned());
            board.chosen.push(name.clone());
        }
        Ok(board)
    }

    /// The same board as the simulator's machine.
    fn on_simulator(&self, words: &[String]) -> Outcome<Self> {
        if let Some(other) = self.chosen.first() {
            return Err(together(other));
        }
        let (qemu, processors) = (simulated_core::command(words)?, simulated_core::harts(words)?);
        Ok(Self { qemu, qemu_smp: Vec::new(), processors, is_simulated: true, ..self.clone() })
    }

    /// Whether it is a simulated core that counts events and writes traces, which those with several harts do not.
    pub fn counts_events(&self) -> bool {
        self.is_simulated && self.processors == 1
    }

    /// Checks that a command for the emulator alone, named `what`, can use the board.
    ///
    /// # Errors
    /// When the board is a simulated core.
    pub fn check_emulated(&self, what: &str) -> Outcome {
        if self.is_simulated {
            let variant = self.chosen.join(", ");
            return Err(Failure::new(format!("{what} needs the emulator: omit --variant {variant}")));
        }
        Ok(())
    }

    /// The options with which a run repeats exactly. The simulator has none, because its runs always do.
    pub fn deterministic(&self) -> &'static [&'static str] {
        if self.is_simulated { &[] } else { &qemu::DETERMINISTIC }
    }

    /// Whether its SDK can have this configuration.
    pub fn has(&self, config: &str) -> bool {
        !workspace::is_smp(config) || self.processors > 1
    }

    /// The same board, with the emulator's command for a configuration.
    ///
    /// # Errors
    /// When the configuration needs several processors, and the board has one.
    pub fn for_config(&self, config: &str) -> Outcome<Self> {
        if !self.has(config) {
            let base = workspace::base(config);
            return Err(Failure::new(format!("{} has one processor; use --config {base}", self.name)));
        }
        let mut board = self.clone();
        if workspace::is_smp(config) {
            board.qemu.extend(self.qemu_smp.iter().cloned());
        }
        Ok(board)
    }

    /// The name by which the reference lists figures: the instruction set, or the variant that is a simulated core.
    pub fn machine(&self) -> &str {
        self.chosen.first().filter(|_| self.is_simulated).unwrap_or(&self.architecture)
    }

    /// Whether it is the usual board of its instruction set.
    pub fn is_usual(&self) -> bool {
        USUAL.contains(&self.name.as_str())
    }

    /// The same board with fewer processors; `None` if it has fewer than these, or is a simulated core.
    pub fn with_processors(&self, count: u8) -> Option<Self> {
        let fewer = self.processors.checked_sub(count).filter(|_| !self.is_simulated)?;
        let mut qemu_smp = self.qemu_smp.clone();
        let last = qemu_smp.last_mut()?;
        *last = last.parse::<u8>().ok()?.checked_sub(fewer)?.to_string();
        Some(Self { processors: count, qemu_smp, ..self.clone() })
    }

    /// Its data file for as many processors as it has now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn data(&self) -> Outcome<String> {
        let own = |line: &str| {
            let is_count = line.starts_with("processors = ");
            if is_count { format!("processors = {}\n", self.processors) } else { format!("{line}\n") }
        };
        Ok(files::read(&self.file)?.lines().map(own).collect())
    }

    /// Its name and the chosen variants, as part of the names of files.
    pub fn file_name(&self) -> String {
        let words = std::iter::once(self.name.as_str()).chain(self.chosen.iter().map(String::as_str));
        words.collect::<Vec<_>>().join("-")
    }

    /// Its name and the chosen variants, for display.
    pub fn title(&self) -> String {
        if self.chosen.is_empty() {
            return self.name.clone();
        }
        format!("{} with {}", self.name, self.chosen.join(" and "))
    }
}

/// The board that a [title](Board::title) names.
///
/// # Errors
/// When no board has the name, or it lacks one of the variants.
pub fn titled(workspace: &Workspace, title: &str) -> Outcome<Board> {
    let (name, variants) = title.split_once(" with ").unwrap_or((title, ""));
    let variants: Vec<_> =
        variants.split(" and ").filter(|name| !name.is_empty()).map(str::to_owned).collect();
    named(workspace, name)?.with(&variants)
}

/// The default of `--board`.
pub const DEFAULT: &str = "qemu_virt_aarch64";

/// The usual board of each instruction set, on which figures are recorded.
pub const USUAL: [&str; 3] = ["qemu_virt_aarch64", "qemu_virt_riscv64", "x86_64_generic"];

/// Every board, sorted by name.
///
/// # Errors
/// When a data file cannot be read or lacks a fact.
pub fn all(workspace: &Workspace) -> Outcome<Vec<Board>> {
    let folder = workspace.path("host/builder/boards");
    let files = files::below(&folder)?;
    let data = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "toml"));
    data.map(|file| read(&folder.join(file))).collect()
}

/// Every board, each followed by itself under its older names.
///
/// # Errors
/// As [`all`].
pub fn all_names(workspace: &Workspace) -> Outcome<Vec<Board>> {
    let boards = all(workspace)?.into_iter();
    Ok(boards.flat_map(|board| [vec![board.clone()], board.under_older_names()].concat()).collect())
}

/// The board with this name, which may be an older one.
///
/// # Errors
/// When no board has the name; the failure lists the boards.
pub fn named(workspace: &Workspace, name: &str) -> Outcome<Board> {
    let boards = all_names(workspace)?;
    let missing = unknown_name(&boards, name);
    boards.into_iter().find(|board| board.name == name).ok_or(missing)
}

/// Suggests older names as well, but lists only present ones.
fn unknown_name(boards: &[Board], name: &str) -> Failure {
    let names: Vec<_> = boards.iter().map(|board| board.name.as_str()).collect();
    let present = boards.iter().filter(|board| board.renamed.is_none());
    let present: Vec<_> = present.map(|board| board.name.as_str()).collect();
    unknown("board", name, &names, &format!("choose from: {}", present.join(", ")))
}

impl Board {
    /// The same board under each of its older names.
    pub fn under_older_names(&self) -> Vec<Self> {
        let renamed =
            |alias: &String| Self { name: alias.clone(), renamed: Some(self.name.clone()), ..self.clone() };
        self.aliases.iter().map(renamed).collect()
    }

    /// The floating-point ABI of programs, on instruction sets that have several. The SDKs with the older names were
    /// built for the soft-float ABI.
    pub fn float_abi(&self) -> Option<FloatAbi> {
        let choice = if self.renamed.is_some() { FloatAbi::Soft } else { FloatAbi::Double };
        (self.architecture == "riscv64").then_some(choice)
    }
}

fn together(other: &str) -> Failure {
    Failure::new(format!("a simulated core has no further variants: omit --variant {other}"))
}

const fn one() -> u8 {
    1
}

fn read(file: &Path) -> Outcome<Board> {
    parse(&files::read(file)?, file)
}

fn parse(text: &str, file: &Path) -> Outcome<Board> {
    Ok(Board {
        name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        file: file.to_path_buf(),
        ..data::parse(text, &file.display().to_string())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "architecture = 'aarch64'\nplatform = 'VIRT'\nqemu = ['qemu-system-aarch64', '{image}']\nram = 1\n";

    #[test]
    fn facts_of_a_board_are_read_and_others_ignored() {
        let board = parse(GOOD, Path::new("boards/b.toml")).unwrap();
        assert_eq!((board.name.as_str(), board.architecture.as_str()), ("b", "aarch64"));
        assert_eq!(board.qemu.len(), 2);
        assert!(board.aliases.is_empty());
    }

    #[test]
    fn the_older_name_on_riscv_has_the_soft_float_abi() {
        let text = GOOD.replace("aarch64", "riscv64") + "aliases = ['older']\n";
        let board = parse(&text, Path::new("b.toml")).unwrap();
        let older = board.under_older_names().remove(0);
        assert_eq!((older.name.as_str(), older.renamed.as_deref()), ("older", Some("b")));
        assert_eq!((board.float_abi(), older.float_abi()), (Some(FloatAbi::Double), Some(FloatAbi::Soft)));
    }

    #[test]
    fn a_missing_fact_is_named() {
        let failure = parse("architecture = 'aarch64'\nplatform = 1\n", Path::new("b.toml")).unwrap_err();
        assert_eq!(failure.to_string(), "b.toml:2: invalid type: integer `1`, expected a string");
    }

    #[test]
    fn configurations_for_several_processors_add_words_to_the_command() {
        let one = parse(GOOD, Path::new("b.toml")).unwrap();
        assert!(one.has("debug") && !one.has("smp-debug"));
        let failure = one.for_config("smp-debug").unwrap_err();
        assert_eq!(failure.to_string(), "b has one processor; use --config debug");
        let text = format!("{GOOD}processors = 2\nqemu_smp = ['-smp', '3']\n");
        let several = parse(&text, Path::new("b.toml")).unwrap();
        let qemu = |config| several.for_config(config).unwrap().qemu;
        assert_eq!(qemu("release"), several.qemu);
        assert_eq!(qemu("smp-release"), ["qemu-system-aarch64", "{image}", "-smp", "3"]);
    }

    #[test]
    fn a_machine_may_have_fewer_processors() {
        let text = format!("{GOOD}processors = 4\nqemu_smp = ['-smp', '5']\n");
        let board = parse(&text, Path::new("b.toml")).unwrap();
        let fewer = board.with_processors(2).unwrap();
        assert_eq!((fewer.processors, fewer.qemu_smp.join(" ").as_str()), (2, "-smp 3"));
        assert!(board.with_processors(5).is_none());
        let file = std::env::temp_dir().join(format!("limen-board-{}.toml", std::process::id()));
        files::write(&file, &text).unwrap();
        let data = Board { file: file.clone(), ..fewer }.data().unwrap();
        assert_eq!(data, text.replace("processors = 4", "processors = 2"));
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_variant_adds_words_to_the_command() {
        let text = format!("{GOOD}[variants]\nlarge = ['-m', '4G']\n");
        let board = parse(&text, Path::new("b.toml")).unwrap();
        let large = board.with(&["large".to_owned()]).unwrap();
        assert_eq!(large.qemu, ["qemu-system-aarch64", "{image}", "-m", "4G"]);
        assert_eq!((board.title().as_str(), large.title().as_str()), ("b", "b with large"));
        assert_eq!((board.file_name().as_str(), large.file_name().as_str()), ("b", "b-large"));
        let failure = board.with(&["small".to_owned()]).unwrap_err();
        assert_eq!(failure.to_string(), "b has no variant 'small'; choose from: large");
    }

    #[test]
    fn a_simulated_core_replaces_the_emulator() {
        let text = format!(
            "{GOOD}processors = 4\n[variants]\nlarge = ['-m', '4G']\n[simulated]\ncore = ['--latency', '3']\n\
             four = ['--harts', '4']\n"
        );
        let board = parse(&text, Path::new("b.toml")).unwrap();
        let core = board.with(&["core".to_owned()]).unwrap();
        assert!(core.is_simulated && core.qemu.windows(2).any(|pair| pair == ["--latency", "3"]));
        assert!(!core.qemu.contains(&"qemu-system-aarch64".to_owned()));
        assert!(!core.has("smp-debug") && core.deterministic().is_empty() && core.counts_events());
        let four = board.with(&["four".to_owned()]).unwrap();
        assert!(four.has("smp-debug") && !four.counts_events() && !board.counts_events());
        assert_eq!([board.machine(), core.machine()], ["aarch64", "core"]);
        let failure = core.check_emulated("--gdb").unwrap_err();
        assert_eq!(failure.to_string(), "--gdb needs the emulator: omit --variant core");
        for pair in [["core", "large"], ["large", "core"], ["core", "core"]] {
            let failure = board.with(&pair.map(str::to_owned)).unwrap_err().to_string();
            assert!(
                failure.starts_with("a simulated core has no further variants: omit --variant "),
                "{failure}"
            );
        }
        let failure = board.with(&["cor".to_owned()]).unwrap_err();
        assert_eq!(failure.to_string(), "b has no variant 'cor'; did you mean `core`?");
    }
}
