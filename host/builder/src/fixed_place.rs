//! Memory regions with a fixed physical address: which addresses are allowed.

use limen_image::{Range, RegionKind};
use limen_sdf::Diagnostic;
use limen_sdf::model::MemoryRegion;

use crate::board::{Board, BootProtocol};
use crate::code;
use crate::error::{Context, error};
use crate::place::Place;

/// Why an address is refused: the end of the message, and the fix.
type Refusal = (String, String);

/// The place of a region with a fixed address; `None` without one. `reserved` holds loader, boot image and kernel.
///
/// # Errors
/// Programs may not use this memory, or it does not exist.
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
        let help = "Only RAM can be prefilled; choose a phys_addr in RAM, or omit it.";
        return Err(error(code::MR_PREFILL_DEVICE, message).at(&region.span).help(help));
    }
    Ok(Some(Place { paddr, kind, fixed: true }))
}

fn check_unused(board: &Board, range: Range, reserved: Range) -> Result<(), Refusal> {
    let image_stays = board.boot == BootProtocol::Loader;
    if image_stays && overlaps(range, reserved) {
        let Range { start, end } = reserved;
        let why = format!("overlaps with loader, boot image and kernel [0x{start:x}..0x{end:x})");
        return Err((why, "Choose another phys_addr, or omit it to let the tool choose.".to_owned()));
    }
    for registers in board.image_record().interrupt_registers() {
        if overlaps(range, registers) {
            let why = format!("overlaps with the interrupt controller at 0x{:x}", registers.start);
            return Err((why, "Only the kernel may access it; use <irq> elements.".to_owned()));
        }
    }
    Ok(())
}

/// Whether the range is RAM or a device, if known before boot.
fn kind(board: &Board, range: Range) -> Result<RegionKind, Refusal> {
    if range.end > board.address_end() {
        let why = "is not in the memory of the machine".to_owned();
        let bits = board.address_bits;
        return Err((why, format!("Physical addresses have {bits} bits; choose a lower phys_addr.")));
    }
    if board.boot == BootProtocol::Multiboot {
        return Ok(RegionKind::Fixed);
    }
    match board.ram_ranges().into_iter().find(|ram| overlaps(*ram, range)) {
        None => Ok(RegionKind::Device),
        Some(ram) if ram.start <= range.start && range.end <= ram.end => Ok(RegionKind::Zero),
        Some(Range { start, end }) => {
            let why = format!("lies only partly in RAM [0x{start:x}..0x{end:x})");
            Err((why, "A memory region is either RAM or a device; change phys_addr or size.".to_owned()))
        }
    }
}

fn overlaps(a: Range, b: Range) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use limen_sdf::{SystemDescription, Target};

    use super::*;

    const REGIONS: &str = r#"<system>
        <memory_region name="plain" phys_addr="0x5fdf_0000" size="0x1000" />
        <memory_region name="filled" phys_addr="0x5fdf_1000" prefill_bootinfo="x86_acpi_rsdp" />
        <protection_domain name="p"><program_image path="p" />
            <map mr="plain" vaddr="0x1000000" /><map mr="filled" vaddr="0x1001000" /></protection_domain>
        </system>"#;

    fn pc() -> (Board, SystemDescription) {
        let board = Board::parse(include_str!("../boards/x86_64_generic.toml")).unwrap();
        let system = limen_sdf::parse("test.system", REGIONS, &Target::x86_64(), &limen_sdf::no_files);
        (board, system.unwrap().system)
    }

    #[test]
    fn the_memory_of_a_pc_is_unknown() {
        let (board, system) = pc();
        let reserved = Range { start: 0x40_0000, end: 0x6000_0000 };
        for region in &system.memory_regions {
            let place = find(&board, region, reserved).unwrap().unwrap();
            assert_eq!(place.kind, RegionKind::Fixed, "{}", region.name);
        }
    }

    #[test]
    fn the_kernels_devices_are_known_on_a_pc() {
        let (board, mut system) = pc();
        system.memory_regions[0].phys_addr = Some(0xfee0_0000);
        let refused = find(&board, &system.memory_regions[0], Range::default()).unwrap_err();
        assert!(refused.message.contains("overlaps with the interrupt controller"), "{}", refused.message);
    }
}
