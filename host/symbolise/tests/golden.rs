//! Sentences word for word: `tests/golden/<name>.txt`. `LIMEN_BLESS=1 cargo test -p limen-symbolise` rewrites the files.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use limen_abi::{fault, slot};
use limen_symbolise::machine;
use limen_symbolise::program::{ProgramFile, Registers};
use limen_symbolise::record::{FaultRecord, Kind};
use limen_symbolise::sentence::{self, Fault};
use limen_symbolise::system::System;
use support::{converted, with_damaged_lines};

/// A system with a program that may use floating point, and one that may not.
const REPORT: &str = r#"{
  "schema": 1, "board": "b", "architecture": "any", "config": "debug",
  "protection_domains": [
    {"name": "parser", "parent": "manager", "program": "parser.elf", "budget_us": 100, "period_us": 1000,
     "fpu": false, "stack_start": "0xffffffc000", "stack_end": "0xffffffe000"},
    {"name": "manager", "parent": null, "program": "manager.elf", "budget_us": 1000, "period_us": 1000,
     "fpu": true, "stack_start": "0xffffffc000", "stack_end": "0xffffffe000"}
  ],
  "physical_memory": [],
  "address_spaces": [
    {"owner": "parser", "ranges": [
      {"start": "0x4000000", "end": "0x4001000", "paddr": "0x70000000", "perms": "rw", "purpose": "memory region ring"},
      {"start": "0x5000000", "end": "0x5001000", "paddr": "0x70001000", "perms": "x", "purpose": "memory region hidden"}
    ]}
  ]
}"#;
const PARSER: usize = 0;
const MANAGER: usize = 1;
/// No address of code.
const PC: u64 = 0x7000_0000;

fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("LIMEN_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == text, "{name}: expected\n{golden}\ngot\n{text}\n(LIMEN_BLESS=1 rewrites the file)");
}

fn record(program: usize, kind: Kind) -> FaultRecord {
    FaultRecord { program, pc: PC, sp: 0xff_ffff_df00, link: None, to: String::new(), kind, is_last: false }
}

/// The sentence about a fault of a program whose file is given.
fn sentence(architecture: &str, file: Option<&ProgramFile>, record: &FaultRecord) -> String {
    let system = System::parse(REPORT).unwrap();
    let fault = Fault { record, frame_pointer: None, stack: &BTreeMap::new() };
    sentence::of(&system, machine::named(architecture).unwrap(), file, &fault)
}

/// The words about what the program did, without the place and the hint for a missing file.
fn cause(architecture: &str, program: usize, kind: Kind) -> String {
    let said = sentence(architecture, None, &record(program, kind));
    let (_, said) = said.split_once(": program ").unwrap();
    said.split(" (no readable").next().unwrap().to_owned()
}

/// Exceptions with words of their own, and the last number of each instruction set.
#[test]
fn exceptions() {
    let mut text = String::new();
    for (architecture, count, shift) in [("aarch64", 64, 26), ("riscv64", 16, 0), ("x86_64", 32, 0)] {
        for number in 0..count {
            let kind = Kind::Exception { number: number << shift, code: 0 };
            let said = cause(architecture, PARSER, kind);
            if !said.contains("caused an exception") || number + 1 == count {
                _ = writeln!(text, "{architecture} {number:#04x}: {said}");
            }
        }
    }
    let off = Kind::Exception { number: 2, code: fault::RISCV_CODE_FPU_OFF };
    for program in [PARSER, MANAGER] {
        _ = writeln!(text, "riscv64, with its code: {}", cause("riscv64", program, off));
    }
    check("exceptions.txt", &text);
}

#[test]
fn empty_slots() {
    let mut text = String::new();
    let slots = [
        1,
        slot::BASE_OUTPUT_NOTIFICATION,
        slot::BASE_ENDPOINT,
        slot::BASE_IRQ,
        slot::BASE_TCB,
        slot::BASE_VM_TCB,
        slot::BASE_VCPU,
        slot::BASE_IOPORT,
        slot::BASE_SERVICE,
        slot::BASE_KEY,
        slot::BASE_KEY + slot::WINDOW,
    ];
    for cptr in slots {
        let kind = Kind::Cap { cptr, receive: false, outside: false };
        _ = writeln!(text, "{}", cause("aarch64", PARSER, kind));
    }
    check("empty_slots.txt", &text);
}

#[test]
fn accesses_inside_a_mapping() {
    let mut text = String::new();
    let (read, write) = (0x9200_0010, 0x9200_0050);
    for (address, status) in [(0x400_0010, write), (0x500_0010, read)] {
        let kind = Kind::Vm { address, fetch: false, status };
        _ = writeln!(text, "{}", cause("aarch64", PARSER, kind));
    }
    check("accesses_inside_a_mapping.txt", &text);
}

/// Advice about files, and the end of a sentence.
#[test]
fn hints() {
    let mut text = String::new();
    let null = Kind::Vm { address: 0, fetch: false, status: 0x9200_0006 };
    let mut say = |bytes: Option<Vec<u8>>, record: &FaultRecord| {
        let file = bytes.map(|bytes| ProgramFile::parse("parser.debug", &bytes).unwrap());
        _ = writeln!(text, "{}", sentence("aarch64", file.as_ref(), record));
    };
    let fault = record(PARSER, null);
    say(None, &fault);
    say(Some(converted(&["--strip-all"])), &fault);
    say(Some(converted(&["--only-keep-debug"])), &fault);
    say(Some(with_damaged_lines()), &fault);
    for to in ["monitor", "parent", "nobody"] {
        let record = FaultRecord { to: to.to_owned(), is_last: to == "nobody", ..record(PARSER, null) };
        say(None, &record);
    }
    check("hints.txt", &text);
}

/// The address of code differs between builds of this test.
#[test]
fn a_file_without_lines_is_named() {
    let file = ProgramFile::parse("parser.elf", &converted(&["--strip-debug"])).unwrap();
    let pc = file.function_addresses().find(|address| file.is_code(*address)).unwrap();
    let kind = Kind::Syscall { number: 7 };
    let said = sentence("x86_64", Some(&file), &FaultRecord { pc, ..record(PARSER, kind) });
    assert!(said.ends_with(" (parser.elf has no lines for this address; compile with -g)"), "{said}");
    let registers = Registers { pc, sp: 0, fp: None, link: None };
    let machine = machine::named("x86_64").unwrap();
    assert!(sentence::place(&file, machine, registers, &BTreeMap::new()).is_some());
}
