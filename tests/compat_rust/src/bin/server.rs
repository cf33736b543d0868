//! Adds up words, changes shared memory, and answers signals with signals.
#![no_std]
#![no_main]

use compat_rust::bindings::{self, info_label, info_length};
use compat_rust::{CALLED, filled_in, ipc_buffer, notification};

const TESTER: u64 = 3;

#[unsafe(no_mangle)]
extern "C" fn program() -> ! {
    let ipc = ipc_buffer();
    // A name is as long as the program wants it, if it fits.
    let _ = filled_in!(microkit_name: [u8; 64] = [0; 64]);
    let _ = filled_in!(microkit_notifications: u64 = 0);
    let shared = filled_in!(shared: usize = 0) as *mut u64;
    let mut received = ipc.receive();
    loop {
        received = if received.badge & CALLED == 0 {
            ipc.signal(notification(TESTER));
            ipc.receive()
        } else if info_length(received.info) == 0 {
            // SAFETY: the tool has written the address of a region that is mapped here; the caller waits.
            unsafe { shared.write_volatile(shared.read_volatile() + 1) };
            ipc.answer(0)
        } else {
            ipc.message[6] = ipc.message[..info_length(received.info) as usize].iter().sum();
            ipc.answer(bindings::info(info_label(received.info) + 1, 0, 0, 7))
        };
    }
}
