//! What a memory region holds when the system starts.

use std::sync::Arc;

use limen_abi::boot_info::BootInfo;
use limen_nearest::did_you_mean;

use crate::attribute::{Attributes, Reported};
use crate::code;
use crate::model::Prefill;

/// Why a file that a description names cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// It is nowhere.
    NotFound,
    /// It is nowhere, but others have nearly its name: the question whether one of them was meant.
    Misspelled(String),
    /// It is there, and cannot be read.
    Unreadable,
    /// It is a folder, a device or a pipe, which have no size.
    NotRegular,
    /// It has so many bytes, more than were asked for.
    TooLarge(u64),
    /// With this file, those that the description names have more bytes than this.
    TooMuch(u64),
}

/// Finds a file that a description names, and reads it if it has at most as many bytes as the number says.
pub type ReadFile<'f> = dyn Fn(&str, u64) -> Result<Arc<[u8]>, FileError> + 'f;

/// For descriptions that name no files: finds none.
///
/// # Errors
/// Always.
pub fn no_files(_: &str, _: u64) -> Result<Arc<[u8]>, FileError> {
    Err(FileError::NotFound)
}

/// Pieces of boot information by the names of descriptions. The manual of the reference spells one of them differently
/// from its tool.
const BOOT_INFO: [(&str, BootInfo); 7] = [
    ("x86_vbe", BootInfo::X86Vbe),
    ("x86_mbmmap", BootInfo::X86MultibootMemory),
    ("x86_mbmap", BootInfo::X86MultibootMemory),
    ("x86_acpi_rsdp", BootInfo::X86AcpiRootPointer),
    ("x86_framebuffer", BootInfo::X86FrameBuffer),
    ("x86_tsc_freq", BootInfo::X86TscFrequency),
    ("fdt", BootInfo::DeviceTree),
];

/// The names alone.
pub(crate) const BOOT_INFO_NAMES: [&str; BOOT_INFO.len()] = {
    let mut names = [""; BOOT_INFO.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = BOOT_INFO[index].0;
        index += 1;
    }
    names
};

/// Reads the attributes that fill a memory region.
///
/// `size` is that of the memory region, if it is a size that one can have.
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
            // The file is looked at first, as users know it.
            read_path(path, size, attributes, read_file)?;
            let text = "prefill_path and prefill_bootinfo cannot be both specified";
            let help = "A memory region holds either a file or what the firmware tells; use two regions.";
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
            "A memory region is zero without prefill_path; give it a size instead.".to_owned(),
        ),
        Err(FileError::NotFound) => (
            code::MR_PREFILL_NOT_FOUND,
            not_found,
            "Make the file first, or name its directory with --search-path.".to_owned(),
        ),
        Err(FileError::Misspelled(question)) => (
            code::MR_PREFILL_NOT_FOUND,
            not_found,
            format!("{question} If not, make the file first, or name its directory with --search-path."),
        ),
        Err(FileError::Unreadable) => (
            code::MR_PREFILL_UNREADABLE,
            format!("failed to read file '{path}' at prefill_path"),
            "It must be a file that may be read.".to_owned(),
        ),
        Err(FileError::NotRegular) => (
            code::MR_PREFILL_UNREADABLE,
            format!("'{path}' at prefill_path is not a regular file"),
            "What a memory region is filled with has a size: it must not be a folder, a device or a pipe."
                .to_owned(),
        ),
        Err(FileError::TooLarge(bytes)) => {
            let text = format!(
                "size of prefill file exceeds memory region size: {bytes:x} > {:x}",
                size.unwrap_or_default()
            );
            let help = "Leave size out to get what the file needs. The numbers are hexadecimal.";
            return Err(attributes.value_error(code::MR_PREFILL_SIZE, "size", &text, help));
        }
        Err(FileError::TooMuch(most)) => (
            code::MR_PREFILL_TOO_MUCH,
            format!("prefill file '{path}' is too large"),
            format!("Files that fill memory regions have at most {most} bytes together."),
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
                "Pieces: x86_vbe, x86_mbmmap, x86_acpi_rsdp, x86_framebuffer, x86_tsc_freq, fdt.".to_owned()
            });
            Err(attributes.value_error(code::MR_PREFILL_BOOT_INFO, "prefill_bootinfo", &text, help))
        }
    }
}
