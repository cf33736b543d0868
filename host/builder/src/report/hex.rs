//! Addresses and badges: hexadecimal in every form of a report.

use std::fmt;

use serde::{Serialize, Serializer};

/// A word in hexadecimal. In JSON it is a string, because JSON numbers have only 53 bits of precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hex(
    /// The word.
    pub u64,
);

impl fmt::LowerHex for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:#x}"))
    }
}
