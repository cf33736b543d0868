//! Images that are placed at boot.

use limen_abi::limits::PAGE_BYTES;
use limen_image::{
    CapKind, FixedRegion, FixedRegionFlags, Image, ImageError, ImageWriter, KeySite, MODULE_OFFSET, Machine,
    Mapping, MappingFlags, Memory, MemoryKind, Misplaced, PLACED_RESERVED, RAM_RANGES, Range, RegionKind,
    Table, UNPLACED, name_words, place,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::random::config;
use crate::sample::{range, region, sample};
use crate::soundness;

const KERNEL: Range = Range { start: 0x20_0000, end: 0x30_0000 };
const IMAGE: u64 = KERNEL.end + MODULE_OFFSET;
const IMAGE_BYTES: u64 = 0x4000;
const IMAGE_END: u64 = IMAGE + IMAGE_BYTES;
const POOL_BYTES: u64 = 0x10_0000;
const REACH: u64 = 512 << 30;
const GIB: u64 = 1 << 30;
/// Of a processor with 40 address bits.
const END: u64 = 1 << 40;

/// A PC with 2 GiB: RAM up to the ACPI tables, device registers listed and not listed by the firmware, and the
/// firmware's own memory.
const PC: [Memory; 6] = [
    memory(0, 0x9_fc00, MemoryKind::Ram),
    memory(0x9_fc00, 0xa_0000, MemoryKind::Reserved),
    memory(0xf_0000, 0x10_0000, MemoryKind::Reserved),
    memory(0x10_0000, 0x7ffe_0000, MemoryKind::Ram),
    memory(0x7ffe_0000, 0x8000_0000, MemoryKind::Reserved),
    memory(0xb000_0000, 0xc000_0000, MemoryKind::Reserved),
];

const fn memory(start: u64, end: u64, kind: MemoryKind) -> Memory {
    Memory { range: Range { start, end }, kind }
}

/// Two pages of contents, floating regions of these sizes, each aligned to its size, then regions with a fixed
/// address, which are called `fixed`.
fn unplaced(floating: &[u64], fixed: &[Range]) -> ImageWriter {
    let mut writer = ImageWriter { mappings: Vec::new(), ..sample() };
    writer.ram = vec![Range::default(); RAM_RANGES];
    writer.reserved = vec![Range::default(); PLACED_RESERVED];
    writer.pool = range(0, POOL_BYTES);
    writer.key_sites = vec![KeySite { region: 0, paddr: 0x2010, ..writer.key_sites[0] }];
    writer.services.clear();
    writer.caps.retain(|cap| cap.kind != CapKind::Service as u64);
    writer.regions = vec![region(0x2000, 0x2000, RegionKind::Contents)];
    writer.regions.extend(floating.iter().map(|&bytes| region(bytes, bytes, RegionKind::Floating)));
    writer.regions.extend(fixed.iter().map(|at| region(at.start, at.end - at.start, RegionKind::Fixed)));
    writer.fixed_regions = vec![FixedRegion { name: name_words("fixed"), flags: 0 }; fixed.len()];
    writer
}

fn place_in(memory: &[Memory], writer: &ImageWriter) -> Result<Vec<u64>, ImageError> {
    let mut words = writer.finish(UNPLACED, IMAGE_BYTES);
    place(&mut words, &Machine { image_paddr: IMAGE, memory, kernel: KERNEL, reach: REACH, end: END })?;
    Ok(words)
}

/// The kind of a fixed region on the PC.
fn fixed_at(start: u64, end: u64) -> Result<RegionKind, ImageError> {
    let words = place_in(&PC, &unplaced(&[], &[range(start, end)]))?;
    let image = Image::validate(&words)?;
    Ok(RegionKind::from_raw(image.region(1).kind).expect("a kind"))
}

/// Why a fixed region is refused on the PC.
fn refusal(start: u64, end: u64) -> Option<Misplaced> {
    match fixed_at(start, end) {
        Err(ImageError::FixedRegion { why, .. }) => Some(why),
        _ => None,
    }
}

fn paddrs(image: &Image<'_>) -> Vec<u64> {
    image.regions().map(|region| region.paddr).collect()
}

#[test]
fn page_tables_follow_the_image_and_regions_follow_them() {
    let words = place_in(&PC, &unplaced(&[0x1000, 0x20_0000], &[])).expect("room");
    let image = Image::validate(&words).expect("a valid image");
    let pool = range(IMAGE_END, IMAGE_END + POOL_BYTES);
    assert_eq!(image.pool(), pool);
    assert_eq!(paddrs(&image), [IMAGE + 0x2000, pool.end, 0x60_0000]);
    assert!(image.key_sites().map(|site| site.paddr).eq([IMAGE + 0x2010]));
    assert_eq!(image.ram().collect::<Vec<_>>(), [PC[3].range]);
    assert_eq!(image.reserved().collect::<Vec<_>>(), [KERNEL, range(IMAGE, IMAGE_END)]);
}

#[test]
fn floating_regions_skip_fixed_regions() {
    let fixed = [range(0x50_0000, 0x60_0000), range(0x60_0000, 0x90_0000)];
    let words = place_in(&PC, &unplaced(&[0x10_0000, 0x10_0000, 0x1000], &fixed)).expect("room");
    let image = Image::validate(&words).expect("a valid image");
    assert_eq!(image.pool(), range(IMAGE_END, IMAGE_END + POOL_BYTES));
    assert_eq!(paddrs(&image)[1..], [0x90_0000, 0xa0_0000, 0xb0_0000, 0x50_0000, 0x60_0000]);
    soundness::check(&image);
}

#[test]
fn floating_regions_continue_above_four_gibibytes() {
    let pc = [PC.as_slice(), &[memory(4 * GIB, 8 * GIB, MemoryKind::Ram)]].concat();
    let words = place_in(&pc, &unplaced(&[GIB / 2, 2 * GIB, 0x1000], &[])).expect("room");
    let image = Image::validate(&words).expect("a valid image");
    assert_eq!(paddrs(&image)[1..], [GIB / 2, 4 * GIB, 6 * GIB]);
    assert_eq!(image.ram().count(), 2);
}

#[test]
fn ram_out_of_reach_stays_unused() {
    let pc = [PC.as_slice(), &[memory(4 * GIB, 8 * GIB, MemoryKind::Ram)]].concat();
    let place_within = |fixed: &[Range], floating: &[u64]| {
        let mut words = unplaced(floating, fixed).finish(UNPLACED, IMAGE_BYTES);
        place(
            &mut words,
            &Machine { image_paddr: IMAGE, memory: &pc, kernel: KERNEL, reach: 4 * GIB, end: END },
        )
    };
    assert_eq!(place_within(&[], &[2 * GIB]), Err(ImageError::NoRoom { bytes: 2 * GIB }));
    let beyond = range(5 * GIB, 5 * GIB + 0x1000);
    let why = Misplaced::Kept;
    let refused = ImageError::FixedRegion { name: name_words("fixed"), range: beyond, why };
    assert_eq!(place_within(&[beyond], &[]), Err(refused));
}

#[test]
fn fixed_regions_are_ram_or_devices() {
    assert_eq!(fixed_at(0x5fdf_0000, 0x6fff_6000), Ok(RegionKind::Zero));
    assert_eq!(fixed_at(0xfed0_0000, 0xfed0_1000), Ok(RegionKind::Device));
    assert_eq!(fixed_at(0xb_8000, 0xb_9000), Ok(RegionKind::Device), "the screen");
    assert_eq!(
        fixed_at(0xb000_0000, 0xb010_0000),
        Ok(RegionKind::Device),
        "the configuration of PCI devices"
    );
}

#[test]
fn fixed_regions_avoid_memory_in_use() {
    let image = range(IMAGE, IMAGE_END);
    assert_eq!(refusal(0x2f_f000, 0x30_0000), Some(Misplaced::Kernel(KERNEL)));
    assert_eq!(refusal(IMAGE, IMAGE + 0x1000), Some(Misplaced::Image(image)));
    assert_eq!(refusal(0x7ffe_0000, 0x7ffe_1000), Some(Misplaced::Kept), "tables of ACPI");
    assert_eq!(refusal(0x7ffd_f000, 0x7ffe_1000), Some(Misplaced::Kept), "RAM and tables of ACPI");
    assert_eq!(refusal(0, 0x1000), Some(Misplaced::Kept), "vectors of the firmware");
    assert_eq!(refusal(0x9_f000, 0xa_0000), Some(Misplaced::Kept), "a page with both");
    assert_eq!(refusal(0xf_0000, 0x10_0000), Some(Misplaced::Kept), "the firmware");
    assert_eq!(refusal(0, END), Some(Misplaced::Kernel(KERNEL)), "everything");
}

#[test]
fn memory_that_the_firmware_keeps_is_kept_wherever_it_is() {
    for (start, kind) in [(0xa000_0000, MemoryKind::Kept), (0x1000_0000, MemoryKind::Reserved)] {
        let pc = [PC.as_slice(), &[memory(start, start + 0x800, kind)]].concat();
        let placed = place_in(&pc, &unplaced(&[], &[range(start, start + 0x1000)]));
        assert!(
            matches!(placed, Err(ImageError::FixedRegion { why: Misplaced::Kept, .. })),
            "{start:#x}: {placed:?}"
        );
        // Memory that is also listed as kept is not used either.
        let words = place_in(&pc, &unplaced(&[0x1000_0000, 0x1000], &[])).expect("room");
        let image = Image::validate(&words).expect("a valid image");
        let kept = range(start, start + 0x800);
        assert!(image.regions().all(|r| !kept.overlaps(&range(r.paddr, r.paddr + r.bytes))));
    }
}

#[test]
fn a_region_across_the_end_of_ram_is_refused_by_name() {
    let gap = memory(0x7fff_0000, 0x8000_0000, MemoryKind::Reserved);
    let pc = [memory(0x10_0000, 0x4000_0000, MemoryKind::Ram), gap];
    let refused =
        place_in(&pc, &unplaced(&[], &[range(0x3fff_f000, 0x4000_1000)])).expect_err("only partly RAM");
    assert_eq!(
        refused.to_string(),
        "memory region 'fixed' [0x3ffff000..0x40001000) lies only partly in RAM; change its phys_addr or size, or give \
         the machine more memory"
    );
}

#[test]
fn a_region_that_the_processor_cannot_address_is_refused_by_name() {
    assert_eq!(fixed_at(END - 0x1000, END), Ok(RegionKind::Device));
    for start in [END - 0x1000, END, (1 << 48) - 0x2000] {
        let at = range(start, start + 0x2000);
        let why = Misplaced::Beyond(END);
        let refused = fixed_at(at.start, at.end).expect_err("no such address");
        assert_eq!(refused, ImageError::FixedRegion { name: name_words("fixed"), range: at, why });
        assert_eq!(
            refused.to_string(),
            format!(
                "memory region 'fixed' [{:#x}..{:#x}) is beyond the physical addresses of this processor, which end at \
                 0x10000000000; choose a lower phys_addr",
                at.start, at.end
            )
        );
    }
}

#[test]
fn a_region_that_must_be_ram_is_not_a_device() {
    let mut writer = unplaced(&[], &[range(0xfed0_0000, 0xfed0_1000)]);
    writer.fixed_regions[0].flags = FixedRegionFlags::NEEDS_RAM;
    let placed = place_in(&PC, &writer);
    assert!(matches!(placed, Err(ImageError::FixedRegion { why: Misplaced::NeedsRam, .. })), "{placed:?}");
}

#[test]
fn a_name_is_printed_without_control_characters() {
    let mut writer = unplaced(&[], &[range(0, PAGE_BYTES)]);
    writer.fixed_regions[0].name = name_words("a region\n\u{1b}[0m~\u{7f}");
    let refused = place_in(&PC, &writer).expect_err("memory of the firmware").to_string();
    assert!(refused.starts_with("memory region 'a region??[0m~?' [0x0..0x1000) overlaps"), "{refused}");
}

#[test]
fn undefined_flags_are_refused() {
    let mut writer = unplaced(&[], &[range(0xfed0_0000, 0xfed0_1000)]);
    writer.fixed_regions[0].flags = FixedRegionFlags::ALL + 1;
    let what = "invalid flags";
    let refused = ImageError::Record { table: Table::FixedRegions as usize, index: 0, what };
    assert_eq!(place_in(&PC, &writer), Err(refused));
}

#[test]
fn only_the_machine_decides_the_kind_of_a_fixed_region() {
    let refused = |writer: &ImageWriter| matches!(place_in(&PC, writer), Err(ImageError::Record { what, .. }) if what.contains("placed at boot"));
    for kind in [RegionKind::Device, RegionKind::Zero] {
        let mut writer = unplaced(&[], &[range(0xfed0_0000, 0xfed0_1000)]);
        writer.regions[1].kind = kind as u64;
        assert!(refused(&writer), "{kind:?} among the last");
        writer.fixed_regions.clear();
        assert!(refused(&writer), "{kind:?} among the first");
    }
    let mut writer = unplaced(&[], &[]);
    writer.fixed_regions = vec![FixedRegion::default(); 2];
    assert!(refused(&writer), "more names than regions");
}

#[test]
fn the_memory_map_may_be_in_any_order_and_in_pieces() {
    let pieces = [
        memory(0x4000_0000, 0x7ffe_0000, MemoryKind::Ram),
        memory(0x10_0000, 0x2000_0000, MemoryKind::Ram),
        memory(0x1800_0000, 0x4000_0000, MemoryKind::Ram),
    ];
    let words = place_in(&pieces, &unplaced(&[], &[])).expect("room");
    assert_eq!(Image::validate(&words).expect("a valid image").ram().collect::<Vec<_>>(), [PC[3].range]);
}

#[test]
fn ram_in_separate_ranges_is_put_in_order() {
    let ram = |start, end| memory(start, end, MemoryKind::Ram);
    let pieces = [
        ram(0x8000_0000, 0x9000_0000),
        ram(0x4000_0000, 0x5000_0000),
        ram(0x10_0000, 0x2000_0000),
        ram(0x6000_0000, 0x7000_0000),
        // No whole page.
        ram(0xa000_0800, 0xa000_1000),
    ];
    let words = place_in(&pieces, &unplaced(&[], &[])).expect("room");
    let image = Image::validate(&words).expect("a valid image");
    let expected = [2, 1, 3, 0].map(|index: usize| pieces[index].range);
    assert_eq!(image.ram().collect::<Vec<_>>(), expected);
}

#[test]
fn ram_above_four_gibibytes_tells_nothing_about_reserved_memory_below() {
    for start in [4 * GIB, 5 * GIB] {
        let inside = range(start + GIB, start + GIB + 0x1000);
        let more = [
            memory(start, start + 4 * GIB, MemoryKind::Ram),
            Memory { range: inside, kind: MemoryKind::Reserved },
        ];
        let pc = [PC.as_slice(), &more].concat();
        let device = range(0xb000_0000, 0xb010_0000);
        let words = place_in(&pc, &unplaced(&[], &[device])).expect("registers");
        let image = Image::validate(&words).expect("a valid image");
        assert_eq!(image.region(1).kind, RegionKind::Device as u64);
        let refused = place_in(&pc, &unplaced(&[], &[inside]));
        assert!(matches!(refused, Err(ImageError::FixedRegion { why: Misplaced::Kept, .. })), "{refused:?}");
    }
}

#[test]
fn the_image_may_lie_below_the_kernel() {
    let image_paddr = 0x10_0000;
    let mut words = unplaced(&[0x1000], &[]).finish(UNPLACED, IMAGE_BYTES);
    let machine = Machine { image_paddr, memory: &PC, kernel: KERNEL, reach: REACH, end: END };
    place(&mut words, &machine).expect("room");
    let image = Image::validate(&words).expect("a valid image");
    let below = range(image_paddr, image_paddr + IMAGE_BYTES);
    assert_eq!(image.reserved().collect::<Vec<_>>(), [below, KERNEL]);
    // The pool does not fit between them; regions follow it.
    assert_eq!(image.pool(), range(KERNEL.end, KERNEL.end + POOL_BYTES));
    assert_eq!(image.region(1).paddr, KERNEL.end + POOL_BYTES);
}

#[test]
fn an_empty_entry_takes_no_memory() {
    let pc = [PC.as_slice(), &[memory(IMAGE_END, IMAGE_END, MemoryKind::Kept)]].concat();
    let words = place_in(&pc, &unplaced(&[], &[])).expect("room");
    let pool = Image::validate(&words).expect("a valid image").pool();
    assert_eq!(pool, range(IMAGE_END, IMAGE_END + POOL_BYTES));
}

#[test]
fn excess_ranges_of_ram_stay_unused() {
    let more = (1..=RAM_RANGES as u64)
        .map(|index| memory(index * 4 * GIB, index * 4 * GIB + 0x1000, MemoryKind::Ram));
    let pc: Vec<_> = PC.into_iter().chain(more).collect();
    let words = place_in(&pc, &unplaced(&[], &[])).expect("room");
    assert_eq!(Image::validate(&words).expect("a valid image").ram().count(), RAM_RANGES);
    let last = range(RAM_RANGES as u64 * 4 * GIB, RAM_RANGES as u64 * 4 * GIB + 0x1000);
    let refused = place_in(&pc, &unplaced(&[], &[last]));
    assert!(matches!(refused, Err(ImageError::FixedRegion { why: Misplaced::Kept, .. })), "{refused:?}");
}

#[test]
fn an_unplaced_image_is_invalid() {
    let words = unplaced(&[], &[]).finish(UNPLACED, IMAGE_BYTES);
    assert_eq!(Image::validate(&words).map(|_| ()), Err(ImageError::Unplaced));
}

#[test]
fn an_image_is_placed_once() {
    let mut words = place_in(&PC, &unplaced(&[], &[])).expect("room");
    let machine = Machine { image_paddr: IMAGE, memory: &PC, kernel: KERNEL, reach: REACH, end: END };
    assert_eq!(place(&mut words, &machine), Err(ImageError::Placed));
}

#[test]
fn a_machine_that_is_too_small_is_refused() {
    let until = |end| {
        let ram = [memory(0x10_0000, end, MemoryKind::Ram)];
        place_in(&ram, &unplaced(&[0x20_0000], &[])).map(|_| ())
    };
    assert_eq!(until(IMAGE), Err(ImageError::NoRoom { bytes: IMAGE_BYTES }));
    assert_eq!(until(IMAGE_END), Err(ImageError::NoRoom { bytes: POOL_BYTES }));
    assert_eq!(until(0x5f_f000), Err(ImageError::NoRoom { bytes: 0x20_0000 }));
}

#[test]
fn damage_is_found_before_anything_is_written() {
    let mut words = unplaced(&[], &[]).finish(UNPLACED, IMAGE_BYTES);
    let last = words.len() - 1;
    words[last] ^= 1;
    let before = words.clone();
    let machine = Machine { image_paddr: IMAGE, memory: &PC, kernel: KERNEL, reach: REACH, end: END };
    assert_eq!(place(&mut words, &machine), Err(ImageError::Checksum));
    assert_eq!(words, before);
}

/// Disjoint ranges of pages, ascending, in the first 64 MiB.
fn disjoint_ranges() -> impl Strategy<Value = Vec<Range>> {
    vec((1..0x400u64, 1..0x400u64), 0..12).prop_map(|shapes| {
        let mut at = 0;
        let next = |(gap, pages): (u64, u64)| {
            let start = at + gap * PAGE_BYTES;
            at = start + pages * PAGE_BYTES;
            range(start, at)
        };
        shapes.into_iter().map(next).collect()
    })
}

/// Any memory map of the first 64 MiB, with overlapping and unaligned entries.
fn memory_maps() -> impl Strategy<Value = Vec<Memory>> {
    let kinds =
        prop_oneof![4 => Just(MemoryKind::Ram), 1 => Just(MemoryKind::Reserved), 1 => Just(MemoryKind::Kept)];
    let entry = (0..0x400_0000u64, 0..0x200_0000u64, kinds);
    let entry = entry.prop_map(|(start, bytes, kind)| memory(start, start + bytes, kind));
    vec(entry, 0..10)
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn placed_images_are_sound(
        mut map in memory_maps(),
        fixed in disjoint_ranges(),
        floating in vec((1..64u64, any::<bool>()), 0..20),
        has_base in any::<bool>(),
    ) {
        if has_base {
            map.insert(0, memory(0x10_0000, 0x300_0000, MemoryKind::Ram));
        }
        let bytes = |&(pages, is_large): &(u64, bool)| if is_large { 0x20_0000 } else { pages * PAGE_BYTES };
        let floating: Vec<u64> = floating.iter().map(bytes).collect();
        let mut writer = unplaced(&floating, &fixed);
        writer.pool = range(0, 16 * PAGE_BYTES);
        writer.mappings = vec![Mapping { bytes: PAGE_BYTES, vaddr: 0x40_0000, flags: MappingFlags::READ, ..Mapping::default() }];
        let Ok(words) = place_in(&map, &writer) else { return Ok(()) };
        // If the firmware lists RAM of the kernel or the image as something else, the validator may refuse the image.
        let Ok(image) = Image::validate(&words) else { return Ok(()) };
        soundness::check(&image);
        let of_kind = |kind: MemoryKind| map.iter().filter(move |entry| entry.kind == kind).map(|entry| entry.range);
        for (region, written) in image.regions().zip(&writer.regions) {
            let at = range(region.paddr, region.paddr + region.bytes);
            prop_assert_eq!(region.bytes, written.bytes);
            match RegionKind::from_raw(written.kind) {
                Some(RegionKind::Floating) => {
                    prop_assert!(region.paddr.is_multiple_of(written.paddr));
                    prop_assert!(at.start >= IMAGE_END, "never before the image");
                    let taken = of_kind(MemoryKind::Reserved).chain(of_kind(MemoryKind::Kept));
                    prop_assert!(!taken.into_iter().any(|other| other.start < other.end && other.overlaps(&at)));
                }
                Some(RegionKind::Fixed) => {
                    prop_assert_eq!(region.paddr, written.paddr);
                    prop_assert!(!of_kind(MemoryKind::Kept).any(|other| other.start < other.end && other.overlaps(&at)));
                    let meets_ram = of_kind(MemoryKind::Ram).any(|other| other.start < other.end && other.overlaps(&at));
                    prop_assert_eq!(meets_ram, region.kind == RegionKind::Zero as u64);
                }
                _ => prop_assert_eq!(region.paddr, written.paddr + IMAGE),
            }
        }
    }

    #[test]
    fn random_words_in_an_unplaced_image_do_no_harm(
        changes in vec((any::<prop::sample::Index>(), crate::random::border_words()), 1..4),
        map in memory_maps(),
    ) {
        let mut words = unplaced(&[0x1000, 0x20_0000], &[range(0x200_0000, 0x200_1000)]).finish(UNPLACED, IMAGE_BYTES);
        for (index, value) in changes {
            let count = words.len();
            words[index.index(count)] = value;
        }
        crate::sample::fix_checksum(&mut words);
        let map = [map.as_slice(), &[memory(0x10_0000, 0x300_0000, MemoryKind::Ram)]].concat();
        let machine = Machine { image_paddr: IMAGE, memory: &map, kernel: KERNEL, reach: REACH, end: END };
        if place(&mut words, &machine).is_ok() && let Ok(image) = Image::validate(&words) {
            soundness::check(&image);
        }
    }
}
