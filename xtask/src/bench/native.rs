//! `./x bench --native`: measures on the developer's processor what emulators only count.

use std::process::Command as Process;

use crate::failure::{Context, Outcome};
use crate::shell::process;
use crate::test::cothreads;
use crate::workspace::Workspace;

/// Programs in `bench/native` that are a single file.
const PROGRAMS: [&str; 2] = ["fpu", "crossing"];
/// Programs that are packages, each with its own workspace, and their compiler options. Plain code must not be
/// vectorised, because the kernel's targets have no vector registers.
const PACKAGES: [(&str, &str); 2] = [("keys", ""), ("simd", "-Cno-vectorize-loops -Cno-vectorize-slp")];

/// Builds and runs each program, and the comparison of cothread switches, and shows what they print.
///
/// # Errors
/// When one does not compile or fails.
pub fn run(workspace: &Workspace) -> Outcome {
    let folder = workspace.path("build/native");
    std::fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
    for name in PROGRAMS {
        let source = workspace.path("bench/native").join(name).with_extension("c");
        let program = folder.join(name);
        let mut compiler = Process::new("cc");
        process::capture(
            compiler.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source),
        )?;
        print!("{}", process::capture(&mut Process::new(&program))?);
    }
    for mut cargo in cargo(workspace, "run") {
        print!("{}", process::capture(cargo.args(["--release", "--locked"]))?);
    }
    print!("{}", process::capture(&mut Process::new(cothreads::build(workspace, "compare")?))?);
    Ok(())
}

/// `cargo` for each package of this folder, with the usual kind of branches on keys.
pub fn cargo(workspace: &Workspace, subcommand: &str) -> impl Iterator<Item = Process> {
    PACKAGES.into_iter().map(move |(name, options)| {
        let mut cargo = process::cargo(subcommand);
        cargo.env("CARGO_TARGET_DIR", workspace.path("build/native").join(name)).env_remove("LIMEN_KEYS");
        cargo.env("RUSTFLAGS", options);
        cargo.arg("--manifest-path").arg(workspace.path("bench/native").join(name).join("Cargo.toml"));
        cargo
    })
}
