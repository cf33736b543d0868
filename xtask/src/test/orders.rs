//! Every order of accesses to the memory that kernels share, explored by a workspace of its own.

use std::process::Command;

use crate::shell::process;
use crate::workspace::Workspace;

/// The folder of its manifest.
pub const FOLDER: &str = "tests/native/mailbox";

/// The command that runs it.
pub fn test(workspace: &Workspace) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--locked"]);
    within(workspace, cargo)
}

/// `cargo` for this workspace.
pub fn cargo(workspace: &Workspace, subcommand: &str) -> Command {
    within(workspace, process::cargo(subcommand))
}

fn within(workspace: &Workspace, mut cargo: Command) -> Command {
    cargo.env("CARGO_TARGET_DIR", workspace.path("build/orders"));
    cargo.arg("--manifest-path").arg(workspace.path(FOLDER).join("Cargo.toml"));
    cargo
}
