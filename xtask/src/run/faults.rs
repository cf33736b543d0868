//! Explains the faults on a system's console, with the report and the programs that its build left beside the image.

use std::path::Path;

use limen_symbolise::{Places, Symboliser};

use crate::run::board::Board;
use crate::shell::files;
use crate::workspace::Workspace;

/// The symboliser of a system; `None` if the Makefile writes no report beside the image.
pub fn symboliser(workspace: &Workspace, board: &Board, config: &str, image: &Path) -> Option<Symboliser> {
    let report = files::read(&image.with_file_name("report.json")).ok()?;
    Symboliser::new(&report, places(workspace, board, config, image)).ok()
}

/// The places of a system's files.
pub fn places(workspace: &Workspace, board: &Board, config: &str, image: &Path) -> Places {
    let kernel = workspace.kernel(&board.name, config);
    Places {
        folders: image.parent().map(Path::to_owned).into_iter().collect(),
        monitor: Some(kernel.with_file_name("monitor.elf")),
        kernel: Some(kernel),
    }
}

/// The sentences about the faults of a finished run.
pub fn explained(symboliser: Option<Symboliser>, lines: &[String]) -> Vec<String> {
    let Some(mut symboliser) = symboliser else { return Vec::new() };
    let mut sentences: Vec<_> = lines.iter().flat_map(|line| symboliser.take(line)).collect();
    sentences.extend(symboliser.finish());
    sentences
}
