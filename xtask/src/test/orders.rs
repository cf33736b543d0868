//! Every order of accesses to the memory that kernels share, explored by a workspace of its own.

use std::process::Command;

use crate::shell::process;
use crate::workspace::Workspace;

/// The folder of its manifest.
pub const FOLDER: &str = "tests/native/mailbox";

/// `cargo` for this workspace.
pub fn cargo(workspace: &Workspace, subcommand: &str) -> Command {
    let mut cargo = process::cargo(subcommand);
    cargo.env("CARGO_TARGET_DIR", workspace.path("build/orders"));
    cargo.arg("--manifest-path").arg(workspace.path(FOLDER).join("Cargo.toml"));
    cargo
}
