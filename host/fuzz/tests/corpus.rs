//! Every parser gets the inputs from which its fuzzer starts, and those that fuzzers have found.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::fs;
use std::path::Path;

use limen_fuzz::{TARGETS, Target};

fn kept(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name);
    fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn first_inputs_break_no_promise() {
    for target in TARGETS {
        (target.seeds)().iter().for_each(|input| (target.try_input)(input));
    }
}

#[test]
fn kept_inputs_break_no_promise() {
    for target in TARGETS {
        let inputs = kept(&target);
        assert!(!inputs.is_empty(), "{} has none", target.name);
        inputs.iter().for_each(|input| (target.try_input)(input));
    }
}
