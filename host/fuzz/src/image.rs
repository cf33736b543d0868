//! The validator of boot images: for any bytes, the kernel can boot the image or refuses it.

use limen_abi::{ServiceKind, slot};
use limen_image::{
    Architecture, Board, Cap, CapKind, Counts, DomainSlot, FixedRegion, FixedRegionFlags, HeaderWord, Home,
    Image, ImageWriter, Machine, Mapping, MappingFlags, Memory, MemoryKind, NONE, PLACED_RESERVED,
    RAM_RANGES, Range, Region, RegionKind, SchedContext, Service, Thread, UNPLACED, bytes_of, checksum,
    name_words, place, words_of,
};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "image",
    seeds: || {
        vec![
            bytes(Architecture::Aarch64, IMAGE, 1),
            bytes(Architecture::X86_64, UNPLACED, 1),
            bytes(Architecture::Riscv64, IMAGE, 2),
        ]
    },
    words: &[&[0xff; 8], &[0; 8]],
    try_input,
};

const RAM: Range = Range { start: 0x4000_0000, end: 0x4800_0000 };
const FIRMWARE: Range = Range { start: 0x4800_0000, end: 0x4810_0000 };
const HIGH_RAM: Range = Range { start: 0x1_0000_0000, end: 0x1_4000_0000 };
const IMAGE: u64 = 0x4100_0000;
const USER_TOP: u64 = 0xff_ffff_ffff;

/// A small image with a record in every table that an image for so many processors may have. Its thread and
/// scheduling context are on the last of them, and the endpoint on the first.
fn bytes(architecture: Architecture, paddr: u64, processors: u64) -> Vec<u8> {
    let mut writer = ImageWriter::new(architecture);
    let flags = MappingFlags::READ | MappingFlags::WRITE;
    let thread = Thread {
        stack_top: 0x7000_0000,
        ipc_buffer: 0x6000_0000,
        notification: NONE,
        fault_slot: NONE,
        timeout_slot: NONE,
        processor: processors - 1,
        ..Thread::default()
    };
    writer.board = Board { user_top: USER_TOP, ..Board::default() };
    writer.counts = Counts { endpoints: 1, vspaces: 2, ..Counts::default() };
    writer.ram = vec![RAM];
    writer.reserved = vec![Range { start: RAM.start, end: 0x4200_0000 }];
    writer.pool = Range { start: 0x4200_0000, end: 0x4300_0000 };
    let region = |paddr, bytes| Region { paddr, bytes, kind: RegionKind::Zero as u64, ..Region::default() };
    writer.regions = vec![region(0x4400_0000, 0x2000), region(0x4500_0000, Service::STACK_BYTES)];
    let mapping =
        |vspace, vaddr, region, bytes, flags| Mapping { vspace, vaddr, bytes, region, offset: 0, flags };
    let for_work = flags | MappingFlags::PRIVILEGED;
    writer.mappings = vec![
        mapping(0, 0x20_0000, 0, 0x2000, flags),
        mapping(1, 0x20_0000, 0, 0x2000, for_work),
        mapping(1, 0x30_0000, 1, Service::STACK_BYTES, for_work),
    ];
    writer.services = vec![Service {
        kind: ServiceKind::Digest as u64,
        vspace: 1,
        stack_top: 0x30_0000 + Service::STACK_BYTES,
        target: 0x20_0000,
        bytes: 0x2000,
        owner: NONE,
        interrupt: NONE,
        ..Service::default()
    }];
    writer.sched_contexts = vec![SchedContext { budget_us: 100, period_us: 400, processor: processors - 1 }];
    writer.threads = vec![thread];
    writer.caps = vec![
        Cap { slot: 1, kind: CapKind::Endpoint as u64, ..Cap::default() },
        Cap { slot: slot::BASE_SERVICE, kind: CapKind::Service as u64, ..Cap::default() },
    ];
    if paddr == UNPLACED {
        leave_to_boot(&mut writer);
    }
    if processors == 1 {
        writer.domain_schedule =
            vec![DomainSlot { processor: 0, domain: 0, duration_us: 5, duration_ticks: 0 }];
    } else {
        writer.processors = processors;
        writer.homes = vec![Home { processor: 0 }];
    }
    bytes_of(&writer.finish(paddr, 0x10_0000))
}

