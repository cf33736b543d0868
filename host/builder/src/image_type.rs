//! The forms in which an image can be written.

use limen_sdf::Architecture;
use serde::Deserialize;

/// Form of the output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageType {
    /// The bytes as they lie in memory; entered at the first one.
    Binary,
    /// The same bytes as the only segment of an ELF file.
    Elf,
    /// The same bytes behind the headers of U-Boot and of a Linux kernel for RISC-V.
    Uimage,
}

impl ImageType {
    /// The type with this name on the command line, if images for `architecture` can have it.
    #[must_use]
    pub fn from_name(name: &str, architecture: Architecture) -> Option<Self> {
        match (name, architecture) {
            ("binary", Architecture::Aarch64 | Architecture::Riscv64) => Some(Self::Binary),
            ("elf", _) => Some(Self::Elf),
            ("uimage", Architecture::Riscv64) => Some(Self::Uimage),
            _ => None,
        }
    }
}
