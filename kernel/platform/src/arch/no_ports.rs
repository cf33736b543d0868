//! I/O ports where there are none: no image for such an architecture has a capability to one.

use limen_core::machine::PortWidth;

/// Nothing can be read.
pub fn read(_: u16, _: PortWidth) -> u32 {
    0
}

/// Nothing can be written.
pub fn write(_: u16, _: PortWidth, _: u32) {}
