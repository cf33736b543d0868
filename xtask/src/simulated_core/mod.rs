//! A machine with a core in register-transfer language, simulated cycle by cycle: it runs a board's images and repeats every
//! run to the cycle.
//!
//! The core is Rocket as a Python package has it, in Verilog, with one register added; Verilator translates it.
//! `simulator.cpp` is the machine around it, `firmware.S` its firmware. All is built once, into `build/simulated_core`, when
//! a command first uses a variant that a board file lists under `[simulated]`. It is compiled twice, because it runs almost
//! three times as fast if the compiler knows from a run which branches are taken.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::measure;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board};
use crate::run::project::{Build, Project};
use crate::run::python;
use crate::sdk;
use crate::shell::files;
use crate::shell::process;
use crate::workspace::Workspace;

const SIMULATOR: &str = include_str!("simulator.cpp");
const FIRMWARE: &str = include_str!("firmware.S");
const SIGNALS: &str = include_str!("signals.vlt");
const REQUIREMENTS: &str = include_str!("requirements.txt");

/// The board whose images it runs.
const BOARD: &str = "qemu_virt_riscv64";

/// The folder of everything that is built.
const FOLDER: &str = "build/simulated_core";

/// The Python environment in that folder which has the core's package.
const ENVIRONMENT: &str = "python";

/// The file in a simulator's folder that says what it was built from.
const STAMP: &str = "built-from";

/// The programs that it needs, and what to install if one is missing.
const TOOLS: [&str; 3] = ["verilator", "g++", "make"];
const ADVICE: &str = "install the packages verilator, g++, make and python3-venv";

/// A configuration of the core that the package has: harts with floating point, caches of 16 KiB and no second level.
#[derive(Debug)]
struct Core {
    harts: u8,
    /// The name of its Verilog, and of its folder in [`FOLDER`].
    name: &'static str,
    /// The system whose run the compiler learns from, and the configuration it is built in.
    example: (&'static str, &'static str),
    /// The cycles of that run, about half of which are boot.
    example_cycles: &'static str,
}

/// With four harts, memory moves 16 bytes in a cycle in place of 8; the package has none with four that is otherwise equal.
const CORES: [Core; 2] = [
    Core { harts: 1, name: "LitexFullConfig", example: ("bench/ppc", "release"), example_cycles: "1200000" },
    Core {
        harts: 4,
        name: "LitexFull4DConfig",
        example: ("bench/elsewhere", "smp-release"),
        example_cycles: "1600000",
    },
];

/// The argument of a board file that says how many harts the core has.
const HARTS: &str = "--harts";

/// The core's top module.
const TOP: &str = "ExampleRocketSystem";

/// Text of the core's Verilog, and what replaces it to add the register `time` (number 0xc01; RISC-V Unprivileged
/// Architecture, Zicntr). It reads the count of the machine's timer, and exists if the simulator sets `has_time`.
const TIME: [(&str, &str); 3] = [
    (
        "  wire [63:0] value_1 = {large_1,small_1};",
        "  reg has_time;\n  wire [63:0] value_1 = {large_1,small_1};",
    ),
    ("  wire  csr_exists = ", "  wire  csr_exists = (has_time & addr_1 == 12'hc01) | "),
    (
        "  assign io_rw_rdata = ",
        "  assign io_rw_rdata = (has_time & io_rw_addr == 12'hc01 ? ExampleRocketSystem.clint.time_ : 64'h0) | ",
    ),
];

/// Arguments of Verilator: no checks of the core's own style, and no assertions, which cost time.
const TRANSLATION: [&str; 17] = [
    "--cc",
    "--exe",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "-DSYNTHESIS",
    "--output-split",
    "20000",
    "--output-split-cfuncs",
    "2000",
    "--top-module",
];

/// Arguments of make: what the compiler does for the code of each cycle, before and after the run that it learns from.
const LEARNING: [&str; 2] = ["OPT_FAST=-O2 -march=native -fprofile-generate", "LDFLAGS=-fprofile-generate"];
const LEARNED: [&str; 1] =
    ["OPT_FAST=-O2 -march=native -fprofile-use -fprofile-partial-training -Wno-missing-profile"];

