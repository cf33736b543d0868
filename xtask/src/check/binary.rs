//! Linked files as the `object` crate reads them, and two checks of `./x check`: no memory is both writable and
//! executable, and all objects have the same floating-point ABI. [`crate::check::vectors`] checks their instructions.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use object::LittleEndian;
use object::elf;
use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};

use crate::failure::{Context, Failure, Outcome};

/// A 64-bit little-endian ELF file.
pub type Elf<'a> = ElfFile64<'a, LittleEndian>;

/// Reads something of a linked file, or of each member of a library.
///
/// # Errors
/// When the file cannot be read, one of them is not such an ELF file, or `facts` fails.
pub fn read<T, E: Display>(file: &Path, facts: impl Fn(&Elf<'_>) -> Result<T, E>) -> Outcome<Vec<T>> {
    let name = || file.display().to_string();
    let bytes = fs::read(file).context(|| format!("cannot read {}", file.display()))?;
    let parts = parts(&bytes).context(name)?;
    let read = |part: &&[u8]| facts(&Elf::parse(*part).context(name)?).context(name);
    parts.iter().map(read).collect()
}

/// The members of a library, or the whole of another file.
fn parts(bytes: &[u8]) -> object::Result<Vec<&[u8]>> {
    if !bytes.starts_with(&object::archive::MAGIC) {
        return Ok(vec![bytes]);
    }
    ArchiveFile::parse(bytes)?.members().map(|member| member?.data(bytes)).collect()
}

/// The floating-point ABI of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatAbi {
    /// In integer registers.
    Soft,
    /// In floating-point registers, up to the size of a `double`.
    Double,
}

/// Checks the floating-point ABI of every member of a RISC-V library: linkers refuse to mix them.
///
/// # Errors
/// When a member differs, or the library cannot be read.
pub fn passes_floats(library: &Path, wanted: FloatAbi) -> Outcome {
    match read(library, |member| Ok::<_, Failure>(float_abi(member)))? {
        found if found.is_empty() => Err(Failure::new(format!("{} has no members", library.display()))),
        found if found.iter().all(|abi| *abi == Some(wanted)) => Ok(()),
        found => Err(Failure::new(format!("{}: {wanted:?} expected, but {found:?}", library.display()))),
    }
}

/// `None` for an object that has neither (RISC-V ELF psABI, "File header").
fn float_abi(object: &Elf<'_>) -> Option<FloatAbi> {
    match object.elf_header().e_flags(LittleEndian) & elf::EF_RISCV_FLOAT_ABI {
        elf::EF_RISCV_FLOAT_ABI_SOFT => Some(FloatAbi::Soft),
        elf::EF_RISCV_FLOAT_ABI_DOUBLE => Some(FloatAbi::Double),
        _ => None,
    }
}

/// Checks that no segment of a linked file is both writable and executable.
///
/// # Errors
/// When one is, or the file cannot be read.
pub fn separates_write_and_execute(file: &Path) -> Outcome {
    if segments(file)?.iter().any(|segment| segment.executes() && segment.is_written()) {
        return Err(Failure::new(format!(
            "{} has a segment that is writable and executable",
            file.display()
        )));
    }
    Ok(())
}

/// A loaded segment of an ELF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    flags: u32,
    /// Bytes in the file.
    pub file_bytes: u64,
    /// Bytes in memory; those beyond the file's are zero.
    pub memory_bytes: u64,
}

impl Segment {
    /// Whether it holds instructions.
    pub fn executes(self) -> bool {
        self.flags & elf::PF_X != 0
    }

    /// Whether it is writable.
    pub fn is_written(self) -> bool {
        self.flags & elf::PF_W != 0
    }
}

/// The loaded segments of a linked file.
///
/// # Errors
/// When the file cannot be read.
pub fn segments(file: &Path) -> Outcome<Vec<Segment>> {
    Ok(read(file, |elf| Ok::<_, Failure>(loaded(elf)))?.concat())
}

fn loaded(elf: &Elf<'_>) -> Vec<Segment> {
    let headers = elf.elf_program_headers().iter();
    let loaded = headers.filter(|header| header.p_type(LittleEndian) == elf::PT_LOAD);
    loaded
        .map(|header| Segment {
            flags: header.p_flags(LittleEndian),
            file_bytes: header.p_filesz(LittleEndian),
            memory_bytes: header.p_memsz(LittleEndian),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use object::write::elf::{FileHeader, ProgramHeader, Writer};

    use super::*;

    /// An ELF file with these flags of the file and of its segments.
    fn file(e_flags: u32, segments: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(object::Endianness::Little, true, &mut bytes);
        writer.reserve_file_header();
        writer.reserve_program_headers(u32::try_from(segments.len()).unwrap());
        let header = FileHeader {
            os_abi: 0,
            abi_version: 0,
            e_type: elf::ET_EXEC,
            e_machine: elf::EM_RISCV,
            e_entry: 0,
            e_flags,
        };
        writer.write_file_header(&header).unwrap();
        for p_flags in segments {
            writer.write_program_header(&ProgramHeader {
                p_type: elf::PT_LOAD,
                p_flags: *p_flags,
                p_offset: 0,
                p_vaddr: 0,
                p_paddr: 0,
                p_filesz: 3,
                p_memsz: 9,
                p_align: 1,
            });
        }
        bytes
    }

    #[test]
    fn floating_point_abis_are_told_apart() {
        let abi = |flags| float_abi(&Elf::parse(&*file(flags, &[])).unwrap());
        let found = [0x1, 0x5, 0x3].map(abi);
        assert_eq!(found, [Some(FloatAbi::Soft), Some(FloatAbi::Double), None]);
    }

    #[test]
    fn loaded_segments_are_read() {
        let bytes = file(0, &[elf::PF_R | elf::PF_X, elf::PF_R | elf::PF_W]);
        let segments = loaded(&Elf::parse(&*bytes).unwrap());
        let kinds: Vec<_> =
            segments.iter().map(|segment| (segment.executes(), segment.is_written())).collect();
        assert_eq!(kinds, [(true, false), (false, true)]);
        assert!(segments.iter().all(|segment| (segment.file_bytes, segment.memory_bytes) == (3, 9)));
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let bytes = file(0, &[elf::PF_R]);
        assert!((0..bytes.len()).all(|length| Elf::parse(&bytes[..length]).is_err()));
        assert!(parts(b"!<arch>\nmember.o/").is_err());
    }
}
