//! The interrupt controller: PLIC, and beside it the timer interrupt of the hart.
//!
//! Every line is enabled for good; whether it may interrupt is said by its priority, zero or one. So a
//! completion always finds its line enabled, without which the controller ignores it; also in the slot of
//! another domain. A line is quiet between its interrupt and [`complete`] because the controller waits for
//! a completion; what an edge does meanwhile is up to the wires before the controller, which also decide
//! what is an edge. The timer is line 0, which the controller does not have. Source: RISC-V Platform-Level
//! Interrupt Controller Specification; Privileged ISA, `sie` and `sip`.

use core::arch::asm;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::PAGE_BYTES;
use limen_core::object::irq::State;
use limen_image::{Board, Interrupt, InterruptController};
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::cpu::read_register;
use crate::mmio::Window;
use limen_mmu::layout;

/// Board fact: the controller is one for this driver.
pub const KIND: u64 = InterruptController::Plic as u64;

/// The line that stands for the timer of the hart.
const TIMER_LINE: u32 = 0;
/// sie, sip: the timer of the hart.
const LOCAL_TIMER: u64 = 1 << 5;
/// sie: the controller.
const LOCAL_CONTROLLER: u64 = 1 << 9;

/// Lines per register that has one bit per line.
const LINES_PER_WORD: u32 = u32::BITS;
/// Bytes between the contexts of harts, by kind of register: each hart has one for machine mode, one for supervisor
/// mode.
const ENABLE_BYTES: u64 = 0x80;
const CONTEXT_BYTES: u64 = 0x1000;
const CONTEXTS_PER_HART: u64 = 2;
/// Where the registers of the first context start.
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
const PRIORITIES: Window = Window::at(PRIORITIES_PAGE);
const ENABLES_WINDOW: Window = Window::at(ENABLES_PAGE);
const CONTEXT: Window = Window::at(CONTEXT_PAGE);

/// The hart that runs the kernel. Set before anything else in this file is used.
static HART: AtomicU64 = AtomicU64::new(0);
/// Offset of its enable bits in their page.
static ENABLES_OFFSET: AtomicU64 = AtomicU64::new(0);

/// Says which hart runs the kernel.
pub fn set_hart(hart: u64) {
    HART.store(hart, Ordering::Relaxed);
}

/// The pages that the driver uses, and what must be mapped there before it does.
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

/// Puts the controller with this many lines into a known state: everything masked, nothing in service.
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

/// Lets the line of a device interrupt. The controller does not know about triggers.
pub fn connect(interrupt: &Interrupt) {
    unmask(interrupt.line as u32);
}

/// Lets the timer of the hart interrupt.
pub fn connect_timer(_: u32) {
    set_local(LOCAL_TIMER);
}

/// The line that is to be served, if any.
#[inline]
pub fn acknowledge() -> Option<u32> {
    if read_register!("sip") & LOCAL_TIMER != 0 {
        return Some(TIMER_LINE);
    }
    let line = CONTEXT.read(context::CLAIM);
    (line != 0).then_some(line)
}

/// Ends the service of the timer: nothing to do, a new deadline does it.
#[inline]
pub fn end(_: u32) {}

/// Keeps a line that [`acknowledge`] returned quiet until [`complete`]: it is until then.
#[inline]
pub fn hold(_: u32) {}

/// The program has served a line.
#[inline]
pub fn complete(line: u32) {
    CONTEXT.write(context::CLAIM, line);
}

/// Keeps a line from interrupting.
#[inline]
pub fn mask(line: u32) {
    PRIORITIES.write(4 * line, 0);
}

/// Lets a line interrupt.
#[inline]
pub fn unmask(line: u32) {
    PRIORITIES.write(4 * line, 1);
}

/// Without priority a line may be pending, but nobody is told.
pub fn suspend(line: u32) {
    mask(line);
}

/// The controller names no line again before its completion, so that no line is masked for another reason.
pub fn resume(line: u32, _: State) {
    unmask(line);
}

fn set_local(interrupts: u64) {
    // SAFETY: interrupts reach the kernel only while a program runs or nobody does.
    unsafe { asm!("csrs sie, {}", in(reg) interrupts, options(nomem, nostack)) }
}
