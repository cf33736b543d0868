//! The debug console. Until it is opened, and in images without printing, everything written to it is dropped.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::arch::serial;

/// Whether bytes go to the port. There is one processor and no concurrency in the kernel.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Opens the console with the driver that the board names; a board without a known one stays silent.
pub fn open(serial_kind: u64) {
    OPEN.store(serial::open(serial_kind), Ordering::Relaxed);
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
