//! The debug console. Output is dropped until it is opened. In images without printing, it is opened only to report why
//! the kernel stops.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::arch::serial;

/// The driver of the port. The kernel runs on one processor, without concurrency.
static KIND: AtomicU64 = AtomicU64::new(0);
/// Whether output goes to the port.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Records the driver of the port, whose registers are reachable from now on. Does not access the port.
pub fn attach(serial_kind: u64) {
    KIND.store(serial_kind, Ordering::Relaxed);
}

/// Opens the console; without a known driver it stays silent.
pub fn open() {
    if !OPEN.load(Ordering::Relaxed) {
        OPEN.store(serial::open(KIND.load(Ordering::Relaxed)), Ordering::Relaxed);
    }
}

/// Prints one byte; a line feed becomes carriage return and line feed.
pub fn put(byte: u8) {
    if !OPEN.load(Ordering::Relaxed) {
        return;
    }
    if byte == b'\n' {
        serial::put(b'\r');
    }
    serial::put(byte);
}

/// Prints a line.
pub fn line(text: fmt::Arguments<'_>) {
    if !OPEN.load(Ordering::Relaxed) {
        return;
    }
    // Writing to the console cannot fail.
    let _ = fmt::write(&mut Console, text);
    put(b'\n');
}

struct Console;

impl fmt::Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(put);
        Ok(())
    }
}
