//! The kernel's timer: the virtual timer of EL1. The physical timer belongs to programs.
//!
//! Source: Arm Architecture Reference Manual (DDI 0487), the Generic Timer.

use limen_image::Board;

use super::cpu::{read_register, write_register};

/// CNTV_CTL_EL0: the timer runs and its interrupt is not masked.
const ENABLED: u64 = 1;
/// CNTKCTL_EL1: user mode may read the physical and the virtual counter.
const USER_READS_COUNTERS: u64 = 1 << 0 | 1 << 1;
/// CNTKCTL_EL1: user mode may use the physical timer.
const USER_USES_PHYSICAL_TIMER: u64 = 1 << 9;

/// Starts the timer without a deadline and grants user mode the physical timer, stopped.
pub fn init() {
    stop();
    // SAFETY: timers reach the kernel only as interrupts.
    unsafe {
        write_register!("cntv_ctl_el0", ENABLED);
        write_register!("cntp_ctl_el0", 0_u64);
        write_register!("cntkctl_el1", USER_READS_COUNTERS | USER_USES_PHYSICAL_TIMER);
    }
}

/// The same on a further processor.
pub fn init_processor() {
    init();
}

/// The current time in ticks.
#[inline]
pub fn now() -> u64 {
    read_register!("cntvct_el0")
}

/// Ticks per second, from CNTFRQ_EL0.
pub fn frequency(_: &Board) -> u64 {
    read_register!("cntfrq_el0")
}

/// Asks for an interrupt at or after `deadline`; replaces an earlier request.
#[inline]
pub fn set_deadline(deadline: u64) {
    // SAFETY: timers reach the kernel only as interrupts.
    unsafe { write_register!("cntv_cval_el0", deadline) }
}

/// Asks for no interrupt.
#[inline]
pub fn stop() {
    set_deadline(u64::MAX);
}
