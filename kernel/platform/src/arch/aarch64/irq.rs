//! The interrupt controller: GICv2.
//!
//! A line of a device targets the processor of its driver. All lines have the same priority, except that a suspended line has the
//! lowest, which the priority mask filters out: it stays pending. Between its interrupt and [`complete`] a line is
//! masked; the distributor latches an edge meanwhile. Source: Arm Generic Interrupt Controller Architecture
//! Specification (IHI 0048).

use core::ops::Range;

use limen_core::object::irq::State;
use limen_image::{Board, Interrupt, InterruptController, InterruptFlags};
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::cpu;
use crate::mmio::DeviceWindow;
use crate::panic::fatal;
use limen_mmu::layout;

/// Board fact: the interrupt controller that this driver serves.
pub const KIND: u64 = InterruptController::GicV2 as u64;

/// Lines per register that has one bit per line.
const LINES_PER_WORD: u32 = u32::BITS;
/// Lines per register that has one byte per line.
const LINES_PER_BYTES: u32 = 4;
/// Lines per register that has two bits per line.
const LINES_PER_PAIRS: u32 = 16;
/// Lines that are private to a processor; the others are shared.
const PRIVATE_LINES: u32 = 32;
/// The priority of an enabled line: the middle.
const PRIORITY: u8 = 0xa0;
/// The priority of a suspended line: the lowest. The priority mask lets only higher priorities through.
const LOWEST_PRIORITY: u8 = 0xff;
/// The private line by which processors interrupt each other.
const MESSAGE_LINE: u32 = 0;
/// The bits of the acknowledge register that hold the line. Above them is the processor that has sent a message.
const LINE_NUMBER: u32 = 0x3ff;
/// Lines of software interrupts: position of the target bits, one for each processor.
const SOFTWARE_TARGETS_SHIFT: u32 = 16;
/// A line's two trigger bits: edge-triggered.
const EDGE: u32 = 0b10;
/// Line numbers from here on mean that no interrupt is pending.
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
    pub(super) const SOFTWARE: u32 = 0xf00;
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
const DISTRIBUTOR: DeviceWindow = DeviceWindow::at(DISTRIBUTOR_PAGE);
const CPU_INTERFACE: DeviceWindow = DeviceWindow::at(CPU_INTERFACE_PAGE);

/// The driver's pages, and the physical pages that boot must map there first.
pub fn windows(board: &Board) -> [(VirtAddr, PhysAddr); 2] {
    [
        (DISTRIBUTOR_PAGE, PhysAddr(board.interrupt_controller_paddr)),
        (CPU_INTERFACE_PAGE, PhysAddr(board.interrupt_cpu_paddr)),
    ]
}

/// The windows that map other memory on a further processor. None: the controller knows which processor reads.
pub fn private_windows(_: &Board, _: u64) -> [(VirtAddr, PhysAddr); 0] {
    []
}

/// Resets the shared part of the controller, which has this many lines: all lines masked, none pending.
pub fn init(lines: u32) {
    DISTRIBUTOR.write(distributor::CONTROL, 0);
    reset_lines(PRIVATE_LINES..lines);
    DISTRIBUTOR.write(distributor::CONTROL, 1);
}

/// Resets the part of the controller that belongs to the processor with this number, on which it runs, and lets others
/// interrupt it.
pub fn init_processor(_: &Board, _: u64) {
    reset_lines(0..PRIVATE_LINES);
    unmask(MESSAGE_LINE);
    CPU_INTERFACE.write(cpu_interface::PRIORITY_MASK, u32::from(LOWEST_PRIORITY));
    CPU_INTERFACE.write(cpu_interface::BINARY_POINT, 0);
    CPU_INTERFACE.write(cpu_interface::CONTROL, 1);
}

fn reset_lines(lines: Range<u32>) {
    for word in lines.start / LINES_PER_WORD..lines.end.div_ceil(LINES_PER_WORD) {
        DISTRIBUTOR.write(distributor::CLEAR_ENABLE + 4 * word, u32::MAX);
        DISTRIBUTOR.write(distributor::CLEAR_PENDING + 4 * word, u32::MAX);
        DISTRIBUTOR.write(distributor::CLEAR_ACTIVE + 4 * word, u32::MAX);
        DISTRIBUTOR.write(distributor::GROUP + 4 * word, 0);
    }
    for word in lines.start / LINES_PER_BYTES..lines.end.div_ceil(LINES_PER_BYTES) {
        DISTRIBUTOR.write(distributor::PRIORITY + 4 * word, u32::from_ne_bytes([PRIORITY; 4]));
    }
}

