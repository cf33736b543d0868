//! `./x check`: what the script of a timeline's page draws, on a canvas that records it.

use std::process::Command as Process;

use crate::failure::Outcome;
use crate::shell::process;
use crate::workspace::Workspace;

/// The program that runs the script.
const INTERPRETER: &str = "node";

const TEST: &str = "host/trace/tests/drawing.js";

/// Runs the test. Returns the reason if this machine cannot run it.
///
/// # Errors
/// When the test fails; the failure carries what it says.
pub fn check(workspace: &Workspace) -> Outcome<Option<String>> {
    if process::capture(Process::new(INTERPRETER).arg("--version")).is_err() {
        let reason =
            "the drawing of timelines is not checked: node is not installed (apt-get install nodejs)";
        return Ok(Some(reason.to_owned()));
    }
    process::capture(Process::new(INTERPRETER).arg(workspace.path(TEST)))?;
    Ok(None)
}
