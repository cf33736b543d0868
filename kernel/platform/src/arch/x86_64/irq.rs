//! The interrupt controllers: local APIC and I/O APIC. The legacy pair of 8259s is masked.
//!
//! A line is identified by its vector. Between its interrupt and [`complete`], a level-triggered pin is masked. An
//! edge-triggered one is not, because a masked pin loses edges, and message-signalled interrupts cannot be masked at
//! all. A suspended pin is masked; an edge-triggered one is switched to level meanwhile, so that [`resume`] finds an
//! edge whose device still waits. Source: Intel SDM, volume 3, chapter 11; 82093AA I/O Advanced Programmable Interrupt
//! Controller.

use core::sync::atomic::{AtomicU32, Ordering};

use limen_core::object::irq::State;
use limen_image::{Board, Interrupt, InterruptController, InterruptFlags, InterruptSource};
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::ports::write_byte;
use super::start::controller_of;
use crate::mmio::DeviceWindow;
use crate::panic::fatal;
use limen_mmu::layout;

/// Board fact: the interrupt controllers that this driver serves.
pub const KIND: u64 = InterruptController::Apic as u64;

/// The vector of an interrupt that went away before it was acknowledged.
const SPURIOUS: u32 = 0xff;
/// Vectors of the legacy controllers, clear of the exceptions.
const OLD_VECTORS: [u8; 2] = [0x20, 0x28];
/// The vector of messages between processors. The legacy controllers, which have it too, are masked, and may raise only the last
/// one of each.
const MESSAGE: u32 = 0x2e;
/// Vectors of devices and the timer start here.
const FIRST_VECTOR: u32 = 0x30;

/// Registers of the local APIC, by offset.
pub(super) mod local {
    pub(in super::super) const ID: u32 = 0x20;
    pub(in super::super) const TASK_PRIORITY: u32 = 0x80;
    pub(in super::super) const END: u32 = 0xb0;
    pub(in super::super) const SPURIOUS_VECTOR: u32 = 0xf0;
    /// The interrupt to send to another controller, and that controller; a write of the first sends it.
    pub(in super::super) const COMMAND: u32 = 0x300;
    pub(in super::super) const RECEIVER: u32 = 0x310;
    /// Bits of a command: it is not sent yet; the level, which is on but for an obsolete command.
    pub(in super::super) const IS_PENDING: u32 = 1 << 12;
    pub(in super::super) const ASSERT: u32 = 1 << 14;
    /// Kinds of delivery.
    pub(in super::super) const RESET: u32 = 0b101 << 8;
    pub(in super::super) const START: u32 = 0b110 << 8;
    /// Position of the number in [`ID`] and [`RECEIVER`].
    pub(in super::super) const NUMBER_SHIFT: u32 = 24;
    pub(in super::super) const TIMER: u32 = 0x320;
    pub(in super::super) const INITIAL_COUNT: u32 = 0x380;
    pub(in super::super) const CURRENT_COUNT: u32 = 0x390;
    pub(in super::super) const DIVISOR: u32 = 0x3e0;
    /// Local vector table entries that are unused: the first pin, and errors.
    pub(in super::super) const UNUSED: [u32; 2] = [0x350, 0x370];
    /// The entry of the second pin, to which PCs connect the NMI.
    pub(in super::super) const SECOND_PIN: u32 = 0x360;
    /// An entry that delivers an NMI.
    pub(in super::super) const NMI: u32 = 0b100 << 8;
    /// Bit of a local vector table entry: masked.
    pub(in super::super) const MASKED: u32 = 1 << 16;
    /// Bit of the spurious-vector register: the local APIC is enabled.
    pub(in super::super) const ENABLED: u32 = 1 << 8;
}

/// Registers of the I/O APIC: an index, and the register that it selects.
mod devices {
    pub(super) const SELECT: u32 = 0x00;
    pub(super) const VALUE: u32 = 0x10;
    /// The lower half of the first pin's entry; each pin has two registers.
    pub(super) const FIRST_PIN: u32 = 0x10;
    /// Bits of an entry's lower half, besides the vector: active low, level-triggered, masked.
    pub(super) const LOW: u32 = 1 << 13;
    pub(super) const LEVEL: u32 = 1 << 15;
    pub(super) const MASKED: u32 = 1 << 16;
}

/// Command and data ports of the legacy controllers.
const OLD: [(u16, u16); 2] = [(0x20, 0x21), (0xa0, 0xa1)];
/// The first initialisation word of the legacy controllers: four words follow.
const OLD_BEGIN: u8 = 0x11;
/// The word that describes the cascade, for each of them.
const OLD_CASCADE: [u8; 2] = [1 << 2, 2];
/// The last of the four words: the 8086 mode.
const OLD_MODE: u8 = 1;

