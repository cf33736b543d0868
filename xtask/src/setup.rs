//! `./x setup`: everything that any command needs, so that all of them work without a network afterwards.

use std::process::Command as Process;

use crate::command::{Command, no_arguments};
use crate::failure::Outcome;
use crate::native;
use crate::process;
use crate::workspace::Workspace;

/// The command.
pub const COMMAND: Command =
    Command { name: "setup", summary: "install what the other commands need, all at once", help: HELP, run };

const HELP: &str = "
usage: ./x setup

Installs the tools and the Rust toolchain that any other command needs, and fetches the sources of all
crates. Afterwards every command works without a network. The other commands install what they need
themselves; this one is for preparing a machine or a container.
";

/// `./x` itself has installed tools and toolchain before it starts this program.
fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    no_arguments(arguments)?;
    process::capture(Process::new("cargo").args(["fetch", "--quiet", "--locked"]))?;
    for mut cargo in native::cargo(workspace, "fetch") {
        process::capture(cargo.arg("--locked"))?;
    }
    println!("every command of ./x has what it needs");
    Ok(())
}
