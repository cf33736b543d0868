//! Looks into the kernel of an emulated machine: what each thread waits for, and whether anything can still happen.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use limen_inspect::dump::Dump;
use limen_inspect::{Inspector, Progress, View, needed_memory};
use limen_symbolise::Places;

use crate::failure::{Failure, Outcome};
use crate::run::board::Board;
use crate::run::control::Control;
use crate::run::faults;
use crate::shell::files;
use crate::workspace::Workspace;

/// The lists of `./x run --inspect` and `./x dump --read`.
pub const ALL: [View; 3] = [View::Threads, View::Objects, View::Keys];

/// How long a system runs before it is inspected.
pub const AFTER: Duration = Duration::from_secs(5);

/// The files and the control socket that a look needs.
#[derive(Debug)]
pub struct Inspection {
    report: String,
    memory: (u64, u64),
    places: Places,
    file: PathBuf,
    control: Control,
}

/// The result of a look.
#[derive(Debug)]
pub struct Look {
    /// The requested lists.
    pub lists: String,
    /// Whether anything but waiting can happen.
    pub progress: Progress,
}

impl Inspection {
    /// The inspection of a system that is about to run; `None` if the Makefile writes no report beside the image, or
    /// the machine is a simulated core.
    pub fn of(workspace: &Workspace, board: &Board, config: &str, image: &Path) -> Option<Self> {
        if board.is_simulated {
            return None;
        }
        let report = files::read(&image.with_file_name("report.json")).ok()?;
        let memory = needed_memory(&report).ok()?;
        let places = faults::places(workspace, board, config, image);
        let file = image.with_file_name(format!("memory-{}.dump", std::process::id()));
        Some(Self { report, memory, places, file, control: Control::new() })
    }

    /// The arguments that make the emulator obey.
    pub fn arguments(&self) -> [String; 2] {
        self.control.arguments()
    }

    /// Writes the memory and registers of the machine to a file.
    ///
    /// # Errors
    /// When the emulator refuses.
    pub fn dump_to(&mut self, file: &Path) -> Outcome {
        // The emulator does not overwrite what it cannot write, such as its own earlier dumps.
        _ = fs::remove_file(file);
        self.control.dump(file, self.memory)
    }

    /// Looks at the machine.
    ///
    /// # Errors
    /// When the machine cannot be inspected: its kernel may not have started.
    pub fn look(&mut self, views: &[View]) -> Outcome<Look> {
        let file = self.file.clone();
        self.dump_to(&file)?;
        let dump = Dump::open(&file);
        // What is open stays readable.
        _ = fs::remove_file(&file);
        let inspector = dump.and_then(|dump| Inspector::new(&self.report, self.places.clone(), dump));
        let unusable = |reason| Failure::new(format!("the machine cannot be inspected: {reason}"));
        let mut inspector = inspector.map_err(unusable)?;
        Ok(Look { lists: lists(&mut inspector, views), progress: inspector.progress() })
    }

    /// All lists of a dump that was written before.
    ///
    /// # Errors
    /// When it cannot be read, or is not of this system.
    pub fn of_file(&self, file: &Path) -> Outcome<String> {
        let unusable = |reason| Failure::new(format!("{}: {reason}", file.display()));
        let dump = Dump::open(file).map_err(unusable)?;
        let mut inspector = Inspector::new(&self.report, self.places.clone(), dump).map_err(unusable)?;
        Ok(lists(&mut inspector, &ALL))
    }
}

fn lists(inspector: &mut Inspector, views: &[View]) -> String {
    let lists: Vec<_> = views.iter().map(|view| inspector.show(*view)).collect();
    lists.join("\n")
}
