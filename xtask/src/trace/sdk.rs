//! An SDK whose tool turns the trace on, so that every project can be traced without a change.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use crate::failure::{Context, Outcome};
use crate::shell::files;
use crate::workspace::Workspace;

/// The folder of the tool in an SDK.
const TOOLS: &str = "bin";
/// The tool's name.
const TOOL: &str = "microkit";

/// Makes the SDK beside the finished one, whose other parts it shares.
///
/// # Errors
/// When a file cannot be written.
pub fn make(workspace: &Workspace) -> Outcome<PathBuf> {
    let (sdk, traced) = (workspace.sdk(), workspace.path("build/traced_sdk"));
    let tool = traced.join(TOOLS).join(TOOL);
    let real = sdk.join(TOOLS).join(TOOL);
    let script =
        format!("#!/bin/sh\nMICROKIT_SDK='{}' exec '{}' \"$@\" --trace\n", sdk.display(), real.display());
    files::write(&tool, script)?;
    let executable = Permissions::from_mode(0o755);
    fs::set_permissions(&tool, executable)
        .context(|| format!("cannot set permissions of {}", tool.display()))?;
    let parts = fs::read_dir(&sdk).context(|| format!("cannot list {}", sdk.display()))?;
    for part in parts.flatten().filter(|part| part.file_name() != TOOLS) {
        let link = traced.join(part.file_name());
        if link.read_link().is_ok_and(|present| present == part.path()) {
            continue;
        }
        // A link of an SDK that was elsewhere.
        _ = fs::remove_file(&link);
        symlink(part.path(), &link).context(|| format!("cannot create {}", link.display()))?;
    }
    Ok(traced)
}
