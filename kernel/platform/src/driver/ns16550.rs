//! The serial port of the PC, as many boards have it: byte-wide registers.
//!
//! Speed and format stay as the firmware has set them. Source: PC16550D data sheet.

const TRANSMIT: u16 = 0;
const LINE_STATUS: u16 = 5;

const TRANSMIT_EMPTY: u8 = 1 << 5;

/// How the registers are reached: as memory, or through I/O ports.
pub trait Registers {
    /// Reads the register of this number.
    fn read(&self, register: u16) -> u8;
    /// Writes the register of this number.
    fn write(&self, register: u16, value: u8);
}

/// Sends one byte, after those that are waiting.
pub fn put(port: &impl Registers, byte: u8) {
    while port.read(LINE_STATUS) & TRANSMIT_EMPTY == 0 {}
    port.write(TRANSMIT, byte);
}
