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
    /// By path, and by the path of the image whose code a file without code gets.
    known: HashMap<(PathBuf, Option<PathBuf>), Option<Rc<ProgramFile>>>,
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
        let (paths, image) = match system.protection_domains.get(index) {
            Some(domain) => match &domain.symbols {
                Some(symbols) => (self.candidates(symbols), self.candidates(&domain.program)),
                None => (self.candidates(&domain.program), Vec::new()),
            },
            None if index == system.protection_domains.len() => {
                (self.places.monitor.iter().cloned().collect(), Vec::new())
            }
            None => (Vec::new(), Vec::new()),
        };
        let image = image.first().map(PathBuf::as_path);
        paths.iter().find_map(|path| self.file(path, image))
    }

    /// The kernel, if it can be read.
    pub fn kernel(&mut self) -> Option<Rc<ProgramFile>> {
        let path = self.places.kernel.clone()?;
        self.file(&path, None)
    }

    fn candidates(&self, path: &str) -> Vec<PathBuf> {
        let path = Path::new(path);
        let name = path.file_name().unwrap_or_default();
        let found = self.places.folders.iter().map(|folder| folder.join(name));
        found.chain([path.to_owned()]).filter(|path| path.is_file()).collect()
    }

    fn file(&mut self, path: &Path, image: Option<&Path>) -> Option<Rc<ProgramFile>> {
        let key = (path.to_owned(), image.map(Path::to_owned));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let file = read(path).map(|file| match image.filter(|_| file.lacks_code()).and_then(read) {
            Some(image) => file.with_code_of(image),
            None => file,
        });
        let file = file.map(Rc::new);
        self.known.insert(key, file.clone());
        file
    }
}

fn read(path: &Path) -> Option<ProgramFile> {
    let is_small = fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() <= MOST_BYTES);
    let bytes = if is_small { fs::read(path).ok() } else { None };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ProgramFile::parse(&name, &bytes?)
}
