//! Checks of `./x check` on linked files: no memory is both writable and executable, and all objects have the same
//! floating-point ABI. [`crate::check::vectors`] checks their instructions.

use std::path::Path;
use std::process::Command;

use crate::failure::{Context, Failure, Outcome};
use crate::shell::process;

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
    let headers = process::capture(Command::new("llvm-readelf").arg("-h").arg(library))?;
    match float_abis(&headers) {
        found if found.is_empty() => Err(Failure::new(format!("{} has no members", library.display()))),
        found if found.iter().all(|abi| *abi == Some(wanted)) => Ok(()),
        found => Err(Failure::new(format!("{}: {wanted:?} expected, but {found:?}", library.display()))),
    }
}

/// The ABI of each member; `None` for one that has neither.
fn float_abis(headers: &str) -> Vec<Option<FloatAbi>> {
    /// The two bits of `e_flags` for the ABI (RISC-V ELF psABI, "File header").
    const CONVENTION: u32 = 0x6;
    let flags = headers.lines().filter_map(|line| line.trim().strip_prefix("Flags:"));
    let number = |flags: &str| {
        let digits = flags.trim().strip_prefix("0x")?.split(',').next()?;
        u32::from_str_radix(digits, 16).ok()
    };
    flags
        .map(|flags| match number(flags)? & CONVENTION {
            0x0 => Some(FloatAbi::Soft),
            0x4 => Some(FloatAbi::Double),
            _ => None,
        })
        .collect()
}

/// Checks that no segment of a 64-bit little-endian ELF file is both writable and executable.
///
/// # Errors
/// When one is, or the file is not such an ELF file.
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
        self.flags & EXECUTE != 0
    }

    /// Whether it is writable.
    pub fn is_written(self) -> bool {
        self.flags & WRITE != 0
    }
}

/// The loaded segments of a 64-bit little-endian ELF file.
///
/// # Errors
/// When the file is not such an ELF file, or cannot be read.
pub fn segments(file: &Path) -> Outcome<Vec<Segment>> {
    let bytes = std::fs::read(file).context(|| format!("cannot read {}", file.display()))?;
    parse(&bytes).ok_or_else(|| Failure::new(format!("{} is not an ELF file", file.display())))
}

const EXECUTE: u32 = 1;
const WRITE: u32 = 2;
const LOAD: u32 = 1;

/// `None` if the file is not a complete ELF file.
fn parse(bytes: &[u8]) -> Option<Vec<Segment>> {
    let half = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (table, size, count) =
        (usize::try_from(long(32)?).ok()?, usize::from(half(54)?), usize::from(half(56)?));
    let segments = (0..count).map(|index| {
        let at = table.checked_add(index * size)?;
        let at = |field: usize| at.checked_add(field);
        let (file_bytes, memory_bytes) = (long(at(32)?)?, long(at(40)?)?);
        Some((word(at(0)?)?, Segment { flags: word(at(4)?)?, file_bytes, memory_bytes }))
    });
    let segments = segments.collect::<Option<Vec<_>>>()?;
    Some(segments.into_iter().filter(|(kind, _)| *kind == LOAD).map(|(_, segment)| segment).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(flags: &[u32]) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56 * flags.len()];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = u8::try_from(flags.len()).unwrap();
        for (index, flags) in flags.iter().enumerate() {
            bytes[64 + 56 * index] = 1;
            bytes[64 + 56 * index + 4] = u8::try_from(*flags).unwrap();
            bytes[64 + 56 * index + 32] = 3;
            bytes[64 + 56 * index + 40] = 9;
        }
        bytes
    }

    #[test]
    fn floating_point_abis_are_told_apart() {
        let headers =
            "File: a.o\n  Flags:   0x1, RVC\n  Flags:   0x5, RVC, double-float ABI\n  Flags:   0x3\n";
        assert_eq!(float_abis(headers), [Some(FloatAbi::Soft), Some(FloatAbi::Double), None]);
    }

    #[test]
    fn loaded_segments_are_read() {
        let segments = parse(&elf(&[5, 6])).unwrap();
        let kinds: Vec<_> =
            segments.iter().map(|segment| (segment.executes(), segment.is_written())).collect();
        assert_eq!(kinds, [(true, false), (false, true)]);
        assert!(segments.iter().all(|segment| (segment.file_bytes, segment.memory_bytes) == (3, 9)));
        assert_eq!(parse(b"\x7fELF\x01"), None);
        assert_eq!(parse(&elf(&[5])[..66]), None);
    }
}
