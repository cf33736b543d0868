//! The panic handler: prints place and reason on the debug console, then stops the program with a fault at address 0.

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::patched::name;
use crate::println;
use crate::report::crash;

/// Set while a panic is reported: what is printed may panic itself.
static IS_PANICKING: AtomicBool = AtomicBool::new(false);

#[panic_handler]
fn panic(panic: &PanicInfo<'_>) -> ! {
    if !IS_PANICKING.load(Ordering::Relaxed) {
        IS_PANICKING.store(true, Ordering::Relaxed);
        match panic.location() {
            Some(place) => println!("{} panicked at {place}: {}", name(), panic.message()),
            None => println!("{} panicked: {}", name(), panic.message()),
        }
        // A parent may start the program again.
        IS_PANICKING.store(false, Ordering::Relaxed);
    }
    crash(0)
}