/// Makes an image that is placed at boot, with a floating region and RAM at a fixed address.
fn leave_to_boot(writer: &mut ImageWriter) {
    writer.ram = vec![Range::default(); RAM_RANGES];
    writer.reserved = vec![Range::default(); PLACED_RESERVED];
    writer.pool = Range { start: 0, end: 0x10_0000 };
    let kinds = [RegionKind::Fixed, RegionKind::Floating];
    for (region, kind) in writer.regions.iter_mut().zip(kinds) {
        region.kind = kind as u64;
    }
    writer.regions[1].paddr = 0x1000;
    writer.regions.swap(0, 1);
    writer.fixed_regions =
        vec![FixedRegion { name: name_words("fixed"), flags: FixedRegionFlags::NEEDS_RAM }];
    for mapping in &mut writer.mappings {
        mapping.region = 1 - mapping.region;
    }
}

/// Corrects the checksum of the tables: without that, hardly any input would pass the first check.
fn correct_checksum(words: &mut [u64]) {
    let length = words.get(HeaderWord::TABLES_BYTES).map_or(u64::MAX, |bytes| bytes / 8);
    let Some(tables) = usize::try_from(length).ok().and_then(|length| words.get(..length)) else { return };
    let sum = checksum(tables);
    if let Some(place) = words.get_mut(HeaderWord::CHECKSUM) {
        *place = sum;
    }
}

/// Uses an image as it is, and with a correct checksum.
///
/// # Panics
/// When the validator accepts an image that boot could not rely on.
pub fn try_input(bytes: &[u8]) {
    let mut words = words_of(bytes);
    use_image(&words);
    correct_checksum(&mut words);
    use_image(&words);
    let mut placed = words;
    let kernel = Range { start: RAM.start, end: RAM.start + 0x20_0000 };
    let memory = [
        Memory { range: RAM, kind: MemoryKind::Ram },
        Memory { range: FIRMWARE, kind: MemoryKind::Reserved },
        Memory { range: HIGH_RAM, kind: MemoryKind::Ram },
    ];
    let machine = Machine { image_paddr: IMAGE, memory: &memory, kernel, reach: HIGH_RAM.end, end: 1 << 40 };
    if place(&mut placed, &machine).is_ok() {
        use_image(&placed);
        if let Ok(image) = Image::validate(&placed) {
            let paddrs = |region: Region| Range { start: region.paddr, end: region.paddr + region.bytes };
            assert!(
                !image.regions().map(paddrs).any(|range| range.overlaps(&FIRMWARE)),
                "memory of the firmware"
            );
            assert!(
                !image.regions().map(paddrs).any(|range| range.overlaps(&kernel)),
                "memory of the kernel"
            );
        }
    }
}

/// Reads everything that boot reads.
fn use_image(words: &[u64]) {
    let Ok(image) = Image::validate(words) else { return };
    for region in image.regions() {
        let end = region.paddr + region.bytes;
        assert!(end > region.paddr && region.source_bytes <= region.bytes, "an invalid region");
    }
    for mapping in image.mappings() {
        let region = image.region(mapping.region);
        assert!(mapping.offset + mapping.bytes <= region.bytes, "a mapping beyond its region");
        assert!(
            mapping.vaddr + mapping.bytes - 1 <= image.board().user_top,
            "a mapping of the kernel's half"
        );
    }
    let threads = image.thread_count();
    let homes =
        image.threads().map(|thread| thread.processor).chain(image.homes().map(|home| home.processor));
    assert!(homes.into_iter().all(|home| home < image.processors()), "a home without a processor");
    for service in image.services() {
        assert!(service.thread < threads, "a service without a thread");
        let meets_program = image.threads().any(|thread| thread.vspace == service.vspace);
        assert!(!meets_program && service.vspace < image.counts().vspaces, "a service among programs");
    }
    assert!(image.caps().all(|cap| cap.table < threads), "a capability without a table");
    assert!(
        image.threads().all(|thread| thread.vspace < image.counts().vspaces),
        "a thread without an address space"
    );
    assert!(
        image.sched_contexts().all(|context| context.budget_us <= context.period_us),
        "a budget above its period"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_with_an_address_start_valid() {
        for (architecture, processors) in [(Architecture::Aarch64, 1), (Architecture::Riscv64, 2)] {
            let words = words_of(&bytes(architecture, IMAGE, processors));
            assert_eq!(Image::validate(&words).map(|image| image.processors()), Ok(processors));
        }
    }
}
