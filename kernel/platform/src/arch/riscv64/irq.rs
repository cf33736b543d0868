//! The interrupt controller: the PLIC, and the hart's own timer interrupt.
//!
//! Every line stays enabled; its priority, zero or one, masks or unmasks it. The controller ignores a completion of a
//! disabled line, so this way a completion always works, also in another domain's slot. Between its interrupt and
//! [`complete`] a line cannot interrupt, because the controller waits for the completion. The interrupt gateway decides
//! what counts as an edge and whether it latches one meanwhile. The timer is line 0, which the controller does not use.
//! Source: RISC-V Platform-Level Interrupt Controller Specification; Privileged ISA, `sie` and `sip`.

use core::arch::asm;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::PAGE_BYTES;
use limen_core::object::irq::State;
use limen_image::{Board, Interrupt, InterruptController};
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::cpu::read_register;
use crate::mmio::DeviceWindow;
use limen_mmu::layout;

/// Board fact: the interrupt controller that this driver serves.
pub const KIND: u64 = InterruptController::Plic as u64;

/// The line number of the hart's timer.
const TIMER_LINE: u32 = 0;
/// sie, sip: the timer of the hart.
const LOCAL_TIMER: u64 = 1 << 5;
/// sie: the controller.
const LOCAL_CONTROLLER: u64 = 1 << 9;

/// Lines per register that has one bit per line.
const LINES_PER_WORD: u32 = u32::BITS;
/// Bytes between contexts, by kind of register. Each hart has two contexts, for machine mode and supervisor mode.
const ENABLE_BYTES: u64 = 0x80;
const CONTEXT_BYTES: u64 = 0x1000;
const CONTEXTS_PER_HART: u64 = 2;
/// Offsets of the first context's registers.
const ENABLES: u64 = 0x2000;
const CONTEXTS: u64 = limen_image::PLIC_CONTEXTS;

/// Registers of a context, by offset.
mod context {
    pub(super) const THRESHOLD: u32 = 0;
    pub(super) const CLAIM: u32 = 4;
}

const PRIORITIES_PAGE: VirtAddr = layout::interrupt_controller(0);
const ENABLES_PAGE: VirtAddr = layout::interrupt_controller(1);
const CONTEXT_PAGE: VirtAddr = layout::interrupt_controller(2);
const PRIORITIES: DeviceWindow = DeviceWindow::at(PRIORITIES_PAGE);
const ENABLES_WINDOW: DeviceWindow = DeviceWindow::at(ENABLES_PAGE);
const CONTEXT: DeviceWindow = DeviceWindow::at(CONTEXT_PAGE);

/// The hart that runs the kernel. Set before any other function of this file is called.
static HART: AtomicU64 = AtomicU64::new(0);
/// Offset of its enable bits in their page.
static ENABLES_OFFSET: AtomicU64 = AtomicU64::new(0);

/// Records the hart that runs the kernel.
pub fn set_hart(hart: u64) {
    HART.store(hart, Ordering::Relaxed);
}

/// The driver's pages, and the physical pages that boot must map there first.
pub fn windows(board: &Board) -> [(VirtAddr, PhysAddr); 3] {
    let base = board.interrupt_controller_paddr;
    let claims = board.interrupt_cpu_paddr + HART.load(Ordering::Relaxed) * CONTEXTS_PER_HART * CONTEXT_BYTES;
    let number = (claims - base - CONTEXTS) / CONTEXT_BYTES;
    let enables = base + ENABLES + number * ENABLE_BYTES;
    ENABLES_OFFSET.store(enables % PAGE_BYTES, Ordering::Relaxed);
    [
        (PRIORITIES_PAGE, PhysAddr(base)),
        (ENABLES_PAGE, PhysAddr(enables - enables % PAGE_BYTES)),
        (CONTEXT_PAGE, PhysAddr(claims)),
    ]
}

/// Resets the controller, which has this many lines: all lines masked, none in service.
pub fn init(lines: u32) {
    let enables = ENABLES_OFFSET.load(Ordering::Relaxed) as u32;
    for line in 1..lines {
        mask(line);
    }
    for word in 0..lines.div_ceil(LINES_PER_WORD) {
        ENABLES_WINDOW.write(enables + 4 * word, u32::MAX);
    }
    CONTEXT.write(context::THRESHOLD, 0);
    set_local(LOCAL_CONTROLLER);
}

/// Unmasks a device's line. The controller has no trigger configuration.
pub fn connect(interrupt: &Interrupt) {
    unmask(interrupt.line as u32);
}

/// Unmasks the hart's timer interrupt.
pub fn connect_timer(_: u32) {
    set_local(LOCAL_TIMER);
}

/// Claims the pending line, if any.
#[inline]
pub fn acknowledge() -> Option<u32> {
    if read_register!("sip") & LOCAL_TIMER != 0 {
        return Some(TIMER_LINE);
    }
    let line = CONTEXT.read(context::CLAIM);
    (line != 0).then_some(line)
}

/// Ends the timer interrupt. Nothing to do: setting a new deadline does it.
#[inline]
pub fn end(_: u32) {}

/// Masks a line that [`acknowledge`] returned until [`complete`]. Nothing to do: the claim does it.
#[inline]
pub fn hold(_: u32) {}

/// Completes a line after the program has served its interrupt.
#[inline]
pub fn complete(line: u32) {
    CONTEXT.write(context::CLAIM, line);
}

/// Masks a line.
#[inline]
pub fn mask(line: u32) {
    PRIORITIES.write(4 * line, 0);
}

/// Unmasks a line.
#[inline]
pub fn unmask(line: u32) {
    PRIORITIES.write(4 * line, 1);
}

/// Keeps a line pending until [`resume`]: with priority zero it is not signalled.
pub fn suspend(line: u32) {
    mask(line);
}

/// Undoes [`suspend`]. The controller repeats no line before its completion, so the line is not masked for another
/// reason.
pub fn resume(line: u32, _: State) {
    unmask(line);
}

fn set_local(interrupts: u64) {
    // SAFETY: interrupts reach the kernel only while a program runs or the processor is idle.
    unsafe { asm!("csrs sie, {}", in(reg) interrupts, options(nomem, nostack)) }
}
