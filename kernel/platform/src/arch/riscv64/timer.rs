//! The kernel's timer: the hart's own comparator if supervisor mode has one (Sstc), otherwise the firmware's timer.
//!
//! Source: RISC-V Privileged ISA, Sstc extension; RISC-V Supervisor Binary Interface, timer extension.

use core::arch::{asm, global_asm};
use core::sync::atomic::{AtomicBool, Ordering};

use limen_image::Board;

use super::cpu::read_register;

/// SBI: the timer extension, "TIME".
const EXTENSION_TIME: u64 = 0x5449_4d45;
/// SBI: set the timer.
const FUNCTION_SET_TIMER: u64 = 0;

/// Whether the hart has a comparator for supervisor mode.
static HAS_COMPARATOR: AtomicBool = AtomicBool::new(false);

// Reads the comparator with its own trap handler installed. Without the extension, or if machine mode reserves it, the
// read is an illegal instruction, which leaves a0 unchanged and changes sstatus.
global_asm!(
    ".section .text",
    ".balign 4",
    "probe_comparator:",
    "csrr t2, sstatus",
    "lla t0, 1f",
    "csrrw t0, stvec, t0",
    "li a0, 0",
    "csrr t1, 0x14d",
    "li a0, 1",
    ".balign 4",
    "1: csrw stvec, t0",
    "csrw sstatus, t2",
    "ret",
);

unsafe extern "C" {
    fn probe_comparator() -> u64;
}

/// Starts the timer without a deadline.
pub fn init() {
    // SAFETY: interrupts are off, and the routine restores what it changes.
    let present = unsafe { probe_comparator() } != 0;
    HAS_COMPARATOR.store(present, Ordering::Relaxed);
    stop();
}

/// The same on a further processor.
pub fn init_processor() {
    init();
}

/// The current time in ticks.
#[inline]
pub fn now() -> u64 {
    read_register!("time")
}

/// Ticks per second, a fact of the board.
pub fn frequency(board: &Board) -> u64 {
    board.timer_frequency
}

/// Asks for an interrupt at or after `deadline`; replaces an earlier request.
pub fn set_deadline(deadline: u64) {
    // SAFETY: timers reach the kernel only as interrupts.
    unsafe {
        if HAS_COMPARATOR.load(Ordering::Relaxed) {
            asm!("csrw 0x14d, {}", in(reg) deadline, options(nomem, nostack));
        } else {
            asm!(
                "ecall",
                inlateout("a0") deadline => _,
                out("a1") _,
                in("a6") FUNCTION_SET_TIMER,
                in("a7") EXTENSION_TIME,
                options(nomem, nostack)
            );
        }
    }
}

/// Asks for no interrupt.
pub fn stop() {
    set_deadline(u64::MAX);
}
