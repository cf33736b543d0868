//! The parts of the Linux tests that depend on the instruction set.

use std::arch::global_asm;

use crate::truth::{JUMP_OFF, JUMP_ON};

// Two functions without arguments that return whether they have jumped.
#[cfg(target_arch = "x86_64")]
global_asm!(
    limen_keys::assembly!(),
    ".text",
    ".globl jumps_if_on, jumps_if_off",
    "jumps_if_on:",
    "static_jump_if_on {off}, 0, 2f, rax",
    "xor eax, eax",
    "ret",
    "jumps_if_off:",
    "static_jump_if_off {on}, 1, 2f, rax",
    "xor eax, eax",
    "ret",
    "2:",
    "mov eax, 1",
    "ret",
    off = sym JUMP_OFF,
    on = sym JUMP_ON,
);
#[cfg(target_arch = "aarch64")]
global_asm!(
    limen_keys::assembly!(),
    ".text",
    ".globl jumps_if_on, jumps_if_off",
    "jumps_if_on:",
    "static_jump_if_on {off}, 0, 2f, x0",
    "mov x0, #0",
    "ret",
    "jumps_if_off:",
    "static_jump_if_off {on}, 1, 2f, x0",
    "mov x0, #0",
    "ret",
    "2:",
    "mov x0, #1",
    "ret",
    off = sym JUMP_OFF,
    on = sym JUMP_ON,
);

unsafe extern "C" {
    /// Jumps while [`JUMP_OFF`] is on.
    pub(crate) safe fn jumps_if_on() -> bool;
    /// Jumps while [`JUMP_ON`] is off.
    pub(crate) safe fn jumps_if_off() -> bool;
}
