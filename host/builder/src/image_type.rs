//! Output formats of an image.

use limen_sdf::Architecture;
use serde::Deserialize;

/// Format of the output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageType {
    /// A flat memory image; the entry point is its first byte.
    Binary,
    /// The flat image as the only segment of an ELF file.
    Elf,
    /// The flat image with the headers of U-Boot and of a RISC-V Linux kernel.
    Uimage,
}

impl ImageType {
    /// The type with this name on the command line, if `architecture` supports it.
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
