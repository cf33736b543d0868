//! The first instructions of a program.

#![expect(unsafe_code, reason = "assembly")]

// The instructions that set gp must not be relative to it.
crate::arch::start! {
    ".option push"
    ".option norelax"
    "lla gp, __global_pointer$"
    ".option pop"
    "li sp, {top}"
    "li s0, 0"
    "li ra, 0"
    "tail limen_main"
}
