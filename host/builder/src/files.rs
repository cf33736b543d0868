//! Files that a description names: programs and prefill files.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use limen_sdf::{FileError, Problems};

/// Most bytes of a program, and of all prefill files together.
pub const FILE_BYTES: u64 = 1 << 30;

/// Why a file could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// It is a directory, a device or a pipe.
    NotRegular,
    /// Its size in bytes exceeds the limit.
    TooLarge(u64),
    /// It grew while it was read.
    Grew,
    /// An error from the operating system.
    Io(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRegular => write!(f, "it is not a regular file"),
            Self::TooLarge(bytes) => write!(f, "it is too large, with {bytes} bytes"),
            Self::Grew => write!(f, "it grew while it was read"),
            Self::Io(reason) => write!(f, "{reason}"),
        }
    }
}

/// Reads a regular file of at most `most` bytes. It checks the size before it reads, and reads no more than that.
///
/// # Errors
/// It is not a regular file, is too large, or cannot be read.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    // Opening a pipe would block until a writer opens it.
    check_size(&fs::metadata(path).map_err(ReadError::Io)?, most)?;
    let file = File::open(path).map_err(ReadError::Io)?;
    let bytes = check_size(&file.metadata().map_err(ReadError::Io)?, most)?;
    read_sized(file, bytes)
}

/// The same for a text file.
///
/// # Errors
/// As [`read`], or it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String, ReadError> {
    let not_text = |_| ReadError::Io(io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"));
    String::from_utf8(read(path, most)?).map_err(not_text)
}

fn check_size(metadata: &Metadata, most: u64) -> Result<u64, ReadError> {
    match metadata.len() {
        _ if !metadata.is_file() => Err(ReadError::NotRegular),
        bytes if bytes > most => Err(ReadError::TooLarge(bytes)),
        bytes => Ok(bytes),
    }
}

fn read_sized(file: impl Read, bytes: u64) -> Result<Vec<u8>, ReadError> {
    let mut contents = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
    file.take(bytes.saturating_add(1)).read_to_end(&mut contents).map_err(ReadError::Io)?;
    if contents.len() as u64 > bytes { Err(ReadError::Grew) } else { Ok(contents) }
}

/// Resolves `path`: absolute, or in the first search path with a regular file of that name; the working directory is
/// last. Without one, a file of another kind with that name.
pub(crate) fn find(path: &str, search_paths: &[PathBuf]) -> Option<PathBuf> {
    let first = |is: fn(&Path) -> bool| candidates(path, search_paths).find(|candidate| is(candidate));
    first(Path::is_file).or_else(|| first(Path::exists))
}

/// Reads prefill files, each once.
#[derive(Debug)]
pub struct Prefills<'p> {
    search_paths: &'p [PathBuf],
    read: RefCell<HashMap<String, Arc<[u8]>>>,
    /// Remaining bytes of the limit.
    left: Cell<u64>,
    /// Number of missing files.
    missing: Cell<usize>,
}

impl<'p> Prefills<'p> {
    /// Searches these directories, then the working directory.
    #[must_use]
    pub fn new(search_paths: &'p [PathBuf]) -> Self {
        let (left, missing) = (Cell::new(FILE_BYTES), Cell::new(0));
        Self { search_paths, read: RefCell::default(), left, missing }
    }

    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// The file does not exist or cannot be read.
    pub fn read(&self, path: &str, most: u64) -> Result<Arc<[u8]>, FileError> {
        if let Some(contents) = self.read.borrow().get(path) {
            let bytes = contents.len() as u64;
            return if bytes > most { Err(FileError::TooLarge(bytes)) } else { Ok(contents.clone()) };
        }
        let found = find(path, self.search_paths).ok_or_else(|| self.missing(path))?;
        let left = self.left.get();
        let contents = read(&found, most.min(left)).map_err(|reason| match reason {
            ReadError::NotRegular => FileError::NotRegular,
            ReadError::TooLarge(bytes) if bytes > most => FileError::TooLarge(bytes),
            ReadError::TooLarge(_) => FileError::TooMuch(FILE_BYTES),
            ReadError::Grew | ReadError::Io(_) => FileError::Unreadable,
        })?;
        self.left.set(left - contents.len() as u64);
        let contents: Arc<[u8]> = contents.into();
        self.read.borrow_mut().insert(path.to_owned(), contents.clone());
        Ok(contents)
    }

    /// Suggests similar names while the number of missing files is small.
    fn missing(&self, path: &str) -> FileError {
        let missing = self.missing.replace(self.missing.get() + 1);
        let meant = (missing < Problems::MOST).then(|| did_you_mean(path, self.search_paths)).flatten();
        meant.map_or(FileError::NotFound, FileError::Misspelled)
    }
}

/// Suggests a file with a similar name for `path`, which does not exist. The file must be in the same directory and
/// have the same extension, so that the answer to a missing build product is not its source.
pub fn did_you_mean(path: &str, search_paths: &[PathBuf]) -> Option<String> {
    let (parent, ending) = (Path::new(path).parent().unwrap_or(Path::new("")), Path::new(path).extension());
    let folders =
        candidates(path, search_paths).filter_map(|candidate| candidate.parent().map(Path::to_owned));
    let folders =
        folders.map(|folder| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder });
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|file| file.extension() == ending && file.is_file());
    let names =
        files.map(|file| parent.join(file.file_name().unwrap_or_default()).to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    limen_nearest::did_you_mean(path, names.iter().map(String::as_str))
}

fn candidates<'p>(path: &'p str, search_paths: &'p [PathBuf]) -> impl Iterator<Item = PathBuf> + 'p {
    let here: &Path = Path::new("");
    search_paths.iter().map(PathBuf::as_path).chain([here]).map(move |directory| directory.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_not_read() {
        assert!(matches!(read(Path::new("/dev/zero"), u64::MAX), Err(ReadError::NotRegular)));
        assert!(matches!(read(Path::new("/"), u64::MAX), Err(ReadError::NotRegular)));
    }

    #[test]
    fn a_file_is_read_up_to_its_initial_size() {
        assert_eq!(read_sized(&b"four"[..], 4).ok().as_deref(), Some(&b"four"[..]));
        assert_eq!(read_sized(&b"four"[..], 9).ok().as_deref(), Some(&b"four"[..]));
        let mut endless = io::repeat(7).take(1 << 20);
        assert!(matches!(read_sized(&mut endless, 4), Err(ReadError::Grew)));
        assert_eq!(endless.limit(), (1 << 20) - 5);
    }

    #[test]
    fn a_file_above_the_limit_is_not_read() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let bytes = fs::metadata(&own).unwrap().len();
        assert!(matches!(read(&own, bytes - 1), Err(ReadError::TooLarge(found)) if found == bytes));
        assert_eq!(read(&own, bytes).unwrap().len() as u64, bytes);
    }
}
