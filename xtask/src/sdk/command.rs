//! `./x sdk`: builds everything that users need into `build/sdk`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::sync::{Mutex, PoisonError};

use crate::check::binary::FloatAbi;
use crate::command::{Command, no_arguments};
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board, BootProtocol};
use crate::sdk::documents;
use crate::sdk::gen_config;
use crate::sdk::interface;
use crate::sdk::reproducible::CargoOptions;
use crate::sdk::version;
use crate::shell::concurrent;
use crate::shell::files;
use crate::shell::process;
use crate::shell::progress::{self, Steps};
use crate::workspace::{self, CONFIGS, OFFERS_SMP, Workspace, configs};

/// The command.
pub const COMMAND: Command =
    Command { name: "sdk", summary: "build the SDK into build/sdk", help: HELP, run };

const HELP: &str = "
usage: ./x sdk

Builds the tool, the kernel, the loader, the library and the monitor for every board and configuration into
build/sdk. Files whose contents do not change are not touched. To use it:

  make MICROKIT_SDK=$PWD/build/sdk MICROKIT_BOARD=qemu_virt_aarch64 MICROKIT_CONFIG=debug ...
";

/// The packages that run on an instruction set before any program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Port {
    architecture: &'static str,
    /// The Rust target.
    pub target: &'static str,
    /// The packages that are built for it.
    pub packages: &'static [&'static str],
}

const LOADED: &[&str] = &["limen-entry", "limen-loader"];
const PORTS: [Port; 3] = [
    Port { architecture: "aarch64", target: "aarch64-unknown-none-softfloat", packages: LOADED },
    Port { architecture: "riscv64", target: "riscv64imac-unknown-none-elf", packages: LOADED },
    Port { architecture: "x86_64", target: "x86_64-unknown-none", packages: &["limen-entry"] },
];

impl Port {
    /// Cargo options that select target and packages.
    pub fn options(&self) -> impl Iterator<Item = &'static str> {
        let packages = self.packages.iter().flat_map(|package| ["--package", package]);
        ["--release", "--target", self.target].into_iter().chain(packages)
    }
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    no_arguments(arguments)?;
    build(workspace)?;
    println!("the SDK is in {}", workspace.display(&workspace.sdk()));
    Ok(())
}

/// Brings `build/sdk` up to date. Other processes that do the same wait.
///
/// # Errors
/// When a part does not build.
pub fn build(workspace: &Workspace) -> Outcome {
    build_with(workspace, CONFIGS[0])
}

/// The same, and makes sure that the SDK has this configuration on every board that can have it.
///
/// # Errors
/// When a part does not build.
pub fn build_with(workspace: &Workspace, wanted: &str) -> Outcome {
    progress::show("waiting for another process that builds the SDK");
    let _lock = lock(workspace)?;
    let names = board::all_names(workspace)?;
    let steps = Mutex::new(Steps::new(1 + names.len()));
    let step = |step: &str| steps.lock().unwrap_or_else(PoisonError::into_inner).next(step);
    step("building the tool and the kernel for each instruction set");
    // Cargo runs twice at the same time only in different profiles.
    concurrent::try_map(vec![build_tool, build_kernels], |build| build(workspace))?;
    concurrent::try_map(names, |board| {
        step(&format!("building library and monitor for {}", board.name));
        remove_link(&workspace.sdk().join("board").join(&board.name))?;
        let offered = |config: &str| OFFERS_SMP || config == wanted || !workspace::is_smp(config);
        let mut configs = configs().into_iter().filter(|config| offered(config) && board.has(config));
        configs.try_for_each(|config| Part { workspace, board: &board, config }.build())
    })?;
    documents::write(workspace)
}

/// Removes `build/sdk`. If another process builds it, waits for that.
///
/// # Errors
/// When a file cannot be removed.
pub fn remove(workspace: &Workspace) -> Outcome {
    let _lock = lock(workspace)?;
    let folder = workspace.sdk();
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(&folder).context(|| format!("cannot remove {}", folder.display()))
}

/// Removes a link that an earlier SDK made in place of a folder, so that files do not end up in its target.
fn remove_link(folder: &Path) -> Outcome {
    if folder.is_symlink() {
        fs::remove_file(folder).context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

fn lock(workspace: &Workspace) -> Outcome<File> {
    let folder = workspace.path("build");
    fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
    let file = File::create(folder.join("sdk.lock")).context(|| "cannot create build/sdk.lock".to_owned())?;
    file.lock().context(|| "cannot lock build/sdk.lock".to_owned())?;
    Ok(file)
}

/// Files that the tool prints, and its arguments for them.
const FROM_THE_TOOL: &[(&str, &[&str])] = &[
    ("schema/system.xsd", &["--schema"]),
    ("completion/microkit.bash", &["--completion", "bash"]),
    ("completion/microkit.fish", &["--completion", "fish"]),
    ("completion/_microkit", &["--completion", "zsh"]),
];

/// Builds the tool as a static binary, which runs on every Linux of this instruction set.
fn build_tool(workspace: &Workspace) -> Outcome {
    let host = version::host()?;
    let mut options = CargoOptions::new(workspace)?.with(&["-Cstrip=debuginfo"]);
    if cfg!(target_os = "linux") {
        options = options.with(&["-Ctarget-feature=+crt-static"]);
    }
    cargo_build(&options, ["--profile", "tool", "--package", "microkit", "--target", &host])?;
    let built = workspace.target().join(host).join("tool/microkit");
    let tool = workspace.sdk().join("bin/microkit");
    files::copy(&built, &tool)?;
    for (file, words) in FROM_THE_TOOL {
        files::write(&workspace.sdk().join(file), process::capture(Process::new(&tool).args(*words))?)?;
    }
    Ok(())
}

/// Builds the kernels, and what loads them.
fn build_kernels(workspace: &Workspace) -> Outcome {
    let options = CargoOptions::new(workspace)?;
    PORTS.iter().try_for_each(|port| cargo_build(&options, port.options()))
}

/// Runs cargo without the environment variables that would replace the options and those of `.cargo/config.toml`.
fn cargo_build<'w>(options: &CargoOptions, words: impl IntoIterator<Item = &'w str>) -> Outcome {
    let mut cargo = process::cargo("build");
    cargo.args(options.words()).args(words);
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        cargo.env_remove(variable);
    }
    process::capture(&mut cargo).map(drop)
}

