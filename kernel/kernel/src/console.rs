//! The debug console. Until it is opened, and in images without printing, everything written to it is dropped.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::driver::{ns16550, pl011, sifive};
use crate::layout::CONSOLE;
use crate::mmio::Window;

/// Board fact: the driver is [`pl011`].
const KIND_PL011: u64 = 1;
/// Board fact: the driver is [`ns16550`].
const KIND_NS16550: u64 = 2;
/// Board fact: the driver is [`sifive`].
const KIND_SIFIVE: u64 = 3;
/// No driver.
const KIND_NONE: u64 = 0;

const PORT: Window = Window::at(CONSOLE);

/// The driver of the open port. There is one processor and no concurrency in the kernel.
static KIND: AtomicU64 = AtomicU64::new(KIND_NONE);

/// Opens the console with the driver that the board names; a board without a known one stays silent.
pub fn open(serial_kind: u64) {
    match serial_kind {
        KIND_PL011 => pl011::init(PORT),
        KIND_SIFIVE => sifive::init(PORT),
        _ => {}
    }
    KIND.store(serial_kind, Ordering::Relaxed);
}

/// Prints one byte; a line feed becomes carriage return and line feed.
pub fn put(byte: u8) {
    let put = match KIND.load(Ordering::Relaxed) {
        KIND_PL011 => pl011::put,
        KIND_NS16550 => ns16550::put,
        KIND_SIFIVE => sifive::put,
        _ => return,
    };
    if byte == b'\n' {
        put(PORT, b'\r');
    }
    put(PORT, byte);
}

/// Prints a line.
pub fn line(text: fmt::Arguments<'_>) {
    if KIND.load(Ordering::Relaxed) == KIND_NONE {
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
