//! `microkit symbolise`: explains the faults in a console log.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use limen_builder::files;
use limen_symbolise::{Console, Places, Symboliser};

use crate::arguments::SymboliseArguments;
use crate::failure::Failure;
use crate::tool;

/// The largest report that is read.
pub(crate) const REPORT_BYTES: u64 = 1 << 28;
/// A longer line is read in pieces.
const LINE_BYTES: u64 = 1 << 16;

/// Reads the log, and passes each sentence to `show` as soon as it is complete.
///
/// # Errors
/// The report or the log cannot be read, or the log says nothing about a fault.
pub(crate) fn run(arguments: SymboliseArguments, mut show: impl FnMut(&str)) -> Result<(), Failure> {
    let path = arguments.report;
    let unusable = |reason: String| Failure::Value(format!("{}: {reason}", path.display()));
    let report = files::read_text(&path, REPORT_BYTES).map_err(|error| unusable(error.to_string()))?;
    let beside = path.parent().map(|folder| folder.to_owned());
    let folders: Vec<PathBuf> = arguments.search_paths.into_iter().chain(beside).collect();
    let mut symboliser =
        Symboliser::new(&report, Places { folders, ..Places::default() }).map_err(unusable)?;
    let system_files = tool::system_files(symboliser.board(), symboliser.config());
    symboliser.add_system_files(
        arguments.kernel.or_else(|| system_files.as_ref().map(|files| files.kernel())),
        system_files.map(|files| files.monitor()),
    );
    let mut count = 0;
    let mut tell = |sentences: Vec<String>| {
        count += sentences.len();
        sentences.iter().for_each(|sentence| show(sentence));
    };
    let name =
        arguments.log.as_ref().map_or_else(|| "standard input".to_owned(), |log| log.display().to_string());
    let unreadable = |error: io::Error| Failure::Value(format!("{name}: {error}"));
    let mut log = open(arguments.log.as_ref()).map_err(unreadable)?;
    let (mut line, mut console) = (Vec::new(), Console::default());
    while log.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line).map_err(unreadable)? > 0 {
        // Terminal programs may end lines with a carriage return alone.
        for part in line.split(|byte| *byte == b'\r') {
            console.take(part).iter().for_each(|line| tell(symboliser.take(line)));
        }
        line.clear();
    }
    console.finish().iter().for_each(|line| tell(symboliser.take(line)));
    tell(symboliser.finish());
    if count == 0 {
        let found = match console.damaged() {
            0 => "no line about a fault".to_owned(),
            1 => "a line about a fault, which is damaged".to_owned(),
            damaged => format!("{damaged} lines about faults, which are damaged"),
        };
        return Err(Failure::Value(format!(
            "{name}: {found}; the debug configuration prints them, and begins them with LIMEN|FAULT"
        )));
    }
    Ok(())
}

fn open(log: Option<&PathBuf>) -> io::Result<Box<dyn BufRead>> {
    Ok(match log {
        Some(path) => Box::new(BufReader::new(File::open(path)?)),
        None => Box::new(io::stdin().lock()),
    })
}
