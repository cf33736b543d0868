//! `./x check`: every check of the tree that does not run a system.

use std::collections::BTreeSet;
use std::process::Command as Process;
use std::sync::atomic::{AtomicUsize, Ordering};

use lexopt::prelude::*;

use crate::bench::footprint;
use crate::bench::native;
use crate::book::{self, Edition};
use crate::check::binary;
use crate::check::boot_code;
use crate::check::deny;
use crate::check::drawing;
use crate::check::key_sites;
use crate::check::miri;
use crate::check::proofs;
use crate::check::tidy;
use crate::check::vectors;
use crate::command::{Command, no_arguments};
use crate::failure::{Failure, Outcome};
use crate::figures;
use crate::fuzz;
use crate::run::board::{self, Board, BootProtocol};
use crate::sdk;
use crate::sdk::generate;
use crate::sdk::unpatched;
use crate::shell::concurrent;
use crate::shell::files;
use crate::shell::process;
use crate::shell::progress;
use crate::test::orders;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "check", summary: "formatting, lints, repository rules, binary checks", help: HELP, run };

const HELP: &str = "
usage: ./x check [--miri | --proofs]

Checks formatting, lints (host and bare targets), that the documentation of every crate builds without
warnings, that the kernel builds with each kind of branch on static keys, the rules of CONTRIBUTING.md, the
subjects of commits that origin/main does not have, that the book renders without dead links, how many lines two
ports have in common (fewer than 5 %, and nowhere eight in a row), generated files, that tables in documents show
the recorded figures, that every header of the SDK compiles on its own, the contents of linked files, and their
size limits. If cargo-deny is installed, it judges licences, versions and sources of external crates by
deny.toml; if z3 is, it checks the proofs; if node is, it checks that arrows of timelines hide no names. Reports every
check that fails, not only the first.

  --miri              run host tests in Miri instead, which finds undefined behaviour; takes some
                      minutes, and installs a nightly toolchain
  --proofs            check only the proofs, and install z3
";

/// Libraries that are documented as each target has them.
const FOR_TARGETS: &[&str] = &["limen", "limen-platform"];