/// Stops the machine unless the controller knows this processor by its number.
pub fn check_number(number: u64) {
    // The targets of a private line are the processor that reads them.
    let targets = DISTRIBUTOR.read(distributor::TARGET) & 0xff;
    if targets != 1 << number {
        fatal(format_args!("to the interrupt controller, processor {number} is {targets:#b}"));
    }
}

/// Configures a device's line and unmasks it.
pub fn connect(interrupt: &Interrupt) {
    let line = interrupt.line as u32;
    let register = distributor::TRIGGER + 4 * (line / LINES_PER_PAIRS);
    let edge = EDGE << (2 * (line % LINES_PER_PAIRS));
    let others = DISTRIBUTOR.read(register) & !edge;
    let is_edge = interrupt.flags & InterruptFlags::EDGE != 0;
    DISTRIBUTOR.write(register, if is_edge { others | edge } else { others });
    if line >= PRIVATE_LINES {
        DISTRIBUTOR.write_byte(distributor::TARGET + line, 1 << interrupt.processor);
    }
    unmask(line);
}

/// Unmasks the line of the kernel's timer.
pub fn connect_timer(line: u32) {
    unmask(line);
}

/// Acknowledges the pending line of a device or the timer. It stays active until [`end`].
///
/// # Errors
/// What the controller returned if it is no such line; see [`take_message`].
#[inline]
pub fn acknowledge() -> Result<u32, u32> {
    let word = CPU_INTERFACE.read(cpu_interface::ACKNOWLEDGE);
    let line = word & LINE_NUMBER;
    if (MESSAGE_LINE + 1..FIRST_SPECIAL_LINE).contains(&line) { Ok(line) } else { Err(word) }
}

/// Whether a word that [`acknowledge`] returned is a message of a processor, which it ends.
#[cold]
#[inline(never)]
pub fn take_message(word: u32) -> bool {
    let is_message = word & LINE_NUMBER == MESSAGE_LINE;
    if is_message {
        // The end of a message must name its sender, too.
        end(word);
    }
    is_message
}

/// Interrupts a processor, which finds the stores that this one has made before.
#[inline]
pub fn interrupt_processor(number: u8) {
    cpu::publish_stores();
    DISTRIBUTOR
        .write(distributor::SOFTWARE, 1 << (SOFTWARE_TARGETS_SHIFT + u32::from(number)) | MESSAGE_LINE);
}

/// Ends the interrupt of a line that [`acknowledge`] returned; it may interrupt again.
#[inline]
pub fn end(line: u32) {
    CPU_INTERFACE.write(cpu_interface::END, line);
}

/// Masks a line that [`acknowledge`] returned until [`complete`].
#[inline]
pub fn hold(line: u32) {
    mask(line);
    end(line);
}

/// Unmasks a line after the program has served its interrupt.
#[inline]
pub fn complete(line: u32) {
    unmask(line);
}

/// Masks a line.
#[inline]
pub fn mask(line: u32) {
    DISTRIBUTOR.write(distributor::CLEAR_ENABLE + 4 * (line / LINES_PER_WORD), 1 << (line % LINES_PER_WORD));
}

/// Unmasks a line.
#[inline]
pub fn unmask(line: u32) {
    DISTRIBUTOR.write(distributor::SET_ENABLE + 4 * (line / LINES_PER_WORD), 1 << (line % LINES_PER_WORD));
}

/// Keeps a line pending until [`resume`].
pub fn suspend(line: u32) {
    DISTRIBUTOR.write_byte(distributor::PRIORITY + line, LOWEST_PRIORITY);
}

/// Undoes [`suspend`]. The mask is independent of the priority.
pub fn resume(line: u32, _: State) {
    DISTRIBUTOR.write_byte(distributor::PRIORITY + line, PRIORITY);
}
