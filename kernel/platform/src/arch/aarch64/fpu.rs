//! The floating-point and SIMD registers: 32 of 128 bits, with control and status.
//!
//! While the unit is off, only user mode traps; the kernel can always save and load. A change of CPACR_EL1 needs no
//! barrier, because the return to user mode is one. Source: Arm Architecture Reference Manual (DDI 0487), CPACR_EL1.

use core::arch::{asm, global_asm};
use core::mem::offset_of;
use core::ops::Range;

/// The FPU registers of one thread.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Registers {
    status: u64,
    control: u64,
    vectors: [u128; 32],
}

impl Registers {
    /// The initial registers of a thread.
    pub const INITIAL: Self = Self { status: 0, control: 0, vectors: [0; 32] };
}

/// CPACR_EL1.FPEN: user mode is trapped.
pub const ACCESS_OFF: u64 = 0b01 << 20;
/// CPACR_EL1.FPEN: nothing is trapped.
const ACCESS_ON: u64 = 0b11 << 20;

/// The number of vector registers that a section can save.
pub const REGISTERS: usize = 32;
/// Their position in a save area.
pub const NUMBERED: Range<usize> = offset_of!(Registers, vectors)..size_of::<Registers>();
/// The kernel can use the registers even while the unit is off for user mode.
pub const IS_ALWAYS_REACHED: bool = true;

global_asm!(include_str!("fpu.S"));
section_code!(".arch_extension nofp", CONTROL = const offset_of!(Registers, status));

/// Nothing to do: the entry point turns the unit off.
pub fn init() {}

/// Options that this processor adds to every policy. None is known to leak registers of a disabled unit.
pub fn options() -> u64 {
    0
}

/// Saves the registers to `$save` and loads them from `$load`, with few general registers.
macro_rules! exchange {
    ($save:expr, $load:expr) => {
        core::arch::asm!(
            include_str!("arch/aarch64/exchange.S"),
            save = in(reg) $save,
            load = in(reg) $load,
            status = out(reg) _,
            control = out(reg) _,
            new_status = out(reg) _,
            new_control = out(reg) _,
            options(nostack, preserves_flags)
        )
    };
}
pub(crate) use exchange;

/// Calls a section routine on a save area.
macro_rules! call {
    ($routine:path, $area:expr) => {
        core::arch::asm!(
            "bl {routine}", routine = sym $routine, in("x0") $area,
            out("x9") _, out("x10") _, out("x30") _, options(nostack)
        )
    };
}
pub(crate) use call;

/// Lets user mode use the unit.
#[inline]
pub fn enable() {
    set_access(ACCESS_ON);
}

/// Traps every use of the unit by user mode.
#[inline]
pub fn disable() {
    set_access(ACCESS_OFF);
}

#[inline]
fn set_access(value: u64) {
    // SAFETY: affects only what user mode may use; the caller has made sure that the right thread's registers are
    // loaded.
    unsafe { asm!("msr cpacr_el1, {}", in(reg) value, options(nomem, nostack, preserves_flags)) }
}
