//! Registers that a program can leave in a bad state.

use core::arch::{asm, global_asm};

/// Defines code between the start code and the function that it calls, to which the linker redirects the call.
macro_rules! entered {
    ($($instruction:literal)+) => {
        // SAFETY: no register that is changed has a meaning at the start of a function.
        global_asm!(
            ".global __wrap_limen_main",
            "__wrap_limen_main:",
            $($instruction,)+
            entered = sym crate::ENTERED,
        );
    };
}

#[cfg(target_arch = "aarch64")]
entered! {
    "adrp x0, {entered}"
    "add x0, x0, :lo12:{entered}"
    "mrs x1, nzcv"
    "stp x29, x30, [x0]"
    "str x1, [x0, #16]"
    "b __real_limen_main"
}

// There are no flags.
#[cfg(target_arch = "riscv64")]
entered! {
    "lla t0, {entered}"
    "sd s0, 0(t0)"
    "sd ra, 8(t0)"
    "tail __real_limen_main"
}

// The call is on the stack, and init reads the flags.
#[cfg(target_arch = "x86_64")]
entered! {
    "mov [rip + {entered}], rbp"
    "jmp __real_limen_main"
}

/// Returns the stack pointer and the flags.
#[cfg(target_arch = "x86_64")]
pub fn read_registers() -> (u64, u64) {
    /// Single step, direction, alignment check and ID.
    const MASK: u64 = 0x24_0500;
    let (stack_pointer, flags): (u64, u64);
    // SAFETY: the code pops the word that it pushes.
    unsafe { asm!("mov {}, rsp", "pushfq", "pop {}", out(reg) stack_pointer, out(reg) flags) }
    (stack_pointer, flags & MASK)
}

/// No flag has an effect in the middle of a function.
#[cfg(target_arch = "aarch64")]
pub fn read_registers() -> (u64, u64) {
    let stack_pointer;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) stack_pointer) }
    (stack_pointer, 0)
}

#[cfg(target_arch = "riscv64")]
pub fn read_registers() -> (u64, u64) {
    let stack_pointer;
    // SAFETY: reads a register.
    unsafe { asm!("mv {}, sp", out(reg) stack_pointer) }
    (stack_pointer, 0)
}

/// Sets every flag, misaligns the stack pointer, loses the caller, and executes an undefined instruction.
pub fn spoil_flags_and_stack() -> ! {
    // SAFETY: the program stops here.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "and rsp, -16",
            "sub rsp, 8",
            "push 0x240cd7",
            "popfq",
            "mov ebp, 0x5b01",
            "ud2",
            options(noreturn)
        )
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!(
            "mov x0, #0xf0000000",
            "msr nzcv, x0",
            "sub sp, sp, #8",
            "mov x29, #0x5b01",
            "mov x30, x29",
            "udf #0",
            options(noreturn)
        )
    }
    // SAFETY: as above.
    #[cfg(target_arch = "riscv64")]
    unsafe {
        asm!("addi sp, sp, -8", "li s0, 0x5b01", "mv ra, s0", "unimp", options(noreturn))
    }
}
