//! Registers that a program can leave in a bad state.

use core::arch::asm;

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

/// Sets every flag, misaligns the stack pointer, and executes an undefined instruction.
pub fn spoil_flags_and_stack() -> ! {
    // SAFETY: the program stops here.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!("and rsp, -16", "sub rsp, 8", "push 0x240cd7", "popfq", "ud2", options(noreturn))
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("mov x0, #0xf0000000", "msr nzcv, x0", "sub sp, sp, #8", "udf #0", options(noreturn))
    }
    // SAFETY: as above.
    #[cfg(target_arch = "riscv64")]
    unsafe {
        asm!("addi sp, sp, -8", "unimp", options(noreturn))
    }
}
