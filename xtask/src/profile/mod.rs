//! `./x run --profile`: which program and which function execute how many instructions.

mod flame;
mod owners;
mod stacks;
mod summary;

use std::path::{Path, PathBuf};

use limen_symbolise::Symboliser;

use crate::emulator_plugin::session::{self, Detail};
use crate::failure::{Failure, Outcome};
use crate::profile::owners::Owners;
use crate::profile::stacks::Stacks;
use crate::run::qemu::{Boot, Session};
use crate::shell::files;
use crate::workspace::Workspace;

/// A profile, and how the run ended.
pub struct Profiled {
    /// Its console and ending.
    pub session: Session,
    /// The table for a console.
    pub text: String,
    /// The page with the flame graph.
    pub page: PathBuf,
}

/// Boots a system, and profiles it until it is done and idle. `until` sees every line and may end the run.
///
/// # Errors
/// When the emulator cannot be started, or nothing executes.
pub fn run(
    workspace: &Workspace,
    boot: &Boot<'_>,
    title: &str,
    symboliser: Option<Symboliser>,
    until: impl FnMut(&str) -> bool,
) -> Outcome<Profiled> {
    let without_report = || {
        Failure::new(
            "a profile needs report.json beside the image: pass `-r report.txt` to the tool, which writes both",
        )
    };
    let mut symboliser = symboliser.ok_or_else(without_report)?;
    let mut stacks = Stacks::new(symboliser.system().entries());
    let watched = session::watch(workspace, boot, Detail::Instructions, &mut stacks, until)?;
    let owners = Owners::of(&mut symboliser, &watched.blocks);
    let tree = stacks.tree(&watched.blocks, &owners);
    if tree.total() == 0 {
        return Err(Failure::new("the emulator executed nothing"));
    }
    let note = note(watched.is_complete);
    let text = format!("{}{note}\n", summary::text(&tree, title));
    let page = page(boot.image);
    files::write(&page, flame::page(&tree, title, note))?;
    Ok(Profiled { session: watched.session, text, page })
}

fn page(image: &Path) -> PathBuf {
    image.with_file_name("profile.html")
}

fn note(is_complete: bool) -> &'static str {
    if is_complete {
        "The counts end where no program had anything left to do, so every run gives the same."
    } else {
        "The system was stopped while it was running, so counts differ slightly between runs."
    }
}
