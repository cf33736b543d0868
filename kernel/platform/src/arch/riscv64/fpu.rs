//! The floating-point registers: 32 of 64 bits, with control and status.
//!
//! Traps do not change `sstatus`, and the kernel itself does not use the registers. So `sstatus` always has the unit on
//! or off as user mode should find it. Source: RISC-V Privileged ISA, `sstatus.FS`.

use core::arch::{asm, global_asm};
use core::mem::offset_of;
use core::ops::Range;

use super::cpu::read_register;
use crate::console;

/// The FPU registers of one thread. The size is a power of two so that indexing takes a shift: a multiplication would
/// cost six instructions on every thread switch.
#[derive(Debug)]
#[repr(C, align(512))]
pub struct Registers {
    values: [u64; 32],
    control: u64,
}

impl Registers {
    /// The initial registers of a thread.
    pub const INITIAL: Self = Self { values: [0; 32], control: 0 };
}

/// sstatus.FS: 0 is off; 3 (all bits) is on, with registers that may have changed.
const SSTATUS_FS: u64 = 0b11 << 13;

/// The number of vector registers that a section can save.
pub const REGISTERS: usize = 32;
/// Their position in a save area.
pub const NUMBERED: Range<usize> = 0..offset_of!(Registers, control);
/// The kernel cannot use the registers while the unit is off.
pub const IS_ALWAYS_REACHED: bool = false;

global_asm!(include_str!("fpu.S"));
section_code!(".option pop", CONTROL = const offset_of!(Registers, control));

/// Looks for vector registers, which only the kernel uses. The entry point has turned both units off.
pub fn init() {
    // SAFETY: only boot runs, with interrupts off.
    if let Some(bytes) = unsafe { limen_simd::arch::detect() } {
        console::line(format_args!("  vector registers of {} bits", 8 * bytes));
    }
}

/// Options that this processor adds to every policy. None is known to leak registers of a disabled unit.
pub fn options() -> u64 {
    0
}

/// Saves the registers to `$save` and loads them from `$load`, using few general registers.
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

/// Calls a section routine on a save area. One `jal` reaches all of the kernel's code.
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
    // SAFETY: affects only whether the registers can be used; the caller has made sure that the right thread's are
    // loaded.
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