/// The number of harts that the words of a board file ask for.
///
/// # Errors
/// When no core has as many.
pub fn harts(words: &[String]) -> Outcome<u8> {
    core_of(words).map(|core| core.harts)
}

/// The command that runs `{image}`, with these further arguments of the simulator. Paths are relative to the repository.
///
/// # Errors
/// As [`harts`].
pub fn command(words: &[String]) -> Outcome<Vec<String>> {
    let folder = format!("{FOLDER}/{}", core_of(words)?.name);
    let program = [format!("{folder}/simulator")];
    let files = ["--firmware", &format!("{folder}/firmware.bin"), "--image", "{image}"].map(str::to_owned);
    Ok([&program, words, &files].concat())
}

fn core_of(words: &[String]) -> Outcome<&'static Core> {
    let harts = words.iter().position(|word| word == HARTS).and_then(|at| words.get(at + 1));
    let harts = harts.map_or("1", String::as_str);
    let found = CORES.iter().find(|core| core.harts.to_string() == harts);
    found.ok_or_else(|| {
        Failure::new(format!("there is no simulated core with {harts} harts; there are 1 and 4"))
    })
}

/// Why this machine cannot build a simulator; `None` if it has the programs and the core's Verilog, which is installed if it
/// is missing.
///
/// # Errors
/// When the package does not have the pinned digest.
pub fn not_buildable(workspace: &Workspace) -> Outcome<Option<String>> {
    let lacks = |tool: &&str| process::capture(Command::new(tool).arg("--version")).is_err();
    if let Some(tool) = TOOLS.into_iter().find(lacks) {
        return Ok(Some(format!("a simulated core needs {tool}: {ADVICE}")));
    }
    let folder = workspace.path(FOLDER);
    let requirements = folder.join("requirements.txt");
    files::write(&requirements, REQUIREMENTS)?;
    let reason = python::install(&requirements, &folder.join(ENVIRONMENT))?;
    Ok(reason.map(|reason| format!("the simulated core cannot be installed: {reason}; {ADVICE}")))
}

/// Whether the simulator of this board was built from these sources with this machine's Verilator.
pub fn is_built(workspace: &Workspace, board: &Board) -> bool {
    core_of(&board.qemu).is_ok_and(|core| core.is_built(workspace))
}

/// Builds the simulators of these boards and their firmware, unless they were built from the same sources with the same
/// Verilator. Boards that are no simulated core need none.
///
/// # Errors
/// When a program or the network is missing, or the package does not have the pinned digest.
pub fn build(workspace: &Workspace, boards: &[Board]) -> Outcome {
    let simulated = boards.iter().filter(|board| board.is_simulated);
    let cores = simulated.map(|board| core_of(&board.qemu)).collect::<Outcome<Vec<_>>>()?;
    let needed = CORES.iter().filter(|core| cores.iter().any(|needed| needed.harts == core.harts));
    let mut missing = needed.filter(|core| !core.is_built(workspace)).peekable();
    if missing.peek().is_some()
        && let Some(reason) = not_buildable(workspace)?
    {
        return Err(Failure::new(reason));
    }
    missing.try_for_each(|core| core.build(workspace))
}

