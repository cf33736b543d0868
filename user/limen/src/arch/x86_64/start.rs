//! The first instructions of a program.

#![expect(unsafe_code, reason = "assembly")]

crate::arch::start! {
    "movabs rsp, {top}"
    "push 2"
    "popfq"
    "xor ebp, ebp"
    "call limen_main"
    "ud2"
}
