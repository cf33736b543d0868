//! The serial port of the Zynq UltraScale+.
//!
//! Speed and format stay as firmware set them. Source: Zynq UltraScale+ Device Technical Reference Manual (UG1085), the
//! UART controller; register reference UG1087.

use crate::mmio::DeviceWindow;

const CONTROL: u32 = 0x00;
const CHANNEL_STATUS: u32 = 0x2c;
const FIFO: u32 = 0x30;

const TRANSMIT_FULL: u32 = 1 << 4;
const TRANSMIT_ENABLE: u32 = 1 << 4;
const TRANSMIT_DISABLE: u32 = 1 << 5;

/// Enables the transmitter.
pub fn init(port: DeviceWindow) {
    port.write(CONTROL, port.read(CONTROL) & !TRANSMIT_DISABLE | TRANSMIT_ENABLE);
}

/// Waits for room in the transmit FIFO, then sends a byte.
pub fn put(port: DeviceWindow, byte: u8) {
    while port.read(CHANNEL_STATUS) & TRANSMIT_FULL != 0 {}
    port.write(FIFO, u32::from(byte));
}
