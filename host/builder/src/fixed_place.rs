//! Memory regions with a fixed physical address: which addresses they may have.

use limen_image::{Range, RegionKind};
use limen_sdf::Diagnostic;
use limen_sdf::model::MemoryRegion;

use crate::board::Board;
use crate::code;
use crate::error::{Context, error};
use crate::memory::Place;

/// Physical addresses that page tables can hold end here (48 bits).
const ADDRESS_LIMIT: u64 = 1 << 48;

/// Why an address cannot be used: the end of the message, and what to do.
type Refusal = (String, &'static str);

/// The place of a region with a fixed address; `None` without one. `reserved` is loader, boot image and kernel.
///
/// # Errors
/// A program must not have this memory, or there is none.
pub(crate) fn find(
    board: &Board,
    region: &MemoryRegion,
    reserved: Range,
) -> Result<Option<Place>, Diagnostic> {
    let Some(paddr) = region.phys_addr else {
        return Ok(None);
    };
    let range = Range { start: paddr, end: paddr.saturating_add(region.bytes) };
    let kind = check_unused(board, range, reserved).and_then(|()| kind(board, range));
    let kind = kind.map_err(|(why, help)| {
        let (name, Range { start, end }) = (&region.name, range);
        let message =
            format!("ERROR: memory region '{name}' physical address range [0x{start:x}..0x{end:x}) {why}");
        error(code::MR_PHYS_ADDR, message).at(&region.span).help(help)
    })?;
    if kind == RegionKind::Device && region.prefill.is_some() {
        let message = format!("ERROR: memory region '{}' is a device and cannot be prefilled", region.name);
        let help = "Only RAM has first contents; choose a phys_addr in RAM, or leave it out.";
        return Err(error(code::MR_PREFILL_DEVICE, message).at(&region.span).help(help));
    }
    Ok(Some(Place { paddr, kind, fixed: true }))
}

fn check_unused(board: &Board, range: Range, reserved: Range) -> Result<(), Refusal> {
    if overlaps(range, reserved) {
        let Range { start, end } = reserved;
        let why = format!("overlaps with loader, boot image and kernel [0x{start:x}..0x{end:x})");
        return Err((why, "Choose another phys_addr, or leave it out and let the tool choose."));
    }
    for registers in board.image_record().interrupt_registers() {
        if overlaps(range, registers) {
            let why = format!("overlaps with the interrupt controller at 0x{:x}", registers.start);
            return Err((why, "Only the kernel may have it; programs use <irq> elements."));
        }
    }
    Ok(())
}

/// Whether the range is RAM or a device.
fn kind(board: &Board, range: Range) -> Result<RegionKind, Refusal> {
    if range.end > ADDRESS_LIMIT {
        let why = "is not in the memory of the machine".to_owned();
        return Err((why, "Physical addresses have 48 bits."));
    }
    match board.ram_ranges().into_iter().find(|ram| overlaps(*ram, range)) {
        None => Ok(RegionKind::Device),
        Some(ram) if ram.start <= range.start && range.end <= ram.end => Ok(RegionKind::Zero),
        Some(Range { start, end }) => {
            let why = format!("lies only partly in RAM [0x{start:x}..0x{end:x})");
            Err((why, "A memory region is either RAM or a device."))
        }
    }
}

fn overlaps(a: Range, b: Range) -> bool {
    a.start < b.end && b.start < a.end
}
