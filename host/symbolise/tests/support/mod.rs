//! The running test as a program file, after a run of `objcopy`.

use std::fs;
use std::process::Command;

use object::{Object, ObjectSection};

/// The file of this test, converted with these options.
pub(crate) fn converted(options: &[&str]) -> Vec<u8> {
    // Two tests ask for the same options at once: each has a file of its own.
    let file = tempfile::NamedTempFile::new().unwrap();
    let own = std::env::current_exe().unwrap();
    let status = Command::new("objcopy").args(options).arg(own).arg(file.path()).status().unwrap();
    assert!(status.success(), "{options:?}");
    fs::read(file.path()).unwrap()
}

/// The file with compressed lines that are damaged. Only their bytes change, not their places.
pub(crate) fn with_damaged_lines() -> Vec<u8> {
    /// The header says how the section is compressed.
    const HEADER_BYTES: usize = 24;
    let mut bytes = converted(&["--compress-debug-sections=zlib"]);
    let file = object::File::parse(&*bytes).unwrap();
    let (start, length) = file.section_by_name(".debug_info").unwrap().file_range().unwrap();
    bytes[start as usize + HEADER_BYTES..(start + length) as usize].fill(0xff);
    bytes
}
