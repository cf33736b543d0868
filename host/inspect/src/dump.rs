//! A dump: the physical memory and the registers of a stopped machine, as an ELF core file.
//!
//! QEMU's `dump-guest-memory` writes such files. Each `PT_LOAD` segment is a range of physical memory, and the first
//! `NT_PRSTATUS` note has the registers of the processor. Ranges may be missing.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use limen_symbolise::program::Registers;
use object::LittleEndian;
use object::elf::{EM_AARCH64, EM_RISCV, EM_X86_64, ET_CORE, FileHeader64, NT_PRSTATUS, PT_LOAD, PT_NOTE};
use object::read::elf::{FileHeader, ProgramHeader};
use object::read::{ReadCache, ReadRef};

/// The registers follow this many bytes of process facts in the note.
const REGISTERS: usize = 112;
/// The largest part of memory that is read at once. All that is read has a known size below it.
const MOST_BYTES: u64 = 1 << 24;

/// A file that is read in pieces.
trait Source: Read + Seek {}
impl<T: Read + Seek> Source for T {}

/// A dump.
pub struct Dump {
    source: RefCell<Box<dyn Source>>,
    /// First physical address, place in the file, and bytes.
    ranges: Vec<(u64, u64, u64)>,
    /// The registers of the processor, if the dump has them.
    pub registers: Option<Registers>,
    /// Instruction set.
    pub architecture: &'static str,
}

impl fmt::Debug for Dump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dump").field("ranges", &self.ranges).finish_non_exhaustive()
    }
}

impl Dump {
    /// Opens a file.
    ///
    /// # Errors
    /// A sentence: the file cannot be read, or is no dump.
    pub fn open(path: &Path) -> Result<Self, String> {
        File::open(path).map_err(|error| error.to_string()).and_then(Self::new)
    }

    /// Reads the headers of a dump.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn new(source: impl Read + Seek + 'static) -> Result<Self, String> {
        let no_dump = |reason: &str| {
            format!("no dump of memory: {reason}; QEMU's dump-guest-memory and ./x dump write such files")
        };
        let cache = ReadCache::new(source);
        let (architecture, ranges, registers) = headers(&cache).map_err(no_dump)?;
        let source: RefCell<Box<dyn Source>> = RefCell::new(Box::new(cache.into_inner()));
        Ok(Self { source, ranges, registers, architecture })
    }

    /// Reads physical memory; `None` if the dump does not contain it.
    #[must_use]
    pub fn read(&self, address: u64, bytes: u64) -> Option<Vec<u8>> {
        let place = self.ranges.iter().find_map(|(start, place, length)| {
            let offset = address.checked_sub(*start)?;
            (offset.checked_add(bytes)? <= *length).then(|| place.checked_add(offset))?
        })?;
        let mut memory = vec![0; usize::try_from(bytes).ok().filter(|_| bytes <= MOST_BYTES)?];
        let mut source = self.source.borrow_mut();
        source.seek(SeekFrom::Start(place)).ok()?;
        source.read_exact(&mut memory).ok()?;
        Some(memory)
    }

    /// Reads a word of physical memory.
    #[must_use]
    pub fn word(&self, address: u64) -> Option<u64> {
        word(&self.read(address, 8)?, 0)
    }
}

/// Reads the registers of a note.
type OfNote = fn(&[u8]) -> Option<Registers>;
type Headers = (&'static str, Vec<(u64, u64, u64)>, Option<Registers>);

fn headers<R: Read + Seek>(file: &ReadCache<R>) -> Result<Headers, &'static str> {
    let damaged = |_| "its headers are damaged";
    let header = FileHeader64::<LittleEndian>::parse(file).map_err(|_| "it is not a 64-bit ELF file")?;
    let endian = header.endian().map_err(|_| "it is not little-endian")?;
    if header.e_type(endian) != ET_CORE {
        return Err("it is an ELF file, but not a core file");
    }
    let (architecture, of_note): (_, OfNote) = match header.e_machine(endian) {
        EM_AARCH64 => ("aarch64", of_aarch64),
        EM_RISCV => ("riscv64", of_riscv64),
        EM_X86_64 => ("x86_64", of_x86_64),
        _ => return Err("it is for an unknown instruction set"),
    };
    let (mut ranges, mut registers) = (Vec::new(), None);
    for segment in header.program_headers(endian, file).map_err(damaged)? {
        match segment.p_type(endian) {
            PT_LOAD => {
                let (place, bytes) = segment.file_range(endian);
                ranges.push((segment.p_paddr(endian), place, bytes));
            }
            PT_NOTE if registers.is_none() => {
                registers = status(segment, endian, file).and_then(|words| of_note(&words));
            }
            _ => {}
        }
    }
    Ok((architecture, ranges, registers))
}

fn status<'a, P, R>(segment: &P, endian: P::Endian, file: R) -> Option<Vec<u8>>
where
    P: ProgramHeader,
    R: ReadRef<'a>,
{
    let mut notes = segment.notes(endian, file).ok()??;
    while let Ok(Some(note)) = notes.next() {
        if note.n_type(endian) == NT_PRSTATUS && note.name() == b"CORE" {
            return note.desc().get(REGISTERS..).map(<[u8]>::to_vec);
        }
    }
    None
}

fn word(bytes: &[u8], index: usize) -> Option<u64> {
    let (_, rest) = bytes.split_at_checked(index.checked_mul(8)?)?;
    rest.first_chunk().map(|word| u64::from_le_bytes(*word))
}

// Sources: the user_regs_struct of Linux for each instruction set, in which QEMU writes the registers.

fn of_aarch64(words: &[u8]) -> Option<Registers> {
    let word = |index| word(words, index);
    Some(Registers { pc: word(32)?, sp: word(31)?, fp: word(29), link: word(30) })
}

fn of_riscv64(words: &[u8]) -> Option<Registers> {
    let word = |index| word(words, index);
    Some(Registers { pc: word(0)?, sp: word(2)?, fp: word(8), link: word(1) })
}

fn of_x86_64(words: &[u8]) -> Option<Registers> {
    let word = |index| word(words, index);
    Some(Registers { pc: word(16)?, sp: word(19)?, fp: word(4), link: None })
}