impl Core {
    /// Text of everything from which the simulator is built, and the name and version of Verilator.
    fn sources(&self) -> Outcome<(String, String)> {
        let translator = process::capture(Command::new("verilator").arg("--version"))?.trim().to_owned();
        let core = TIME.map(|(_, text)| text).join("\n");
        let learning =
            [&LEARNING[..], &LEARNED, &[self.example.0, self.example.1, self.example_cycles]].concat();
        let compilation = [&TRANSLATION[..], &learning].concat().join(" ");
        let sources =
            [translator.as_str(), SIMULATOR, FIRMWARE, SIGNALS, REQUIREMENTS, &compilation, &core].join("\n");
        Ok((sources, translator))
    }

    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.path(FOLDER).join(self.name)
    }

    fn is_built(&self, workspace: &Workspace) -> bool {
        let present = files::read(&self.folder(workspace).join(STAMP));
        present.is_ok_and(|present| self.sources().is_ok_and(|(sources, _)| present == sources))
    }

    fn build(&self, workspace: &Workspace) -> Outcome {
        let (sources, translator) = self.sources()?;
        let folder = self.folder(workspace);
        let stamp = folder.join(STAMP);
        let image = self.example(workspace)?;
        eprintln!("building the simulated core (harts: {}), which takes minutes once", self.harts);
        // Without it, an interrupted build starts over.
        _ = fs::remove_file(&stamp);
        self.assemble(&folder)?;
        let verilog = verilog(&workspace.path(FOLDER))?;
        let objects = folder.join("objects");
        self.translate(&folder, &objects, &verilog, &translator)?;
        let compiled = compile(&objects, &LEARNING)?;
        let mut run = Command::new(&compiled);
        run.arg("--firmware").arg(folder.join("firmware.bin")).arg("--image").arg(&image);
        process::capture(run.args(["--time-register", "1", "--cycles", self.example_cycles]))?;
        let compiled = compile(&objects, &LEARNED)?;
        let simulator = folder.join("simulator");
        fs::rename(compiled, &simulator).context(|| format!("cannot replace {}", simulator.display()))?;
        files::write(&stamp, sources)
    }

    /// The boot image that the compiler's example runs.
    fn example(&self, workspace: &Workspace) -> Outcome<PathBuf> {
        let (system, config) = self.example;
        sdk::build_with(workspace, config)?;
        let board = board::named(workspace, BOARD)?;
        let variables = &[measure::SIMULATED_BUILD];
        Project::locate(workspace, system)?.build(workspace, &Build { board: &board, config, variables })
    }

    /// Assembles the firmware to the bytes at the start of memory.
    fn assemble(&self, folder: &Path) -> Outcome {
        let [source, linked, bytes] =
            ["firmware.S", "firmware.elf", "firmware.bin"].map(|name| folder.join(name));
        files::write(&source, FIRMWARE)?;
        let mut clang = Command::new("clang");
        clang.args([
            "--target=riscv64-unknown-none-elf",
            "-march=rv64gc",
            "-mabi=lp64d",
            "-mno-relax",
            "-nostdlib",
        ]);
        clang.arg(format!("-DHARTS={}", self.harts));
        clang.args(["-fuse-ld=lld", "-Wl,-Ttext=0x80000000", "-Wl,--build-id=none", "-o"]);
        process::capture(clang.arg(&linked).arg(&source))?;
        process::capture(Command::new("llvm-objcopy").args(["-O", "binary"]).arg(&linked).arg(&bytes))
            .map(drop)
    }

    /// Translates the core to C++, into the folder `objects`.
    fn translate(&self, folder: &Path, objects: &Path, verilog: &Path, translator: &str) -> Outcome {
        let [machine, signals, core] =
            ["simulator.cpp", "signals.vlt", "core.v"].map(|name| folder.join(name));
        files::write(&machine, SIMULATOR)?;
        files::write(&signals, SIGNALS)?;
        if objects.exists() {
            fs::remove_dir_all(objects).context(|| format!("cannot remove {}", objects.display()))?;
        }
        let generated =
            verilog.join("generated-src").join(format!("freechips.rocketchip.system.{}", self.name));
        files::write(&core, with_time(&files::read(&generated.with_added_extension("v"))?)?)?;
        let version = format!(
            "-std=c++20 -DHARTS={} -DVERSION='\"Rocket {}, {translator}\"'",
            self.harts,
            package_version()
        );
        let mut verilator = Command::new("verilator");
        verilator
            .args(TRANSLATION)
            .arg(TOP)
            .arg("--Mdir")
            .arg(objects)
            .args(["-CFLAGS", &version])
            .arg(&signals);
        verilator.arg(&core).arg(generated.with_added_extension("behav_srams.v"));
        let parts = ["plusarg_reader.v", "AsyncResetReg.v", "EICG_wrapper.v"]
            .map(|name| verilog.join("vsrc").join(name));
        process::capture(verilator.args(parts).arg(&machine)).map(drop)
    }
}

