//! One image for each rule that breaks it, and nothing else.

use std::collections::BTreeSet;

use limen_abi::limits;
use limen_image::{
    CapKind, HEADER_WORDS, HeaderWord, ImageError, ImageWriter, MappingFlags, Region, RegionKind,
    SchedContext, Table,
};

use crate::sample::{
    IMAGE_BYTES, IMAGE_PADDR, bytes_of, cap, fix_checksum, judge, mapping, range, region, sample, set_word,
    thread, word,
};

const PAGE: u64 = limits::PAGE_BYTES;
/// The first address that is none.
const LIMIT: u64 = 1 << 52;

/// What spoils the sample, and what is said about it.
type Case = (&'static str, fn(&mut ImageWriter), ImageError);

const fn record(table: Table, index: usize, what: &'static str) -> ImageError {
    ImageError::Record { table: table as usize, index, what }
}

fn check(cases: &[Case]) {
    for (name, spoil, expected) in cases {
        let mut writer = sample();
        spoil(&mut writer);
        assert_eq!(judge(&bytes_of(&writer)), Err(*expected), "{name}");
    }
}

#[test]
fn header() {
    type Spoil = fn(&mut Vec<u8>);
    let cases: &[(&str, Spoil, ImageError)] = &[
        ("empty", Vec::clear, ImageError::Truncated),
        ("magic", |image| set_word(image, HeaderWord::MAGIC, 1), ImageError::Magic),
        ("version", |image| set_word(image, HeaderWord::VERSION, 9), ImageError::Version { found: 9 }),
        ("options", |image| set_word(image, HeaderWord::OPTIONS, 1 << 2), ImageError::Options),
        (
            "more tables than bytes",
            |image| {
                let bytes = image.len() as u64;
                set_word(image, HeaderWord::TABLES_BYTES, bytes + 8);
            },
            ImageError::Truncated,
        ),
        (
            "tables of everything",
            |image| set_word(image, HeaderWord::TABLES_BYTES, u64::MAX),
            ImageError::Truncated,
        ),
        (
            "tables smaller than the header",
            |image| set_word(image, HeaderWord::TABLES_BYTES, HEADER_WORDS as u64 * 8 - 8),
            ImageError::Truncated,
        ),
        (
            "tables of half a word",
            |image| {
                let bytes = word(image, HeaderWord::TABLES_BYTES);
                set_word(image, HeaderWord::TABLES_BYTES, bytes - 4);
            },
            ImageError::Truncated,
        ),
        (
            "an image smaller than its tables",
            |image| {
                let bytes = image.len() as u64;
                set_word(image, HeaderWord::IMAGE_BYTES, bytes - 8);
            },
            ImageError::Truncated,
        ),
        (
            "an image that is too large",
            |image| set_word(image, HeaderWord::IMAGE_BYTES, LIMIT),
            ImageError::Truncated,
        ),
        (
            "an image at no page",
            |image| set_word(image, HeaderWord::IMAGE_PADDR, IMAGE_PADDR + 8),
            ImageError::Truncated,
        ),
        (
            "an image at no address",
            |image| set_word(image, HeaderWord::IMAGE_PADDR, LIMIT),
            ImageError::Truncated,
        ),
    ];
    for (name, spoil, expected) in cases {
        let mut image = bytes_of(&sample());
        spoil(&mut image);
        if !image.is_empty() {
            fix_checksum(&mut image);
        }
        assert_eq!(judge(&image), Err(*expected), "{name}");
    }
}

#[test]
fn checksum() {
    let mut image = bytes_of(&sample());
    let sum = word(&image, HeaderWord::CHECKSUM);
    set_word(&mut image, HeaderWord::CHECKSUM, sum ^ 1);
    assert_eq!(judge(&image), Err(ImageError::Checksum));
}

/// Words of the header before the table directory: the last ones are offset and count of each table.
const DIRECTORY: usize = HEADER_WORDS - 2 * Table::COUNT;

#[test]
fn directory() {
    for table in 0..Table::COUNT {
        let (offset, count) = (DIRECTORY + 2 * table, DIRECTORY + 2 * table + 1);
        let spoiled = [
            (offset, u64::MAX),
            (offset, HEADER_WORDS as u64 - 1),
            (offset, bytes_of(&sample()).len() as u64 / 8),
            (count, u64::MAX),
            (count, u64::MAX / 2),
            (count, 1 << 60),
        ];
        for (index, value) in spoiled {
            let mut image = bytes_of(&sample());
            set_word(&mut image, index, value);
            fix_checksum(&mut image);
            assert_eq!(judge(&image), Err(ImageError::Directory { table }), "word {index} is {value:#x}");
        }
    }
}

#[test]
fn number_of_records() {
    let too_few = [Table::Board, Table::Counts, Table::Ram, Table::Reserved, Table::Pool, Table::Threads];
    for table in too_few {
        let mut image = bytes_of(&sample());
        set_word(&mut image, DIRECTORY + 2 * table as usize + 1, 0);
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
            "capabilities",
            |w| w.caps = vec![w.caps[0]; limits::THREADS * limits::CAP_SLOTS + 1],
            ImageError::Directory { table: Table::Caps as usize },
        ),
    ];
    check(cases);
}

