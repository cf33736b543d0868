//! Reports about the program's own mistakes, each one line on the debug console.

use crate::arch;
use crate::channel::Channel;
use crate::patched::name;
use crate::println;

/// The description does not grant a channel.
#[cold]
#[inline(never)]
pub(crate) fn channel(function: &str, channel: Channel) {
    println!("{} {function}: invalid channel given '{}'", name(), channel.id());
}

/// A message has no such word.
#[cold]
#[inline(never)]
pub(crate) fn word(function: &str, index: usize) {
    println!("{} {function}: invalid message word given '{index}'", name());
}

/// The description does not grant a range of I/O ports.
#[allow(dead_code, reason = "only x86 has I/O ports")]
#[cold]
#[inline(never)]
pub(crate) fn io_ports(function: &str, id: u8) {
    println!("{} {function}: invalid I/O Port ID given '{id}'", name());
}

/// A deferred signal was replaced by another.
#[cold]
#[inline(never)]
pub(crate) fn lost_signal(function: &str, channel: Channel) {
    let id = channel.id();
    println!("{} {function}: an earlier deferred signal is lost, replaced by channel '{id}'", name());
}

/// The program has no such entry point.
#[cold]
#[inline(never)]
pub(crate) fn missing(entry_point: &str) -> ! {
    println!("{} is missing the '{entry_point}' entry point", name());
    crash(0)
}

/// Stops the program with a fault at the address `code`, which the monitor or the parent then reports.
pub fn crash(code: u8) -> ! {
    loop {
        arch::store_zero(u64::from(code));
    }
}
