//! Header, checksum and table directory.

use limen_abi::limits;
use limen_image::{DomainSlot, HEADER_WORDS, HeaderWord, Image, ImageError, KeySite, Options, Table};

use super::{Case, LIMIT, check};
use crate::sample::{IMAGE_PADDR, fix_checksum, homes, judge, sample, thread, words_of};

#[test]
fn header() {
    type Spoil = fn(&mut Vec<u64>);
    let cases: &[(&str, Spoil, ImageError)] = &[
        ("empty", Vec::clear, ImageError::Truncated),
        ("magic", |image| image[HeaderWord::MAGIC] = 1, ImageError::Magic),
        ("version", |image| image[HeaderWord::VERSION] = 11, ImageError::Version { found: 11 }),
        ("options", |image| image[HeaderWord::OPTIONS] = Options::ALL + 1, ImageError::Options),
        (
            "more tables than bytes",
            |image| {
                let bytes = image.len() as u64 * 8;
                image[HeaderWord::TABLES_BYTES] = bytes + 8;
            },
            ImageError::Truncated,
        ),
        ("tables of maximum size", |image| image[HeaderWord::TABLES_BYTES] = u64::MAX, ImageError::Truncated),
        (
            "tables smaller than the header",
            |image| image[HeaderWord::TABLES_BYTES] = HEADER_WORDS as u64 * 8 - 8,
            ImageError::Truncated,
        ),
        (
            "tables of half a word",
            |image| {
                let bytes = image[HeaderWord::TABLES_BYTES];
                image[HeaderWord::TABLES_BYTES] = bytes - 4;
            },
            ImageError::Truncated,
        ),
        (
            "an image smaller than its tables",
            |image| {
                let bytes = image.len() as u64 * 8;
                image[HeaderWord::IMAGE_BYTES] = bytes - 8;
            },
            ImageError::Truncated,
        ),
        ("an image that is too large", |image| image[HeaderWord::IMAGE_BYTES] = LIMIT, ImageError::Truncated),
        (
            "an unaligned image",
            |image| image[HeaderWord::IMAGE_PADDR] = IMAGE_PADDR + 8,
            ImageError::Truncated,
        ),
        (
            "an image at an invalid address",
            |image| image[HeaderWord::IMAGE_PADDR] = LIMIT,
            ImageError::Truncated,
        ),
    ];
    for (name, spoil, expected) in cases {
        let mut image = words_of(&sample());
        spoil(&mut image);
        if !image.is_empty() {
            fix_checksum(&mut image);
        }
        assert_eq!(judge(&image), Err(*expected), "{name}");
    }
}

#[test]
fn checksum() {
    let mut image = words_of(&sample());
    let sum = image[HeaderWord::CHECKSUM];
    image[HeaderWord::CHECKSUM] = sum ^ 1;
    assert_eq!(judge(&image), Err(ImageError::Checksum));
}

/// Words of the header before the table directory, which holds offset and count of each table.
const DIRECTORY: usize = HEADER_WORDS - 2 * Table::COUNT;

#[test]
fn directory() {
    let mut writer = sample();
    writer.homes = homes(&[0]);
    let image_words = words_of(&writer);
    for table in 0..Table::COUNT {
        let (offset, count) = (DIRECTORY + 2 * table, DIRECTORY + 2 * table + 1);
        let spoiled = [
            (offset, u64::MAX),
            (offset, HEADER_WORDS as u64 - 1),
            (offset, image_words.len() as u64),
            (count, u64::MAX),
            (count, u64::MAX / 2),
            (count, 1 << 60),
        ];
        for (index, value) in spoiled {
            let mut image = image_words.clone();
            image[index] = value;
            fix_checksum(&mut image);
            assert_eq!(judge(&image), Err(ImageError::Directory { table }), "word {index} is {value:#x}");
        }
    }
}

#[test]
fn number_of_records() {
    let too_few = [Table::Board, Table::Counts, Table::Ram, Table::Reserved, Table::Pool, Table::Threads];
    for table in too_few {
        let mut image = words_of(&sample());
        image[DIRECTORY + 2 * table as usize + 1] = 0;
        fix_checksum(&mut image);
        assert_eq!(judge(&image), Err(ImageError::Directory { table: table as usize }), "{table:?}");
    }
    let cases: &[Case] = &[
        ("RAM", |w| w.ram = vec![w.ram[0]; 17], ImageError::Directory { table: Table::Ram as usize }),
        (
            "reserved",
            |w| w.reserved = vec![w.reserved[0]; 17],
            ImageError::Directory { table: Table::Reserved as usize },
        ),
        (
            "scheduling contexts",
            |w| w.sched_contexts = vec![w.sched_contexts[0]; 65],
            ImageError::Directory { table: Table::SchedContexts as usize },
        ),
        (
            "threads",
            |w| w.threads = (0..65).map(|index| thread(index, 1)).collect(),
            ImageError::Directory { table: Table::Threads as usize },
        ),
        (
            "domain schedule",
            |w| {
                w.domain_schedule =
                    vec![DomainSlot { processor: 0, domain: 0, duration_us: 1, duration_ticks: 0 }; 397]
            },
            ImageError::Directory { table: Table::DomainSchedule as usize },
        ),
        (
            "capabilities",
            |w| w.caps = vec![w.caps[0]; limits::THREADS * (limits::CAP_SLOTS + limits::ROOT_SLOTS) + 1],
            ImageError::Directory { table: Table::Caps as usize },
        ),
        (
            "sites of keys",
            |w| w.key_sites = vec![w.key_sites[0]; limits::KEY_SITES + 1],
            ImageError::Directory { table: Table::KeySites as usize },
        ),
    ];
    check(cases);
}

#[test]
fn the_maximum_number_of_sites_is_accepted() {
    let mut writer = sample();
    writer.key_sites = vec![writer.key_sites[0]; limits::KEY_SITES];
    let words = words_of(&writer);
    let image = Image::validate(&words).expect("a valid image");
    assert!(image.key_sites().eq(writer.key_sites.iter().copied()));
    let records = words[image.key_site_words()].as_chunks().0;
    assert!(records.iter().map(KeySite::of).eq(writer.key_sites.iter().copied()));
    for (words, site) in records.iter().zip(&writer.key_sites) {
        assert_eq!([true, false].map(|state| KeySite::instruction(words, state)), [site.if_on, site.if_off]);
    }
}
