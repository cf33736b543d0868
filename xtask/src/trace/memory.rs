//! The memory of a machine in the emulator, as a file that is read while the emulator is frozen, or while it runs.
//!
//! QEMU's own commands need its main loop, which starves while an idle machine skips time. Signals and a file always
//! work, also when the emulator ends.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use limen_abi::trace::{HEADER_BYTES, HeaderWord, RECORD_BYTES, RecordWord, WRITING};
use limen_trace::ring::{self, Place};

use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::shell::process;

/// The file with the memory, in the image's folder.
pub const MEMORY: &str = "memory.bin";
/// The file with the emulator's process id, beside it.
pub const PROCESS: &str = "emulator.pid";
/// The alignment of a ring.
const PAGE: usize = 4096;
/// Physical addresses at which the memory of QEMU's machines begins.
const BASES: [u64; 3] = [0, 0x4000_0000, 0x8000_0000];
/// Bytes that are searched at a time for a ring without a known address, and all of them.
const PIECE: usize = 1 << 20;
const SEARCHED: u64 = 256 << 20;
/// How often to look whether a frozen process has stopped.
const LOOKS: usize = 200;

/// Memory of a machine. Dropping it removes the file.
pub struct Memory {
    path: PathBuf,
    process: PathBuf,
    file: Option<File>,
    /// Position of the rings in the file.
    ring: Option<u64>,
}

/// The state of the emulator while its memory is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emulator {
    /// It is frozen.
    Frozen,
    /// It runs, and may write records.
    Runs,
}

impl Memory {
    /// The memory of the machine whose image is in this folder, before its emulator starts.
    pub fn new(folder: &Path) -> Self {
        let memory =
            Self { path: folder.join(MEMORY), process: folder.join(PROCESS), file: None, ring: None };
        // Those of an earlier run.
        memory.remove();
        memory
    }

    fn remove(&self) {
        _ = fs::remove_file(&self.path);
        _ = fs::remove_file(&self.process);
    }

    /// The emulator's options.
    ///
    /// # Errors
    /// When the board's command does not say how much memory it has.
    pub fn options(&self, board: &Board) -> Outcome<Vec<String>> {
        let size = board.qemu.iter().skip_while(|word| *word != "-m").nth(1);
        let size =
            size.ok_or_else(|| Failure::new(format!("the QEMU command of {} has no -m", board.name)))?;
        let size = size.strip_prefix("size=").unwrap_or(size);
        let backend =
            format!("memory-backend-file,id=traced,share=on,size={size},mem-path={}", self.path.display());
        let words = ["-object", &backend, "-machine", "memory-backend=traced", "-pidfile"];
        Ok(words.into_iter().map(str::to_owned).chain([self.process.display().to_string()]).collect())
    }

    /// The emulator's process, once it has started.
    pub fn process(&self) -> Option<u32> {
        fs::read_to_string(&self.process).ok()?.trim().parse().ok()
    }

    /// Copies of the rings; none until boot has made them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn rings(&mut self, place: Place, emulator: Emulator) -> Outcome<Vec<Vec<u8>>> {
        let about = || format!("cannot read {}", self.path.display());
        let Some(file) = self.file.take().or_else(|| File::open(&self.path).ok()) else {
            return Ok(Vec::new());
        };
        self.ring = match self.ring {
            None => search(&file, place.paddr).context(about)?,
            known => known,
        };
        let mut copies = Vec::new();
        if let Some(first) = self.ring {
            for number in 0..place.rings {
                let mut copy = vec![0; place.bytes as usize];
                let at = first + number * place.bytes;
                let (header, records) = copy.split_at_mut(HEADER_BYTES as usize);
                // The count first: what it counts is complete.
                file.read_exact_at(header, at).context(about)?;
                file.read_exact_at(records, at + HEADER_BYTES).context(about)?;
                if emulator == Emulator::Runs {
                    let mut later = [0; HEADER_BYTES as usize];
                    file.read_exact_at(&mut later, at).context(about)?;
                    leave_out_unsafe(&mut copy, word(&later, HeaderWord::COUNT));
                }
                copies.push(copy);
            }
        }
        self.file = Some(file);
        Ok(copies)
    }
}

/// Removes the records from a copy that a running kernel may have been writing meanwhile: those that its header does not count,
/// and those that were the oldest ones when it had written `written`.
fn leave_out_unsafe(copy: &mut [u8], written: u64) {
    let (header, records) = copy.split_at_mut(HEADER_BYTES as usize);
    let (counted, slots) = (word(header, HeaderWord::COUNT), word(header, HeaderWord::SLOTS));
    for record in records.chunks_exact_mut(RECORD_BYTES as usize) {
        let number = word(record, RecordWord::NUMBER);
        if number >= counted || number.saturating_add(slots) <= written {
            let start = RecordWord::NUMBER * size_of::<u64>();
            record[start..start + size_of::<u64>()].copy_from_slice(&WRITING.to_le_bytes());
        }
    }
}

fn word(bytes: &[u8], index: usize) -> u64 {
    let word = bytes.get(index * size_of::<u64>()..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |word| u64::from_le_bytes(*word))
}

/// The memory of a running machine, for a reader that takes a recording from it.
#[derive(Debug)]
pub struct Recorded {
    /// The file.
    file: File,
    /// Position of the ring.
    ring: u64,
}

