//! Kernels whose branches on [static keys](../../../docs/keys.md#porting) are not patched, which show what the keys cost.

use std::path::{Path, PathBuf};

use crate::failure::Outcome;
use crate::run::board::Board;
use crate::sdk::command::{Port, copy_kernel, port};
use crate::sdk::overlay;
use crate::shell::files;
use crate::shell::process;
use crate::workspace::Workspace;

/// Branches that are compiled out, and branches that load and test their key.
pub const BRANCHES: [&str; 2] = ["none", "fallback"];

/// Builds the kernel of a port; returns cargo's output folder.
///
/// # Errors
/// When it does not build.
pub fn build(workspace: &Workspace, port: Port, branches: &str) -> Outcome<PathBuf> {
    let target = folder(workspace, branches).join("target");
    let mut cargo = process::cargo("build");
    cargo.env("LIMEN_KEYS", branches).env("CARGO_TARGET_DIR", &target);
    process::capture(cargo.args(port.options()))?;
    Ok(target)
}

/// Makes an SDK with such a kernel for a board, beside the finished one, whose other parts it shares.
///
/// # Errors
/// When the kernel does not build, or a file cannot be written.
pub fn sdk(workspace: &Workspace, board: &Board, config: &str, branches: &str) -> Outcome<PathBuf> {
    let target = build(workspace, port(&board.architecture)?, branches)?;
    let sdk = folder(workspace, branches).join("sdk").join(&board.name);
    let elf = Path::new("board").join(&board.name).join(config).join("elf");
    overlay::share(&workspace.sdk(), &sdk, &elf)?;
    files::copy(&workspace.sdk().join(&elf).join("monitor.elf"), &sdk.join(&elf).join("monitor.elf"))?;
    copy_kernel(board, &target, &sdk.join(&elf))?;
    Ok(sdk)
}

fn folder(workspace: &Workspace, branches: &str) -> PathBuf {
    workspace.path("build/keys").join(branches)
}
