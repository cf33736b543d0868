//! The first instructions of a program.

#![expect(unsafe_code, reason = "assembly")]

crate::arch::start! {
    "movabs rsp, {top}"
    "xor ebp, ebp"
    "call limen_main"
    "ud2"
}
