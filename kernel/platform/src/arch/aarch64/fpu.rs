//! The floating-point and SIMD registers: 32 of 128 bits, with control and status.
//!
//! Only user mode is trapped while the unit is off; the kernel can always move registers. No barrier follows a change
//! of CPACR_EL1: the return to user mode is one. Source: Arm Architecture Reference Manual (DDI 0487), CPACR_EL1.

use core::arch::{asm, global_asm};
use core::mem::offset_of;
use core::ops::Range;

/// What the unit holds for one thread.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Registers {
    status: u64,
    control: u64,
    vectors: [u128; 32],
}

impl Registers {
    /// What a thread starts with.
    pub const INITIAL: Self = Self { status: 0, control: 0, vectors: [0; 32] };
}

/// CPACR_EL1.FPEN: user mode is trapped.
pub const ACCESS_OFF: u64 = 0b01 << 20;
/// CPACR_EL1.FPEN: nothing is trapped.
const ACCESS_ON: u64 = 0b11 << 20;

/// Registers that sections count.
pub const REGISTERS: usize = 32;
/// Where an area has them.
pub const NUMBERED: Range<usize> = offset_of!(Registers, vectors)..size_of::<Registers>();
/// The kernel can use registers whether user mode can or not.
pub const IS_ALWAYS_REACHED: bool = true;

global_asm!(include_str!("fpu.S"));
section_code!(".arch_extension nofp", CONTROL = const offset_of!(Registers, status));

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

/// Calls a routine of sections with an area.
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
    // SAFETY: decides only what user mode may use; whose registers it finds, the caller has settled.
    unsafe { asm!("msr cpacr_el1, {}", in(reg) value, options(nomem, nostack, preserves_flags)) }
}
