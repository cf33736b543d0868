//! Rules of board files. The rest of the builder and the programs of the SDK rely on them.

use limen_abi::limits::{
    INTERRUPT_LINES, INTERRUPT_VECTORS, PAGE_BYTES, PROCESSORS, USER_TOP_AARCH64, USER_TOP_RISCV64,
    USER_TOP_X86_64,
};
use limen_image::loader::MAX_RAM;
use limen_image::{InterruptController as Kind, PLIC_CONTEXTS};
use limen_sdf::Architecture;

use crate::board::{Board, MOST_ADDRESS_BITS, MemoryRange};

/// Bits of a physical address of the smallest processors.
const LEAST_ADDRESS_BITS: u8 = 32;
/// Lines of a GICv2. Lines 16 to 31 are private to a processor and include its timers.
const GIC_LINES: u64 = 1020;
const GIC_PRIVATE_LINES: std::ops::Range<u64> = 16..32;
/// Maximum number of pins of an I/O APIC.
const APIC_PINS: u64 = 120;
/// Interrupt vectors: from the first above those of the legacy controllers to the last below the spurious one.
const APIC_VECTORS: std::ops::Range<u64> = 0x30..INTERRUPT_VECTORS - 1;

type Check = Result<(), String>;

/// Checks every rule.
///
/// # Errors
/// The first broken rule, as a sentence without its subject.
pub(crate) fn check(board: &Board) -> Check {
    let most = PROCESSORS;
    rule((1..=most).contains(&usize::from(board.processors)), || {
        format!("processors is not between 1 and {most}, the limit of the kernel")
    })?;
    let bits = LEAST_ADDRESS_BITS..=MOST_ADDRESS_BITS;
    rule(bits.contains(&board.address_bits), || {
        format!("address_bits is not between {LEAST_ADDRESS_BITS} and {MOST_ADDRESS_BITS}")
    })?;
    check_memory(board)?;
    check_devices(board)?;
    check_interrupts(board)?;
    let top = user_top(board.architecture);
    rule(board.user_top == top, || {
        format!("user_top is not 0x{top:x}, the end of user addresses that programs are built for")
    })
}

fn user_top(architecture: Architecture) -> u64 {
    match architecture {
        Architecture::Aarch64 => USER_TOP_AARCH64,
        Architecture::Riscv64 => USER_TOP_RISCV64,
        Architecture::X86_64 => USER_TOP_X86_64,
    }
}

fn check_memory(board: &Board) -> Check {
    let mut previous_end = 0;
    for ram in &board.ram {
        check_range(board, ram)?;
        rule(ram.start >= previous_end, || "RAM ranges are not in ascending order".to_owned())?;
        previous_end = ram.end;
    }
    rule(board.ram.len() <= MAX_RAM, || format!("there are more than {MAX_RAM} ranges of RAM"))?;
    board.pinned.as_ref().map_or(Ok(()), |range| check_range(board, range))?;
    let loader = board.loader_address;
    let in_ram = board.ram.iter().any(|ram| ram.start <= loader && loader < ram.end);
    rule(in_ram && loader.is_multiple_of(PAGE_BYTES), || {
        "loader_address is not the address of a page in RAM".to_owned()
    })
}

fn check_range(board: &Board, range: &MemoryRange) -> Check {
    let MemoryRange { start, end } = *range;
    let aligned = start.is_multiple_of(PAGE_BYTES) && end.is_multiple_of(PAGE_BYTES);
    rule(aligned && start < end && end <= board.address_end(), || {
        format!("[0x{start:x}..0x{end:x}) is not a range of pages")
    })
}

fn check_devices(board: &Board) -> Check {
    let controller = board.interrupt_controller;
    for (key, paddr) in [
        ("serial.paddr", board.serial.paddr),
        ("interrupt_controller.paddr", controller.paddr),
        ("interrupt_controller.cpu_paddr", controller.cpu_paddr),
    ] {
        rule(paddr.is_multiple_of(PAGE_BYTES) && paddr < board.address_end(), || {
            format!("{key} is not the address of a page")
        })?;
    }
    let claims = controller.paddr + PLIC_CONTEXTS..controller.paddr + Kind::Plic.register_bytes()[0];
    let is_context = controller.kind.in_image() != Kind::Plic || claims.contains(&controller.cpu_paddr);
    rule(is_context, || "interrupt_controller.cpu_paddr is not among the controller's contexts".to_owned())
}

fn check_interrupts(board: &Board) -> Check {
    let (most, timers) = match board.interrupt_controller.kind.in_image() {
        Kind::GicV2 => (GIC_LINES, GIC_PRIVATE_LINES),
        Kind::Plic => (INTERRUPT_LINES, 0..1),
        Kind::Apic => (APIC_PINS, APIC_VECTORS),
    };
    rule((1..=most).contains(&board.interrupt_controller.lines), || {
        format!("interrupt_controller.lines is not between 1 and {most}")
    })?;
    rule(timers.contains(&board.timer.interrupt), || {
        format!("timer.interrupt is not between {} and {}", timers.start, timers.end - 1)
    })
}

fn rule(holds: bool, broken: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(broken()) }
}