const COUNTS: &[Case] = &[
    ("endpoints", |w| w.counts.endpoints = 65, ImageError::TooMany { what: "endpoints" }),
    ("notifications", |w| w.counts.notifications = 65, ImageError::TooMany { what: "notifications" }),
    ("replies", |w| w.counts.replies = 65, ImageError::TooMany { what: "reply objects" }),
    ("vspaces", |w| w.counts.vspaces = u64::MAX, ImageError::TooMany { what: "address spaces" }),
];

const BOARD: &[Case] = &[
    (
        "user top and buffer at the end of everything",
        |w| (w.board.user_top, w.threads[0].ipc_buffer) = (u64::MAX, PAGE.wrapping_neg()),
        record(Table::Board, 0, "highest user address is not the end of a page"),
    ),
    (
        "console at no page",
        |w| w.board.serial_paddr += 8,
        record(Table::Board, 0, "not the address of a page"),
    ),
    (
        "console at no address",
        |w| w.board.serial_paddr = LIMIT,
        record(Table::Board, 0, "not the address of a page"),
    ),
    (
        "interrupt controller at no page",
        |w| w.board.interrupt_controller_paddr += 1,
        record(Table::Board, 0, "not the address of a page"),
    ),
    (
        "interrupt controller at no address",
        |w| w.board.interrupt_cpu_paddr = LIMIT,
        record(Table::Board, 0, "not the address of a page"),
    ),
    (
        "user top in a page",
        |w| w.board.user_top -= 1,
        record(Table::Board, 0, "highest user address is not the end of a page"),
    ),
    (
        "user top too high",
        |w| w.board.user_top = u64::MAX,
        record(Table::Board, 0, "highest user address is not the end of a page"),
    ),
    (
        "user top at the limit",
        |w| w.board.user_top = LIMIT + PAGE - 1,
        record(Table::Board, 0, "highest user address is not the end of a page"),
    ),
];

const RANGES: &[Case] = &[
    ("RAM that starts in a page", |w| w.ram[0].start += 1, record(Table::Ram, 0, "not a range of pages")),
    ("RAM that ends in a page", |w| w.ram[1].end -= 8, record(Table::Ram, 1, "not a range of pages")),
    ("RAM without pages", |w| w.ram[1].end = w.ram[1].start, record(Table::Ram, 1, "not a range of pages")),
    (
        "RAM that ends before it starts",
        |w| w.ram[1].end = w.ram[1].start - PAGE,
        record(Table::Ram, 1, "not a range of pages"),
    ),
    ("RAM beyond all addresses", |w| w.ram[1].end = LIMIT, record(Table::Ram, 1, "not a range of pages")),
    ("RAM out of order", |w| w.ram.swap(0, 1), record(Table::Ram, 1, "not in ascending order")),
    (
        "RAM that overlaps",
        |w| w.ram[1].start = w.ram[0].end - PAGE,
        record(Table::Ram, 1, "not in ascending order"),
    ),
    (
        "reserved without pages",
        |w| w.reserved[0].end = w.reserved[0].start,
        record(Table::Reserved, 0, "not a range of pages"),
    ),
    (
        "reserved out of order",
        |w| w.reserved.swap(0, 1),
        record(Table::Reserved, 1, "not in ascending order"),
    ),
    (
        "reserved outside RAM",
        |w| w.reserved.push(range(0x4800_0000, 0x4800_1000)),
        record(Table::Reserved, 2, "not in RAM"),
    ),
    (
        "reserved across the end of RAM",
        |w| w.reserved.push(range(0x47ff_f000, 0x4800_1000)),
        record(Table::Reserved, 2, "not in RAM"),
    ),
    (
        "image outside reserved memory",
        |w| w.reserved[1].end = IMAGE_PADDR + IMAGE_BYTES - PAGE,
        record(Table::Reserved, 0, "does not hold the image"),
    ),
    ("pool without pages", |w| w.pool.end = w.pool.start, record(Table::Pool, 0, "not a range of pages")),
    ("pool outside RAM", |w| w.pool = range(0x4800_0000, 0x4810_0000), record(Table::Pool, 0, "not in RAM")),
    ("pool in reserved memory", |w| w.pool.start -= PAGE, record(Table::Pool, 0, "overlaps reserved memory")),
];

