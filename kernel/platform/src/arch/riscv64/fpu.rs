//! The floating-point registers: 32 of 64 bits, with control and status.
//!
//! Traps leave `sstatus` alone, and the kernel itself uses no such register: so the unit is on or off in `sstatus` as
//! user mode is to find it. Source: RISC-V Privileged ISA, `sstatus.FS`.

use core::arch::{asm, global_asm};
use core::mem::offset_of;
use core::ops::Range;

use super::cpu::read_register;

/// What the unit holds for one thread. Its size is a power of two: to find one takes a shift, and no multiplication, which
/// would be six instructions at every change of thread.
#[derive(Debug)]
#[repr(C, align(512))]
pub struct Registers {
    values: [u64; 32],
    control: u64,
}

impl Registers {
    /// What a thread starts with.
    pub const INITIAL: Self = Self { values: [0; 32], control: 0 };
}

/// sstatus.FS: zero is off; three, which is all bits, is on, and the registers may have changed.
const SSTATUS_FS: u64 = 0b11 << 13;

/// Registers that sections count.
pub const REGISTERS: usize = 32;
/// Where an area has them.
pub const NUMBERED: Range<usize> = 0..offset_of!(Registers, control);
/// The kernel cannot use registers while the unit is off.
pub const IS_ALWAYS_REACHED: bool = false;

global_asm!(include_str!("fpu.S"));
section_code!(".option pop", CONTROL = const offset_of!(Registers, control));

/// The entry point has turned the unit off.
pub fn init() {}

/// What every policy has on this processor. No processor is known to tell programs of registers that they may not use.
pub fn options() -> u64 {
    0
}

/// Stores what the unit holds in `$save` and loads it from `$load`, with few registers.
macro_rules! exchange {
    ($save:expr, $load:expr) => {
        core::arch::asm!(
            include_str!("arch/riscv64/exchange.S"),
            save = in(reg) $save,
            load = in(reg) $load,
            control = out(reg) _,
            new_control = out(reg) _,
            options(nostack)
        )
    };
}
pub(crate) use exchange;

/// Calls a routine of sections with an area. All of the kernel's code is in reach of one instruction.
macro_rules! call {
    ($routine:path, $area:expr) => {
        core::arch::asm!(
            "jal {routine}", routine = sym $routine, in("a0") $area, out("t0") _, out("ra") _,
            options(nostack)
        )
    };
}
pub(crate) use call;

/// Lets user mode use the unit.
#[inline]
pub fn enable() {
    // SAFETY: decides only whether the registers can be used; whose they are, the caller has settled.
    unsafe { asm!("csrs sstatus, {}", in(reg) SSTATUS_FS, options(nomem, nostack)) }
}

/// Makes every use of the unit an illegal instruction.
#[inline]
pub fn disable() {
    // SAFETY: as above.
    unsafe { asm!("csrc sstatus, {}", in(reg) SSTATUS_FS, options(nomem, nostack)) }
}

/// Whether user mode can use the unit.
pub fn is_on() -> bool {
    read_register!("sstatus") & SSTATUS_FS != 0
}
