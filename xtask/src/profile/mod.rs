//! `./x run --profile`: which program and which function execute how many instructions.

mod flame;
mod owners;
mod stacks;
mod summary;

pub use summary::percent;

use std::path::{Path, PathBuf};

use limen_symbolise::Symboliser;

use crate::emulator_plugin::session::{Detail, Listening};
use crate::failure::{Failure, Outcome};
use crate::profile::owners::Owners;
use crate::profile::stacks::Stacks;
use crate::run::qemu::{self, Boot, Session};
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
    mut until: impl FnMut(&str) -> bool,
) -> Outcome<Profiled> {
    let without_report = || {
        Failure::new(
            "a profile needs report.json beside the image: pass `-r report.txt` to the tool, which writes both",
        )
    };
    let mut symboliser = symboliser.ok_or_else(without_report)?;
    let stacks = Stacks::new(symboliser.system().entries());
    let folder = boot.image.parent().unwrap_or(Path::new("."));
    let watch = Listening::start(workspace, boot.board, folder, Detail::Instructions, stacks)?;
    let extra = [boot.extra, &watch.options()].concat();
    let mut is_complete = false;
    let session = Boot { extra: &extra, ..*boot }.run(|line| {
        let ends = until(line);
        if ends || qemu::is_last(line) {
            is_complete = watch.becomes_idle();
        }
        ends
    });
    let (blocks, stacks) = watch.finish()?;
    let session = session?;
    let owners = Owners::of(&mut symboliser, &blocks);
    let tree = stacks.tree(&blocks, &owners);
    if tree.total() == 0 {
        return Err(Failure::new("the emulator executed nothing"));
    }
    let note = note(is_complete);
    let text = format!("{}{note}\n", summary::text(&tree, title));
    let page = page(boot.image);
    files::write(&page, flame::page(&tree, title, note))?;
    Ok(Profiled { session, text, page })
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
