//! The debug console's serial port: the first one of a PC.

use super::ports::{read_byte, write_byte};
use crate::driver::ns16550::{self, Registers};

/// The driver of the first serial port of a PC.
pub const KIND: u64 = 4;
/// Its first I/O port.
const FIRST: u16 = 0x3f8;

struct Ports;

impl Registers for Ports {
    fn read(&self, register: u16) -> u8 {
        read_byte(FIRST + register)
    }

    fn write(&self, register: u16, value: u8) {
        write_byte(FIRST + register, value);
    }
}

/// Opens the port; false if this driver does not serve it.
pub fn open(kind: u64) -> bool {
    kind == KIND
}

/// Sends one byte, after those that are waiting.
pub fn put(byte: u8) {
    ns16550::put(&Ports, byte);
}
