//! `docs/diagnostics.md` has an entry with a real example for every code of the builder and the tool.
//!
//! The crate that defines the codes of descriptions checks them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failure here fails the test")]

#[path = "../src/code.rs"]
#[allow(dead_code, reason = "only the list is used")]
mod code;

use std::fs;
use std::path::Path;

/// Bugs in the tool itself, which no input is known to trigger.
const DEFECTS: [&str; 2] = ["image-refused", "elf-output"];

#[test]
fn every_code_is_documented_and_every_documented_code_exists() {
    let documented: Vec<_> = entries().into_iter().map(|(code, _)| code).collect();
    assert_eq!(documented, [limen_builder::code::ALL, code::ALL].concat());
}

#[test]
fn documented_examples_are_real() {
    for (code, entry) in entries() {
        let printed = printed_with(&code);
        let is_real = |line: &str| printed.iter().any(|text| text.lines().any(|printed| printed == line));
        let mut examples = entry.split("\n```\n").skip(1).step_by(2).flat_map(str::lines).peekable();
        assert_eq!(examples.peek().is_none(), DEFECTS.contains(&code.as_str()), "{code}");
        for line in examples {
            assert!(is_real(line), "{code} has an example that the tool never prints: {line}");
        }
    }
}

/// Titles and texts of the entries in the documentation.
fn entries() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics.md");
    let text = fs::read_to_string(path).unwrap();
    let after = text.split("\n## Building an image\n").nth(1).expect("section 'Building an image'");
    let section = after.split("\n## ").next().unwrap();
    let entries = section.split("\n### ").skip(1).map(|entry| entry.split_once('\n').unwrap());
    entries.map(|(title, text)| (title.to_owned(), text.to_owned())).collect()
}

/// Golden transcripts that contain this code.
fn printed_with(code: &str) -> Vec<String> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = fs::read_dir(golden).unwrap().map(|entry| entry.unwrap().path());
    let texts = files.map(|path| fs::read_to_string(path).unwrap());
    texts.filter(|text| text.trim_end().ends_with(&format!("[{code}]"))).collect()
}
