//! For each rule, an image that breaks only this rule.

mod header;
mod interrupts;
mod mappings;
mod memory;
mod objects;
mod processors;
mod rings;
mod services;
mod trace;

use std::collections::BTreeSet;

use limen_abi::limits;
use limen_image::{ImageError, ImageWriter, Table};

use crate::sample::{judge, sample, words_of};

const PAGE: u64 = limits::PAGE_BYTES;
/// The first invalid address.
const LIMIT: u64 = 1 << 48;

/// A description, a change that spoils the sample, and the expected error.
type Case = (&'static str, fn(&mut ImageWriter), ImageError);

const fn record(table: Table, index: usize, what: &'static str) -> ImageError {
    ImageError::Record { table: table as usize, index, what }
}

fn check(cases: &[Case]) {
    for (name, spoil, expected) in cases {
        let mut writer = sample();
        spoil(&mut writer);
        assert_eq!(judge(&words_of(&writer)), Err(*expected), "{name}");
    }
}

const GROUPS: [&[Case]; 15] = [
    objects::COUNTS,
    memory::BOARD,
    memory::RANGES,
    memory::REGIONS,
    mappings::MAPPINGS,
    objects::SCHED_CONTEXTS,
    objects::DOMAINS,
    objects::KEYS,
    interrupts::INTERRUPTS,
    objects::CAPS,
    objects::THREADS,
    services::SERVICES,
    rings::RINGS,
    trace::TRACE,
    processors::PROCESSORS,
];

#[test]
fn every_rule_is_checked_on_its_own() {
    GROUPS.into_iter().for_each(check);
}

/// The messages of the rules, from the validator's source.
fn texts_of_rules() -> BTreeSet<&'static str> {
    let source = include_str!("../../../src/validate.rs");
    let (_, checks) = source.split_once("type Check").expect("checks follow their type");
    let interrupts = include_str!("../../../src/validate/interrupts.rs");
    let processors = include_str!("../../../src/validate/processors.rs");
    let threads = include_str!("../../../src/validate/threads.rs");
    let services = include_str!("../../../src/validate/services.rs");
    let rings = include_str!("../../../src/validate/rings.rs");
    let trace = include_str!("../../../src/validate/trace.rs");
    [checks, interrupts, processors, services, threads, rings, trace]
        .into_iter()
        .flat_map(|text| text.split('"').skip(1).step_by(2))
        .collect()
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
        ImageError::Version { found: 1 },
        ImageError::Options,
        ImageError::Checksum,
        ImageError::Directory { table: 3 },
    ];
    let records = GROUPS.into_iter().flatten().map(|(_, _, error)| *error);
    let sentences: Vec<String> = header.into_iter().chain(records).map(|error| error.to_string()).collect();
    assert!(sentences.iter().all(|sentence| sentence.contains(' ')));
    assert_eq!(sentences[2], "the image has format version 1; this kernel reads 13");
    assert_eq!(sentences[6], "there are more processors than the kernel has room for");
    assert_eq!(sentences[12], "record 0 of table 0: not the address of a page");
}
