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
    /// A legacy U-Boot image.
    Uimage,
}

impl ImageType {
    /// The type with this name on the command line.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Binary, Self::Elf, Self::Uimage].into_iter().find(|kind| kind.name() == name)
    }

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Elf => "elf",
            Self::Uimage => "uimage",
        }
    }

    /// Whether systems for this architecture can be written in this form.
    #[must_use]
    pub fn is_supported(self, architecture: Architecture) -> bool {
        match architecture {
            Architecture::Aarch64 => matches!(self, Self::Binary | Self::Elf),
            Architecture::Riscv64 | Architecture::X86_64 => false,
        }
    }
}
