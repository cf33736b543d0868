//! From copies of rings to outputs.

use limen_nearest::advice;

use crate::ring::Reader;
use crate::system::System;
use crate::timeline::Timeline;
use crate::{page, perfetto, table};

/// A traced run of a system.
#[derive(Clone, Debug)]
pub struct Trace {
    timeline: Timeline,
    system: System,
}

impl Trace {
    /// The run that a reader has collected; of these programs, or of all if the list is empty.
    ///
    /// # Errors
    /// A sentence that says that there are no records, or no such program.
    pub fn new(reader: Reader, system: System, programs: &[String]) -> Result<Self, String> {
        let threads = programs.iter().map(|name| thread(&system, name)).collect::<Result<Vec<_>, _>>()?;
        let mut recordings = reader.finish()?;
        for recording in recordings.iter_mut().filter(|recording| recording.header.frequency == 0) {
            recording.header.frequency = system.ring().and_then(|ring| ring.frequency).unwrap_or(0);
        }
        let mut timeline = Timeline::new(&recordings, &system);
        if !threads.is_empty() {
            timeline.keep(&threads);
        }
        Ok(Self { timeline, system })
    }

    /// The file for Perfetto.
    #[must_use]
    pub fn perfetto(&self) -> Vec<u8> {
        perfetto::file(&self.timeline, &self.system)
    }

    /// The page; `title` is the name of the system.
    #[must_use]
    pub fn page(&self, title: &str) -> String {
        page::page(&self.timeline, &self.system, title)
    }

    /// The tables.
    #[must_use]
    pub fn table(&self) -> String {
        table::text(&self.timeline, &self.system)
    }

    /// The timeline.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Oddities and losses, as sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        table::notes(&self.timeline)
    }
}

/// The name in an argument of the form `pd=NAME`.
///
/// # Errors
/// A sentence that gives the form.
pub fn program(argument: &str) -> Result<String, String> {
    let name = argument.strip_prefix("pd=").filter(|name| !name.is_empty());
    name.map(str::to_owned).ok_or_else(|| format!("'{argument}' selects nothing; write pd=NAME"))
}

fn thread(system: &System, name: &str) -> Result<u16, String> {
    let names: Vec<_> = system.threads().collect();
    let number = names.iter().position(|known| *known == name).and_then(|number| u16::try_from(number).ok());
    number.ok_or_else(|| {
        format!("there is no program '{name}'; {}", advice(name, &names, "the report lists the programs"))
    })
}
