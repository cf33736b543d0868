//! Calls its parent and does with the answer what it must not do. It has a second life, in which it signals.
#![no_std]
#![no_main]

use compat_rust::bindings::info;
use compat_rust::{INPUT, endpoint, filled_in, ipc_buffer, notification};

const PARENT: u64 = 9;

#[unsafe(no_mangle)]
extern "C" fn program() -> ! {
    let ipc = ipc_buffer();
    let _ = filled_in!(microkit_name: [u8; 16] = [0; 16]);
    let _ = filled_in!(microkit_notifications: u64 = 0);
    let _ = filled_in!(microkit_pps: u64 = 0);
    ipc.message[..2].copy_from_slice(&[20, second_life as extern "C" fn() -> ! as usize as u64]);
    ipc.call(endpoint(PARENT), info(5, 0, 0, 2));
    let address = 0xdead_0000 + ipc.message[0] as usize;
    // SAFETY: nothing is mapped there, so that nothing is changed.
    unsafe { (address as *mut u8).write_volatile(1) };
    loop {
        core::hint::spin_loop();
    }
}

extern "C" fn second_life() -> ! {
    let ipc = ipc_buffer();
    ipc.signal(notification(PARENT));
    loop {
        ipc.call(INPUT, 0);
    }
}
