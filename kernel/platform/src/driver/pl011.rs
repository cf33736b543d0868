//! The serial port of Arm's boards.
//!
//! Speed and format stay as firmware set them. Source: PrimeCell UART (PL011) Technical Reference Manual (DDI 0183).

use crate::mmio::DeviceWindow;

const DATA: u32 = 0x00;
const FLAGS: u32 = 0x18;
const CONTROL: u32 = 0x30;

const TRANSMIT_FULL: u32 = 1 << 5;
const ENABLE: u32 = 1 << 0;
const TRANSMIT_ENABLE: u32 = 1 << 8;

/// Enables the port and its transmitter.
pub fn init(port: DeviceWindow) {
    port.write(CONTROL, port.read(CONTROL) | ENABLE | TRANSMIT_ENABLE);
}

/// Waits for room in the transmit FIFO, then sends a byte.
pub fn put(port: DeviceWindow, byte: u8) {
    while port.read(FLAGS) & TRANSMIT_FULL != 0 {}
    port.write(DATA, u32::from(byte));
}