type Check = (&'static str, fn(&Workspace) -> Outcome);

/// As many begin at the same time as the machine has processors. Neighbours do not need the same output folder of cargo,
/// for which they would wait.
const CHECKS: [Check; 17] = [
    ("lints of host crates", host_lints),
    ("formatting", formatting),
    ("kernels without patched branches", unpatched_kernels),
    ("book", book),
    ("repository rules", repository_rules),
    ("proofs", check_proofs),
    ("drawing of timelines", drawing_of_timelines),
    ("subjects of new commits", subjects),
    ("external crates", external_crates),
    ("equal lines in ports", equal_lines),
    ("documentation", documentation),
    ("lints of crates for targets", target_lints),
    ("generated files", generated_files),
    ("figures in documents", figures_in_documents),
    ("headers of the SDK", sdk_headers),
    ("binaries", binaries),
    ("sizes", sizes),
];

fn run(workspace: &Workspace, mut arguments: lexopt::Parser) -> Outcome {
    match arguments.next()? {
        None => {}
        Some(Long("miri")) => {
            no_arguments(arguments)?;
            return miri::run(workspace);
        }
        Some(Long("proofs")) => {
            no_arguments(arguments)?;
            return check_proofs(workspace);
        }
        Some(other) => return Err(other.unexpected().into()),
    }
    let begun = AtomicUsize::new(0);
    let results = concurrent::map(CHECKS.to_vec(), |(name, check)| {
        let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
        progress::show(&format!("[{number}/{}] check {name}", CHECKS.len()));
        let outcome = check(workspace);
        progress::clear();
        match &outcome {
            Ok(()) => println!("check {name}: ok"),
            Err(failure) => println!("check {name}: FAILED\n{failure}"),
        }
        outcome
    });
    match results.iter().filter(|outcome| outcome.is_err()).count() {
        0 => Ok(()),
        failed => Err(Failure::new(format!("{failed} of {} checks failed", CHECKS.len()))),
    }
}

fn formatting(workspace: &Workspace) -> Outcome {
    process::capture(Process::new("cargo").args(["fmt", "--all", "--check"]))?;
    native::cargo(workspace, "fmt")
        .chain([
            book::cargo(workspace, "fmt"),
            fuzz::cargo(workspace, "fmt"),
            orders::cargo(workspace, "fmt"),
        ])
        .try_for_each(|mut cargo| process::capture(cargo.arg("--check")).map(drop))?;
    // The programs of systems, which cargo can build only with an SDK.
    let mut rustfmt = Process::new("rustfmt");
    rustfmt.args(["--check", "--edition", "2024", "--config-path"]).arg(workspace.path("rustfmt.toml"));
    for shelf in ["examples", "tests"] {
        let folder = workspace.path(shelf);
        let files = files::below(&folder)?;
        rustfmt.args(
            files.iter().filter(|file| file.extension() == Some("rs".as_ref())).map(|file| folder.join(file)),
        );
    }
    process::capture(&mut rustfmt).map(drop)
}

fn host_lints(workspace: &Workspace) -> Outcome {
    let deny = ["--all-targets", "--", "-D", "warnings"];
    process::capture(process::cargo("clippy").args(deny))?;
    let mut fuzzers = fuzz::cargo(workspace, "clippy");
    fuzzers.arg("--no-default-features");
    native::cargo(workspace, "clippy")
        .chain([fuzzers, orders::cargo(workspace, "clippy")])
        .try_for_each(|mut cargo| process::capture(cargo.args(deny)).map(drop))
}

fn target_lints(workspace: &Workspace) -> Outcome {
    for port in sdk::ports(&board::all(workspace)?)? {
        let mut clippy = process::cargo("clippy");
        process::capture(clippy.args(port.options()).args(["--", "-D", "warnings"]))?;
        let limen = ["--package", "limen", "--target", port.target];
        process::capture(process::cargo("clippy").args(limen).args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

/// Checks that the documentation of every crate has no warnings, with private items and links to them. Crates for
/// targets only are documented for each.
fn documentation(workspace: &Workspace) -> Outcome {
    let document = |cargo: &mut Process| {
        cargo.args(["--no-deps", "--document-private-items"]).env("RUSTDOCFLAGS", "-D warnings");
        process::capture(cargo).map(drop)
    };
    let ports = sdk::ports(&board::all(workspace)?)?;
    let on_targets: BTreeSet<_> = ports.iter().flat_map(|port| port.packages).chain(FOR_TARGETS).collect();
    let excluded = on_targets.iter().flat_map(|package| ["--exclude", package]);
    document(process::cargo("doc").arg("--workspace").args(excluded))?;
    for port in ports {
        let packages = FOR_TARGETS.iter().flat_map(|package| ["--package", package]);
        document(process::cargo("doc").args(port.options()).args(packages))?;
    }
    native::cargo(workspace, "doc")
        .chain([orders::cargo(workspace, "doc")])
        .try_for_each(|mut cargo| document(&mut cargo))
}

/// Checks that the kernel builds with the other kinds of branches on [static keys](../../../docs/keys.md), for
/// measurements.
fn unpatched_kernels(workspace: &Workspace) -> Outcome {
    for port in sdk::ports(&board::all(workspace)?)? {
        for branches in unpatched::BRANCHES {
            unpatched::build(workspace, port, branches)?;
        }
    }
    Ok(())
}

fn repository_rules(workspace: &Workspace) -> Outcome {
    let objections = tidy::examine(workspace.root())?;
    complain(objections.iter().map(ToString::to_string).collect())
}

/// Checks the proofs, if this machine has what that needs.
fn check_proofs(workspace: &Workspace) -> Outcome {
    let result = proofs::check(workspace)?;
    progress::clear();
    println!("{result}");
    Ok(())
}

/// Checks what the page of a timeline draws, if this machine has what that needs.
fn drawing_of_timelines(workspace: &Workspace) -> Outcome {
    if let Some(reason) = drawing::check(workspace)? {
        progress::clear();
        println!("{reason}");
    }
    Ok(())
}

fn subjects(workspace: &Workspace) -> Outcome {
    complain(tidy::commits::examine(workspace.root())?)
}

/// Judges external crates, if this machine has what that needs.
fn external_crates(workspace: &Workspace) -> Outcome {
    if let Some(reason) = deny::check(workspace)? {
        progress::clear();
        println!("{reason}");
    }
    Ok(())
}

/// Checks that the book renders, without dead links, if this machine has what that needs.
fn book(workspace: &Workspace) -> Outcome {
    if let Some(reason) = book::build(workspace, Edition::Repository)? {
        progress::clear();
        println!("{reason}");
    }
    Ok(())
}

fn equal_lines(workspace: &Workspace) -> Outcome {
    let found = tidy::shared_lines(workspace.root())?;
    if found.are_too_many() {
        return Err(Failure::new(format!("{found}\nMove them above the ports.")));
    }
    progress::clear();
    println!("{found}");
    Ok(())
}

fn generated_files(workspace: &Workspace) -> Outcome {
    let stale = generate::stale(workspace.root());
    complain(stale.iter().map(|path| format!("{} is out of date: run ./x headers", path.display())).collect())
}

fn figures_in_documents(workspace: &Workspace) -> Outcome {
    figures::examine(workspace.root())
}

fn complain(sentences: Vec<String>) -> Outcome {
    if sentences.is_empty() { Ok(()) } else { Err(Failure::new(sentences.join("\n"))) }
}

/// Checks that every header of the SDK compiles on its own, in C and C++, with both compilers, without warnings, and that
/// programs have no zeroed memory in their files, whatever linker lays them out.
///
/// # Errors
/// When one does not; the failure carries the output of compiler and linker.
pub fn sdk_headers(workspace: &Workspace) -> Outcome {
    sdk::build(workspace)?;
    for board in board::all_names(workspace)? {
        sdk::make(workspace, &board, "debug", "libmicrokit", &["check-headers", "check-layout"])?;
        if board.is_usual() {
            // Only this configuration declares functions that measure.
            sdk::make(workspace, &board, "benchmark", "libmicrokit", &["check-headers"])?;
        }
    }
    Ok(())
}

fn binaries(workspace: &Workspace) -> Outcome {
    sdk::build(workspace)?;
    for board in board::all(workspace)? {
        let part = workspace.sdk().join("board").join(&board.name).join("release");
        let kernel = part.join("elf/sel4.elf");
        binary::separates_write_and_execute(&kernel)?;
        boot_code::is_left_alone(&kernel)?;
        key_sites::are_plain(&kernel, &board.architecture)?;
        let loader = (board.boot == BootProtocol::Loader).then(|| part.join("elf/loader.elf"));
        vectors::are_used_by(vectors::KERNEL_ROUTINES, &kernel, &board.architecture)?;
        for file in [part.join("elf/monitor.elf")].into_iter().chain(loader) {
            vectors::are_used_by(&[], &file, &board.architecture)?;
        }
    }
    board::all_names(workspace)?.iter().try_for_each(|board| library(workspace, board))
}

fn sizes(workspace: &Workspace) -> Outcome {
    sdk::build(workspace)?;
    board::all(workspace)?.iter().try_for_each(|board| footprint::is_small(workspace, board))
}

fn library(workspace: &Workspace, board: &Board) -> Outcome {
    let library = workspace.sdk().join("board").join(&board.name).join("release/lib/libmicrokit.a");
    vectors::are_used_by(&[], &library, &board.architecture)?;
    match board.float_abi() {
        Some(wanted) => binary::passes_floats(&library, wanted),
        None => Ok(()),
    }
}
