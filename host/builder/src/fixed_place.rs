//! Memory regions with a fixed physical address: which addresses they may have.

use limen_image::{Range, RegionKind};
use limen_sdf::Diagnostic;
use limen_sdf::model::{MemoryRegion, SystemDescription};

use crate::address_space::served_regions;
use crate::board::{Board, BootProtocol};
use crate::code;
use crate::error::{Context, error};
use crate::memory::Place;
use crate::sharing;

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
    let image_stays = board.boot == BootProtocol::Loader;
    if image_stays && overlaps(range, reserved) {
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

/// Whether the range is RAM or a device, if that is known before boot.
fn kind(board: &Board, range: Range) -> Result<RegionKind, Refusal> {
    if range.end > ADDRESS_LIMIT {
        let why = "is not in the memory of the machine".to_owned();
        return Err((why, "Physical addresses have 48 bits."));
    }
    if board.boot == BootProtocol::Multiboot {
        return Ok(RegionKind::Fixed);
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

/// For each region, whether the description uses it as only RAM can be used: something is put into it at boot, a service
/// works on it, or scheduling domains share it as they may share memory.
pub(crate) fn needs_ram(system: &SystemDescription) -> Vec<bool> {
    let regions = system.memory_regions.iter().zip(sharing::region_crossings(system, |_| Some("memory")));
    let needs_ram =
        regions.map(|(region, crossing)| region.prefill.is_some() || (!region.shared && crossing.is_some()));
    let mut needs_ram: Vec<_> = needs_ram.collect();
    let served = system.protection_domains.iter().flat_map(served_regions);
    served.for_each(|region| needs_ram[region] = true);
    needs_ram
}

fn overlaps(a: Range, b: Range) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use limen_sdf::Target;

    use super::*;

    const REGIONS: &str = r#"<system>
        <domains><domain name="a" /><domain name="b" /><domain_schedule>
            <schedule_entry domain="a" duration="10000 us" /><schedule_entry domain="b" duration="10000 us" />
        </domain_schedule></domains>
        <memory_region name="plain" phys_addr="0x5fdf_0000" size="0x1000" />
        <memory_region name="filled" phys_addr="0x5fdf_1000" prefill_bootinfo="x86_acpi_rsdp" />
        <memory_region name="digested" phys_addr="0x5fdf_2000" size="0x1000" />
        <memory_region name="wiped" phys_addr="0x5fdf_3000" size="0x1000" />
        <memory_region name="crossing" phys_addr="0x5fdf_4000" size="0x1000" />
        <memory_region name="declared" phys_addr="0x5fdf_5000" size="0x1000" shared="true" />
        <protection_domain name="p" domain="a"><program_image path="p" />
            <map mr="plain" vaddr="0x1000000" /><map mr="filled" vaddr="0x1001000" /><map mr="digested" vaddr="0x1002000" />
            <map mr="wiped" vaddr="0x1003000" /><map mr="crossing" vaddr="0x1004000" /><map mr="declared" vaddr="0x1005000" />
            <digest region="digested" id="0" /><wipe region="wiped" fault="true" /></protection_domain>
        <protection_domain name="q" domain="b"><program_image path="p" />
            <map mr="crossing" vaddr="0x1004000" /><map mr="declared" vaddr="0x1005000" /></protection_domain>
        </system>"#;

    fn pc() -> (Board, SystemDescription) {
        let board = Board::parse(include_str!("../boards/x86_64_generic.toml")).unwrap();
        let system = limen_sdf::parse("test.system", REGIONS, &Target::x86_64(), &limen_sdf::no_files);
        (board, system.unwrap().system)
    }

    #[test]
    fn what_memory_a_pc_has_is_not_known() {
        let (board, system) = pc();
        let reserved = Range { start: 0x40_0000, end: 0x6000_0000 };
        for region in &system.memory_regions {
            let place = find(&board, region, reserved).unwrap().unwrap();
            assert_eq!(place.kind, RegionKind::Fixed, "{}", region.name);
        }
    }

    #[test]
    fn what_must_be_ram_is_known() {
        let (_, system) = pc();
        let all = system.memory_regions.iter().enumerate();
        let found: Vec<_> =
            all.filter(|(index, _)| needs_ram(&system)[*index]).map(|(_, r)| &r.name).collect();
        assert_eq!(found, ["filled", "digested", "wiped", "crossing"]);
    }

    #[test]
    fn the_kernels_devices_are_known_on_a_pc_too() {
        let (board, mut system) = pc();
        system.memory_regions[0].phys_addr = Some(0xfee0_0000);
        let refused = find(&board, &system.memory_regions[0], Range::default()).unwrap_err();
        assert!(refused.message.contains("overlaps with the interrupt controller"), "{}", refused.message);
    }
}
