//! The interrupt controller: the PLIC, and the hart's own interrupts: its timer, and messages of other processors.
//!
//! A line of a device stays enabled at the hart of its driver; its priority, zero or one, masks or unmasks it. The controller ignores a completion of a
//! disabled line, so this way a completion always works, also in another domain's slot. Between its interrupt and
//! [`complete`] a line cannot interrupt, because the controller waits for the completion. The interrupt gateway decides
//! what counts as an edge and whether it latches one meanwhile. The timer is line 0, which the controller does not use.
//! Source: RISC-V Platform-Level Interrupt Controller Specification; Privileged ISA, `sie` and `sip`.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

use limen_abi::limits::PAGE_BYTES;
use limen_core::object::irq::State;
use limen_image::{Board, Interrupt, InterruptController};
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::cpu::{self, read_register};
use super::start::hart_of;
use crate::mmio::DeviceWindow;
use limen_mmu::layout;

/// Board fact: the interrupt controller that this driver serves.
pub const KIND: u64 = InterruptController::Plic as u64;

/// The line number of the hart's timer.
const TIMER_LINE: u32 = 0;
/// sie, sip: a message from another processor.
const LOCAL_MESSAGE: u64 = 1 << 1;
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

/// SBI: the extension for interrupts between harts, "sPI".
const EXTENSION_IPI: u64 = 0x0073_5049;
/// SBI: interrupt harts.
const FUNCTION_SEND: u64 = 0;

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

/// Offset of this hart's enable bits in their page.
#[unsafe(link_section = ".data.private")]
static ENABLES_OFFSET: AtomicU32 = AtomicU32::new(0);

/// The driver's pages, and the physical pages that boot must map there first.
pub fn windows(board: &Board) -> [(VirtAddr, PhysAddr); 3] {
    let [enables, context] = private_windows(board, 0);
    [(PRIORITIES_PAGE, PhysAddr(board.interrupt_controller_paddr)), enables, context]
}

/// The windows that map other memory on each processor.
pub fn private_windows(board: &Board, number: u64) -> [(VirtAddr, PhysAddr); 2] {
    let (enables, claims) = registers(board, number);
    [(ENABLES_PAGE, PhysAddr(enables - enables % PAGE_BYTES)), (CONTEXT_PAGE, PhysAddr(claims))]
}

/// The addresses of a processor's enable bits, and of its context.
fn registers(board: &Board, number: u64) -> (u64, u64) {
    let base = board.interrupt_controller_paddr;
    let context = context_of(board, hart_of(number));
    (base + ENABLES + context * ENABLE_BYTES, base + CONTEXTS + context * CONTEXT_BYTES)
}

/// The number of a hart's context for supervisor mode.
fn context_of(board: &Board, hart: u64) -> u64 {
    let first = board.interrupt_cpu_paddr - board.interrupt_controller_paddr - CONTEXTS;
    first / CONTEXT_BYTES + hart * CONTEXTS_PER_HART
}

/// Whether the controller has a context for supervisor mode of this hart. The first one is always for machine mode.
pub fn serves_supervisor(board: &Board, hart: u64) -> bool {
    context_of(board, hart) != 0
}

/// Resets the shared part of the controller, which has this many lines: all lines masked.
pub fn init(lines: u32) {
    for line in 1..lines {
        mask(line);
    }
}

/// Resets the part of the controller that belongs to the processor with this number, on which it runs, and lets others
/// interrupt it.
pub fn init_processor(board: &Board, number: u64) {
    let enables = (registers(board, number).0 % PAGE_BYTES) as u32;
    ENABLES_OFFSET.store(enables, Ordering::Relaxed);
    for word in 0..(board.interrupt_lines as u32).div_ceil(LINES_PER_WORD) {
        ENABLES_WINDOW.write(enables + 4 * word, 0);
    }
    CONTEXT.write(context::THRESHOLD, 0);
    set_local(LOCAL_CONTROLLER | LOCAL_MESSAGE);
}

/// Nothing to check: the firmware tells the numbers of harts.
pub fn check_number(_: u64) {}

/// Enables a device's line at this hart and unmasks it. The controller has no trigger configuration.
pub fn connect(interrupt: &Interrupt) {
    let line = interrupt.line as u32;
    let register = ENABLES_OFFSET.load(Ordering::Relaxed) + 4 * (line / LINES_PER_WORD);
    ENABLES_WINDOW.write(register, ENABLES_WINDOW.read(register) | 1 << (line % LINES_PER_WORD));
    unmask(line);
}

/// Unmasks the hart's timer interrupt.
pub fn connect_timer(_: u32) {
    set_local(LOCAL_TIMER);
}

/// Claims the pending line of a device or the timer.
///
/// # Errors
/// There is none; see [`take_message`].
#[inline]
pub fn acknowledge() -> Result<u32, u32> {
    if read_register!("sip") & LOCAL_TIMER != 0 {
        return Ok(TIMER_LINE);
    }
    let line = CONTEXT.read(context::CLAIM);
    if line != 0 { Ok(line) } else { Err(line) }
}

/// Whether a message of a processor is pending, which this ends. A device's line comes first.
#[cold]
#[inline(never)]
pub fn take_message(_: u32) -> bool {
    let is_message = read_register!("sip") & LOCAL_MESSAGE != 0;
    // SAFETY: clears the message's interrupt.
    unsafe { asm!("csrc sip, {}", in(reg) LOCAL_MESSAGE, options(nostack)) }
    is_message
}

/// Interrupts a processor, which finds the stores that this one has made before.
pub fn interrupt_processor(number: u8) {
    cpu::publish_stores();
    // SAFETY: the firmware interrupts the hart, and preserves all registers but a0 and a1.
    unsafe {
        asm!(
            "ecall",
            inlateout("a0") 1_u64 => _,
            inlateout("a1") hart_of(u64::from(number)) => _,
            in("a6") FUNCTION_SEND,
            in("a7") EXTENSION_IPI,
            options(nostack)
        );
    }
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
