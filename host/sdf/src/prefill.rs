//! Initial contents of memory regions.

use std::sync::Arc;

use limen_nearest::did_you_mean;

use crate::attribute::{Attributes, Reported};
use crate::boot_info::BOOT_INFO;
use crate::code;
use crate::model::Prefill;

/// Why a file that a description names is unusable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// It does not exist.
    NotFound,
    /// It does not exist, but files with similar names do: the question whether the user meant one of them.
    Misspelled(String),
    /// It exists but cannot be read.
    Unreadable,
    /// It is a directory, a device or a pipe, which have no size.
    NotRegular,
    /// Its size in bytes, which is above the requested limit.
    TooLarge(u64),
    /// With this file, the total size of the files exceeds this number of bytes.
    TooMuch(u64),
}

/// Finds a file that a description names, and reads it if its size is at most the number of bytes.
pub type ReadFile<'f> = dyn Fn(&str, u64) -> Result<Arc<[u8]>, FileError> + 'f;

/// For descriptions without files: finds none.
///
/// # Errors
/// Always.
pub fn no_files(_: &str, _: u64) -> Result<Arc<[u8]>, FileError> {
    Err(FileError::NotFound)
}

/// Reads the attributes that prefill a memory region.
///
/// `size` is the size of the memory region, if it is valid.
pub(crate) fn read(
    attributes: &mut Attributes,
    size: Option<u64>,
    read_file: &ReadFile,
) -> Result<Option<Prefill>, Reported> {
    match (attributes.optional("prefill_path"), attributes.optional("prefill_bootinfo")) {
        (None, None) => Ok(None),
        (Some(path), None) => read_path(path, size, attributes, read_file).map(Some),
        (None, Some(name)) => read_boot_info(name, attributes).map(Some),
        (Some(path), Some(_)) => {
            // Errors of the file come first, as users know it.
            read_path(path, size, attributes, read_file)?;
            let text = "prefill_path and prefill_bootinfo cannot be both specified";
            let help = "A memory region holds either a file or boot information; use two regions.";
            Err(attributes.value_error(code::MR_PREFILL_BOTH, "prefill_bootinfo", text, help))
        }
    }
}

fn read_path(
    path: &str,
    size: Option<u64>,
    attributes: &mut Attributes,
    read_file: &ReadFile,
) -> Result<Prefill, Reported> {
    let not_found = format!("unable to find prefill file: '{path}'");
    let (code, text, help) = match read_file(path, size.unwrap_or(u64::MAX)) {
        Ok(bytes) if !bytes.is_empty() => return Ok(Prefill::File(bytes)),
        Ok(_) => (
            code::MR_PREFILL_EMPTY,
            format!("prefill file '{path}' is empty"),
            "For a memory region of zeros, replace prefill_path by size.".to_owned(),
        ),
        Err(FileError::NotFound) => (
            code::MR_PREFILL_NOT_FOUND,
            not_found,
            "Create the file, or add its directory with --search-path.".to_owned(),
        ),
        Err(FileError::Misspelled(question)) => (
            code::MR_PREFILL_NOT_FOUND,
            not_found,
            format!("{question} If not, create the file, or add its directory with --search-path."),
        ),
        Err(FileError::Unreadable) => (
            code::MR_PREFILL_UNREADABLE,
            format!("failed to read file '{path}' at prefill_path"),
            "Make the file readable.".to_owned(),
        ),
        Err(FileError::NotRegular) => (
            code::MR_PREFILL_UNREADABLE,
            format!("'{path}' at prefill_path is not a regular file"),
            "The file must have a size; it cannot be a directory, a device or a pipe.".to_owned(),
        ),
        Err(FileError::TooLarge(bytes)) => {
            let text = format!(
                "size of prefill file exceeds memory region size: {bytes:x} > {:x}",
                size.unwrap_or_default()
            );
            let help = "Omit size to use the size of the file. The numbers are hexadecimal.";
            return Err(attributes.value_error(code::MR_PREFILL_SIZE, "size", &text, help));
        }
        Err(FileError::TooMuch(most)) => (
            code::MR_PREFILL_TOO_MUCH,
            format!("prefill file '{path}' is too large"),
            format!("All prefill files together can have at most {most} bytes."),
        ),
    };
    Err(attributes.value_error(code, "prefill_path", &text, help))
}

fn read_boot_info(name: &str, attributes: &mut Attributes) -> Result<Prefill, Reported> {
    match BOOT_INFO.iter().find(|(known, _)| *known == name) {
        Some((_, piece)) => Ok(Prefill::BootInfo(*piece)),
        None => {
            let text = format!("BootInfoMap type: '{name}' is not supported");
            let help = did_you_mean(name, BOOT_INFO.map(|(known, _)| known)).unwrap_or_else(|| {
                "Supported types: x86_vbe, x86_mbmmap, x86_acpi_rsdp, x86_framebuffer, x86_tsc_freq, fdt."
                    .to_owned()
            });
            Err(attributes.value_error(code::MR_PREFILL_BOOT_INFO, "prefill_bootinfo", &text, help))
        }
    }
}
