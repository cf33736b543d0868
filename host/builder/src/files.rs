//! Files that a description names: programs, and what memory regions are filled with.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use limen_sdf::{FileError, Problems};

/// Most bytes of a program, and of all files that fill memory regions together.
pub const FILE_BYTES: u64 = 1 << 30;

/// Why a file is not read.
#[derive(Debug)]
pub enum ReadError {
    /// It is a folder, a device or a pipe.
    NotRegular,
    /// It has so many bytes, which is more than it may have.
    TooLarge(u64),
    /// While it was read, it had more bytes than before.
    Grew,
    /// The operating system says why.
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

/// The contents of a regular file of at most `most` bytes. Nothing is read before its size is known, and no more than that.
///
/// # Errors
/// It is another kind of file, too large, or cannot be read.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    // To open a pipe would wait for somebody who writes to it.
    check_size(&fs::metadata(path).map_err(ReadError::Io)?, most)?;
    let file = File::open(path).map_err(ReadError::Io)?;
    let bytes = check_size(&file.metadata().map_err(ReadError::Io)?, most)?;
    read_sized(file, bytes)
}

/// The same for a file of text.
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

/// Where `path` is: absolute, or in the first search path that has such a file; the working directory comes last. Where
/// none has, what is no regular file is found.
pub(crate) fn find(path: &str, search_paths: &[PathBuf]) -> Option<PathBuf> {
    let first = |is: fn(&Path) -> bool| candidates(path, search_paths).find(|candidate| is(candidate));
    first(Path::is_file).or_else(|| first(Path::exists))
}

/// Reads the files that fill memory regions, each of them once.
#[derive(Debug)]
pub struct Prefills<'p> {
    search_paths: &'p [PathBuf],
    read: RefCell<HashMap<String, Arc<[u8]>>>,
    /// Bytes that may still be read.
    left: Cell<u64>,
    /// Files that were not there.
    missing: Cell<usize>,
}

impl<'p> Prefills<'p> {
    /// Looks for files in these folders, and in the working directory.
    #[must_use]
    pub fn new(search_paths: &'p [PathBuf]) -> Self {
        let (left, missing) = (Cell::new(FILE_BYTES), Cell::new(0));
        Self { search_paths, read: RefCell::default(), left, missing }
    }

    /// The contents of a file of at most `most` bytes.
    ///
    /// # Errors
    /// It is not there, or something of that name cannot be read.
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

    /// Folders are searched for what may have been meant as long as somebody reads the answer.
    fn missing(&self, path: &str) -> FileError {
        let missing = self.missing.replace(self.missing.get() + 1);
        let meant = (missing < Problems::MOST).then(|| did_you_mean(path, self.search_paths)).flatten();
        meant.map_or(FileError::NotFound, FileError::Misspelled)
    }
}

/// The question whether a file was meant whose name is nearly that of `path`, which does not exist. Such a file is in the
/// same folder, and ends alike: what was not built yet must not be answered with what it is built from.
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
    fn a_file_is_read_up_to_the_size_that_it_had() {
        assert_eq!(read_sized(&b"four"[..], 4).ok().as_deref(), Some(&b"four"[..]));
        assert_eq!(read_sized(&b"four"[..], 9).ok().as_deref(), Some(&b"four"[..]));
        let mut endless = io::repeat(7).take(1 << 20);
        assert!(matches!(read_sized(&mut endless, 4), Err(ReadError::Grew)));
        assert_eq!(endless.limit(), (1 << 20) - 5);
    }

    #[test]
    fn a_file_larger_than_it_may_be_is_not_read() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let bytes = fs::metadata(&own).unwrap().len();
        assert!(matches!(read(&own, bytes - 1), Err(ReadError::TooLarge(found)) if found == bytes));
        assert_eq!(read(&own, bytes).unwrap().len() as u64, bytes);
    }
}
