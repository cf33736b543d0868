//! Memory-mapped serial ports. The board selects the driver.

use core::sync::atomic::{AtomicU64, Ordering};

use super::{cadence, ns16550, pl011, sifive};
use crate::mmio::DeviceWindow;
use limen_mmu::layout::CONSOLE;

/// Board fact: the driver is [`pl011`].
const KIND_PL011: u64 = 1;
/// Board fact: the driver is [`ns16550`].
const KIND_NS16550: u64 = 2;
/// Board fact: the driver is [`sifive`].
const KIND_SIFIVE: u64 = 3;
/// Board fact: the driver is [`cadence`].
const KIND_CADENCE: u64 = 5;
/// No driver.
const KIND_NONE: u64 = 0;

const PORT: DeviceWindow = DeviceWindow::at(CONSOLE);

/// The driver of the open port. The kernel runs on one processor, without concurrency.
static KIND: AtomicU64 = AtomicU64::new(KIND_NONE);

/// Enables the transmitter. False if no driver serves the port.
pub fn open(kind: u64) -> bool {
    match kind {
        KIND_PL011 => pl011::init(PORT),
        KIND_SIFIVE => sifive::init(PORT),
        KIND_CADENCE => cadence::init(PORT),
        KIND_NS16550 => {}
        _ => return false,
    }
    KIND.store(kind, Ordering::Relaxed);
    true
}

/// Waits until the port can take a byte, then sends it.
pub fn put(byte: u8) {
    match KIND.load(Ordering::Relaxed) {
        KIND_PL011 => pl011::put(PORT, byte),
        KIND_NS16550 => ns16550::put(&PORT, byte),
        KIND_SIFIVE => sifive::put(PORT, byte),
        KIND_CADENCE => cadence::put(PORT, byte),
        _ => {}
    }
}
