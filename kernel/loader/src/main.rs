//! The first code on ARM and RISC-V: notes when boot starts, leaves the hypervisor's mode, turns on the
//! MMU and jumps to the kernel.
//!
//! Nothing can be printed here. If the plan that the tool left behind the loader cannot be carried out, the
//! processor stops.

#![no_std]
#![no_main]

#[expect(unsafe_code, reason = "the entry point is assembly")]
mod arch;

/// Required by the language; nothing in the loader panics.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