const DEVICES_PAGE: VirtAddr = layout::interrupt_controller(0);
const LOCAL_PAGE: VirtAddr = layout::interrupt_controller(1);
const DEVICES: DeviceWindow = DeviceWindow::at(DEVICES_PAGE);
pub(super) const LOCAL: DeviceWindow = DeviceWindow::at(LOCAL_PAGE);

/// For each vector that a pin has: the lower half of the pin's entry, with the pin's number in the bits above
/// [`PIN_SHIFT`]. While the line is suspended, the entry is that of a masked pin. Zero for other vectors.
static SOURCES: [AtomicU32; VECTORS] = [const { AtomicU32::new(0) }; VECTORS];
/// The number of vectors.
const VECTORS: usize = 256;
/// Position of the pin's number in a word of [`SOURCES`], above the bits of an entry.
const PIN_SHIFT: u32 = 24;

/// The vector of the interrupt that entered the kernel; zero once it is acknowledged.
#[unsafe(link_section = ".data.private")]
static WAITING: AtomicU32 = AtomicU32::new(0);

/// The driver's pages, and the physical pages that boot must map there first.
pub fn windows(board: &Board) -> [(VirtAddr, PhysAddr); 2] {
    [
        (DEVICES_PAGE, PhysAddr(board.interrupt_controller_paddr)),
        (LOCAL_PAGE, PhysAddr(board.interrupt_cpu_paddr)),
    ]
}

/// The windows that map other memory on a further processor. None: each sees its own controller at the same address.
pub fn private_windows(_: &Board, _: u64) -> [(VirtAddr, PhysAddr); 0] {
    []
}

/// Nothing to check: the firmware tells the numbers of controllers.
pub fn check_number(_: u64) {}

/// The number of this processor's local controller.
pub fn own_controller() -> u32 {
    LOCAL.read(local::ID) >> local::NUMBER_SHIFT
}

/// An interrupt that one processor sends to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// A message.
    Message,
    /// Reset.
    Reset,
    /// The start at a page below 1 MiB, by its number.
    Start(u8),
}

/// Sends an interrupt to the processor whose local controller has this number.
pub fn send(receiver: u32, delivery: Delivery) {
    let command = match delivery {
        Delivery::Message => MESSAGE,
        Delivery::Reset => local::RESET,
        Delivery::Start(page) => local::START | u32::from(page),
    };
    // The controller takes a command in a few cycles, and none before that.
    while LOCAL.read(local::COMMAND) & local::IS_PENDING != 0 {}
    LOCAL.write(local::RECEIVER, receiver << local::NUMBER_SHIFT);
    LOCAL.write(local::COMMAND, command | local::ASSERT);
}

/// Resets the controllers, which have this many pins for devices: everything masked.
pub fn init(lines: u32) {
    silence_old_controllers();
    for pin in 0..lines {
        write_pin(pin, devices::MASKED);
    }
}

/// Resets the local controller of this processor.
pub fn init_processor(_: &Board, _: u64) {
    for source in local::UNUSED {
        LOCAL.write(source, local::MASKED);
    }
    LOCAL.write(local::TIMER, local::MASKED);
    LOCAL.write(local::TASK_PRIORITY, 0);
    LOCAL.write(local::SPURIOUS_VECTOR, local::ENABLED | SPURIOUS);
    // Chipsets report memory errors by NMI. All entries stay masked until the controller is enabled.
    LOCAL.write(local::SECOND_PIN, local::NMI);
}

fn silence_old_controllers() {
    for (((command, data), vector), cascade) in OLD.into_iter().zip(OLD_VECTORS).zip(OLD_CASCADE) {
        write_byte(command, OLD_BEGIN);
        write_byte(data, vector);
        write_byte(data, cascade);
        write_byte(data, OLD_MODE);
        write_byte(data, u8::MAX);
    }
}

/// Configures the pin of a vector and unmasks it. A device's driver configures its messages.
pub fn connect(interrupt: &Interrupt) {
    if interrupt.source != InterruptSource::Pin as u64 {
        return;
    }
    let (vector, pin) = (interrupt.line as u32, interrupt.input as u32);
    // Every access selects a register first, which two processors could do at the same time.
    if interrupt.processor != 0 {
        fatal(format_args!("interrupts of pins, as of pin {pin}, are served by processor 0 only"));
    }
    let when = |flag, bit| if interrupt.flags & flag != 0 { bit } else { 0 };
    let entry = vector
        | when(InterruptFlags::ACTIVE_LOW, devices::LOW)
        | devices::LEVEL & !when(InterruptFlags::EDGE, devices::LEVEL);
    source(vector).store(entry | pin << PIN_SHIFT, Ordering::Relaxed);
    DEVICES.write(devices::SELECT, devices::FIRST_PIN + 2 * pin + 1);
    DEVICES.write(devices::VALUE, LOCAL.read(local::ID));
    write_pin(pin, entry);
}

