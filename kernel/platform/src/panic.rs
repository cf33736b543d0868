//! The end: a report on the debug console, then nothing. It is printed in every configuration: a machine that stops
//! without a word helps nobody.

use core::fmt;
use core::panic::{Location, PanicInfo};

use crate::arch::cpu;
use crate::console;

/// Stops the machine because the kernel found something wrong with itself or with what it was given.
#[track_caller]
pub fn fatal(what: fmt::Arguments<'_>) -> ! {
    report(what, Some(Location::caller()))
}

/// An exception in the kernel, as a port's trap code reports it unless it has more to say.
pub extern "C" fn exception_in_kernel() -> ! {
    fatal(format_args!("the kernel itself took an exception"))
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    report(format_args!("{}", info.message()), info.location())
}

fn report(what: fmt::Arguments<'_>, location: Option<&Location<'_>>) -> ! {
    console::open();
    console::line(format_args!("The kernel stopped: {what}"));
    if let Some(location) = location {
        console::line(format_args!("  in {location}"));
    }
    console::line(format_args!("  last exception: {}", cpu::last_exception()));
    cpu::stop()
}
