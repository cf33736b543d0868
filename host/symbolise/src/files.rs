//! The files of a system: programs, monitor and kernel, each read once.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::program::ProgramFile;
use crate::system::System;

/// The largest program that is read, as in the tool.
pub const MOST_BYTES: u64 = 1 << 30;

/// The places of a system's files.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Folders with programs.
    pub folders: Vec<PathBuf>,
    /// The kernel.
    pub kernel: Option<PathBuf>,
    /// The monitor.
    pub monitor: Option<PathBuf>,
}

/// The files that were read.
#[derive(Debug, Default)]
pub struct Files {
    pub(crate) places: Places,
    known: HashMap<PathBuf, Option<Rc<ProgramFile>>>,
}

impl Files {
    /// No file is read yet.
    #[must_use]
    pub fn new(places: Places) -> Self {
        Self { places, known: HashMap::new() }
    }

    /// The file with the symbols of a program, if it can be found and read. The number after the last program is the
    /// monitor's.
    pub fn program(&mut self, system: &System, index: usize) -> Option<Rc<ProgramFile>> {
        let paths = match system.protection_domains.get(index) {
            Some(domain) => self.candidates(domain.symbols.as_deref().unwrap_or(&domain.program)),
            None if index == system.protection_domains.len() => self.places.monitor.iter().cloned().collect(),
            None => Vec::new(),
        };
        paths.iter().find_map(|path| self.file(path))
    }

    /// The kernel, if it can be read.
    pub fn kernel(&mut self) -> Option<Rc<ProgramFile>> {
        let path = self.places.kernel.clone()?;
        self.file(&path)
    }

    fn candidates(&self, path: &str) -> Vec<PathBuf> {
        let path = Path::new(path);
        let name = path.file_name().unwrap_or_default();
        let found = self.places.folders.iter().map(|folder| folder.join(name));
        found.chain([path.to_owned()]).filter(|path| path.is_file()).collect()
    }

    fn file(&mut self, path: &Path) -> Option<Rc<ProgramFile>> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let is_small = fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() <= MOST_BYTES);
        let bytes = if is_small { fs::read(path).ok() } else { None };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = bytes.and_then(|bytes| ProgramFile::parse(&name, &bytes)).map(Rc::new);
        self.known.insert(path.to_owned(), file.clone());
        file
    }
}
