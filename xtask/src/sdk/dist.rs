//! `./x dist`: packs the SDK into one file, which is the same for everyone who builds it.

use std::collections::BTreeMap;
use std::env;
use std::env::consts::{ARCH, OS};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use lexopt::prelude::*;

use crate::book::{self, Edition};
use crate::command::Command;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board};
use crate::run::qemu::{self, Audience, Boot};
use crate::sdk;
use crate::sdk::archive;
use crate::sdk::reproducible;
use crate::sdk::version;
use crate::shell::files;
use crate::shell::process;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "dist", summary: "pack the SDK into build/dist for distribution", help: HELP, run };

const HELP: &str = "
usage: ./x dist [--verify]

Builds the SDK from scratch, renders the book into it (see ./x book --help), and packs it into
build/dist/limen-sdk-VERSION-SYSTEM-PROCESSOR.tar.gz, with a checksum file for `sha256sum -c`. The same commit
gives the same bytes in every folder. Entries in the archive have the time of the commit, or SOURCE_DATE_EPOCH if
the environment has it.

  --verify            clone the commit into two folders, build both, compare the archives byte for byte, then unpack
                      one and boot its example `hello` on each instruction set; leaves the archive in build/dist
";

/// The time of entries if neither git nor the environment has one: the start of 1980, the earliest that every archiver
/// supports.
const NO_TIME: u64 = 315_532_800;

fn run(workspace: &Workspace, mut arguments: lexopt::Parser) -> Outcome {
    let mut verify = false;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("verify") => verify = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let archive = if verify { verified(workspace)? } else { fresh(workspace)? };
    println!("the SDK is packed in {}", workspace.display(&archive));
    Ok(())
}

/// Builds the SDK from scratch, so that it has no files of an earlier version, adds the book, and packs it.
fn fresh(workspace: &Workspace) -> Outcome<PathBuf> {
    sdk::remove(workspace)?;
    sdk::build(workspace)?;
    if let Some(reason) = book::build(workspace, Edition::Sdk)? {
        return Err(Failure::new(reason));
    }
    let leaks = reproducible::leaks(workspace, &workspace.sdk())?;
    if let Some(file) = leaks.first() {
        let file = file.display();
        return Err(Failure::new(format!(
            "the SDK would differ between folders: {file} contains a path of this machine"
        )));
    }
    pack(workspace, &workspace.path("build/dist"))
}

/// Packs the existing SDK into a folder, and writes its checksum.
///
/// # Errors
/// When a file cannot be read or written.
pub fn pack(workspace: &Workspace, folder: &Path) -> Outcome<PathBuf> {
    fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
    let archive = folder.join(name());
    archive::pack(&workspace.sdk(), &top(), time(workspace)?, &archive)?;
    let checksum = process::capture(Process::new("sha256sum").arg(name()).current_dir(folder))?;
    files::write(&checksum_file(&archive), checksum)?;
    Ok(archive)
}

/// The archive's name.
fn name() -> String {
    format!("{}-{OS}-{ARCH}.tar.gz", top())
}

/// The folder that the archive unpacks to.
fn top() -> String {
    format!("limen-sdk-{}", version::NUMBER)
}

fn checksum_file(archive: &Path) -> PathBuf {
    archive.with_added_extension("sha256")
}

fn time(workspace: &Workspace) -> Outcome<u64> {
    match env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => seconds
            .parse()
            .context(|| format!("SOURCE_DATE_EPOCH must be a number of seconds, but is '{seconds}'")),
        Err(_) => Ok(version::commit_time(workspace).unwrap_or(NO_TIME)),
    }
}

fn remove(folder: &Path) -> Outcome {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).context(|| format!("cannot remove {}", folder.display()))
}

/// Builds two clones in different surroundings and compares their archives.
fn verified(workspace: &Workspace) -> Outcome<PathBuf> {
    // Outside of the repository, whose cargo settings apply to every folder below it.
    let scratch = env::temp_dir().join(format!("limen-dist-{}", std::process::id()));
    remove(&scratch)?;
    let result = verified_in(workspace, &scratch);
    remove(&scratch)?;
    result
}

fn verified_in(workspace: &Workspace, scratch: &Path) -> Outcome<PathBuf> {
    let first = scratch.join("first");
    let second = scratch.join("another/place/second");
    let crates = scratch.join("crates");
    fs::create_dir_all(scratch).context(|| format!("cannot create {}", scratch.display()))?;
    symlink(reproducible::cargo_home(), &crates).context(|| format!("cannot link {}", crates.display()))?;
    let archives = [
        clone_and_pack(workspace, &first, "umask 022", None)?,
        clone_and_pack(workspace, &second, "umask 077", Some(&crates))?,
    ];
    compare(&archives, &[first, second])?;
    try_out(workspace, &archives[0], &scratch.join("unpacked"))?;
    let archive = workspace.path("build/dist").join(name());
    files::copy(&archives[0], &archive)?;
    files::copy(&checksum_file(&archives[0]), &checksum_file(&archive))?;
    Ok(archive)
}

