//! The memory of the kernel that one operation touches, on which its cost depends when caches are cold.

use serde::Deserialize;

/// The kernel's cache lines of 64 bytes, and pages of 4 KiB, that one operation touches; each counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Cold {
    /// Lines with executed instructions.
    pub code_lines: u64,
    /// Lines with data that is read or written.
    pub data_lines: u64,
    /// Lines with data that is read.
    pub read_lines: u64,
    /// Lines with data that is written.
    pub written_lines: u64,
    /// Pages with executed instructions.
    pub code_pages: u64,
    /// Pages with data that is read or written.
    pub data_pages: u64,
}

impl Cold {
    /// The names of the counts, in the order of [`Cold::counts`].
    pub const NAMES: [&str; 6] =
        ["code_lines", "data_lines", "read_lines", "written_lines", "code_pages", "data_pages"];

    /// The parameter of a row that names one of the counts, in records and the reference.
    pub const PARAM: &str = "cold";

    /// The counts.
    #[must_use]
    pub fn counts(&self) -> [u64; 6] {
        let Self { code_lines, data_lines, read_lines, written_lines, code_pages, data_pages } = *self;
        [code_lines, data_lines, read_lines, written_lines, code_pages, data_pages]
    }

    /// The counts in the order of [`Cold::counts`].
    #[must_use]
    pub fn of_counts(counts: [u64; 6]) -> Self {
        let [code_lines, data_lines, read_lines, written_lines, code_pages, data_pages] = counts;
        Self { code_lines, data_lines, read_lines, written_lines, code_pages, data_pages }
    }
}
