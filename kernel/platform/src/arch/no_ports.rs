//! I/O ports on an architecture without them: no image has a capability to one.

use limen_core::machine::PortWidth;

/// Reads zero.
pub fn read(_: u16, _: PortWidth) -> u32 {
    0
}

/// Does nothing.
pub fn write(_: u16, _: PortWidth, _: u32) {}
