//! `microkit inspect`: lists the threads, objects or keys of a stopped machine.

use std::path::PathBuf;

use limen_builder::files;
use limen_inspect::dump::Dump;
use limen_inspect::{Inspector, View, needed_memory};
use limen_symbolise::Places;
use limen_symbolise::system::System;

use crate::arguments::InspectArguments;
use crate::failure::Failure;
use crate::symbolise::REPORT_BYTES;
use crate::tool;

/// The text of the list.
///
/// # Errors
/// Report, kernel or dump cannot be read, or they do not belong together.
pub(crate) fn run(arguments: InspectArguments) -> Result<String, Failure> {
    let path = arguments.report;
    let unusable = |reason: String| Failure::Value(format!("{}: {reason}", path.display()));
    let report = files::read_text(&path, REPORT_BYTES).map_err(|error| unusable(error.to_string()))?;
    if arguments.view == View::Range {
        let (start, bytes) = needed_memory(&report).map_err(unusable)?;
        return Ok(format!("{start:#x} {bytes:#x}\n"));
    }
    let memory = arguments.memory.ok_or_else(|| {
        Failure::Value("inspect needs a dump of the machine's memory: --memory FILE".to_owned())
    })?;
    let system = System::parse(&report).map_err(&unusable)?;
    let dump =
        Dump::open(&memory).map_err(|reason| Failure::Value(format!("{}: {reason}", memory.display())))?;
    let beside = path.parent().map(|folder| folder.to_owned());
    let folders: Vec<PathBuf> = arguments.search_paths.into_iter().chain(beside).collect();
    let system_files = tool::system_files(&system.board, &system.config);
    let kernel = arguments.kernel.or_else(|| system_files.as_ref().map(|files| files.kernel()));
    let monitor = system_files.map(|files| files.monitor());
    let mut inspector =
        Inspector::new(&report, Places { folders, kernel, monitor }, dump).map_err(Failure::Value)?;
    Ok(inspector.show(arguments.view))
}
