//! The serial port of SiFive's boards.
//!
//! Speed and format stay as firmware set them. Source: SiFive FU540-C000 Manual, UART.

use crate::mmio::DeviceWindow;

const TRANSMIT: u32 = 0x00;
const TRANSMIT_CONTROL: u32 = 0x08;

const TRANSMIT_FULL: u32 = 1 << 31;
const ENABLE: u32 = 1 << 0;

/// Enables the transmitter.
pub fn init(port: DeviceWindow) {
    port.write(TRANSMIT_CONTROL, port.read(TRANSMIT_CONTROL) | ENABLE);
}

/// Waits for room in the transmit FIFO, then sends a byte.
pub fn put(port: DeviceWindow, byte: u8) {
    while port.read(TRANSMIT) & TRANSMIT_FULL != 0 {}
    port.write(TRANSMIT, u32::from(byte));
}
