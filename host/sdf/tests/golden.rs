//! Every diagnostic, as users see it.
//!
//! `golden/CODE[-VARIANT].system` is a description; `.expected` holds all its rendered diagnostics. A comment
//! `target: ARCHITECTURE` in the description selects a target other than AArch64, `target: older name` a board by an
//! older name, and `target: 4 processors` a configuration for several. With `LIMEN_BLESS=1` in the environment, the test rewrites the expected files; review the difference
//! before you commit it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failure here fails the test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use limen_sdf::{Diagnostic, FileError, Target, code, parse, render};

#[test]
fn diagnostics_read_as_expected() {
    let bless = std::env::var_os("LIMEN_BLESS").is_some_and(|value| value == "1");
    let mut mismatches = String::new();
    for path in descriptions() {
        let actual = rendered(&path);
        let expected_path = path.with_extension("expected");
        if bless {
            fs::write(&expected_path, &actual).unwrap();
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if actual != expected {
            writeln!(mismatches, "{}:\n{}", expected_path.display(), difference(&expected, &actual)).unwrap();
        }
    }
    assert!(mismatches.is_empty(), "{mismatches}Rewrite these files with LIMEN_BLESS=1.");
}

#[test]
fn first_diagnostic_has_the_code_in_the_file_name() {
    for path in descriptions() {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let named = code::ALL.iter().filter(|code| is_variant_of(&stem, code)).max_by_key(|code| code.len());
        let first = diagnostics(&path).first().map(|diagnostic| diagnostic.code);
        assert_eq!(first, named.copied(), "{}", path.display());
    }
}

#[test]
fn every_code_has_a_golden_file() {
    let reported: BTreeSet<_> =
        descriptions().iter().flat_map(|path| diagnostics(path)).map(|diagnostic| diagnostic.code).collect();
    assert_eq!(reported, code::ALL.iter().copied().collect());
}

#[test]
fn every_code_is_documented_and_every_documented_code_exists() {
    let documented: Vec<_> = entries().into_iter().map(|(code, _)| code).collect();
    assert_eq!(documented, code::ALL);
}

#[test]
fn documented_examples_are_real() {
    for (code, entry) in entries() {
        let first = diagnostics(&golden(&format!("{code}.system"))).remove(0);
        let is_there = |line: &str| entry.lines().any(|documented| documented == line);
        assert!(first.message.lines().take(1).all(is_there), "{code} lacks: {}", first.message);
    }
}

#[test]
fn every_diagnostic_has_a_location_and_help() {
    for diagnostic in descriptions().iter().flat_map(|path| diagnostics(path)) {
        assert!(diagnostic.span.is_some() && diagnostic.help.is_some(), "{diagnostic:?}");
    }
}

/// Titles and texts of the entries in the documentation.
fn entries() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics.md");
    let text = fs::read_to_string(path).unwrap();
    let after = text.split("\n## System description\n").nth(1).expect("section 'System description'");
    let section = after.split("\n## ").next().unwrap();
    let entries = section.split("\n### ").skip(1).map(|entry| entry.split_once('\n').unwrap());
    entries.map(|(title, text)| (title.to_owned(), text.to_owned())).collect()
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn descriptions() -> Vec<PathBuf> {
    let files = fs::read_dir(golden("")).unwrap().map(|entry| entry.unwrap().path());
    let mut descriptions: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|e| e == "system")).collect();
    descriptions.sort();
    descriptions
}

fn is_variant_of(stem: &str, code: &str) -> bool {
    stem.strip_prefix(code).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn diagnostics(path: &Path) -> Vec<Diagnostic> {
    let text = fs::read_to_string(path).unwrap();
    let file_name = path.file_name().unwrap().to_str().unwrap();
    match parse(file_name, &text, &target(&text), &read_file) {
        Ok(parsed) => parsed.warnings,
        Err(problems) => problems,
    }
}

/// Files that descriptions name are in `golden/files`.
fn read_file(name: &str, most: u64) -> Result<Arc<[u8]>, FileError> {
    match name {
        "device" => return Err(FileError::NotRegular),
        "huge.bin" => return Err(FileError::TooMuch(1 << 30)),
        _ => {}
    }
    let path = golden("files").join(name);
    if !path.exists() {
        return Err(FileError::NotFound);
    }
    let contents = fs::read(path).map_err(|_| FileError::Unreadable)?;
    let bytes = contents.len() as u64;
    if bytes > most { Err(FileError::TooLarge(bytes)) } else { Ok(contents.into()) }
}

fn target(text: &str) -> Target {
    let older_name = text.contains("target: older name");
    let cpus = if text.contains("target: 4 processors") { 4 } else { 1 };
    Target { older_name, cpus, ..architecture(text) }
}

fn architecture(text: &str) -> Target {
    if text.contains("target: x86_64") {
        Target::x86_64()
    } else if text.contains("target: riscv64") {
        Target::riscv64()
    } else {
        Target::aarch64()
    }
}

fn rendered(path: &Path) -> String {
    let source = fs::read_to_string(path).unwrap();
    let texts = diagnostics(path).into_iter().map(|diagnostic| render(&diagnostic, Some(&source)) + "\n");
    texts.collect::<Vec<_>>().join("\n")
}

/// The lines of both texts from the first difference.
fn difference(expected: &str, actual: &str) -> String {
    let same = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    let marked =
        |text: &str, mark| text.lines().skip(same).map(|line| format!("{mark}{line}\n")).collect::<String>();
    format!("@@ line {}\n{}{}", same + 1, marked(expected, '-'), marked(actual, '+'))
}
