//! The forms in which an image can be written.

use serde::Deserialize;

/// Form of the output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageType {
    /// The bytes as they lie in memory; entered at the first one.
    Binary,
    /// The same bytes as the only segment of an ELF file.
    Elf,
}

impl ImageType {
    /// The type with this name on the command line.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "binary" => Some(Self::Binary),
            "elf" => Some(Self::Elf),
            _ => None,
        }
    }
}
