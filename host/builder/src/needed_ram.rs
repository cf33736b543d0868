//! Memory regions that must be RAM: others with a fixed address may turn out to be devices.

use limen_sdf::SystemDescription;

use crate::services::served_regions;
use crate::sharing;

/// For each region, whether the description requires RAM: it is prefilled, a service uses it, or scheduling domains
/// share it as memory.
pub(crate) fn needs_ram(system: &SystemDescription) -> Vec<bool> {
    let regions = system.memory_regions.iter().zip(sharing::region_crossings(system, |_| Some("memory")));
    let needs_ram =
        regions.map(|(region, crossing)| region.prefill.is_some() || (!region.shared && crossing.is_some()));
    let mut needs_ram: Vec<_> = needs_ram.collect();
    let served = system.protection_domains.iter().flat_map(served_regions);
    served.for_each(|region| needs_ram[region] = true);
    needs_ram
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

    #[test]
    fn regions_that_need_ram_are_known() {
        let parsed = limen_sdf::parse("test.system", REGIONS, &Target::x86_64(), &limen_sdf::no_files);
        let system = parsed.unwrap().system;
        let regions = system.memory_regions.iter().zip(needs_ram(&system));
        let found: Vec<_> = regions.filter(|(_, needed)| *needed).map(|(region, _)| &region.name).collect();
        assert_eq!(found, ["filled", "digested", "wiped", "crossing"]);
    }
}