const REGIONS: &[Case] = &[
    ("region at no page", |w| w.regions[2].paddr += 8, record(Table::Regions, 2, "not a range of pages")),
    (
        "region of half a page",
        |w| w.regions[2].bytes += PAGE / 2,
        record(Table::Regions, 2, "not a range of pages"),
    ),
    ("region without pages", |w| w.regions[2].bytes = 0, record(Table::Regions, 2, "not a range of pages")),
    (
        "region at no address",
        |w| w.regions[2].paddr = LIMIT,
        record(Table::Regions, 2, "not a range of pages"),
    ),
    (
        "region that is too large",
        |w| w.regions[2].bytes = LIMIT,
        record(Table::Regions, 2, "not a range of pages"),
    ),
    (
        "regions out of order",
        |w| w.regions.swap(0, 1),
        record(Table::Regions, 1, "not in ascending order or overlapping"),
    ),
    (
        "regions that overlap",
        |w| w.regions.push(Region { paddr: 0x4400_0000 + PAGE, ..w.regions[2] }),
        record(Table::Regions, 3, "not in ascending order or overlapping"),
    ),
    (
        "cleared memory outside RAM",
        |w| w.regions[2].paddr = 0x4800_0000,
        record(Table::Regions, 2, "not in RAM"),
    ),
    (
        "cleared memory across the end of RAM",
        |w| w.regions[2].paddr = 0x47f0_0000,
        record(Table::Regions, 2, "not in RAM"),
    ),
    (
        "cleared memory that is reserved",
        |w| w.regions[2].paddr = 0x41f0_0000,
        record(Table::Regions, 2, "overlaps memory of the kernel"),
    ),
    (
        "cleared memory in the pool",
        |w| w.regions[2].paddr = 0x4230_0000,
        record(Table::Regions, 2, "overlaps memory of the kernel"),
    ),
    (
        "contents before the image",
        |w| w.regions[1].paddr = IMAGE_PADDR - PAGE,
        record(Table::Regions, 1, "not in the contents of the image"),
    ),
    (
        "contents in the tables",
        |w| w.regions[1].paddr = IMAGE_PADDR,
        record(Table::Regions, 1, "not in the contents of the image"),
    ),
    (
        "contents across the end of the image",
        |w| w.regions[1].paddr = IMAGE_PADDR + IMAGE_BYTES - PAGE,
        record(Table::Regions, 1, "not in the contents of the image"),
    ),
    (
        "a device in RAM",
        |w| w.regions[0] = region(0x4000_1000, PAGE, RegionKind::Device),
        record(Table::Regions, 0, "a device in RAM"),
    ),
    (
        "a device that reaches into RAM",
        |w| w.regions[0] = region(0x3fff_f000, 2 * PAGE, RegionKind::Device),
        record(Table::Regions, 0, "a device in RAM"),
    ),
    (
        "the interrupt controller",
        |w| w.regions[0].paddr = 0x0800_0000,
        record(Table::Regions, 0, "a device of the kernel"),
    ),
    (
        "the interrupt controller from below",
        |w| w.regions[0] = region(0x0800_f000, 2 * PAGE, RegionKind::Device),
        record(Table::Regions, 0, "a device of the kernel"),
    ),
    ("a kind without a meaning", |w| w.regions[0].kind = 3, record(Table::Regions, 0, "unknown kind")),
];