/// The folder with the core's Verilog, in the folder of everything that is built.
fn verilog(folder: &Path) -> Outcome<PathBuf> {
    let environment = folder.join(ENVIRONMENT);
    let versions = environment.join("lib");
    let entries = fs::read_dir(&versions).context(|| format!("cannot list {}", versions.display()))?;
    let packaged = |version: fs::DirEntry| version.path().join("site-packages/pythondata_cpu_rocket/verilog");
    let found = entries.flatten().map(packaged).find(|folder| folder.is_dir());
    found.ok_or_else(|| Failure::new(format!("{} has no Verilog of the core", environment.display())))
}

/// Verilog of the core with the register `time`.
///
/// # Errors
/// If `core` does not have each of the places exactly once.
fn with_time(core: &str) -> Outcome<String> {
    TIME.iter().try_fold(core.to_owned(), |core, (place, text)| match core.matches(place).count() {
        1 => Ok(core.replacen(place, text, 1)),
        found => Err(Failure::new(format!(
            "the core's Verilog has `{}` {found} times instead of once",
            place.trim()
        ))),
    })
}

/// Compiles the translated core with the machine around it; returns the program.
fn compile(objects: &Path, options: &[&str]) -> Outcome<PathBuf> {
    let mut make = Command::new("make");
    // All of it again, if it was compiled with other options.
    make.arg("-C").arg(objects).args(["-s", "-B", "-j2", "-f", &format!("V{TOP}.mk")]);
    process::capture(make.args(["OPT_SLOW=-O1", "OPT_GLOBAL=-O2"]).args(options))?;
    Ok(objects.join(format!("V{TOP}")))
}

/// The version of the core's package.
fn package_version() -> &'static str {
    let line = REQUIREMENTS.lines().find_map(|line| line.split_once("=="));
    line.map_or("", |(_, version)| version.trim_end_matches(['\\', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_pinned_by_version_and_digest() {
        assert_eq!(package_version(), "0.0.post7146");
        assert!(REQUIREMENTS.contains("--hash=sha256:"));
    }

    #[test]
    fn the_core_gets_a_register_at_places_that_are_there_once() {
        let core = TIME.map(|(place, _)| place).join("0;\n");
        assert_eq!(with_time(&core).unwrap().matches("12'hc01").count(), 2);
        let twice = with_time(&core.repeat(2)).unwrap_err().to_string();
        assert!(
            twice.contains("`wire [63:0] value_1 = {large_1,small_1};` 2 times instead of once"),
            "{twice}"
        );
    }

    #[test]
    fn the_command_names_the_image_and_the_arguments_of_the_variant() {
        let words = command(&["--latency".to_owned(), "20".to_owned()]).unwrap();
        assert_eq!(words[1..3], ["--latency", "20"]);
        assert_eq!(words.last().map(String::as_str), Some("{image}"));
    }

    #[test]
    fn the_number_of_harts_chooses_the_simulator() {
        let words = |harts: &str| ["--harts", harts, "--latency", "20"].map(str::to_owned);
        assert_eq!((harts(&[]).unwrap(), harts(&words("4")).unwrap()), (1, 4));
        let [one, four] = [command(&[]), command(&words("4"))].map(|words| words.unwrap()[0].clone());
        assert_eq!(one, "build/simulated_core/LitexFullConfig/simulator");
        assert_eq!(four, "build/simulated_core/LitexFull4DConfig/simulator");
        let failure = command(&words("2")).unwrap_err().to_string();
        assert_eq!(failure, "there is no simulated core with 2 harts; there are 1 and 4");
    }
}
