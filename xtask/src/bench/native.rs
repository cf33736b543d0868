//! `./x bench --native`: measures on the developer's processor what emulators only count.
//!
//! Each program prints its tables for people, and between them rows, which are recorded.

use std::path::PathBuf;
use std::process::Command as Process;

use limen_report::Row;

use crate::failure::{Context, Failure, Outcome};
use crate::sdk::generate;
use crate::shell::{files, process};
use crate::test::cothreads;
use crate::workspace::Workspace;

/// Programs in `bench/native` that are a single file.
const PROGRAMS: [&str; 2] = ["fpu", "crossing"];
/// Programs that are packages, each with its own workspace, and their compiler options. Plain code must not be
/// vectorised, because the kernel's targets have no vector registers.
const PACKAGES: [(&str, &str); 2] = [("keys", ""), ("simd", "-Cno-vectorize-loops -Cno-vectorize-slp")];

/// Whether the figures become the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// They are only shown.
    Off,
    /// `bench/golden/native.txt` and the tables in documents get them.
    On,
}

/// Builds and runs each program, and the comparison of cothread switches, and shows what they print.
///
/// # Errors
/// When one does not compile, fails, or prints a malformed row.
pub fn run(workspace: &Workspace, recording: Recording) -> Outcome {
    let folder = workspace.path("build/native");
    std::fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
    let mut rows = Vec::new();
    for name in PROGRAMS {
        let source = workspace.path("bench/native").join(name).with_extension("c");
        let program = folder.join(name);
        let mut compiler = Process::new("cc");
        process::capture(
            compiler.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source),
        )?;
        rows.extend(shown(&process::capture(&mut Process::new(&program))?)?);
    }
    for mut cargo in cargo(workspace, "run") {
        rows.extend(shown(&process::capture(cargo.args(["--release", "--locked"]))?)?);
    }
    rows.extend(shown(&process::capture(&mut Process::new(cothreads::build(workspace, "compare")?))?)?);
    if recording == Recording::On {
        let figures: String = rows.iter().map(|row| format!("{} = {}\n", row.title(), row.median)).collect();
        files::write(&record(workspace), format!("# machine {}\n{figures}", processor()?))?;
        generate::write_figures(workspace)?;
    }
    Ok(())
}

/// Prints the lines of a console that are not rows, and returns the rows.
fn shown(console: &str) -> Outcome<Vec<Row>> {
    let (rows, others) = divided(console)?;
    others.iter().for_each(|line| println!("{line}"));
    Ok(rows)
}

/// The rows of a console, and its other lines.
fn divided(console: &str) -> Outcome<(Vec<Row>, Vec<&str>)> {
    let (mut rows, mut others) = (Vec::new(), Vec::new());
    for line in console.lines() {
        match Row::parse(line) {
            Some(row) => rows.push(row.map_err(Failure::new)?),
            None => others.push(line),
        }
    }
    Ok((rows, others))
}

/// The recorded figures.
fn record(workspace: &Workspace) -> PathBuf {
    workspace.path("bench/golden/native.txt")
}

/// The processor's name, as Linux tells it.
fn processor() -> Outcome<String> {
    let text = files::read("/proc/cpuinfo".as_ref())?;
    Ok(model_name(&text).unwrap_or("unknown").to_owned())
}

fn model_name(cpuinfo: &str) -> Option<&str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_recorded_and_other_lines_shown() {
        let (rows, others) =
            divided("one switch  ns\nROW name=switch of=pth samples=7\npth  0.01\n").unwrap();
        assert_eq!(rows.iter().map(Row::title).collect::<Vec<_>>(), ["switch of=pth"]);
        assert_eq!(others, ["one switch  ns", "pth  0.01"]);
        assert!(divided("ROW name=switch of=pth samples=fast").is_err());
    }

    #[test]
    fn the_processor_has_the_name_that_linux_tells() {
        assert_eq!(model_name("processor\t: 0\nmodel name\t: AMD EPYC\n"), Some("AMD EPYC"));
        assert_eq!(model_name("processor\t: 0\n"), None);
    }
}
