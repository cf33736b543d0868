//! The first code on ARM and RISC-V: records the start of boot, leaves hypervisor mode, turns on the MMU and jumps to
//! the kernel.
//!
//! The loader cannot print. If it cannot carry out the plan that the tool appended, it stops the processor.

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