/// Unmasks the local APIC's timer with this vector.
pub fn connect_timer(vector: u32) {
    LOCAL.write(local::TIMER, vector);
}

/// Writes the lower half of a pin's entry.
fn write_pin(pin: u32, entry: u32) {
    DEVICES.write(devices::SELECT, devices::FIRST_PIN + 2 * pin);
    DEVICES.write(devices::VALUE, entry);
}

fn source(vector: u32) -> &'static AtomicU32 {
    &SOURCES[vector as usize % VECTORS]
}

/// Records the vector of an interrupt until [`acknowledge`].
#[inline]
pub fn note(vector: u64) {
    WAITING.store(vector as u32, Ordering::Relaxed);
}

/// Acknowledges the line that interrupted. It stays active until [`end`].
///
/// # Errors
/// The vector, if it is that of no line, or zero.
#[inline]
pub fn acknowledge() -> Result<u32, u32> {
    let line = WAITING.swap(0, Ordering::Relaxed);
    if (FIRST_VECTOR..SPURIOUS).contains(&line) { Ok(line) } else { Err(line) }
}

/// Whether a vector that [`acknowledge`] returned is a message of a processor, which it ends.
#[cold]
#[inline(never)]
pub fn take_message(vector: u32) -> bool {
    let is_message = vector == MESSAGE;
    if is_message {
        end(vector);
    }
    is_message
}

/// Interrupts a processor, which finds the stores that this one has made before: they are visible in their order, and the
/// controller's registers are not cached.
pub fn interrupt_processor(number: u8) {
    send(controller_of(u64::from(number)), Delivery::Message);
}

/// Ends the interrupt of a line that [`acknowledge`] returned; it may interrupt again.
#[inline]
pub fn end(_: u32) {
    LOCAL.write(local::END, 0);
}

/// Masks a line that [`acknowledge`] returned until [`complete`], unless it is edge-triggered.
#[inline]
pub fn hold(line: u32) {
    let source = source(line).load(Ordering::Relaxed);
    if source & devices::LEVEL != 0 {
        write_source(source, devices::MASKED);
    }
    end(line);
}

/// Unmasks a line after the program has served its interrupt.
#[inline]
pub fn complete(line: u32) {
    let source = source(line).load(Ordering::Relaxed);
    if source & devices::LEVEL != 0 {
        write_source(source, 0);
    }
}

/// Masks a line. Messages cannot be masked.
pub fn mask(line: u32) {
    let source = source(line).load(Ordering::Relaxed);
    if source != 0 {
        write_source(source, devices::MASKED);
    }
}

/// Unmasks a line; if it is suspended, only when it resumes.
pub fn unmask(line: u32) {
    let source = source(line).load(Ordering::Relaxed);
    if source != 0 && source & devices::MASKED == 0 {
        write_source(source, 0);
    }
}

/// Masks a line with a pin until [`resume`], whatever else happens to it. Messages are still delivered.
pub fn suspend(line: u32) {
    let word = source(line);
    let source = word.load(Ordering::Relaxed);
    if source != 0 {
        word.store(source | devices::MASKED, Ordering::Relaxed);
        write_source(source, devices::MASKED | devices::LEVEL);
    }
}

/// Undoes [`suspend`]. An edge-triggered pin is unmasked as level-triggered first, which interrupts if its device
/// waits.
pub fn resume(line: u32, state: State) {
    let word = source(line);
    let source = word.load(Ordering::Relaxed) & !devices::MASKED;
    if source == 0 {
        return;
    }
    word.store(source, Ordering::Relaxed);
    let has_edges = source & devices::LEVEL == 0;
    match state {
        State::Delivered if !has_edges => write_source(source, devices::MASKED),
        State::DeliveredAgain => write_source(source, devices::MASKED),
        State::Armed | State::Delivered => {
            if has_edges {
                write_source(source, devices::LEVEL);
            }
            write_source(source, 0);
        }
    }
}

/// Writes the entry of the pin in a word of [`SOURCES`], with these bits added.
fn write_source(source: u32, more: u32) {
    write_pin(source >> PIN_SHIFT, source & ((1 << PIN_SHIFT) - 1) | more);
}
