//! The first instructions of a program.

#![expect(unsafe_code, reason = "assembly")]

crate::arch::start! {
    "ldr x0, ={top}"
    "mov sp, x0"
    "msr nzcv, xzr"
    "mov x29, xzr"
    "mov x30, xzr"
    "b limen_main"
    ".ltorg"
}
