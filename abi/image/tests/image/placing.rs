//! Images that get their place at boot.

use limen_image::{
    CapKind, Image, ImageError, ImageWriter, KeySite, MODULE_OFFSET, Machine, PLACED_RANGES, Range, Region,
    RegionKind, UNPLACED, place,
};

use crate::sample::sample;

const KERNEL: Range = Range { start: 0x20_0000, end: 0x30_0000 };
const RAM: [Range; 1] = [Range { start: 0x10_0000, end: 0x1000_0000 }];
const IMAGE: u64 = KERNEL.end + MODULE_OFFSET;
const IMAGE_BYTES: u64 = 0x4000;

/// Two pages of contents, a page and a large page that float, and a fixed page far above.
fn unplaced() -> ImageWriter {
    let region =
        |paddr, bytes, kind: RegionKind| Region { paddr, bytes, kind: kind as u64, ..Region::default() };
    let mut writer = ImageWriter { mappings: Vec::new(), ..sample() };
    writer.ram = vec![Range::default(); PLACED_RANGES];
    writer.reserved = vec![Range::default(); PLACED_RANGES];
    writer.key_sites = vec![KeySite { region: 0, paddr: 0x2010, ..writer.key_sites[0] }];
    writer.services.clear();
    writer.caps.retain(|cap| cap.kind != CapKind::Service as u64);
    writer.regions = vec![
        region(0x2000, 0x2000, RegionKind::Contents),
        region(0x1000, 0x1000, RegionKind::Floating),
        region(0x20_0000, 0x20_0000, RegionKind::Floating),
        region(0x800_0000, 0x1000, RegionKind::Zero),
    ];
    writer
}

fn placed(ram: &[Range]) -> Result<Vec<u64>, ImageError> {
    let mut words = unplaced().finish(UNPLACED, IMAGE_BYTES);
    place(&mut words, &Machine { image_paddr: IMAGE, ram, kernel: KERNEL })?;
    Ok(words)
}

#[test]
fn regions_follow_the_image_and_the_pool_follows_them() {
    let words = placed(&RAM).expect("room");
    let image = Image::validate(&words).expect("a valid image");
    let end = IMAGE + IMAGE_BYTES;
    let regions: Vec<_> = image.regions().map(|region| (region.paddr, region.kind)).collect();
    let (zero, contents) = (RegionKind::Zero as u64, RegionKind::Contents as u64);
    assert_eq!(regions, [(IMAGE + 0x2000, contents), (end, zero), (0x40_0000, zero), (0x800_0000, zero)]);
    assert!(image.key_sites().map(|site| site.paddr).eq([IMAGE + 0x2010]));
    assert_eq!(image.pool(), Range { start: 0x60_0000, end: 0x800_0000 });
    assert_eq!(image.ram().collect::<Vec<_>>(), RAM);
    assert_eq!(image.reserved().collect::<Vec<_>>(), [KERNEL, Range { start: IMAGE, end }]);
}

#[test]
fn an_image_without_a_place_is_not_valid() {
    let words = unplaced().finish(UNPLACED, IMAGE_BYTES);
    assert_eq!(Image::validate(&words).map(|_| ()), Err(ImageError::Unplaced));
}

#[test]
fn an_image_is_placed_once() {
    let mut words = placed(&RAM).expect("room");
    let machine = Machine { image_paddr: IMAGE, ram: &RAM, kernel: KERNEL };
    assert_eq!(place(&mut words, &machine), Err(ImageError::Placed));
}

#[test]
fn a_machine_may_be_too_small() {
    let until = |end| placed(&[Range { start: 0x10_0000, end }]).map(|_| ());
    assert_eq!(until(IMAGE), Err(ImageError::NoRoom), "for the image");
    assert_eq!(until(0x60_0000), Err(ImageError::NoRoom), "for a pool");
    assert_eq!(
        placed(&[Range { start: 0, end: 0x1000 }; PLACED_RANGES + 1]).map(|_| ()),
        Err(ImageError::NoRoom)
    );
}

#[test]
fn damage_is_found_before_anything_is_written() {
    let mut words = unplaced().finish(UNPLACED, IMAGE_BYTES);
    let last = words.len() - 1;
    words[last] ^= 1;
    let before = words.clone();
    let machine = Machine { image_paddr: IMAGE, ram: &RAM, kernel: KERNEL };
    assert_eq!(place(&mut words, &machine), Err(ImageError::Checksum));
    assert_eq!(words, before);
}
