//! Licences, sources and versions of external crates, by `cargo deny` and `deny.toml`.

use std::process::Command as Process;

use crate::failure::Outcome;
use crate::shell::process;
use crate::workspace::Workspace;

/// Workspaces whose crates are judged: those of programs, tools, tests and fuzzers. The pages of the book come from a
/// program that has a list of its own in `docs/decisions/dependencies.md`.
const MANIFESTS: [&str; 4] =
    ["Cargo.toml", "fuzz/Cargo.toml", "bench/native/keys/Cargo.toml", "tests/native/mailbox/Cargo.toml"];

/// Checks all of them. Returns the reason if this machine cannot.
///
/// # Errors
/// When a crate breaks a rule of `deny.toml`.
pub fn check(workspace: &Workspace) -> Outcome<Option<String>> {
    if process::capture(Process::new("cargo").args(["deny", "--version"])).is_err() {
        let reason = "crates are not judged: cargo-deny is not installed (cargo install cargo-deny --locked)";
        return Ok(Some(reason.to_owned()));
    }
    for manifest in MANIFESTS {
        let mut deny = Process::new("cargo");
        deny.args(["deny", "--offline", "--locked", "--manifest-path"]).arg(workspace.path(manifest));
        deny.arg("--config").arg(workspace.path("deny.toml"));
        // Each workspace has only some of the crates that the rules name.
        deny.args(["check", "--allow", "license-not-encountered", "--allow", "unmatched-skip"]);
        deny.args(["--allow", "unnecessary-skip", "--allow", "license-exception-not-encountered"]);
        process::capture(deny.args(["licenses", "bans", "sources"]))?;
    }
    Ok(None)
}
