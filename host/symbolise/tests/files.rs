//! Program files, also damaged ones. The file is this test itself.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use std::fs;

use limen_symbolise::machine;
use limen_symbolise::program::{ProgramFile, Registers};
use object::{Object, ObjectSymbol};
use proptest::prelude::*;
use support::{converted, with_damaged_lines};

/// The line of the next function.
const OWN_LINE: u32 = 18;

fn own_file() -> Vec<u8> {
    fs::read(std::env::current_exe().unwrap()).unwrap()
}

/// Asks for everything at some addresses.
fn ask(file: &ProgramFile, address: u64) {
    let registers = Registers { pc: address, sp: 0x1000, fp: Some(0x1010), link: Some(address) };
    for name in ["aarch64", "riscv64", "x86_64"] {
        let machine = machine::named(name).unwrap();
        // Rules may lead anywhere; the unwinder checks the result.
        _ = file.caller(machine, &registers, address, &Some);
        assert!(!file.is_return_address(machine, address) || file.is_code(address - 1));
    }
    let is_plain = |text: &str| !text.contains(char::is_control);
    for frame in file.frames(address) {
        assert!(frame.function.as_deref().is_none_or(is_plain));
        assert!(frame.line.is_none_or(|(name, _)| is_plain(&name)));
    }
}

#[test]
fn a_rust_function_is_found_with_its_line() {
    let file = ProgramFile::parse("x", &own_file()).unwrap();
    let place = |function: &str| {
        let named =
            |address: &u64| file.frames(*address).iter().any(|f| f.function.as_deref() == Some(function));
        file.function_addresses().find(named)
    };
    let address = place("files::own_file").unwrap();
    let frames = file.frames(address);
    let (name, line) = frames.last().unwrap().line.clone().unwrap();
    assert_eq!((name.as_str(), line), ("files.rs", OWN_LINE));
    assert!(file.is_code(address) && file.has_symbols());
}

/// The compiler leaves some instructions of functions without a line, between others that have one.
#[test]
fn an_instruction_without_a_line_has_the_line_before() {
    let file = ProgramFile::parse("x", &own_file()).unwrap();
    let first = |address: u64| file.frames(address).into_iter().next().unwrap_or_default();
    // The linker leaves lines of functions that it removed at low addresses.
    let lines = file.lines().into_iter().filter(|(start, ..)| file.is_code(*start));
    let lines: Vec<_> = lines.map(|(start, size, ..)| (start, start + size)).collect();
    let gaps = lines.windows(2).filter(|pair| pair[0].1 < pair[1].0);
    let frames = gaps.map(|pair| (first(pair[0].0), first(pair[0].1)));
    let in_one = frames.filter(|(before, gap)| before.function.is_some() && before.function == gap.function);
    let compared = in_one.take(100).inspect(|(before, gap)| assert_eq!(gap.line, before.line));
    assert_eq!(compared.count(), 100);
}

/// The address of the function that reads this test's file.
fn own_address() -> u64 {
    let bytes = own_file();
    let file = object::File::parse(&*bytes).unwrap();
    let is_meant =
        |symbol: &object::Symbol<'_, '_>| symbol.name().is_ok_and(|name| name.contains("8own_file"));
    file.symbols().find(is_meant).unwrap().address()
}

fn line_of_own_file(file: &ProgramFile) -> Option<(String, u32)> {
    file.frames(own_address()).last()?.line.clone()
}

#[test]
fn compressed_lines_are_read() {
    for format in ["zlib", "zstd"] {
        let bytes = converted(&[&format!("--compress-debug-sections={format}")]);
        assert!(bytes.len() < own_file().len(), "{format}");
        let file = ProgramFile::parse("x", &bytes).unwrap();
        assert_eq!(line_of_own_file(&file), Some(("files.rs".to_owned(), OWN_LINE)), "{format}");
        assert!(!file.is_compressed());
    }
}

#[test]
fn damaged_compressed_lines_are_reported() {
    let file = ProgramFile::parse("x", &with_damaged_lines()).unwrap();
    assert!(file.is_compressed() && line_of_own_file(&file).is_none());
}

#[test]
fn a_file_without_code_gets_that_of_its_image() {
    let file = ProgramFile::parse("x", &converted(&["--only-keep-debug"])).unwrap();
    let address = own_address();
    assert!(file.lacks_code() && !file.is_code(address));
    let image = ProgramFile::parse("x", &converted(&["--strip-all"])).unwrap();
    let whole = file.with_code_of(image);
    assert!(!whole.lacks_code() && whole.is_code(address));
    assert_eq!(line_of_own_file(&whole), Some(("files.rs".to_owned(), OWN_LINE)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn damaged_files_are_read_or_refused(
        hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
        header in proptest::collection::vec((0_usize..64, any::<u8>()), 0..3),
        addresses in proptest::collection::vec(any::<prop::sample::Index>(), 4),
    ) {
        let mut bytes = own_file();
        let count = bytes.len();
        let places: Vec<_> = ProgramFile::parse("x", &bytes).unwrap().function_addresses().collect();
        hits.iter().for_each(|(at, byte)| bytes[at.index(count)] = *byte);
        header.iter().for_each(|(at, byte)| bytes[*at] = *byte);
        if let Some(file) = ProgramFile::parse("x", &bytes) {
            addresses.iter().for_each(|at| ask(&file, places[at.index(places.len())]));
            ask(&file, u64::MAX);
            ask(&file, 0);
        }
    }
}
