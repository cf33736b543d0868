//! Fatal errors: a report on the debug console, then the machine stops. Every configuration prints the report, because
//! a machine that stops silently cannot be debugged.

use core::fmt;
use core::panic::{Location, PanicInfo};

use crate::arch::cpu;
use crate::console;

/// Stops the machine because the kernel found a fault in itself or in its input.
#[track_caller]
pub fn fatal(what: fmt::Arguments<'_>) -> ! {
    report(what, Some(Location::caller()))
}

/// Reports an exception in the kernel. Ports whose trap code has more to report have their own.
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