/// Clones the commit into a folder and packs its SDK there.
fn clone_and_pack(
    workspace: &Workspace,
    folder: &Path,
    umask: &str,
    cargo_home: Option<&Path>,
) -> Outcome<PathBuf> {
    eprintln!("building in {}", folder.display());
    let mut clone = Process::new("git");
    process::capture(clone.args(["clone", "--quiet"]).arg(workspace.root()).arg(folder))?;
    let mut build = Process::new("sh");
    build.args(["-c", &format!("{umask} && exec cargo xtask dist")]).current_dir(folder);
    for variable in ["CARGO_TARGET_DIR", "LIMEN_CALLED_FROM"] {
        build.env_remove(variable);
    }
    if let Some(cargo_home) = cargo_home {
        build.env("CARGO_HOME", cargo_home);
    }
    process::capture(&mut build)?;
    Ok(folder.join("build/dist").join(name()))
}

/// Checks that the archives and their checksums are equal.
fn compare(archives: &[PathBuf; 2], clones: &[PathBuf; 2]) -> Outcome {
    let read = |path: &Path| fs::read(path).context(|| format!("cannot read {}", path.display()));
    let is_equal = |files: &[PathBuf; 2]| Ok::<_, Failure>(read(&files[0])? == read(&files[1])?);
    if is_equal(archives)? && is_equal(&archives.each_ref().map(|archive| checksum_file(archive)))? {
        return Ok(());
    }
    let sdks = clones.each_ref().map(|clone| clone.join("build/sdk"));
    let names = sdks.each_ref().map(|sdk| files::below(sdk));
    let [first, second] = names;
    let all = &first? | &second?;
    let differs = |file: &&PathBuf| fs::read(sdks[0].join(file)).ok() != fs::read(sdks[1].join(file)).ok();
    let list = all.iter().filter(differs).map(|file| format!("\n  {}", file.display())).collect::<String>();
    Err(Failure::new(format!(
        "two clones of the same commit give different archives; files that differ:{list}"
    )))
}

/// Unpacks an archive and does what a user does first: builds and boots `hello`, on each instruction set.
///
/// # Errors
/// When the checksum is wrong, or the example does not build or run.
pub fn try_out(workspace: &Workspace, archive: &Path, folder: &Path) -> Outcome {
    remove(folder)?;
    fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
    let beside = archive.parent().unwrap_or(Path::new("."));
    let mut check = Process::new("sha256sum");
    process::capture(check.args(["--check", "--strict"]).arg(checksum_file(archive)).current_dir(beside))?;
    process::capture(Process::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder))?;
    let sdk = folder.join(top());
    let boards = board::all(workspace)?;
    let each: BTreeMap<_, _> = boards.iter().map(|board| (&board.architecture, board)).collect();
    each.values().try_for_each(|board| boot_hello(&sdk, board).context(|| format!("hello on {}", board.name)))
}

fn boot_hello(sdk: &Path, board: &Board) -> Outcome {
    let example = sdk.join("example/hello");
    let output = example.join("build").join(&board.name);
    let mut make = Process::new("make");
    make.arg("--no-print-directory").arg("-C").arg(&example);
    make.arg(format!("BUILD_DIR={}", output.display())).arg(format!("MICROKIT_SDK={}", sdk.display()));
    make.arg(format!("MICROKIT_BOARD={}", board.name)).arg("MICROKIT_CONFIG=debug");
    process::capture(&mut make)?;
    let image = output.join("loader.img");
    let silence = Some(qemu::SILENCE);
    let session =
        Boot { board, image: &image, extra: &[], audience: Audience::Nobody, silence }.run(|_| false)?;
    session.ending.outcome()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_between_clones_is_found_and_named() {
        let folder = env::temp_dir().join(format!("limen-dist-test-{}", std::process::id()));
        remove(&folder).unwrap();
        let clones = ["first", "second"].map(|name| folder.join(name));
        let archives = clones.each_ref().map(|clone| clone.join(name()));
        for (clone, archive) in clones.iter().zip(&archives) {
            files::write(&clone.join("build/sdk/same"), "1").unwrap();
            files::write(&clone.join("build/sdk/bin/tool"), "1").unwrap();
            files::write(archive, "1").unwrap();
            files::write(&checksum_file(archive), "1").unwrap();
        }
        compare(&archives, &clones).unwrap();
        files::write(&archives[1], "2").unwrap();
        files::write(&clones[1].join("build/sdk/bin/tool"), "2").unwrap();
        let sentence = compare(&archives, &clones).unwrap_err().to_string();
        assert!(sentence.ends_with("files that differ:\n  bin/tool"), "{sentence}");
        remove(&folder).unwrap();
    }
}
