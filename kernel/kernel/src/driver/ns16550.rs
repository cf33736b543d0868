//! The serial port of the PC, as many boards have it: byte-wide registers.
//!
//! Speed and format stay as the firmware has set them. Source: PC16550D data sheet.

use crate::mmio::Window;

const TRANSMIT: u32 = 0;
const LINE_STATUS: u32 = 5;

const TRANSMIT_EMPTY: u8 = 1 << 5;

/// Sends one byte, after those that are waiting.
pub fn put(port: Window, byte: u8) {
    while port.read_byte(LINE_STATUS) & TRANSMIT_EMPTY == 0 {}
    port.write_byte(TRANSMIT, byte);
}
