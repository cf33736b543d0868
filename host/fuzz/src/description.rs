//! The parser of system descriptions: any text gives a system or located diagnostics.

use std::sync::Arc;

use limen_sdf::{Diagnostic, FileError, Target as Machine, parse, render};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "description",
    seeds: || SEEDS.map(|text| text.as_bytes().to_vec()).into(),
    words: &WORDS,
    try_input,
};

const SEEDS: [&str; 6] = [
    include_str!("../../../examples/tour/tour.system"),
    include_str!("../../../examples/sharing/sharing.system"),
    include_str!("../../../examples/prefilled/prefilled.system"),
    include_str!("../../../tests/domains/domains.system"),
    include_str!("../../../tests/memory/memory.system"),
    include_str!("../../microkit/tests/spread.system"),
];

const WORDS: [&[u8]; 26] = [
    b"<protection_domain name=\"",
    b"</protection_domain>",
    b"<map mr=\"",
    b"<memory_region name=\"",
    b"<channel>",
    b"<end pd=\"",
    b"<domains>",
    b"<domain_schedule>",
    b"<schedule_entry ",
    b"<cspace>",
    b"<cap_tcb slot=\"1\" ",
    b"<ioport ",
    b"<irq ",
    b"prefill_path=\"settings.txt\" ",
    b"setvar_vaddr=\"a\" ",
    b"phys_addr=\"0x",
    b"domain=\"",
    b"cpu=\"3\" ",
    b"/>",
    b"\"",
    b"0xffff_ffff_ffff_f000",
    b"<!DOCTYPE a>",
    b"&#0;",
    b"&#10;",
    b"&#x202e;",
    b"&#x9b;",
];

/// Reads a description for each instruction set.
///
/// # Panics
/// When the parser breaks one of its promises.
pub fn try_input(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let several = Machine { cpus: 4, ..Machine::aarch64() };
    let targets = [Machine::aarch64(), Machine::riscv64(), Machine::x86_64(), several];
    for target in targets {
        match parse("fuzz.system", &text, &target, &read_file) {
            Ok(parsed) => assert!(!parsed.system.protection_domains.is_empty(), "a system without programs"),
            Err(problems) => {
                assert!(!problems.is_empty(), "refused without a diagnostic");
                for problem in &problems {
                    assert!(
                        problem.span.is_some() && problem.help.is_some(),
                        "no location or no help: {problem:?}"
                    );
                    let message = render(&Diagnostic { help: None, ..problem.clone() }, None);
                    assert!(render(problem, Some(&text)).starts_with(&message), "the message comes first");
                    assert!(
                        !message.contains(|c: char| c.is_control() && c != '\n'),
                        "it controls the terminal"
                    );
                }
            }
        }
    }
}

fn read_file(path: &str, most: u64) -> Result<Arc<[u8]>, FileError> {
    match path.len() {
        0 => Err(FileError::Unreadable),
        length if (length * 100) as u64 > most => Err(FileError::TooLarge((length * 100) as u64)),
        length if path.ends_with(".txt") => Ok(vec![1; length * 100].into()),
        _ => Err(FileError::NotFound),
    }
}