const MAPPINGS: &[Case] = &[
    ("address space", |w| w.mappings[3].vspace = 2, record(Table::Mappings, 3, "no such address space")),
    ("region", |w| w.mappings[0].region = 3, record(Table::Mappings, 0, "no such region")),
    (
        "flag without a meaning",
        |w| w.mappings[0].flags |= 1 << 5,
        record(Table::Mappings, 0, "flags that are not allowed"),
    ),
    (
        "writable but not readable",
        |w| w.mappings[0].flags = MappingFlags::WRITE,
        record(Table::Mappings, 0, "flags that are not allowed"),
    ),
    (
        "executable but not readable",
        |w| w.mappings[0].flags = MappingFlags::EXECUTE,
        record(Table::Mappings, 0, "flags that are not allowed"),
    ),
    (
        "address in a page",
        |w| w.mappings[0].vaddr += 8,
        record(Table::Mappings, 0, "not aligned to its page size"),
    ),
    (
        "size of half a page",
        |w| w.mappings[0].bytes -= PAGE / 2,
        record(Table::Mappings, 0, "not aligned to its page size"),
    ),
    (
        "offset in a page",
        |w| w.mappings[0].offset = 16,
        record(Table::Mappings, 0, "not aligned to its page size"),
    ),
    ("no pages", |w| w.mappings[0].bytes = 0, record(Table::Mappings, 0, "not aligned to its page size")),
    (
        "large pages at a small address",
        |w| w.mappings[1].vaddr += PAGE,
        record(Table::Mappings, 1, "not aligned to its page size"),
    ),
    (
        "large pages of small memory",
        |w| w.regions[2].paddr += PAGE,
        record(Table::Mappings, 1, "not aligned to its page size"),
    ),
    (
        "larger than its region",
        |w| w.mappings[2].bytes = 2 * PAGE,
        record(Table::Mappings, 2, "reaches beyond its region"),
    ),
    (
        "beyond the end of its region",
        |w| w.mappings[0].offset = 3 * PAGE,
        record(Table::Mappings, 0, "reaches beyond its region"),
    ),
    (
        "offset beyond everything",
        |w| w.mappings[0].offset = PAGE.wrapping_neg(),
        record(Table::Mappings, 0, "reaches beyond its region"),
    ),
    (
        "above the user's addresses",
        |w| w.mappings[3].vaddr = limits::USER_TOP_AARCH64 + 1,
        record(Table::Mappings, 3, "not a user address"),
    ),
    (
        "across the end of the user's addresses",
        |w| w.mappings[3] = mapping(1, limits::USER_TOP_AARCH64 + 1 - PAGE, 2 * PAGE, 1, 0),
        record(Table::Mappings, 3, "not a user address"),
    ),
    (
        "around the end of everything",
        |w| w.mappings[3].vaddr = PAGE.wrapping_neg(),
        record(Table::Mappings, 3, "not a user address"),
    ),
    (
        "out of order",
        |w| w.mappings.swap(0, 1),
        record(Table::Mappings, 1, "not in ascending order or overlapping"),
    ),
    (
        "address spaces out of order",
        |w| w.mappings.rotate_right(1),
        record(Table::Mappings, 1, "not in ascending order or overlapping"),
    ),
    (
        "overlapping",
        |w| w.mappings[1].vaddr = w.mappings[0].vaddr,
        record(Table::Mappings, 1, "not in ascending order or overlapping"),
    ),
];

const SCHED_CONTEXTS: &[Case] = &[
    (
        "no budget",
        |w| w.sched_contexts[1].budget_us = 0,
        record(Table::SchedContexts, 1, "budget and period are not in range"),
    ),
    (
        "budget above period",
        |w| w.sched_contexts[0].budget_us = 101,
        record(Table::SchedContexts, 0, "budget and period are not in range"),
    ),
    (
        "period too long",
        |w| w.sched_contexts[0] = SchedContext { budget_us: 1, period_us: 3_600_000_001 },
        record(Table::SchedContexts, 0, "budget and period are not in range"),
    ),
];

const CAPS: &[Case] = &[
    ("table", |w| w.caps[6].table = 2, record(Table::Caps, 6, "no such capability table")),
    ("slot 0", |w| w.caps[0].slot = 0, record(Table::Caps, 0, "no such slot")),
    ("slot beyond the table", |w| w.caps[6].slot = 512, record(Table::Caps, 6, "no such slot")),
    ("slots out of order", |w| w.caps.swap(0, 1), record(Table::Caps, 1, "not in ascending order")),
    ("slot twice", |w| w.caps[1].slot = 1, record(Table::Caps, 1, "not in ascending order")),
    ("rights", |w| w.caps[0].rights = 1 << 4, record(Table::Caps, 0, "rights without a meaning")),
    ("endpoint", |w| w.caps[0].object = 3, record(Table::Caps, 0, "no such object")),
    ("reply object", |w| w.caps[1].object = 3, record(Table::Caps, 1, "no such object")),
    ("notification", |w| w.caps[2].object = 3, record(Table::Caps, 2, "no such object")),
    ("thread", |w| w.caps[3].object = 3, record(Table::Caps, 3, "no such object")),
    ("scheduling context", |w| w.caps[4].object = 3, record(Table::Caps, 4, "no such object")),
    ("address space", |w| w.caps[5].object = 3, record(Table::Caps, 5, "no such object")),
    ("kind 0", |w| w.caps[0].kind = 0, record(Table::Caps, 0, "no such object")),
    ("kind without a meaning", |w| w.caps[0].kind = 7, record(Table::Caps, 0, "no such object")),
    (
        "reply object of two threads",
        |w| w.caps[6] = cap(1, 511, CapKind::Reply, 0),
        record(Table::Caps, 6, "reply object of another thread"),
    ),
];