impl Recorded {
    /// The ring of a processor in the memory; `None` until boot has made the rings.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn find(memory: &Memory, place: Place, processor: u64) -> Outcome<Option<Self>> {
        let file = OpenOptions::new().read(true).write(true).open(&memory.path);
        let Ok(file) = file else { return Ok(None) };
        let first =
            search(&file, place.paddr).context(|| format!("cannot read {}", memory.path.display()))?;
        Ok(first.map(|first| Self { file, ring: first + processor * place.bytes }))
    }

    /// Reads memory at a distance from the ring.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Outcome {
        self.file.read_exact_at(bytes, self.ring + offset).context(|| "cannot read the recording".to_owned())
    }

    /// A word at a distance from the ring, which the machine may be writing: only what two reads agree on is whole.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn word(&self, offset: u64) -> Outcome<u64> {
        let mut bytes = [[0; 8]; 2];
        loop {
            for bytes in &mut bytes {
                self.read(offset, bytes)?;
            }
            if bytes[0] == bytes[1] {
                return Ok(u64::from_le_bytes(bytes[0]));
            }
        }
    }

    /// Writes a byte at a distance from the ring.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_byte(&self, offset: u64, byte: u8) -> Outcome {
        let written = self.file.write_all_at(&[byte], self.ring + offset);
        written.context(|| "cannot write the recording's header".to_owned())
    }

    /// The header and tables of the boot image, where boot has read them: the first words that are a valid image.
    ///
    /// # Errors
    /// When the file cannot be read, or has no image.
    pub fn image(&self) -> Outcome<Vec<u64>> {
        let about = || "cannot read the machine's memory".to_owned();
        let end = self.file.metadata().context(about)?.len();
        let mut piece = vec![0; PIECE];
        for at in (0..end).step_by(PIECE) {
            let count = self.file.read_at(&mut piece, at).context(about)?;
            let starts = (0..count).step_by(PAGE).filter(|start| {
                piece[*start..]
                    .first_chunk()
                    .is_some_and(|word| u64::from_le_bytes(*word) == limen_image::MAGIC)
            });
            if let Some(words) = starts.filter_map(|start| self.image_at(at + start as u64)).next() {
                return Ok(words);
            }
        }
        Err(Failure::new("the machine's memory has no boot image"))
    }

    fn image_at(&self, at: u64) -> Option<Vec<u64>> {
        let read = |words: usize| {
            let mut bytes = vec![0; words * 8];
            self.file.read_exact_at(&mut bytes, at).ok()?;
            Some(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<_>>())
        };
        let bytes = *read(limen_image::HEADER_WORDS)?.get(limen_image::HeaderWord::TABLES_BYTES)?;
        let words = read(usize::try_from(bytes / 8).ok().filter(|words| *words < PIECE)?)?;
        limen_image::Image::validate(&words).is_ok().then_some(words)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Position of the ring in a file.
fn search(file: &File, paddr: Option<u64>) -> std::io::Result<Option<u64>> {
    let Some(paddr) = paddr else { return search_all(file) };
    let mut page = [0; PAGE];
    for at in BASES.iter().filter_map(|base| paddr.checked_sub(*base)) {
        let count = file.read_at(&mut page, at)?;
        if ring::is_at(&page[..count], Some(paddr)) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Position of a ring that boot has placed.
fn search_all(file: &File) -> std::io::Result<Option<u64>> {
    let mut piece = vec![0; PIECE];
    for at in (0..SEARCHED).step_by(PIECE) {
        let count = file.read_at(&mut piece, at)?;
        if let Some(index) = piece[..count].chunks(PAGE).position(|page| ring::is_at(page, None)) {
            return Ok(Some(at + (index * PAGE) as u64));
        }
    }
    Ok(None)
}

/// Stops a process with all of its threads. On a busy host, one that waits for a processor may still run when this function
/// returns.
pub fn freeze(process: u32) -> Emulator {
    process::signal(process, "STOP");
    let is_stopped = |thread: &fs::DirEntry| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit(')').next().is_none_or(|rest| rest.trim_start().starts_with(['T', 't', 'Z']))
    };
    for _ in 0..LOOKS {
        let threads = fs::read_dir(format!("/proc/{process}/task"));
        if threads.is_ok_and(|threads| threads.flatten().all(|thread| is_stopped(&thread))) {
            return Emulator::Frozen;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Emulator::Runs
}

/// Lets a process continue.
pub fn thaw(process: u32) {
    process::signal(process, "CONT");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_may_change_are_left_out_of_a_copy_of_a_running_machine() {
        let mut copy = vec![0; (HEADER_BYTES + 4 * RECORD_BYTES) as usize];
        let mut set = |word: usize, value: u64| copy[word * 8..][..8].copy_from_slice(&value.to_le_bytes());
        set(HeaderWord::COUNT, 8);
        set(HeaderWord::SLOTS, 4);
        // The header was read before record 8 was written, and record 9 is being written in place of 5.
        for (slot, number) in [8, 5, 6, 7].into_iter().enumerate() {
            set(HeaderWord::LENGTH + slot * RecordWord::LENGTH + RecordWord::NUMBER, number);
        }
        leave_out_unsafe(&mut copy, 9);
        let number = |slot| word(&copy, HeaderWord::LENGTH + slot * RecordWord::LENGTH + RecordWord::NUMBER);
        assert_eq!([0, 1, 2, 3].map(number), [WRITING, WRITING, 6, 7]);
    }
}
