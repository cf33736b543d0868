//! Initial contents of memory regions: files, which follow the programs' pages in the boot image, and boot
//! information, which the kernel adds.

use std::collections::HashMap;

use limen_abi::limits::PAGE_BYTES;
use limen_image::Region;
use limen_sdf::SystemDescription;
use limen_sdf::model::Prefill;

use crate::address_space::{AddressSpaces, Purpose};

/// Files for the image, in the order of extents, each padded to whole pages.
fn files<'s>(
    system: &'s SystemDescription,
    spaces: &'s AddressSpaces,
) -> impl Iterator<Item = (usize, &'s [u8])> + 's {
    spaces.extents.iter().enumerate().filter_map(|(extent, described)| {
        let Purpose::Region { region } = described.purpose else { return None };
        match &system.memory_regions[region].prefill {
            Some(Prefill::File(contents)) => Some((extent, &contents[..])),
            Some(Prefill::BootInfo(_)) | None => None,
        }
    })
}

/// Bytes of the files in the image.
pub(crate) fn bytes(system: &SystemDescription, spaces: &AddressSpaces) -> u64 {
    files(system, spaces).map(|(_, contents)| padded(contents)).sum()
}

/// Adds the files to the image.
pub(crate) fn append(bytes: &mut Vec<u8>, system: &SystemDescription, spaces: &AddressSpaces) {
    for (_, contents) in files(system, spaces) {
        let end = bytes.len() + padded(contents) as usize;
        bytes.extend_from_slice(contents);
        bytes.resize(end, 0);
    }
}

/// Offset in the image of each file, by the index of its extent; `start` is the offset of the first.
pub(crate) fn sources(system: &SystemDescription, spaces: &AddressSpaces, start: u64) -> HashMap<usize, u64> {
    let mut next = start;
    let source = |(extent, contents)| {
        let source = next;
        next += padded(contents);
        (extent, source)
    };
    files(system, spaces).map(source).collect()
}

/// The fields of an extent's record that describe its initial contents.
pub(crate) fn describe(
    record: Region,
    extent: usize,
    system: &SystemDescription,
    spaces: &AddressSpaces,
    sources: &HashMap<usize, u64>,
) -> Region {
    let Purpose::Region { region } = spaces.extents[extent].purpose else { return record };
    match &system.memory_regions[region].prefill {
        None => record,
        Some(Prefill::BootInfo(piece)) => Region { source: piece.as_raw(), ..record },
        Some(Prefill::File(contents)) => {
            let source = sources.get(&extent).copied().unwrap_or_default();
            Region { source, source_bytes: padded(contents), ..record }
        }
    }
}

fn padded(contents: &[u8]) -> u64 {
    (contents.len() as u64).next_multiple_of(PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use limen_image::{Image, words_of};

    use crate::test_system::built;

    const FILLED: &str = r#"<system>
        <memory_region name="plain" size="0x2000" />
        <memory_region name="floating" prefill_path="f" size="0x5000" />
        <memory_region name="fixed" prefill_path="f" phys_addr="0x50000000" />
        <memory_region name="tree" prefill_bootinfo="fdt" />
        <memory_region name="unused" prefill_path="f" />
        <protection_domain name="p"><program_image path="p" />
            <map mr="plain" vaddr="0x1000000" /><map mr="floating" vaddr="0x2000000" setvar_prefill_size="word" />
            <map mr="fixed" vaddr="0x3000000" /><map mr="tree" vaddr="0x4000000" /></protection_domain></system>"#;

    #[test]
    fn files_follow_the_programs_in_the_image() {
        let built = built(FILLED);
        let image = &built.file[(built.layout.image_paddr - built.layout.start) as usize..];
        let regions: Vec<_> = Image::validate(&words_of(image)).unwrap().regions().collect();
        let filled: Vec<_> = regions.iter().filter(|region| region.source_bytes != 0).collect();
        assert_eq!(
            filled.iter().map(|r| (r.bytes, r.source_bytes)).collect::<Vec<_>>(),
            [(0x2000, 0x2000), (0x5000, 0x2000)]
        );
        for region in filled {
            let contents = &image[region.source as usize..][..0x2000];
            assert_eq!((contents[0], contents[0x17ff], contents[0x1800]), (7, 7, 0));
        }
        assert_eq!(regions.iter().filter(|region| region.source == 6 && region.source_bytes == 0).count(), 1);
    }

    #[test]
    fn programs_receive_the_prefilled_size() {
        let built = built(FILLED);
        let program = &built.parts.programs[0];
        let symbol = program.symbols.unique("word").unwrap();
        let page = program.contents(symbol.vaddr / 0x1000 * 0x1000, 0x1000).next().unwrap();
        assert_eq!(page[symbol.vaddr as usize % 0x1000..][..8], 0x1800_u64.to_le_bytes());
    }
}