const THREADS: &[Case] = &[
    ("priority", |w| w.threads[0].priority = 256, record(Table::Threads, 0, "no such priority")),
    ("address space", |w| w.threads[1].vspace = 2, record(Table::Threads, 1, "no such address space")),
    (
        "scheduling context",
        |w| w.threads[1].sched_context = 2,
        record(Table::Threads, 1, "no such scheduling context"),
    ),
    ("notification", |w| w.threads[1].notification = 3, record(Table::Threads, 1, "no such notification")),
    ("fault slot", |w| w.threads[1].fault_slot = 512, record(Table::Threads, 1, "no such fault slot")),
    ("flags", |w| w.threads[1].flags = 2, record(Table::Threads, 1, "flags that are not allowed")),
    (
        "buffer in a page",
        |w| w.threads[0].ipc_buffer += 1024,
        record(Table::Threads, 0, "IPC buffer at an address that is not free"),
    ),
    (
        "buffer above the user's addresses",
        |w| w.threads[0].ipc_buffer = limits::USER_TOP_AARCH64 + 1,
        record(Table::Threads, 0, "IPC buffer at an address that is not free"),
    ),
    (
        "buffer at the end of everything",
        |w| w.threads[0].ipc_buffer = PAGE.wrapping_neg(),
        record(Table::Threads, 0, "IPC buffer at an address that is not free"),
    ),
    (
        "buffer in a mapping",
        |w| w.threads[0].ipc_buffer = 0x50_0000,
        record(Table::Threads, 0, "IPC buffer at an address that is not free"),
    ),
    (
        "entry",
        |w| w.threads[0].entry = limits::USER_TOP_AARCH64 + 1,
        record(Table::Threads, 0, "entry or stack is not a user address"),
    ),
    (
        "stack",
        |w| w.threads[0].stack_top = u64::MAX,
        record(Table::Threads, 0, "entry or stack is not a user address"),
    ),
    (
        "time of two threads",
        |w| w.threads[1].sched_context = 0,
        record(Table::Threads, 1, "scheduling context of another thread"),
    ),
    (
        "notification of two threads",
        |w| w.threads[1].notification = 1,
        record(Table::Threads, 1, "notification of another thread"),
    ),
    (
        "buffer of two threads",
        |w| (w.threads[1].vspace, w.mappings[3].vspace) = (0, 1),
        record(Table::Threads, 1, "IPC buffer of another thread"),
    ),
];

const GROUPS: [&[Case]; 8] = [COUNTS, BOARD, RANGES, REGIONS, MAPPINGS, SCHED_CONTEXTS, CAPS, THREADS];

#[test]
fn every_rule_is_kept_by_itself() {
    GROUPS.into_iter().for_each(check);
}

/// The texts of the rules, as the validator has them.
fn texts_of_rules() -> BTreeSet<&'static str> {
    let source = include_str!("../../src/validate.rs");
    let (_, checks) = source.split_once("type Check").expect("checks follow their type");
    checks.split('"').skip(1).step_by(2).collect()
}

#[test]
fn every_rule_has_an_image_that_breaks_it() {
    let broken: BTreeSet<&str> = GROUPS
        .into_iter()
        .flatten()
        .filter_map(|(_, _, error)| match error {
            ImageError::Record { what, .. } | ImageError::TooMany { what } => Some(*what),
            _ => None,
        })
        .collect();
    assert_eq!(texts_of_rules(), broken);
}

#[test]
fn every_refusal_is_a_sentence() {
    let header = [
        ImageError::Truncated,
        ImageError::Magic,
        ImageError::Version { found: 2 },
        ImageError::Options,
        ImageError::Checksum,
        ImageError::Directory { table: 3 },
    ];
    let records = GROUPS.into_iter().flatten().map(|(_, _, error)| *error);
    let sentences: Vec<String> = header.into_iter().chain(records).map(|error| error.to_string()).collect();
    assert!(sentences.iter().all(|sentence| sentence.contains(' ')));
    assert_eq!(sentences[2], "the image has format version 2, this kernel reads 1");
    assert_eq!(sentences[6], "there are more endpoints than the kernel has room for");
    assert_eq!(sentences[11], "record 0 of table 0: not the address of a page");
}
