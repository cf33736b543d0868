//! The first instructions of a program.

#![expect(unsafe_code, reason = "assembly")]

crate::arch::start! {
    "ldr x0, ={top}"
    "mov sp, x0"
    "b limen_main"
    ".ltorg"
}
