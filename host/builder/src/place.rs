//! The place of an extent in physical memory.

use limen_image::RegionKind;

/// Place of an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Physical address.
    pub paddr: u64,
    /// Source of its initial contents.
    pub kind: RegionKind,
    /// Whether the description sets this address.
    pub fixed: bool,
}