/// The ports that the boards need, each once.
///
/// # Errors
/// When a board has an instruction set without a kernel port.
pub fn ports(boards: &[Board]) -> Outcome<BTreeSet<Port>> {
    boards.iter().map(|board| port(&board.architecture)).collect()
}

/// The port for an instruction set.
///
/// # Errors
/// When there is no kernel for it.
pub fn port(architecture: &str) -> Outcome<Port> {
    let found = PORTS.into_iter().find(|port| port.architecture == architecture);
    found.ok_or_else(|| Failure::new(format!("there is no kernel for instruction set '{architecture}'")))
}

/// The SDK's folder for one board and configuration.
struct Part<'a> {
    workspace: &'a Workspace,
    board: &'a Board,
    config: &'a str,
}

impl Part<'_> {
    fn build(&self) -> Outcome {
        self.write_headers()?;
        self.build_user("libmicrokit", &[("libmicrokit.a", "lib"), ("microkit.ld", "lib")])?;
        match &self.board.renamed {
            // The difference affects only programs.
            Some(name) => ["board.toml", "elf"].iter().try_for_each(|entry| self.link(entry, name)),
            None => self.build_system(),
        }
    }

    /// Builds the parts that are not for programs.
    fn build_system(&self) -> Outcome {
        let folder = self.folder();
        files::copy(&self.board.file, &folder.join("board.toml"))?;
        self.build_user("monitor", &[("monitor.elf", "elf")])?;
        copy_kernel(self.board, &self.workspace.target(), &folder.join("elf"))
    }

    /// Makes `entry` a link to that of the board `name`.
    fn link(&self, entry: &str, name: &str) -> Outcome {
        let (link, target) =
            (self.folder().join(entry), Path::new("../..").join(name).join(self.config).join(entry));
        if fs::read_link(&link).is_ok_and(|present| present == target) {
            return Ok(());
        }
        symlink(target, &link).context(|| format!("cannot link {}", link.display()))
    }

    fn folder(&self) -> PathBuf {
        self.workspace.sdk().join("board").join(&self.board.name).join(self.config)
    }

    fn write_headers(&self) -> Outcome {
        let include = self.folder().join("include");
        let mut generated = interface::files(&self.board.architecture);
        generated.extend(gen_config::files(self.board, self.config));
        let names = generated.iter().map(|(name, _)| PathBuf::from(name)).collect();
        files::mirror(&self.workspace.path("user/libmicrokit/include"), &include, &names)?;
        for (name, text) in &generated {
            files::write(&include.join(name), text)?;
        }
        Ok(())
    }

    /// Builds a C part and copies its products to the SDK.
    fn build_user(&self, part: &str, products: &[(&str, &str)]) -> Outcome {
        let output = make(self.workspace, self.board, self.config, part, &[])?;
        let copy =
            |(file, to): &(&str, &str)| files::copy(&output.join(file), &self.folder().join(to).join(file));
        products.iter().try_for_each(copy)
    }
}

/// Copies the kernel of a board, and what loads it, from cargo's output folder.
///
/// # Errors
/// When a file is missing.
pub fn copy_kernel(board: &Board, target: &Path, elf: &Path) -> Outcome {
    let built = target.join(port(&board.architecture)?.target).join("release");
    let kernel = built.join("limen-entry");
    files::copy(&kernel, &elf.join("sel4.elf"))?;
    match board.boot {
        BootProtocol::Loader => files::copy(&built.join("limen-loader"), &elf.join("loader.elf")),
        BootProtocol::Multiboot => {
            // A 32-bit file for Multiboot loaders: the same segments at the same physical addresses.
            let small = target.join(format!("sel4_32_{}.elf", board.name));
            let mut objcopy = Process::new("llvm-objcopy");
            objcopy.args(["--strip-all", "--output-target=elf32-i386"]).arg(&kernel).arg(&small);
            process::capture(&mut objcopy)?;
            files::copy(&small, &elf.join("sel4_32.elf"))
        }
    }
}

/// Runs the Makefile of a C part against the SDK under construction; returns the output folder.
///
/// # Errors
/// When make fails; the failure carries its output.
pub fn make(
    workspace: &Workspace,
    board: &Board,
    config: &str,
    part: &str,
    goals: &[&str],
) -> Outcome<PathBuf> {
    let sdk = workspace.sdk().join("board").join(&board.name).join(config);
    let output = workspace.path("build/user").join(part).join(&board.name).join(config);
    let mut make = Process::new("make");
    make.arg("--no-print-directory").arg("-C").arg(workspace.path("user").join(part));
    make.arg(format!("BUILD={}", output.display()));
    make.arg(format!("INCLUDE={}", sdk.join("include").display()));
    make.arg(format!("LIB={}", sdk.join("lib").display()));
    make.arg(format!("ARCH={}", board.architecture)).arg(format!("CONFIG={config}"));
    if board.float_abi() == Some(FloatAbi::Soft) {
        make.arg("SOFT_FLOAT=True");
    }
    process::capture(make.args(goals))?;
    Ok(output)
}
