//! `./x setup`: installs everything that the commands need, so that they work without a network afterwards.

use std::process::Command as Process;

use crate::bench::native;
use crate::book;
use crate::command::{Command, no_arguments};
use crate::failure::Outcome;
use crate::fuzz;
use crate::shell::process;
use crate::test::orders;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "setup", summary: "install what the other commands need, all at once", help: HELP, run };

const HELP: &str = "
usage: ./x setup

Installs the tools and the Rust toolchain that the other commands need, and fetches the sources of all crates.
Afterwards every command works without a network, except ./x check --miri and --proofs, which install another
toolchain and a solver, and the simulated core (docs/hardware.md). The other commands also install what they
need; this one prepares a machine or a container.
";

/// `./x` itself installs the tools and the toolchain before it starts this program.
fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    no_arguments(arguments)?;
    process::capture(Process::new("cargo").args(["fetch", "--quiet", "--locked"]))?;
    for mut cargo in native::cargo(workspace, "fetch")
        .chain([fuzz::cargo(workspace, "fetch"), orders::cargo(workspace, "fetch")])
    {
        process::capture(cargo.arg("--locked"))?;
    }
    process::capture(book::cargo(workspace, "fetch").arg("--locked"))?;
    println!("every command of ./x has what it needs");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use crate::shell::files;

    /// Names, versions and digests of crates from outside.
    fn locked(file: &str) -> BTreeSet<String> {
        let text = files::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap();
        let packages = text.split("[[package]]\n").skip(1).filter(|package| package.contains("\nsource = "));
        packages.map(|package| package.lines().take(4).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn programs_in_rust_need_no_crate_that_the_repository_does_not_have() {
        let (ours, theirs) = (locked("Cargo.lock"), locked("tests/compat_rust/Cargo.lock"));
        assert!(!theirs.is_empty());
        assert_eq!(theirs.difference(&ours).collect::<Vec<_>>(), Vec::<&String>::new());
    }
}
