//! The serial port of the PC and of many boards, with byte-wide registers.
//!
//! Speed and format stay as firmware set them. Source: PC16550D data sheet.

const TRANSMIT: u16 = 0;
const LINE_STATUS: u16 = 5;

const TRANSMIT_EMPTY: u8 = 1 << 5;

/// Access to the registers: as memory, or through I/O ports.
pub trait Registers {
    /// Reads a register by number.
    fn read(&self, register: u16) -> u8;
    /// Writes a register by number.
    fn write(&self, register: u16, value: u8);
}

/// Waits until the port can take a byte, then sends it.
pub fn put(port: &impl Registers, byte: u8) {
    while port.read(LINE_STATUS) & TRANSMIT_EMPTY == 0 {}
    port.write(TRANSMIT, byte);
}
