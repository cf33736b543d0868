//! The interrupt controller: GICv2.
//!
//! Every line goes to the first processor, and has the same priority unless it is suspended: a line of the lowest
//! priority, which the processor's mask leaves out, stays pending. A line is quiet between its interrupt and [`complete`]
//! because it is masked; the distributor remembers an edge meanwhile. Source: Arm Generic Interrupt Controller
//! Architecture Specification (IHI 0048).

use limen_core::object::irq::State;
use limen_image::{Board, Interrupt, InterruptController, InterruptFlags};
use limen_mmu::address::{PhysAddr, VirtAddr};

use crate::mmio::Window;
use limen_mmu::layout;

/// Board fact: the controller is one for this driver.
pub const KIND: u64 = InterruptController::GicV2 as u64;

/// Lines per register that has one bit per line.
const LINES_PER_WORD: u32 = u32::BITS;
/// Lines per register that has one byte per line.
const LINES_PER_BYTES: u32 = 4;
/// Lines per register that has two bits per line.
const LINES_PER_PAIRS: u32 = 16;
/// Lines that belong to a processor; the others are shared.
const PRIVATE_LINES: u32 = 32;
/// A line that may interrupt: the middle priority.
const PRIORITY: u8 = 0xa0;
/// A suspended line: the lowest priority. What the processor sees must be above it.
const LOWEST_PRIORITY: u8 = 0xff;
/// A byte for each of four lines: the first processor.
const TARGETS: u32 = 0x0101_0101;
/// Two bits of a line: an edge interrupts.
const EDGE: u32 = 0b10;
/// Lines from here on mean that nothing is pending.
const FIRST_SPECIAL_LINE: u32 = 1020;

/// Registers of the distributor, by offset.
mod distributor {
    pub(super) const CONTROL: u32 = 0x000;
    pub(super) const GROUP: u32 = 0x080;
    pub(super) const SET_ENABLE: u32 = 0x100;
    pub(super) const CLEAR_ENABLE: u32 = 0x180;
    pub(super) const CLEAR_PENDING: u32 = 0x280;
    pub(super) const CLEAR_ACTIVE: u32 = 0x380;
    pub(super) const PRIORITY: u32 = 0x400;
    pub(super) const TARGET: u32 = 0x800;
    pub(super) const TRIGGER: u32 = 0xc00;
}

/// Registers of the CPU interface, by offset.
mod cpu_interface {
    pub(super) const CONTROL: u32 = 0x00;
    pub(super) const PRIORITY_MASK: u32 = 0x04;
    pub(super) const BINARY_POINT: u32 = 0x08;
    pub(super) const ACKNOWLEDGE: u32 = 0x0c;
    pub(super) const END: u32 = 0x10;
}

const DISTRIBUTOR_PAGE: VirtAddr = layout::interrupt_controller(0);
const CPU_INTERFACE_PAGE: VirtAddr = layout::interrupt_controller(1);
const DISTRIBUTOR: Window = Window::at(DISTRIBUTOR_PAGE);
const CPU_INTERFACE: Window = Window::at(CPU_INTERFACE_PAGE);

/// The pages that the driver uses, and what must be mapped there before it does.
pub fn windows(board: &Board) -> [(VirtAddr, PhysAddr); 2] {
    [
        (DISTRIBUTOR_PAGE, PhysAddr(board.interrupt_controller_paddr)),
        (CPU_INTERFACE_PAGE, PhysAddr(board.interrupt_cpu_paddr)),
    ]
}

/// Puts the controller with this many lines into a known state: everything masked, nothing pending.
pub fn init(lines: u32) {
    DISTRIBUTOR.write(distributor::CONTROL, 0);
    for word in 0..lines.div_ceil(LINES_PER_WORD) {
        DISTRIBUTOR.write(distributor::CLEAR_ENABLE + 4 * word, u32::MAX);
        DISTRIBUTOR.write(distributor::CLEAR_PENDING + 4 * word, u32::MAX);
        DISTRIBUTOR.write(distributor::CLEAR_ACTIVE + 4 * word, u32::MAX);
        DISTRIBUTOR.write(distributor::GROUP + 4 * word, 0);
    }
    for word in 0..lines.div_ceil(LINES_PER_BYTES) {
        DISTRIBUTOR.write(distributor::PRIORITY + 4 * word, u32::from_ne_bytes([PRIORITY; 4]));
    }
    for word in PRIVATE_LINES / LINES_PER_BYTES..lines.div_ceil(LINES_PER_BYTES) {
        DISTRIBUTOR.write(distributor::TARGET + 4 * word, TARGETS);
    }
    DISTRIBUTOR.write(distributor::CONTROL, 1);
    CPU_INTERFACE.write(cpu_interface::PRIORITY_MASK, u32::from(LOWEST_PRIORITY));
    CPU_INTERFACE.write(cpu_interface::BINARY_POINT, 0);
    CPU_INTERFACE.write(cpu_interface::CONTROL, 1);
}

/// Sets up the line of a device, and lets it interrupt.
pub fn connect(interrupt: &Interrupt) {
    let line = interrupt.line as u32;
    let register = distributor::TRIGGER + 4 * (line / LINES_PER_PAIRS);
    let edge = EDGE << (2 * (line % LINES_PER_PAIRS));
    let others = DISTRIBUTOR.read(register) & !edge;
    let is_edge = interrupt.flags & InterruptFlags::EDGE != 0;
    DISTRIBUTOR.write(register, if is_edge { others | edge } else { others });
    unmask(line);
}

/// Lets the line of the kernel's timer interrupt.
pub fn connect_timer(line: u32) {
    unmask(line);
}

/// The line that is to be served, if any. It stays active until [`end`].
#[inline]
pub fn acknowledge() -> Option<u32> {
    let line = CPU_INTERFACE.read(cpu_interface::ACKNOWLEDGE) & 0x3ff;
    (line < FIRST_SPECIAL_LINE).then_some(line)
}

/// Ends the service of a line that [`acknowledge`] returned; it may interrupt again.
#[inline]
pub fn end(line: u32) {
    CPU_INTERFACE.write(cpu_interface::END, line);
}

/// Keeps a line that [`acknowledge`] returned quiet until [`complete`].
#[inline]
pub fn hold(line: u32) {
    mask(line);
    end(line);
}

/// The program has served a line.
#[inline]
pub fn complete(line: u32) {
    unmask(line);
}

/// Keeps a line from interrupting.
#[inline]
pub fn mask(line: u32) {
    DISTRIBUTOR.write(distributor::CLEAR_ENABLE + 4 * (line / LINES_PER_WORD), 1 << (line % LINES_PER_WORD));
}

/// Lets a line interrupt.
#[inline]
pub fn unmask(line: u32) {
    DISTRIBUTOR.write(distributor::SET_ENABLE + 4 * (line / LINES_PER_WORD), 1 << (line % LINES_PER_WORD));
}

/// Keeps a line pending until [`resume`].
pub fn suspend(line: u32) {
    DISTRIBUTOR.write_byte(distributor::PRIORITY + line, LOWEST_PRIORITY);
}

/// Undoes [`suspend`]. Whether the line is masked has nothing to do with its priority.
pub fn resume(line: u32, _: State) {
    DISTRIBUTOR.write_byte(distributor::PRIORITY + line, PRIORITY);
}
