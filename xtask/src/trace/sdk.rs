//! An SDK whose tool turns the trace or the recording on, so that every project can be traced or replayed without a change.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::failure::{Context, Outcome};
use crate::sdk::overlay;
use crate::shell::files;
use crate::workspace::Workspace;

/// The folder of the tool in an SDK.
const TOOLS: &str = "bin";
/// The tool's name.
const TOOL: &str = "microkit";

/// The addition that the tool of such an SDK makes to every system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adds {
    /// It turns all groups of the trace on.
    Trace,
    /// It turns the recording on.
    Recording,
}

/// Makes the SDK beside the finished one, whose other parts it shares. Threads that make it take turns.
///
/// # Errors
/// When a file cannot be written.
pub fn make(workspace: &Workspace, adds: Adds) -> Outcome<PathBuf> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (folder, option) = match adds {
        Adds::Trace => ("build/traced_sdk", "--trace"),
        Adds::Recording => ("build/recording_sdk", "--record"),
    };
    let (sdk, traced) = (workspace.sdk(), workspace.path(folder));
    overlay::share(&sdk, &traced, Path::new(TOOLS))?;
    let tool = traced.join(TOOLS).join(TOOL);
    let real = sdk.join(TOOLS).join(TOOL);
    let script =
        format!("#!/bin/sh\nMICROKIT_SDK='{}' exec '{}' \"$@\" {option}\n", sdk.display(), real.display());
    files::write(&tool, script)?;
    let executable = Permissions::from_mode(0o755);
    fs::set_permissions(&tool, executable)
        .context(|| format!("cannot set permissions of {}", tool.display()))?;
    Ok(traced)
}
