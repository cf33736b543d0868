//! `microkit trace`: shows a trace, from copies of its rings.

use std::path::{Path, PathBuf};

use limen_builder::files;
use limen_trace::ring::{self, Place};
use limen_trace::{Reader, System, Trace, log};

use crate::arguments::TraceArguments;
use crate::failure::Failure;
use crate::output::{self, OutputFile};

/// The largest report that is read.
const REPORT_BYTES: u64 = 1 << 28;
/// The largest file with a ring.
const RING_BYTES: u64 = 1 << 30;

/// Reads the copies, and writes the files; returns the text to print.
///
/// # Errors
/// A file cannot be read or written, or has no ring.
pub(crate) fn run(arguments: &TraceArguments) -> Result<String, Failure> {
    let system = system(arguments)?;
    let mut reader = Reader::default();
    for path in &arguments.rings {
        let bytes = files::read(path, RING_BYTES).map_err(|error| about(path, error.to_string()))?;
        add(&mut reader, &bytes, system.place()).map_err(|reason| about(path, reason))?;
    }
    let first = arguments.rings.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
    let trace = Trace::new(reader, system, &arguments.only).map_err(|reason| about(first, reason))?;
    let perfetto =
        arguments.output.iter().map(|path| OutputFile { path: path.clone(), bytes: trace.perfetto() });
    let title = first.file_name().unwrap_or_default().to_string_lossy();
    let page = |path: &PathBuf| OutputFile { path: path.clone(), bytes: trace.page(&title).into_bytes() };
    let files: Vec<_> = perfetto.chain(arguments.html.iter().map(page)).collect();
    output::check_distinct(&files)?;
    output::write(&files, None)?;
    if arguments.table || files.is_empty() {
        return Ok(trace.table());
    }
    Ok(trace.notes().iter().map(|note| format!("note: {note}\n")).collect())
}

fn system(arguments: &TraceArguments) -> Result<System, Failure> {
    let path = &arguments.report;
    let report = files::read_text(path, REPORT_BYTES).map_err(|error| about(path, error.to_string()))?;
    let beside = path.parent().map(Path::to_owned);
    let folders: Vec<_> = arguments.search_paths.iter().cloned().chain(beside).collect();
    System::new(&report, &folders).map_err(|reason| about(path, reason))
}

/// Adds the rings in a copy of memory, or those in a console log.
fn add(reader: &mut Reader, bytes: &[u8], place: Place) -> Result<(), String> {
    let rings = ring::find_all(bytes, place);
    if !rings.is_empty() {
        return rings.into_iter().try_for_each(|ring| reader.add(ring).map(drop));
    }
    let copies = log::copies(bytes);
    if copies.is_empty() {
        return Err(format!(
            "no ring: it has neither LIMENTRC nor lines that begin with {}",
            log::MARK.trim_end()
        ));
    }
    for copy in &copies {
        let rings = ring::find_all(copy, place);
        // The reader says what is wrong with a copy without a ring.
        let rings = if rings.is_empty() { vec![copy.as_slice()] } else { rings };
        rings.into_iter().try_for_each(|ring| reader.add(ring).map(drop))?;
    }
    Ok(())
}

fn about(path: &Path, reason: String) -> Failure {
    Failure::Value(format!("{}: {reason}", path.display()))
}
