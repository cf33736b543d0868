//! The ELF files of the SDK that are not programs: kernel and loader.

use std::path::Path;

use limen_abi::limits::PAGE_BYTES;
use limen_image::loader::MAX_SEGMENTS;
use limen_sdf::{Architecture, Diagnostic};

use crate::code;
use crate::elf::{ElfFile, ElfSegment};
use crate::error::{Context, error};
use crate::files::{self, FILE_BYTES};

/// Help for missing files of the SDK.
pub(crate) const INCOMPLETE_SDK: &str = "The SDK is incomplete; build or install it again.";
/// Larger than any loader; a larger file is not a loader.
const MAX_LOADER_BYTES: u64 = 16 << 20;

/// The loader in memory, zero-filled data included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loader {
    /// Its bytes; the first is its entry.
    pub bytes: Vec<u8>,
}

/// The kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Kernel virtual address of its first instruction.
    pub entry: u64,
    /// Its page-aligned segments; only the last may have pages without contents.
    pub segments: Vec<ElfSegment>,
}

impl Loader {
    /// Reads the loader.
    ///
    /// # Errors
    /// The file is missing, or is not a loader.
    pub fn read(path: &Path, architecture: Architecture) -> Result<Self, Diagnostic> {
        read(path, architecture, "loader", |elf| Self::from_elf(&elf))
    }

    pub(crate) fn from_elf(elf: &ElfFile) -> Result<Self, String> {
        let (start, end) = elf.extent();
        if elf.entry != start {
            return Err(format!("its entry 0x{:x} is not its first address 0x{start:x}", elf.entry));
        }
        if end - start > MAX_LOADER_BYTES {
            return Err(format!("it takes 0x{:x} bytes of memory", end - start));
        }
        let mut bytes = vec![0; (end - start) as usize];
        for segment in &elf.segments {
            let offset = (segment.vaddr - start) as usize;
            bytes[offset..offset + segment.data.len()].copy_from_slice(&segment.data);
        }
        Ok(Self { bytes })
    }
}

impl Kernel {
    /// Reads the kernel.
    ///
    /// # Errors
    /// The file is missing, or is not a kernel.
    pub fn read(path: &Path, architecture: Architecture) -> Result<Self, Diagnostic> {
        read(path, architecture, "kernel", |elf| Self::from_elf(&elf))
    }

    pub(crate) fn from_elf(elf: &ElfFile) -> Result<Self, String> {
        if elf.segments.len() > MAX_SEGMENTS {
            return Err(format!(
                "it has {} segments, at most {MAX_SEGMENTS} are allowed",
                elf.segments.len()
            ));
        }
        if let Some(segment) = elf.segments.iter().find(|s| !s.vaddr.is_multiple_of(PAGE_BYTES)) {
            return Err(format!("its segment at 0x{:x} does not start on a page", segment.vaddr));
        }
        let mut segments = elf.segments.clone();
        segments.sort_by_key(|segment| zero_bytes(segment) != 0);
        if segments.iter().filter(|segment| zero_bytes(segment) != 0).count() > 1 {
            return Err("it has more than one segment with zero-filled pages".to_owned());
        }
        Ok(Self { entry: elf.entry, segments })
    }
}

fn zero_bytes(segment: &ElfSegment) -> u64 {
    let file = (segment.data.len() as u64).next_multiple_of(PAGE_BYTES);
    segment.memory_bytes.next_multiple_of(PAGE_BYTES) - file
}

/// Reads an ELF file of the SDK; `what` names it in messages.
pub(crate) fn read<T>(
    path: &Path,
    architecture: Architecture,
    what: &str,
    from_elf: impl FnOnce(ElfFile) -> Result<T, String>,
) -> Result<T, Diagnostic> {
    let name = path.display();
    if !path.exists() {
        let message = format!("Error: {what} file '{name}' does not exist.");
        return Err(error(code::SDK_FILE_MISSING, message).help(INCOMPLETE_SDK));
    }
    let data = files::read(path, FILE_BYTES).map_err(|e| e.to_string());
    let elf = data.and_then(|data| ElfFile::parse(&data, architecture));
    elf.and_then(from_elf).map_err(|reason| {
        error(code::SDK_FILE, format!("Error: {what} file '{name}' is not usable: {reason}"))
            .help("Kernel, loader and monitor are part of the SDK; build or install it again.")
    })
}
